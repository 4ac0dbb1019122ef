/** Actions of an event as sentences, and what they moved. */
import type { Asset } from '../../src-preload/contract/chain/references.ts'
import type { SentencePart } from '../../src-preload/contract/chain/transaction.ts'
import { formatAmount, tonDecimals } from '../../src-preload/domain/amount.ts'
import type { AccountAddress } from '../gateway/query-responses.ts'
import type {
  ActionResponse,
  ActionKind,
  KnownAction,
  NftResponse,
  PriceResponse,
} from '../gateway/event-responses.ts'
import type { Naming } from './addresses.ts'
import { assetOfJetton } from './jetton-wallets.ts'
import { tonAsset } from './read-trace.ts'
import { accountPart, amount, enumerateClauses, compose, quotePart } from './compose-sentence.ts'

type Words = readonly SentencePart[]
type Party = AccountAddress | string | null

/** One act has two wordings, one for each side: `A sent B to C` and `received B from A`. */
type Act = {
  readonly by: Party
  /** The wording begins with a verb in the past tense. */
  readonly act: Words
  readonly for?: Party
  readonly got?: Words
  /** Without this function the action moves nothing. */
  readonly moves?: () => Units[]
}

type Units = {
  readonly account: string
  readonly asset: Asset
  /** The amount in minimal units; negative when the account paid them. */
  readonly units: bigint
}

