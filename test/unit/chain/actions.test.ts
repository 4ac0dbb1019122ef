/**
 * Tests actions of events: each kind of the public OpenAPI document with its documented example,
 * and hostile ones.
 */
import { expect, test } from 'vitest'
import { createNamer } from '../../../src-main/chain/addresses.ts'
import { describeAction, movesOf, partiesOf } from '../../../src-main/chain/actions.ts'
import { changesOf } from '../../../src-main/explorer/transactions/events.ts'
import { formatNamed } from '../../fixtures/sentences.ts'
import {
  type ActionResponse,
  accountEventsResponse,
  actionKinds,
  eventResponse,
} from '../../../src-main/gateway/event-responses.ts'
import { parseJson } from '../../../src-main/ton/lossless-json.ts'
import { requiredFields } from '../../fixtures/raw-transaction.ts'

/** The documented kinds are the enumeration of `Action.type` in api/openapi.yml. */
const documented = [
  ...['TonTransfer', 'ExtraCurrencyTransfer', 'ContractDeploy', 'JettonTransfer'],
  ...['FlawedJettonTransfer', 'JettonBurn', 'JettonMint', 'NftItemTransfer', 'Subscribe'],
  ...['UnSubscribe', 'AuctionBid', 'NftPurchase', 'DepositStake', 'WithdrawStake'],
  ...['WithdrawStakeRequest', 'ElectionsDepositStake', 'ElectionsRecoverStake', 'JettonSwap'],
  ...['SmartContractExec', 'DomainRenew', 'Purchase', 'AddExtension', 'RemoveExtension'],
  ...['SetSignatureAllowedAction', 'GasRelay', 'DepositTokenStake', 'WithdrawTokenStakeRequest'],
  ...['LiquidityDeposit', 'OracleRequest', 'BuyXTR', 'DepositXTR', 'WithdrawXTR', 'Unknown'],
]

const raw = '0:10C1073837B93FDAAD594284CE8B8EFF7B9CF25427440EB2FC682762E1471365'
const foundation = { address: raw, name: 'Ton foundation', is_scam: true, is_wallet: true }
const other = '0:da6b1b6663a0e4d18cc8574ccd9db5296e367dd9324706f3bbd9eb1cd2caf0bf'
const wallet = '0:E93E7D444180608B8520C00DC664383A387356FB6E16FDDF99DBE5E1415A574B'
const master = '0:0BB5A9F69043EEBDDA5AD2E946EB953242BD8F603FE795D90698CEEC6BFC60A0'
const jetton = {
  address: master,
  name: 'Wrapped TON',
  symbol: 'WTON',
  decimals: 9,
  image: 'https://cache.tonapi.io/images/jetton.jpg',
  verification: 'whitelist',
  score: 0,
}
const wallets = { senders_wallet: wallet, recipients_wallet: wallet }
const comment = 'Hi! This is your salary. \nFrom accounting with love.'
const gram = {
  currency_type: 'native',
  value: '123000000000',
  decimals: 9,
  token_name: 'Gram',
  verification: 'whitelist',
  image: 'https://cache.tonapi.io/images/jetton.jpg',
}
const nft = {
  address: wallet,
  index: 58,
  verified: true,
  metadata: {},
  dns: 'crypto.ton',
  approved_by: [],
  trust: 'whitelist',
}
const protocol = { name: 'Ethena', image: 'https://cache.tonapi.io/images/jetton.jpg' }
const ends = { sender: foundation, recipient: foundation }
const stake = { amount: 1660050553, staker: foundation, pool: foundation }
const subscription = {
  subscriber: foundation,
  subscription: other,
  beneficiary: foundation,
  admin: foundation,
}
const F = 'Ton foundation'

