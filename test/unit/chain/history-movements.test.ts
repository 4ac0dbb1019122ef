/** Tests the amounts that transactions of an account and of a jetton wallet moved. */
import { beginCell, Address } from '@ton/core'
import { expect, test } from 'vitest'
import { accountEventsResponse } from '../../../src-main/gateway/event-responses.ts'
import { transactionResponse } from '../../../src-main/gateway/query-responses.ts'
import {
  moveCoins,
  moveEvent,
  moveJettons,
} from '../../../src-main/explorer/history-export/movements.ts'
import { requiredFields } from '../../fixtures/raw-transaction.ts'

const wallet = `0:${'aa'.repeat(32)}`
const owner = `0:${'bb'.repeat(32)}`
const other = `0:${'cc'.repeat(32)}`
const master = `0:${'dd'.repeat(32)}`

type Message = {
  from: string
  to: string
  body: string
  value?: bigint
  fee?: bigint
  bounced?: boolean
}

function message({ from, to, body, value = 0n, fee = 0n, bounced = false }: Message) {
  return {
    ...requiredFields.message,
    msg_type: 'int_msg',
    bounced,
    bounce: false,
    ihr_disabled: true,
    ihr_fee: '0',
    source: { address: from },
    destination: { address: to },
    hash: 'ab'.repeat(32),
    value: value.toString(),
    fwd_fee: fee.toString(),
    raw_body: body,
    out_msgs: [],
  }
}

function transaction(
  incoming: Message | null,
  outgoing: readonly Message[] = [],
  more: object = {},
) {
  return transactionResponse.parse({
    ...requiredFields.transaction,
    hash: 'ef'.repeat(32),
    lt: '5',
    account: { address: wallet },
    success: true,
    utime: 1,
    orig_status: 'active',
    end_status: 'active',
    total_fees: '7',
    transaction_type: 'TransOrd',
    in_msg: incoming === null ? null : message(incoming),
    out_msgs: outgoing.map(message),
    compute_phase: { skipped: false, success: true, exit_code: 0 },
    aborted: false,
    ...more,
  })
}

const hex = (cell: ReturnType<typeof beginCell>) => cell.endCell().toBoc().toString('hex')

const transfer = hex(
  beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(0, 64)
    .storeCoins(100n)
    .storeAddress(Address.parse(other))
    .storeAddress(null)
    .storeBit(0)
    .storeCoins(0)
    .storeBit(0),
)

const internal = (from: string | null) =>
  hex(
    beginCell()
      .storeUint(0x178d4519, 32)
      .storeUint(0, 64)
      .storeCoins(100n)
      .storeAddress(from === null ? null : Address.parse(from))
      .storeAddress(null)
      .storeCoins(0)
      .storeBit(0),
  )

const told = (given: ReturnType<typeof transaction>) =>
  moveJettons(given, master).map(({ direction, units, peer, kind }) => [
    direction,
    units,
    peer,
    kind,
  ])

test('a jetton wallet records the amount it sends and the owner that the transfer names', () => {
  const sent = { from: wallet, to: other, body: internal(owner) }
  const given = transaction({ from: owner, to: wallet, body: transfer }, [sent])
  expect(told(given)).toEqual([['out', -100n, other, 'jetton_transfer']])
})

test('a reverted jetton transfer moves no jettons', () => {
  const failed = {
    success: false,
    aborted: true,
    compute_phase: { skipped: false, success: false },
  }
  expect(told(transaction({ from: owner, to: wallet, body: transfer }, [], failed))).toEqual([])
})

test.each([
  { aborted: true },
  { success: false },
  { compute_phase: { skipped: false, success: false } },
  { compute_phase: { skipped: true, skip_reason: 'cskip_no_gas' } },
])('a jetton transfer moves nothing unless all of the transaction is committed: %j', (facts) => {
  const sent = { from: wallet, to: other, body: internal(owner) }
  expect(told(transaction({ from: owner, to: wallet, body: transfer }, [sent], facts))).toEqual([])
})

test('received jettons have their sender, and newly minted jettons have none', () => {
  expect(told(transaction({ from: other, to: wallet, body: internal(other) }))).toEqual([
    ['in', 100n, other, 'jetton_transfer'],
  ])
  expect(told(transaction({ from: master, to: wallet, body: internal(null) }))).toEqual([
    ['in', 100n, null, 'jetton_mint'],
  ])
})

test('the jettons of a bounced transfer return to the balance', () => {
  const returned = hex(
    beginCell()
      .storeUint(0xffffffff, 32)
      .storeUint(0x178d4519, 32)
      .storeUint(0, 64)
      .storeCoins(100n),
  )
  const given = transaction({ from: other, to: wallet, body: returned, bounced: true })
  expect(told(given)).toEqual([['in', 100n, other, 'jetton_bounce']])
})

test.each([0x178d4519, 0x7bdd97de])(
  'a bounced transfer or burn (opcode %i) returns its jettons',
  (opcode) => {
    const body = beginCell().storeUint(0xffffffff, 32).storeUint(opcode, 32).storeUint(0, 64)
    const given = transaction({
      from: other,
      to: wallet,
      body: hex(body.storeCoins(7n)),
      bounced: true,
    })
    expect(told(given)).toEqual([['in', 7n, other, 'jetton_bounce']])
  },
)