const maxListed = 5
/** Jettons, domains, operations and protocols bear names that anyone may choose. */
const harmless = /^[\w.:#+/-]{1,40}$/

/**
 * @param viewer raw address of the account whose page shows the sentence: `Received 5 USDT from …`. Null for
 * a sentence that names each party.
 */
export function describeAction(
  action: ActionResponse,
  { name, viewer }: { readonly name: Naming; readonly viewer: string | null },
): SentencePart[] {
  const failure = action.status === 'failed' ? ', but it failed' : ''
  if (action.known === null) return compose`${describeUnknown(action)}${failure}.`
  const act = actOf(action.known, { name, preview: action.preview.value ?? null })
  const sides: Words[] = []
  if (viewer !== null && addressOf(act.by) === viewer) sides.push(act.act)
  else if (viewer !== null && act.got && addressOf(act.for) === viewer) sides.push(act.got)
  else if (act.by !== null) sides.push(compose`${accountPart(name(act.by))} ${act.act}`)
  else if (act.got && act.for) sides.push(compose`${accountPart(name(act.for))} ${act.got}`)
  else sides.push(act.act)
  const isOfTrader =
    action.known.kind === 'JettonSwap' && viewer !== null && addressOf(act.by) !== viewer
  const whose = isOfTrader ? ' (amounts of the trader)' : ''
  return capitalize(compose`${sides[0] ?? []}${whose}${failure}.`)
}

function describeUnknown({ type, preview }: ActionResponse): SentencePart[] {
  const { name, description } = preview
  const title = name === '' || name === 'Unknown' ? (type === 'Unknown' ? '' : type) : name
  if (description === '') return title === '' ? compose`Unknown action` : compose`${named(title)}`
  return title === ''
    ? compose`${named(description)}`
    : compose`${named(title)}: ${named(description)}`
}

function capitalize([first, ...rest]: readonly SentencePart[]): SentencePart[] {
  if (first === undefined) return []
  if (first.kind !== 'words') return [first, ...rest]
  return [{ ...first, text: first.text.charAt(0).toUpperCase() + first.text.slice(1) }, ...rest]
}

type Context = {
  readonly name: Naming
  /** The gateway's own text of the value. */
  readonly preview: string | null
}

type Acts = {
  readonly [K in ActionKind]: (
    details: Extract<KnownAction, { kind: K }>['details'],
    t: Context,
  ) => Act
}

const actOf = ({ kind, details }: KnownAction, context: Context): Act =>
  (acts[kind] as (details: unknown, context: Context) => Act)(details, context)

const acts: Acts = {
  TonTransfer: (d, t) => transferOf(tonAsset, d, t),
  ExtraCurrencyTransfer: (d, t) => transferOf(extraAsset(d.currency), d, t),
  ContractDeploy: ({ address, interfaces }) => ({
    by: address,
    act: compose`was deployed${interfaces.length === 0 ? [] : compose` (${listed(interfaces)})`}`,
  }),
  JettonTransfer: (d, t) => transferOf(assetOfJetton(d.jetton), d, t),
  FlawedJettonTransfer: (d, t) => {
    const asset = assetOfJetton(d.jetton)
    const [sent, received] = [amount(d.sent_amount, asset), amount(d.received_amount, asset)]
    const whole = transfer(d, sent, t)
    return {
      ...whole,
      act: compose`${whole.act}, of which ${received} arrived`,
      got: compose`received ${received} of the ${sent} sent by ${party(d.sender, t)}`,
      moves: () => [
        ...between(d.sender, null, asset, d.sent_amount),
        ...between(null, d.recipient, asset, d.received_amount),
      ],
    }
  },
  JettonBurn: (d) => ({
    by: d.sender,
    act: compose`burned ${amount(d.amount, assetOfJetton(d.jetton))}`,
    moves: () => between(d.sender, null, assetOfJetton(d.jetton), d.amount),
  }),
  JettonMint: (d) => ({
    by: null,
    act: [],
    for: d.recipient,
    got: compose`received ${amount(d.amount, assetOfJetton(d.jetton))}, newly minted`,
    moves: () => between(null, d.recipient, assetOfJetton(d.jetton), d.amount),
  }),
  NftItemTransfer: (d, t) => {
    const item = d.nft === '' ? 'an NFT' : compose`the NFT ${party(d.nft, t)}`
    return transfer(d, item, t)
  },
  Subscribe: (d, t) => {
    const paid = money(d.price)
    const act = d.initial
      ? compose`subscribed to ${party(d.beneficiary, t)} for ${paid}`
      : compose`paid ${paid} to ${party(d.beneficiary, t)} for a subscription`
    const got = compose`received ${paid} from ${party(d.subscriber, t)} for a subscription`
    const moves = () => priced(d.subscriber, d.beneficiary, d.price)
    return { by: d.subscriber, act, for: d.beneficiary, got, moves }
  },
  UnSubscribe: (d, t) => ({
    by: d.subscriber,
    act: compose`ended the subscription to ${party(d.beneficiary, t)}`,
    for: d.beneficiary,
    got: compose`lost the subscription of ${party(d.subscriber, t)}`,
  }),
  AuctionBid: (d, t) => {
    const [bid, item] = [money(d.amount), d.nft === null ? [] : compose` for ${nftName(d.nft, t)}`]
    const place = market(d.auction_type)
    return {
      by: d.bidder,
      act: compose`bid ${bid}${item} at the auction ${party(d.auction, t)}${place}`,
      for: d.auction,
      got: compose`received a bid of ${bid}${item} from ${party(d.bidder, t)}${place}`,
      moves: () => priced(d.bidder, d.auction, d.amount),
    }
  },
  NftPurchase: (d, t) => {
    const [paid, item] = [money(d.amount), nftName(d.nft, t)]
    const place = market(d.auction_type)
    return {
      by: d.buyer,
      act: compose`bought ${item} from ${party(d.seller, t)} for ${paid}${place}`,
      for: d.seller,
      got: compose`sold ${item} to ${party(d.buyer, t)} for ${paid}${place}`,
      moves: () => priced(d.buyer, d.seller, d.amount),
    }
  },
  DepositStake: (d, t) => {
    const staked = d.stake_meta === null ? amount(d.amount, tonAsset) : money(d.stake_meta)
    const [act, got] = [compose`staked ${staked} with`, compose`received a stake of ${staked} from`]
    return stake(d, act, got, t, () =>
      d.stake_meta === null
        ? between(d.staker, d.pool, tonAsset, d.amount)
        : priced(d.staker, d.pool, d.stake_meta),
    )
  },
  WithdrawStake: (d, t) => {
    const staked = amount(d.amount, tonAsset)
    const [act, got] = [compose`withdrew a stake of ${staked} from`, compose`returned ${staked} to`]
    return stake(d, act, got, t, () => between(d.pool, d.staker, tonAsset, d.amount))
  },
  WithdrawStakeRequest: (d, t) => {
    const staked =
      d.stake_meta !== null
        ? money(d.stake_meta)
        : d.amount === null || d.amount === '0'
          ? 'the stake'
          : amount(d.amount, tonAsset)
    const act = compose`requested the withdrawal of ${staked} from`
    return stake(d, act, compose`was asked to return ${staked} to`, t, () =>
      // Requests to this vault name the amount that the vault will pay.
      d.implementation === 'ffvault' ? [] : tokensFrom(d.staker, d.stake_meta),
    )
  },
  ElectionsDepositStake: (d) => ({
    by: d.staker,
    act: compose`staked ${amount(d.amount, tonAsset)} in the election of validators`,
    moves: () => between(d.staker, null, tonAsset, d.amount),
  }),
  ElectionsRecoverStake: (d) => ({
    by: d.staker,
    act: compose`recovered ${amount(d.amount, tonAsset)} from an election of validators`,
    moves: () => between(null, d.staker, tonAsset, d.amount),
  }),
  JettonSwap: (d, t) => {
    const { given, taken } = swapped(d)
    const dex = d.dex === '' ? [] : compose` on ${named(d.dex)}`
    return {
      by: d.user_wallet,
      act: compose`swapped ${given ?? 'an unknown amount'} for ${taken ?? 'an unknown amount'}${dex}`,
      for: d.router,
      got: compose`swapped ${given ?? 'an unknown amount'} for ${taken ?? 'an unknown amount'} for ${party(d.user_wallet, t)}`,
      moves: () => [
        ...(given?.kind === 'amount' ? between(d.user_wallet, null, given.asset, given.units) : []),
        ...(taken?.kind === 'amount' ? between(null, d.user_wallet, taken.asset, taken.units) : []),
      ],
    }
  },
  SmartContractExec: (d, t) => {
    const call = d.operation === '' ? [] : compose` (${named(d.operation)})`
    const attached = amount(d.attached, tonAsset)
    return {
      by: d.executor,
      act: compose`called ${party(d.contract, t)}${call}, attaching ${attached}${refunded(d.refund)}`,
      for: d.contract,
      got: compose`was called by ${party(d.executor, t)}${call}, which attached ${attached}`,
      moves: () => between(d.executor, d.contract, tonAsset, d.attached),
    }
  },
  DomainRenew: (d) => ({ by: d.renewer, act: compose`renewed the domain ${named(d.domain)}` }),
  Purchase: (d, t) => {
    const paid = money(d.amount)
    const invoice = d.invoice_id === '' ? [] : compose` for the invoice ${named(d.invoice_id)}`
    return {
      by: d.source,
      act: compose`paid ${paid} to ${party(d.destination, t)}${invoice}`,
      for: d.destination,
      got: compose`received ${paid} from ${party(d.source, t)}${invoice}`,
      moves: () => priced(d.source, d.destination, d.amount),
    }
  },
  AddExtension: (d, t) => ({
    by: d.wallet,
    act: compose`added the extension ${party(d.extension, t)}`,
  }),
  RemoveExtension: (d, t) => ({
    by: d.wallet,
    act: compose`removed the extension ${party(d.extension, t)}`,
  }),
  SetSignatureAllowedAction: (d) => ({
    by: d.wallet,
    act: compose`${d.allowed ? 'allowed' : 'disabled'} messages signed with its key`,
  }),
  GasRelay: (d, t) => ({
    by: d.relayer,
    act: compose`paid ${amount(d.amount, tonAsset)} of fees for ${party(d.target, t)}`,
    for: d.target,
    got: compose`had ${amount(d.amount, tonAsset)} of fees paid by ${party(d.relayer, t)}`,
    moves: () => between(d.relayer, null, tonAsset, d.amount),
  }),
  DepositTokenStake: (d) => ({
    by: d.staker,
    act: compose`staked ${staked(d.stake_meta)} with ${named(d.protocol.name)}`,
    moves: () => tokensFrom(d.staker, d.stake_meta),
  }),
  WithdrawTokenStakeRequest: (d) => ({
    by: d.staker,
    act: compose`requested the withdrawal of ${staked(d.stake_meta)} from ${named(d.protocol.name)}`,
    moves: () => tokensFrom(d.staker, d.stake_meta),
  }),
  LiquidityDeposit: (d) => {
    const tokens = d.tokens.slice(0, maxListed).map(({ price }) => [...money(price)])
    const more = d.tokens.length - tokens.length
    if (more > 0) tokens.push(compose`${String(more)} more`)
    const what = tokens.length === 0 ? compose`tokens` : enumerateClauses(tokens)
    return {
      by: d.from,
      act: compose`deposited ${what} as liquidity on ${named(d.protocol.name)}`,
      moves: () => d.tokens.flatMap(({ price, vault }) => priced(d.from, vault || null, price)),
    }
  },
  OracleRequest: (d, t) => {
    const feeds = listed(d.price_feeds.map((feed) => feed.display_symbol))
    const prices = feeds.length === 0 ? compose`prices` : compose`the prices of ${feeds}`
    return {
      by: d.requester,
      act: compose`requested ${prices} for ${party(d.response_to, t)}`,
      for: d.response_to,
      got: compose`was sent ${prices}, requested by ${party(d.requester, t)}`,
    }
  },
  BuyXTR: (d, t) => ({ by: d.recipient, act: compose`bought ${stars(d.amount, t)}` }),
  DepositXTR: (d, t) => ({ by: d.recipient, act: compose`deposited ${stars(d.amount, t)}` }),
  WithdrawXTR: (d, t) => ({ by: d.user, act: compose`withdrew ${stars(d.amount, t)}` }),
}

type Refund = { readonly type: string; readonly origin: string } | null

type Transfer = {
  readonly sender: Party
  readonly recipient: Party
  readonly comment?: string | null | undefined
  readonly encrypted_comment: boolean
  readonly refund?: Refund
}

function transfer(details: Transfer, moved: string | SentencePart | Words, t: Context): Act {
  const { sender, recipient, comment, encrypted_comment: isEncrypted } = details
  const note = comment
    ? compose` with the comment ${quotePart(comment)}`
    : isEncrypted
      ? compose` with an encrypted comment`
      : []
  const back = refunded(details.refund ?? null)
  return {
    by: sender,
    act: compose`sent ${moved} to ${party(recipient, t)}${back}${note}`,
    for: recipient,
    got: compose`received ${moved} from ${party(sender, t)}${back}${note}`,
  }
}

function transferOf(asset: Asset, d: Transfer & { readonly amount: string }, t: Context): Act {
  const moves = () => between(d.sender, d.recipient, asset, d.amount)
  return { ...transfer(d, amount(d.amount, asset), t), moves }
}

type Stake = { readonly staker: Party; readonly pool: Party; readonly implementation: string }

function stake(
  { staker, pool, implementation }: Stake,
  act: Words,
  got: Words,
  t: Context,
  moves: () => Units[],
): Act {
  const kind = market(implementation)
  return {
    by: staker,
    act: compose`${act} ${party(pool, t)}${kind}`,
    for: pool,
    got: compose`${got} ${party(staker, t)}${kind}`,
    moves,
  }
}

function refunded(refund: Refund): Words {
  return refund === null ? [] : compose` as a refund${market(refund.type)}`
}

/** The type in brackets, which follows the name of the market. */
function market(type: string): Words {
  return type === '' ? [] : compose` (${named(type)})`
}

function staked(price: PriceResponse | null): Words | string {
  return price === null ? 'tokens' : money(price)
}

/** The document states no decimals for this currency, so the gateway's own text is preferred. */
function stars(units: string, { preview }: Context): Words {
  if (preview !== null && preview !== '') return compose`${named(preview)}`
  return compose`${units} minimal units of XTR (Telegram Stars)`
}

function nftName({ address, dns, metadata }: NftResponse, t: Context): Words {
  const title = dns ?? metadata?.name
  const item = compose`the NFT ${party(address, t)}`
  return title ? compose`${item} ${quotePart(title)}` : item
}

function money(price: PriceResponse): Words {
  const asset = assetOfPrice(price)
  if (asset !== null) return [amount(price.value, asset)]
  return compose`${formatAmount(BigInt(price.value), price.decimals)} ${named(price.token_name)}`
}

/** Null for another currency, such as dollars. */
function assetOfPrice({ currency_type: type, decimals, token_name, jetton }: PriceResponse) {
  if (type === 'native' && decimals === tonDecimals) return tonAsset
  if (type !== 'jetton' || !jetton) return null
  return { jetton, symbol: token_name, decimals } satisfies Asset
}

function extraAsset(currency: { id: number; symbol: string; decimals: number }): Asset {
  const { id, symbol, decimals } = currency
  return { jetton: null, extraCurrency: id, symbol, decimals }
}

function swapped(d: Extract<KnownAction, { kind: 'JettonSwap' }>['details']) {
  const side = (
    ton: string | null,
    units: string,
    jetton: typeof d.jetton_master_in,
  ): SentencePart | null => {
    if (jetton !== null && /^\d+$/.test(units)) return amount(units, assetOfJetton(jetton))
    return ton === null ? null : amount(ton, tonAsset)
  }
  return {
    given: side(d.gram_in ?? d.ton_in, d.amount_in, d.jetton_master_in),
    taken: side(d.gram_out ?? d.ton_out, d.amount_out, d.jetton_master_out),
  }
}

function listed(names: readonly string[]): Words {
  const shown = names.slice(0, maxListed).map((each) => [...named(each)])
  const more = names.length - shown.length
  return enumerateClauses(more > 0 ? [...shown, compose`${String(more)} more`] : shown)
}

/** A text that anyone may have chosen is quoted, unless it can hide nothing. */
function named(text: string): Words {
  return harmless.test(text) ? compose`${text}` : [quotePart(text)]
}

function party(who: Party, { name }: Context): string | SentencePart {
  return who === null ? 'an unknown account' : accountPart(name(who))
}

function addressOf(who: Party | undefined): string | null {
  return typeof who === 'string' ? who : (who?.address ?? null)
}

const withoutNames: Context = {
  name: (who) => ({
    address: typeof who === 'string' ? who : who.address,
    name: null,
    label: null,
    isScam: false,
    isWallet: false,
  }),
  preview: null,
}

/** Addresses of who acted and to whom, where the action states them. */
export function endsOf({ known }: ActionResponse): string[] {
  if (known === null) return []
  const act = actOf(known, withoutNames)
  return [addressOf(act.by), addressOf(act.for)].filter((each) => each !== null)
}

/** The accounts that the gateway named, and the addresses that it did not name. */
export function partiesOf(actions: readonly ActionResponse[]) {
  const named: AccountAddress[] = []
  const plain: string[] = []
  for (const { known } of actions) {
    for (const [field, value] of Object.entries(known?.details ?? {}) as [string, unknown][]) {
      if (typeof value === 'string') {
        if (addressFields.has(field) && value !== '') plain.push(value)
      } else if (typeof value === 'object' && value !== null && 'is_wallet' in value) {
        named.push(value as AccountAddress)
      } else if (field === 'nft') {
        const item = value as NftResponse | null
        if (item !== null) plain.push(item.address)
      }
    }
  }
  return { named, plain }
}

const addressFields = new Set(['address', 'extension', 'nft'])

/**
 * The movements of the action to or from accounts. The same kinds count as in the `extra` of the service: an
 * account's TON of all actions plus `extra` is the change of its balance. Jettons count wherever the action
 * states both amount and party. A failed action moved nothing.
 */
export const movesOf = ({ status, known }: ActionResponse): Units[] =>
  status !== 'ok' || known === null ? [] : (actOf(known, withoutNames).moves?.() ?? [])

function priced(from: Party, to: Party, price: PriceResponse): Units[] {
  const asset = assetOfPrice(price)
  return asset === null ? [] : between(from, to, asset, price.value)
}

/** Jettons that are staked, or shares that are burned or locked. Coins of these kinds are in the service's `extra`. */
function tokensFrom(staker: Party, price: PriceResponse | null): Units[] {
  const asset = price && assetOfPrice(price)
  return price === null || !asset?.jetton ? [] : between(staker, null, asset, price.value)
}

function between(from: Party, to: Party, asset: Asset, text: string): Units[] {
  const units = BigInt(text)
  const [payer, payee] = [addressOf(from), addressOf(to)]
  // Money that an account sends to itself does not change its balance.
  if (payer === payee) return []
  return [
    ...(payer === null ? [] : [{ account: payer, asset, units: -units }]),
    ...(payee === null ? [] : [{ account: payee, asset, units }]),
  ]
}