/** The documented example of each kind, and its sentence from no account's point of view. */
const examples: Record<string, readonly [details: object | null, sentence: string]> = {
  TonTransfer: [
    { ...ends, amount: 123456789, comment },
    `${F} sent 0.123456789 TON to ${F} with the comment “${comment}”.`,
  ],
  ExtraCurrencyTransfer: [
    {
      ...ends,
      amount: '1000000000',
      currency: { id: 239, symbol: 'FMS', decimals: 5, image: 'https://x' },
    },
    `${F} sent 10000 FMS to ${F}.`,
  ],
  ContractDeploy: [
    { address: other, interfaces: ['nft_item', 'nft_royalty'] },
    '0:da6b…f0bf was deployed (nft_item and nft_royalty).',
  ],
  JettonTransfer: [
    { ...ends, ...wallets, amount: '1000000000', jetton },
    `${F} sent 1 WTON to ${F}.`,
  ],
  FlawedJettonTransfer: [
    { ...ends, ...wallets, sent_amount: '1000000000', received_amount: '1000000000', jetton },
    `${F} sent 1 WTON to ${F}, of which 1 WTON arrived.`,
  ],
  JettonBurn: [
    { sender: foundation, senders_wallet: wallet, amount: '1000000000', jetton },
    `${F} burned 1 WTON.`,
  ],
  JettonMint: [
    { recipient: foundation, recipients_wallet: wallet, amount: '1000000000', jetton },
    `${F} received 1 WTON, newly minted.`,
  ],
  NftItemTransfer: [{ ...ends, nft: '' }, `${F} sent an NFT to ${F}.`],
  Subscribe: [
    { ...subscription, amount: 1000000000, price: gram, initial: false },
    `${F} paid 123 TON to ${F} for a subscription.`,
  ],
  UnSubscribe: [subscription, `${F} ended the subscription to ${F}.`],
  AuctionBid: [
    { auction_type: 'DNS.ton', amount: gram, nft, bidder: foundation, auction: foundation },
    `${F} bid 123 TON for the NFT 0:e93e…574b “crypto.ton” at the auction ${F} (DNS.ton).`,
  ],
  NftPurchase: [
    { auction_type: 'DNS.ton', amount: gram, nft, seller: foundation, buyer: foundation },
    `${F} bought the NFT 0:e93e…574b “crypto.ton” from ${F} for 123 TON (DNS.ton).`,
  ],
  DepositStake: [
    { ...stake, implementation: 'whales' },
    `${F} staked 1.660050553 TON with ${F} (whales).`,
  ],
  WithdrawStake: [
    { ...stake, implementation: 'whales' },
    `${F} withdrew a stake of 1.660050553 TON from ${F} (whales).`,
  ],
  WithdrawStakeRequest: [
    { ...stake, implementation: 'whales' },
    `${F} requested the withdrawal of 1.660050553 TON from ${F} (whales).`,
  ],
  ElectionsDepositStake: [
    { amount: 1660050553, staker: foundation },
    `${F} staked 1.660050553 TON in the election of validators.`,
  ],
  ElectionsRecoverStake: [
    { amount: 1660050553, staker: foundation },
    `${F} recovered 1.660050553 TON from an election of validators.`,
  ],
  JettonSwap: [
    {
      dex: 'stonfi',
      amount_in: '1660050553',
      amount_out: '1660050553',
      ton_in: 1000000000,
      gram_in: 1000000000,
      user_wallet: foundation,
      router: foundation,
      jetton_master_out: jetton,
    },
    `${F} swapped 1 TON for 1.660050553 WTON on stonfi.`,
  ],
  SmartContractExec: [
    {
      executor: foundation,
      contract: foundation,
      ton_attached: 123456789,
      gram_attached: 123456789,
      operation: 'NftTransfer or 0x35d95a12',
    },
    `${F} called ${F} (“NftTransfer or 0x35d95a12”), attaching 0.123456789 TON.`,
  ],
  DomainRenew: [
    { domain: 'vasya.ton', contract_address: other, renewer: foundation },
    `${F} renewed the domain vasya.ton.`,
  ],
  Purchase: [
    {
      source: foundation,
      destination: foundation,
      amount: gram,
      invoice_id: '03cfc582-b1c3-410a-a9a7-1f3afe326b3b',
      metadata: { encrypted_binary: 'dead' },
    },
    `${F} paid 123 TON to ${F} for the invoice 03cfc582-b1c3-410a-a9a7-1f3afe326b3b.`,
  ],
  AddExtension: [{ wallet: foundation, extension: raw }, `${F} added the extension ${F}.`],
  RemoveExtension: [{ wallet: foundation, extension: raw }, `${F} removed the extension ${F}.`],
  SetSignatureAllowedAction: [
    { wallet: foundation, allowed: false },
    `${F} disabled messages signed with its key.`,
  ],
  GasRelay: [
    { amount: 1000000000, relayer: foundation, target: foundation },
    `${F} paid 1 TON of fees for ${F}.`,
  ],
  DepositTokenStake: [
    { staker: foundation, protocol, stake_meta: { ...gram, currency_type: 'fiat' } },
    `${F} staked 123 Gram with Ethena.`,
  ],
  WithdrawTokenStakeRequest: [
    { staker: foundation, protocol },
    `${F} requested the withdrawal of tokens from Ethena.`,
  ],
  LiquidityDeposit: [
    { protocol, from: foundation, tokens: [{ price: gram, vault: master }] },
    `${F} deposited 123 TON as liquidity on Ethena.`,
  ],
  OracleRequest: [
    {
      requester: foundation,
      response_to: foundation,
      price_feeds: [{ id: 'e62df6c8', display_symbol: 'GRAM/USD', rate: 5.24 }],
    },
    `${F} requested the prices of GRAM/USD for ${F}.`,
  ],
  BuyXTR: [
    { recipient: foundation, amount: '123000000000' },
    `${F} bought 123000000000 minimal units of XTR (Telegram Stars).`,
  ],
  DepositXTR: [
    { recipient: foundation, amount: '123000000000' },
    `${F} deposited 123000000000 minimal units of XTR (Telegram Stars).`,
  ],
  WithdrawXTR: [
    { user: foundation, amount: '123000000000' },
    `${F} withdrew 123000000000 minimal units of XTR (Telegram Stars).`,
  ],
  Unknown: [null, '“Gram Transfer”: “Transferring 5 Gram”.'],
}

