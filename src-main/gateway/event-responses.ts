/**
 * Schemas of events, which describe what the gateway recognized in a trace. An action of an unknown
 * kind or shape keeps its type and description, and does not invalidate the other actions.
 */
import { z } from 'zod'
import {
  accountText,
  hashText,
  int64,
  list,
  optional,
  orElse,
  renamed,
  textOrEmpty,
} from './response-fields.ts'
import {
  accountAddress,
  decimals,
  flag,
  jettonPreview,
  validRows,
  text,
  traceResponse,
} from './query-responses.ts'

const party = accountAddress
/** The field is present only if the gateway knows the party. */
const maybeParty = optional(accountAddress)
const address = accountText

const price = z.object({
  /** `native`, `jetton`, `extra_currency`, `fiat` or an undocumented value. */
  currency_type: z.string(),
  value: int64,
  decimals,
  token_name: textOrEmpty,
  jetton: text,
})
export type PriceResponse = z.infer<typeof price>

const extraPreview = z.object({ id: z.int(), symbol: textOrEmpty, decimals })

const comment = {
  comment: text,
  encrypted_comment: orElse(z.unknown(), null).transform((value) => value !== null),
}

const refund = optional(z.object({ type: textOrEmpty, origin: textOrEmpty })).catch(null)

const nft = z.object({
  address,
  dns: text,
  metadata: optional(z.looseObject({ name: text.catch(null) })).catch(null),
})
export type NftResponse = z.infer<typeof nft>

const protocol = z.object({ name: textOrEmpty })

const stake = { amount: int64, staker: party, pool: party, implementation: textOrEmpty }
const meta = { stake_meta: optional(price).catch(null) }
const transfer = { sender: party, recipient: party, amount: int64, ...comment }
const ends = { sender: maybeParty, recipient: maybeParty }
const jettonTransfer = {
  ...ends,
  ...comment,
  senders_wallet: optional(accountText),
  recipients_wallet: optional(accountText),
  jetton: jettonPreview,
  refund,
}
const jettonAmount = { amount: int64, jetton: jettonPreview }
const trade = { auction_type: textOrEmpty, amount: price }
const subscription = { subscriber: party, subscription: address, beneficiary: party }
const optionalUnits = optional(int64)

/** Newer servers name the coin gram, older ones TON, so the amount is in one of two fields. */
function coinsOf(units: string | null | undefined, context: z.RefinementCtx): string {
  if (typeof units === 'string') return units
  context.addIssue({ code: 'custom', message: 'the amount of coins is missing' })
  return z.NEVER
}

/** The kinds of actions in the public OpenAPI document, each with its fields under the document's names. */
const kinds = {
  TonTransfer: z.object({ ...transfer, refund }),
  ExtraCurrencyTransfer: z.object({ ...transfer, currency: extraPreview }),
  ContractDeploy: z.object({ address, interfaces: list(z.string()) }),
  JettonTransfer: z.object({ ...jettonTransfer, amount: int64 }),
  FlawedJettonTransfer: z.object({ ...jettonTransfer, sent_amount: int64, received_amount: int64 }),
  JettonBurn: z.object({ ...jettonAmount, sender: party, senders_wallet: optional(accountText) }),
  JettonMint: z.object({
    ...jettonAmount,
    recipient: party,
    recipients_wallet: optional(accountText),
  }),
  NftItemTransfer: z.object({ ...ends, nft: textOrEmpty.pipe(accountText), ...comment, refund }),
  Subscribe: z.object({ ...subscription, price, initial: flag }),
  UnSubscribe: z.object(subscription),
  AuctionBid: z.object({ ...trade, bidder: party, auction: party, nft: optional(nft).catch(null) }),
  NftPurchase: z.object({ ...trade, seller: party, buyer: party, nft }),
  DepositStake: z.object({ ...stake, ...meta }),
  WithdrawStake: z.object(stake),
  WithdrawStakeRequest: z.object({ ...stake, amount: optionalUnits, ...meta }),
  ElectionsDepositStake: z.object({ amount: int64, staker: party }),
  ElectionsRecoverStake: z.object({ amount: int64, staker: party }),
  JettonSwap: z.object({
    dex: textOrEmpty,
    user_wallet: party,
    router: party,
    amount_in: textOrEmpty,
    amount_out: textOrEmpty,
    // The open edition and older servers call the coin TON.
    ton_in: optionalUnits,
    ton_out: optionalUnits,
    gram_in: optionalUnits,
    gram_out: optionalUnits,
    jetton_master_in: optional(jettonPreview),
    jetton_master_out: optional(jettonPreview),
  }),
  SmartContractExec: z
    .object({
      executor: party,
      contract: party,
      operation: textOrEmpty,
      refund,
      ton_attached: optionalUnits,
      gram_attached: optionalUnits,
    })
    .transform(({ ton_attached, gram_attached, ...rest }, context) => ({
      ...rest,
      attached: coinsOf(gram_attached ?? ton_attached, context),
    })),
  DomainRenew: z.object({ domain: textOrEmpty, contract_address: address, renewer: party }),
  Purchase: z.object({ source: party, destination: party, invoice_id: textOrEmpty, amount: price }),
  AddExtension: z.object({ wallet: party, extension: address }),
  RemoveExtension: z.object({ wallet: party, extension: address }),
  SetSignatureAllowedAction: z.object({ wallet: party, allowed: z.boolean() }),
  GasRelay: z.object({ amount: int64, relayer: party, target: party }),
  DepositTokenStake: z.object({ staker: party, protocol, ...meta }),
  WithdrawTokenStakeRequest: z.object({ staker: party, protocol, ...meta }),
  LiquidityDeposit: z.object({
    protocol,
    from: party,
    tokens: list(z.object({ price, vault: textOrEmpty })),
  }),
  OracleRequest: z.object({
    requester: party,
    response_to: party,
    price_feeds: list(z.object({ display_symbol: textOrEmpty })),
  }),
  BuyXTR: z.object({ recipient: party, amount: int64 }),
  DepositXTR: z.object({ recipient: party, amount: int64 }),
  WithdrawXTR: z.object({ user: party, amount: int64 }),
} as const