test.each([0, 0x0f8a7ea5, 0x595f07bc, 0x7362d09c, 0x178d4518, 0xd53276db])(
  'a bounced message of another kind (opcode %i) returns no jettons',
  (opcode) => {
    const body = beginCell().storeUint(0xffffffff, 32).storeUint(opcode, 32).storeUint(0, 64)
    const given = transaction({
      from: other,
      to: wallet,
      body: hex(body.storeCoins(7n)),
      bounced: true,
    })
    expect(told(given)).toEqual([])
  },
)

test('a bounced body in a message that did not bounce returns no jettons', () => {
  const returned = hex(
    beginCell()
      .storeUint(0xffffffff, 32)
      .storeUint(0x178d4519, 32)
      .storeUint(0, 64)
      .storeCoins(100n),
  )
  expect(told(transaction({ from: other, to: wallet, body: returned }))).toEqual([])
})

test('the fee of a transaction is on its first row and includes the forward fees of all messages', () => {
  const empty = hex(beginCell())
  const given = transaction({ from: other, to: wallet, body: empty, value: 50n }, [
    { from: wallet, to: owner, body: empty, value: 20n, fee: 3n },
    { from: wallet, to: other, body: empty, value: 10n, fee: 4n },
  ])
  const { movements } = moveCoins(given)
  expect(movements.map(({ units, fee }) => [units, fee])).toEqual([
    [50n, 14n],
    [-20n, 0n],
    [-10n, 0n],
  ])
})

test('a transaction without a transfer has a row with its fee', () => {
  expect(moveCoins(transaction(null)).movements).toMatchObject([
    { direction: 'none', units: 0n, fee: 7n, kind: 'tick_tock' },
  ])
})

const jetton = { address: master.toUpperCase(), name: 'Coin', symbol: 'COIN', decimals: 2 }

function movedBy(actions: readonly object[], extra: number) {
  const event = {
    ...requiredFields.event,
    event_id: 'AB'.repeat(32),
    lt: 9,
    timestamp: 1,
    is_scam: true,
    actions,
    extra,
  }
  const [row] = accountEventsResponse.parse({ events: [event] }).events
  if (row === undefined || !('value' in row)) throw new Error('the event could not be parsed')
  return moveEvent(row.value, owner, false)
}

const swap = {
  type: 'JettonSwap',
  status: 'ok',
  base_transactions: ['11'.repeat(32), '22'.repeat(32)],
  JettonSwap: {
    dex: 'dedust',
    amount_in: '',
    amount_out: '250',
    ton_in: 5,
    jetton_master_out: jetton,
    user_wallet: { address: owner },
    router: { address: other },
  },
}

test('a swap has a row for the paid amount and a row for the received amount, with one fee', () => {
  const { movements, assets } = movedBy([swap], -3)
  expect(movements).toMatchObject([
    { direction: 'out', asset: 'TON', units: -5n, fee: 3n, kind: 'JettonSwap', action: 0 },
    { direction: 'in', asset: master, units: 250n, fee: 0n, isScam: true },
  ])
  expect(movements[0]?.transactions).toBe(`${'11'.repeat(32)} ${'22'.repeat(32)}`)
  expect(movements[0]?.sentence).toBe(movements[1]?.sentence)
  expect(movements[0]?.sentence).toContain('2.5 COIN')
  // Two forms of a jetton's address must not cause two sums.
  expect([...assets.keys()]).toEqual(['TON', master])
})

test('the sentence of a movement has the display multiplier of its jetton, and the units have not', () => {
  const scaled = { ...jetton, scaled_ui: { numerator: '3', denominator: '1' } }
  const { movements } = movedBy(
    [{ ...swap, JettonSwap: { ...swap.JettonSwap, jetton_master_out: scaled } }],
    0,
  )
  expect(movements[1]).toMatchObject({ units: 250n })
  expect(movements[1]?.sentence).toContain('7.5 COIN')
})

test('an action with several other accounts names none of them as the peer', () => {
  const third = `0:${'ee'.repeat(32)}`
  const details = { sender: { address: other }, recipient: { address: third }, amount: 5 }
  const between = { type: 'TonTransfer', status: 'ok', TonTransfer: details }
  expect(movedBy([between], 0).movements).toMatchObject([{ peer: null, direction: 'none' }])
})

test('failed and unknown actions move nothing, but have rows and the fee of the event', () => {
  const { movements } = movedBy(
    [{ ...swap, status: 'failed' }, { type: 'Airdrop', status: 'ok', Airdrop: { amount: 7 } }, {}],
    -4,
  )
  expect(movements).toMatchObject([
    { direction: 'none', units: 0n, fee: 4n, status: 'failed', kind: 'JettonSwap' },
    { direction: 'none', units: 0n, fee: 0n, kind: 'Airdrop' },
    { direction: 'none', units: 0n, fee: 0n, kind: 'Unknown', status: 'unknown' },
  ])
})

test('coins that no action explains have a row of their own, so that the sum equals the change of the balance', () => {
  expect(movedBy([swap], 8).movements.at(-1)).toMatchObject({
    direction: 'in',
    asset: 'TON',
    units: 8n,
    fee: 0n,
    kind: 'extra',
    action: null,
  })
  expect(movedBy([], -2).movements).toMatchObject([{ direction: 'none', units: 0n, fee: 2n }])
})

test('an invalid address from the gateway breaks neither the row nor its sentence', () => {
  const details = { sender: { address: '<b>' }, recipient: { address: owner }, amount: 5 }
  const transferred = { type: 'TonTransfer', status: 'ok', TonTransfer: details }
  expect(movedBy([transferred], 0).movements).toMatchObject([
    { peer: null, units: 5n, sentence: 'Received 0.000000005 TON from <b>.' },
  ])
})