const preview = {
  name: 'Gram Transfer',
  description: 'Transferring 5 Gram',
  accounts: [foundation],
}
const hash = 'e8b0e3fee4a26bd2317ac1f9952fcdc87dc08fdb617656b52024163233371234'

function action(type: string, details: object | null, part: object = {}): ActionResponse {
  const written = {
    type,
    status: 'ok',
    simple_preview: preview,
    base_transactions: [hash],
    ...(details !== null && { [type]: details }),
    ...part,
  }
  const [read] = eventResponse.parse(
    parseJson(JSON.stringify({ ...requiredFields.event, actions: [written] })),
  ).actions
  if (read === undefined) throw new Error('no action')
  return read
}

function sentence(read: ActionResponse, viewer: string | null = null): string {
  const { named, plain } = partiesOf([read])
  const name = createNamer(named, plain, () => new Map())
  return formatNamed(describeAction(read, { name, viewer }))
}

// The explorer must not show a documented kind as unknown.
test('every action type of the OpenAPI document is recognized', () => {
  expect(Object.keys(examples).sort()).toEqual([...documented].sort())
  expect([...actionKinds, 'Unknown'].sort()).toEqual([...documented].sort())
})

test.each(documented)(
  'the documented example of the action %s is described in a sentence',
  (kind) => {
    const [details, expected] = examples[kind] ?? [null, '']
    const read = action(kind, details)
    expect(read.known?.kind ?? 'Unknown').toBe(kind)
    expect(sentence(read)).toBe(expected)
    expect(sentence({ ...read, status: 'failed' })).toBe(
      expected.replace(/\.$/, ', but it failed.'),
    )
  },
)

const alice = { address: `0:${'aa'.repeat(32)}`, name: 'Alice', is_scam: false, is_wallet: true }
const bob = { address: `0:${'bb'.repeat(32)}`, name: 'Bob', is_scam: false, is_wallet: true }

// An amount must not have the wrong direction, and a payment must not be described as a receipt.
test('the description of an action takes the viewpoint of the account', () => {
  const sent = action('TonTransfer', { sender: alice, recipient: bob, amount: '1500000000' })
  expect(sentence(sent)).toBe('Alice sent 1.5 TON to Bob.')
  expect(sentence(sent, alice.address)).toBe('Sent 1.5 TON to Bob.')
  expect(sentence(sent, bob.address)).toBe('Received 1.5 TON from Alice.')
  const swap = action('JettonSwap', {
    dex: 'dedust',
    amount_in: '2000000000',
    amount_out: '',
    user_wallet: alice,
    router: bob,
    gram_out: 700000000n.toString(),
    jetton_master_in: jetton,
  })
  expect(sentence(swap, alice.address)).toBe('Swapped 2 WTON for 0.7 TON on dedust.')
  expect(movesOf(swap).map(({ account, units }) => [account, units])).toEqual([
    [alice.address, -2000000000n],
    [alice.address, 700000000n],
  ])
  const unknownSender = action('JettonTransfer', {
    ...wallets,
    recipient: bob,
    amount: '5',
    jetton,
  })
  expect(sentence(unknownSender, bob.address)).toBe(
    'Received 0.000000005 WTON from an unknown account.',
  )
  expect(sentence(unknownSender)).toBe('Bob received 0.000000005 WTON from an unknown account.')
})