export type ActionKind = keyof typeof kinds
export const actionKinds = Object.keys(kinds) as ActionKind[]

export type KnownAction = {
  [K in ActionKind]: { readonly kind: K; readonly details: z.output<(typeof kinds)[K]> }
}[ActionKind]

const preview = z
  .object({ name: textOrEmpty, description: textOrEmpty, value: text })
  .catch({ name: '', description: '', value: null })

/** An action of another status never counts as money. */
const statuses = z.enum(['ok', 'failed', 'unknown']).catch('unknown')

const unreadable = {
  type: 'Unknown',
  status: 'unknown',
  simple_preview: { name: '', description: 'An action that could not be parsed', value: null },
  base_transactions: [],
}

const action = z
  .looseObject({
    type: z.string(),
    status: textOrEmpty.catch(''),
    simple_preview: preview.prefault({}),
    base_transactions: list(z.string().max(100).pipe(hashText)).catch([]),
  })
  .catch(unreadable)
  .transform((value) => ({
    /** The type is a kind of the document, or any other text. */
    type: value.type,
    status: statuses.parse(value.status),
    preview: value.simple_preview,
    /** Hashes of the transactions that the action consists of. */
    transactions: value.base_transactions,
    known: readKnown(value.type, value),
  }))
export type ActionResponse = z.infer<typeof action>

function readKnown(type: string, fields: Readonly<Record<string, unknown>>): KnownAction | null {
  if (!Object.hasOwn(kinds, type)) return null
  const kind = type as ActionKind
  const details = kinds[kind].safeParse(fields[kind]).data
  return details === undefined ? null : ({ kind, details } as KnownAction)
}

const flow = z
  .object({
    account: accountAddress,
    gram: optionalUnits,
    ton: optionalUnits,
    fees: int64,
    jettons: validRows(z.object({ account: accountAddress, jetton: jettonPreview, qty: int64 })),
  })
  .transform(({ gram, ton, ...rest }, context) => ({ ...rest, ton: coinsOf(gram ?? ton, context) }))

const common = { actions: list(action), is_scam: flag, in_progress: z.boolean() }

/** The event of a whole trace. */
export const eventResponse = z.object({
  ...common,
  event_id: textOrEmpty.pipe(hashText),
  lt: int64,
  value_flow: validRows(flow),
})

/** The event of one account. */
const accountEvent = z.object({
  ...common,
  /** Hash of the first transaction of the trace. */
  event_id: hashText.pipe(z.string().regex(/^[0-9a-f]{64}$/)),
  lt: int64,
  /** Unix seconds. */
  timestamp: z.int().nonnegative(),
  account: optional(accountAddress).catch(null),
  /** Nanotons that this account received (negative: paid) beside the actions. */
  extra: int64,
})
export type AccountEventResponse = z.infer<typeof accountEvent>

export const accountEventsResponse = renamed({
  events: ['events', validRows(accountEvent)],
  next: ['next_from', orElse(int64, '0').transform((lt) => (BigInt(lt) <= 0n ? null : lt))],
})

export const consequencesResponse = z.object({
  trace: traceResponse,
  risk: z
    .object({
      transfer_all_remaining_balance: flag,
      /** `ton` is the field's old name. */
      gram: int64.nullish(),
      ton: int64.nullish(),
      jettons: list(z.object({ quantity: int64, jetton: jettonPreview })),
      nfts: list(z.unknown()),
    })
    .transform(({ transfer_all_remaining_balance, gram, ton, jettons, nfts }, context) => ({
      transfersAll: transfer_all_remaining_balance,
      ton: coinsOf(gram ?? ton, context),
      jettons,
      nftCount: nfts.length,
    })),
  event: eventResponse,
})