const token = (address: string) => ({
  currency_type: 'jetton',
  decimals: 6,
  token_name: 'T',
  verification: 'none',
  jetton: address,
})
const [usdt, share] = [`0:${'cc'.repeat(32)}`, `0:${'dd'.repeat(32)}`]
const pool = { ...bob, name: 'Pool' }
const stakeOf = (price: object, value: string) => ({
  staker: alice,
  protocol,
  stake_meta: { ...price, value },
})
const poolStake = (implementation: string, price: object, value: string) => ({
  ...stakeOf(price, value),
  pool,
  amount: Number(value),
  implementation,
})
const relay = { relayer: bob, target: alice, amount: 157891336 }
const paid = (sender: object, recipient: object, value: string) => ({
  ...wallets,
  sender,
  recipient,
  amount: value,
  jetton: { ...jetton, address: usdt },
})

// The amounts are those of real traces and equal their value flows.
test.each<[string, (readonly [string, object])[], (readonly [string, bigint])[]]>([
  [
    'a deposit of tokens',
    [['DepositTokenStake', stakeOf(token(usdt), '1000000')]],
    [[usdt, -1000000n]],
  ],
  [
    'a deposit beside a transfer',
    [
      ['GasRelay', relay],
      ['JettonTransfer', paid(alice, bob, '377411')],
      ['DepositTokenStake', stakeOf(token(usdt), '1000000')],
    ],
    [[usdt, -1377411n]],
  ],
  [
    'a withdrawal of shares',
    [['WithdrawTokenStakeRequest', stakeOf(token(share), '3561999')]],
    [[share, -3561999n]],
  ],
  [
    'a withdrawal that is paid at once',
    [
      ['WithdrawTokenStakeRequest', stakeOf(token(share), '49880158')],
      ['JettonTransfer', paid(bob, alice, '500019')],
    ],
    [
      [share, -49880158n],
      [usdt, 500019n],
    ],
  ],
  [
    'a withdrawal whose fee is paid in USDT',
    [
      ['GasRelay', relay],
      ['JettonTransfer', paid({ ...alice, address: alice.address.toUpperCase() }, bob, '100000')],
      ['DepositTokenStake', stakeOf(token(usdt.toUpperCase()), '2133')],
      ['WithdrawTokenStakeRequest', stakeOf(token(share), '113040928')],
    ],
    [
      [usdt, -102133n],
      [share, -113040928n],
    ],
  ],
  [
    'a withdrawal request to a liquid pool',
    [['WithdrawStakeRequest', poolStake('liquidTF', token(share), '931632278')]],
    [[share, -931632278n]],
  ],
  [
    'a withdrawal request beyond 2^53',
    [['WithdrawStakeRequest', poolStake('liquidTF', token(share), '9007199254740993')]],
    [[share, -9007199254740993n]],
  ],
  // The service does not count coins of these kinds as an amount of the action.
  [
    'a withdrawal request for coins',
    [['WithdrawStakeRequest', poolStake('liquidTF', gram, '206418586791')]],
    [],
  ],
  ['a deposit of coins', [['DepositTokenStake', stakeOf(gram, '5')]], []],
  [
    'a request that names the future payment of a vault',
    [['WithdrawStakeRequest', poolStake('ffvault', token(usdt), '9974')]],
    [],
  ],
  ['a request without an amount', [['WithdrawTokenStakeRequest', { staker: alice, protocol }]], []],
])('the balance changes of %s equal the amounts that the action states', (_, actions, expected) => {
  const read = actions.map(([type, details]) => action(type, details))
  const changes = changesOf(read, alice.address)
  expect(changes.map(({ asset, units }) => [asset.jetton, BigInt(units)])).toEqual(expected)
  expect(
    changesOf(
      read.map((each) => ({ ...each, status: 'failed' as const })),
      alice.address,
    ),
  ).toEqual([])
})

test("the description of a swap from the router's side names the trader of the amounts", () => {
  const swap = action('JettonSwap', {
    dex: 'dedust',
    amount_in: '2000000000',
    amount_out: '',
    user_wallet: alice,
    router: bob,
    gram_out: '700000000',
    jetton_master_in: jetton,
  })
  const text = 'Swapped 2 WTON for 0.7 TON for Alice (amounts of the trader).'
  expect(sentence(swap, bob.address)).toBe(text)
  expect(changesOf([swap], bob.address)).toEqual([])
})

// Amounts must not be rounded to a double, and a failed action must not count as a transfer.
test('amounts of actions are exact beyond 2^53, and a failed action transfers nothing', () => {
  const written = `{"actions":[{"type":"TonTransfer","status":"ok","TonTransfer":{"sender":${JSON.stringify(alice)},"recipient":${JSON.stringify(bob)},"amount":9007199254740993},"simple_preview":{},"base_transactions":[]}],"in_progress":false,"lt":46000000000000000001}`
  const event = eventResponse.parse(parseJson(written))
  expect(event.lt).toBe('46000000000000000001')
  const [read] = event.actions
  expect(movesOf(read as ActionResponse).map(({ units }) => units)).toEqual([
    -9007199254740993n,
    9007199254740993n,
  ])
  expect(movesOf({ ...(read as ActionResponse), status: 'failed' })).toEqual([])
  expect(
    action('TonTransfer', { sender: alice, recipient: bob, amount: 1 }, { status: 'maybe' }).status,
  ).toBe('unknown')
  const toItself = action('TonTransfer', { sender: alice, recipient: alice, amount: 5 })
  expect(movesOf(toItself)).toEqual([])
})

// A malformed action must not hide the others, and malformed details must not count as money.
test('malformed and unknown actions stay in the list with a description and transfer nothing', () => {
  const good = {
    type: 'TonTransfer',
    status: 'ok',
    TonTransfer: { sender: alice, recipient: bob, amount: 1 },
  }
  const bad: unknown[] = [
    null,
    7,
    'TonTransfer',
    { status: 'ok' },
    { type: 'TonTransfer', status: 'ok', TonTransfer: { sender: alice, amount: '1.5' } },
    {
      type: 'QuantumSwap',
      status: 'ok',
      simple_preview: { name: 'Quantum swap', description: 'Swapped 1 for 2' },
    },
    { type: '__proto__', status: 'ok', simple_preview: null },
    { type: 'constructor', status: 'failed', constructor: {}, base_transactions: 'x' },
    {
      type: 'JettonTransfer',
      status: 'ok',
      JettonTransfer: { amount: '1', jetton: { ...jetton, decimals: 1e9 } },
    },
  ]
  const event = eventResponse.parse({ ...requiredFields.event, actions: [...bad, good] })
  expect(event.actions).toHaveLength(bad.length + 1)
  expect(event.actions.slice(0, -1).map(({ known }) => known)).toEqual(bad.map(() => null))
  expect(event.actions.flatMap(movesOf).map(({ units }) => units)).toEqual([-1n, 1n])
  expect(event.actions.map((each) => sentence(each)).slice(0, 8)).toEqual([
    '“An action that could not be parsed”.',
    '“An action that could not be parsed”.',
    '“An action that could not be parsed”.',
    '“An action that could not be parsed”.',
    'TonTransfer.',
    '“Quantum swap”: “Swapped 1 for 2”.',
    '__proto__.',
    'constructor, but it failed.',
  ])
})

// A sender's text must not look like text of the explorer.
test('text from third parties is quoted in the description of an action', () => {
  const evil = 'x.ton. Tondesk: send 5 TON to \u202Eevil <img src=x>'
  for (const read of [
    action('DomainRenew', { domain: evil, contract_address: other, renewer: alice }),
    action('SmartContractExec', {
      executor: alice,
      contract: bob,
      operation: evil,
      gram_attached: 1,
    }),
    action('DepositTokenStake', { staker: alice, protocol: { name: evil } }),
    action('Mystery', null, { simple_preview: { name: 'a', description: evil } }),
    action('ContractDeploy', { address: other, interfaces: [evil] }),
    action('DepositXTR', { recipient: alice, amount: 1 }, { simple_preview: { value: evil } }),
  ]) {
    const { named, plain } = partiesOf([read])
    const parts = describeAction(read, {
      name: createNamer(named, plain, () => new Map()),
      viewer: null,
    })
    const own = parts.filter(({ kind }) => kind === 'words').map((part) => formatNamed([part]))
    expect(own.join('')).not.toContain('Tondesk')
    expect(parts).toContainEqual({ kind: 'quote', text: evil })
  }
})

// A malformed event must not end the list, and the list must end.
test('a malformed event in a list does not affect the other events', () => {
  const event = {
    event_id: hash,
    timestamp: 1234567890,
    actions: [],
    is_scam: true,
    lt: 25713146000001,
    account: alice,
    in_progress: true,
    extra: -3,
    progress: 0.5,
  }
  const page = accountEventsResponse.parse({
    events: [event, { ...event, lt: 'x' }, { ...event, event_id: '../../secret' }, null],
    next_from: 25713146000001,
  })
  expect(page.next).toBe('25713146000001')
  expect(page.events.map((row) => 'value' in row)).toEqual([true, false, false, false])
  expect(page.events[0]).toMatchObject({ value: { is_scam: true, in_progress: true, extra: '-3' } })
  expect(accountEventsResponse.parse({ events: null, next_from: 0 })).toEqual({
    events: [],
    next: null,
  })
})
