/**
 * Schemas of the query API's responses (gateway-facts, appendix A). Only transactions keep unknown
 * fields, because they are stored: a parsed transaction can be serialized as JSON and parsed again.
 */
import { z } from 'zod'
import { type RatePoint, toDecimalText } from '../../src-preload/domain/fiat.ts'
import { bodyAsBoc } from '../ton/payload.ts'
import {
  accountText,
  hashText,
  int64,
  list,
  only,
  optional,
  orElse,
  textOrEmpty,
  tolerant,
} from './response-fields.ts'

/**
 * An absent flag means no. Facts that the service always states use `z.boolean()` instead, because
 * a missing fact is unknown.
 */
export const flag = orElse(z.boolean(), false)
export const text = z.string().nullish()

type UnreadRow = {
  readonly lt: string | null
  readonly why: string
}

export type Row<T> = { readonly value: T } | { readonly unread: UnreadRow }

export const readableRows = <T>(all: readonly Row<T>[]): T[] =>
  all.flatMap((row) => ('value' in row ? [row.value] : []))

export const unreadReasons = (all: readonly Row<unknown>[]): string[] =>
  all.flatMap((row) => ('unread' in row ? [row.unread.why] : []))

const rowName = z.looseObject({
  address: tolerant(z.string().max(100)),
  hash: tolerant(z.string().max(100)),
  lt: tolerant(int64),
  jetton: tolerant(z.looseObject({ address: z.string().max(100) })),
})

/** A list whose rows are parsed one by one: an invalid row does not invalidate the others. */
export const validRows = <S extends z.ZodType>(each: S) =>
  list(z.unknown()).transform((items) =>
    items.map((item): Row<z.output<S>> => {
      const { success, data, error } = each.safeParse(item)
      if (success) return { value: data }
      const { address, hash, lt, jetton } = rowName.safeParse(item).data ?? {}
      const name = hash ?? jetton?.address ?? address
      const [issue] = error.issues
      const why = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`
      return { unread: { lt: lt ?? null, why: name ? `${name} (${why})` : why } }
    }),
  )

export const decimals = z.int().min(0).max(255)
const accountStatus = z.enum(['nonexist', 'uninit', 'active', 'frozen'])

const extraCurrency = z.object({
  amount: int64,
  preview: z.object({ id: z.int(), symbol: z.string(), decimals }),
})
export type ExtraCurrencyResponse = z.infer<typeof extraCurrency>
/** Elements of an unknown shape are omitted. */
const extraCurrencies = validRows(extraCurrency).transform(readableRows)

export const accountAddress = z.looseObject({
  address: accountText,
  name: text,
  is_scam: flag,
  is_wallet: flag,
})
export type AccountAddress = z.infer<typeof accountAddress>

export const messageResponse = z.looseObject({
  msg_type: z.enum(['int_msg', 'ext_in_msg', 'ext_out_msg']),
  created_lt: int64,
  bounce: flag,
  bounced: z.boolean(),
  value: int64,
  value_extra: extraCurrencies,
  fwd_fee: int64,
  ihr_fee: int64,
  ihr_disabled: flag,
  import_fee: optional(int64),
  source: accountAddress.nullish(),
  destination: accountAddress.nullish(),
  /** Unix seconds; 0 for an external message, which has no creation time. */
  created_at: orElse(z.number(), 0),
  /** `0x` and eight digits. */
  op_code: text,
  init: z.looseObject({ boc: z.string() }).nullish(),
  hash: hashText,
  /** BOC as hex, even if the gateway sent the bare bytes of a comment. */
  raw_body: text.transform((value) => (value ? bodyAsBoc(value) : value)),
  decoded_op_name: text,
  decoded_body: z.unknown().optional(),
})
export type MessageResponse = z.infer<typeof messageResponse>

const computePhase = z.looseObject({
  skipped: flag,
  skip_reason: text,
  success: z.boolean().nullish(),
  gas_fees: int64.nullish(),
  gas_used: int64.nullish(),
  vm_steps: z.int().nullish(),
  exit_code: z.int().nullish(),
  exit_code_description: text,
})

const actionPhase = z.looseObject({
  success: z.boolean(),
  result_code: z.int(),
  total_actions: z.int(),
  skipped_actions: z.int(),
  fwd_fees: int64,
  total_fees: int64,
  result_code_description: text,
})

export const transactionResponse = z.looseObject({
  /** All hashes here are 64 lower-case hex digits. */
  hash: hashText,
  lt: int64,
  account: accountAddress,
  success: z.boolean(),
  utime: z.int(),
  orig_status: z.string(),
  end_status: z.string(),
  total_fees: int64,
  end_balance: int64,
  transaction_type: z.string(),
  state_update_old: textOrEmpty,
  state_update_new: textOrEmpty,
  in_msg: messageResponse.nullish(),
  out_msgs: list(messageResponse),
  block: textOrEmpty,
  prev_trans_hash: optional(hashText),
  prev_trans_lt: int64.nullish(),
  compute_phase: computePhase.nullish(),
  storage_phase: z
    .looseObject({ fees_collected: int64, fees_due: int64.nullish(), status_change: z.string() })
    .nullish(),
  credit_phase: z.looseObject({ fees_collected: int64, credit: int64 }).nullish(),
  action_phase: actionPhase.nullish(),
  bounce_phase: text,
  aborted: z.boolean(),
  raw: textOrEmpty,
})
export type TransactionResponse = z.infer<typeof transactionResponse>

export const transactionsResponse = only('transactions', list(transactionResponse))
export const transactionRowsResponse = only('transactions', validRows(transactionResponse))

const traceNode = z.object({
  transaction: transactionResponse,
  interfaces: list(z.string()),
  emulated: flag,
  parent: z.int().nullable(),
  depth: z.int(),
})
export type TraceNodeResponse = z.infer<typeof traceNode>

/** Flattens a trace to a list, because a recursive parser could not handle a depth of a thousand. */
export const traceResponse = z.preprocess((value, context) => {
  try {
    return flattenTrace(value)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
}, z.array(traceNode).min(1))

export const statusResponse = z.object({
  rest_online: z.boolean().default(true),
})

export const accountResponse = z.object({
  address: accountText,
  balance: int64,
  extra_balance: extraCurrencies,
  /** Balances by currency; large numbers are decimal strings. */
  currencies_balance: z
    .record(z.string(), z.union([z.number(), z.bigint(), z.string()]).nullable())
    .nullish(),
  last_activity: z.int(),
  status: accountStatus,
  interfaces: list(z.string()),
  name: text,
  is_scam: flag,
  memo_required: flag,
  get_methods: list(z.string()),
  is_suspended: flag,
  is_wallet: flag,
})
export type AccountResponse = z.infer<typeof accountResponse>

export const accountsResponse = only('accounts', z.array(accountResponse))

export const rawAccountResponse = z.object({
  address: accountText,
  balance: int64,
  code: text,
  data: text,
  last_transaction_lt: int64,
  status: accountStatus,
})

export type RawAccountResponse = z.infer<typeof rawAccountResponse>

export const rawAccountsResponse = only('accounts', z.array(rawAccountResponse))

/** A raw account with what is stored for it. */
export const storedAccountResponse = rawAccountResponse.extend({
  last_transaction_hash: optional(hashText),
  frozen_hash: text,
  storage: tolerant(
    z.object({
      used_cells: int64,
      used_bits: int64,
      used_public_cells: int64,
      /** Unix seconds; 0 if the account never paid. */
      last_paid: z.int().nullish(),
      due_payment: int64,
    }),
  ),
  libraries: validRows(z.object({ public: flag, root: hashText })).catch([]),
})

export const libraryResponse = only('boc', z.string())

export const inspectResponse = z.object({
  compiler: text.catch(null),
  disassembled_code: text.catch(null),
  methods: validRows(z.object({ id: int64, method: z.string() })),
  source: tolerant(
    z.object({
      files: validRows(z.object({ name: z.string(), content: textOrEmpty, is_entrypoint: flag })),
    }),
  ),
})

/** The stack is a tree of any depth, so `flattenStack` parses its values. */
export const methodResponse = z.object({
  success: z.boolean(),
  exit_code: z.int(),
  stack: list(z.unknown()),
  decoded: z.unknown().optional(),
})

export const foundAccountsResponse = only(
  'addresses',
  z.array(z.object({ address: accountText, name: z.string(), preview: z.string().default('') })),
)

const positive = int64.refine((value) => BigInt(value) > 0n)

const scaledUi = tolerant(z.object({ numerator: positive, denominator: positive }))

export const jettonPreview = z.object({
  address: accountText,
  name: textOrEmpty,
  symbol: textOrEmpty,
  decimals,
  verification: orElse(z.string(), 'none'),
  scaled_ui: scaledUi,
})
export type JettonPreview = z.infer<typeof jettonPreview>

/** Maps currencies in capital letters to decimals; entries that are no price are omitted. */
const prices = tolerant(z.record(z.string(), z.unknown())).transform((all) => {
  const entries = Object.entries(all ?? {}).map(
    ([currency, price]) => [currency.toUpperCase(), toDecimalText(price)] as const,
  )
  return new Map(entries.flatMap(([currency, rate]) => (rate === null ? [] : [[currency, rate]])))
})

/** Maps tokens to prices. The keys are the gateway's own, in lower case: the native coin is `ton` or `gram`. */
export const ratesResponse = only(
  'rates',
  z.record(z.string(), tolerant(z.object({ prices }))).transform((rates) => {
    const entries = Object.entries(rates)
    return new Map(entries.map(([token, rate]) => [token.toLowerCase(), rate?.prices ?? null]))
  }),
)

export const jettonBalanceResponse = z.object({
  balance: int64,
  wallet_address: accountAddress,
  jetton: jettonPreview,
  price: tolerant(z.object({ prices })),
  /** The part of the balance that is locked until `till`, in seconds. */
  lock: tolerant(z.object({ amount: int64, till: z.int() })),
})
export type JettonBalanceResponse = z.infer<typeof jettonBalanceResponse>

export const jettonBalancesResponse = only('balances', validRows(jettonBalanceResponse))

const webLink = z.string().max(2000)

export const jettonInfoResponse = z.object({
  mintable: flag,
  total_supply: int64,
  admin: tolerant(accountAddress),
  metadata: z.object({
    address: accountText,
    name: textOrEmpty,
    symbol: textOrEmpty,
    /**
     * Amounts on the page depend on the decimals, so an invalid value is refused. The standard's
     * default is 9.
     */
    decimals: orElse(z.union([z.int(), z.string()]), 9)
      .transform(Number)
      .pipe(decimals),
    image: text.catch(null),
    description: text.catch(null),
    social: list(webLink).catch([]),
    websites: list(webLink).catch([]),
    catalogs: list(webLink).catch([]),
  }),
  preview: text.catch(null),
  verification: orElse(z.string(), 'none'),
  holders_count: tolerant(z.int().nonnegative()),
  scaled_ui: scaledUi,
  interfaces: list(z.string()),
  code_hash: text,
  data_hash: text,
})

export const jettonHoldersResponse = z.object({
  addresses: validRows(
    z.object({ address: accountText, owner: tolerant(accountAddress), balance: int64 }),
  ),
  total: tolerant(z.union([z.int(), z.bigint()])),
})

const price = z.object({
  currency_type: text.catch(null),
  value: int64,
  decimals,
  token_name: textOrEmpty,
  jetton: text.catch(null),
})
export type PriceResponse = z.infer<typeof price>

const nftFields = {
  address: accountText,
  owner: tolerant(accountAddress),
  metadata: tolerant(z.record(z.string(), z.unknown())),
  previews: list(z.object({ resolution: z.string(), url: webLink }).nullable().catch(null)).catch(
    [],
  ),
  approved_by: list(z.string()).catch([]),
  trust: orElse(z.string(), 'none').catch('none'),
}

export const nftItemResponse = z.object({
  ...nftFields,
  /** The index has up to 256 bits. */
  index: tolerant(int64),
  collection: tolerant(z.object({ address: accountText, name: textOrEmpty })),
  /** True if the collection confirms that the item belongs to it. */
  verified: flag,
  sale: tolerant(
    z.object({
      address: accountText,
      market: tolerant(accountAddress),
      owner: tolerant(accountAddress),
      price: tolerant(price),
    }),
  ),
  dns: text.catch(null),
  code_hash: text.catch(null),
  data_hash: text.catch(null),
})
export type NftItemResponse = z.infer<typeof nftItemResponse>

export const nftItemsResponse = only('nft_items', validRows(nftItemResponse))

export const nftCollectionResponse = z.object({
  ...nftFields,
  /** The value is -1 if the collection does not number its items in sequence. */
  next_item_index: tolerant(int64),
})

export const walletDataResponse = z
  .object({
    success: z.boolean(),
    decoded: tolerant(z.object({ owner: accountText, jetton: accountText })),
  })
  .transform(({ success, decoded }) => (success ? (decoded ?? null) : null))

export const blockResponse = z.object({
  workchain_id: z.int(),
  shard: z.string(),
  seqno: z.int(),
  root_hash: z.string(),
  file_hash: textOrEmpty,
  tx_quantity: z.int().nullish(),
  gen_utime: z.int(),
  prev_refs: list(z.string()),
  start_lt: tolerant(int64),
  end_lt: tolerant(int64),
  key_block: flag,
  before_split: flag,
  prev_key_block_seqno: tolerant(z.int()),
  master_ref: text.catch(null),
  in_msg_descr_length: tolerant(z.int()),
  out_msg_descr_length: tolerant(z.int()),
  /** Amounts of the native coin, by the name of the flow. */
  value_flow: tolerant(z.record(z.string(), tolerant(z.object({ grams: int64 })))),
})
export type BlockResponse = z.infer<typeof blockResponse>

/** The newest block of each shard that a masterchain block refers to. */
export const shardsResponse = only(
  'shards',
  validRows(only('last_known_block', blockResponse)).transform(readableRows),
)

export const blocksResponse = only('blocks', validRows(blockResponse).transform(readableRows))

export const dnsRecordResponse = z.object({
  wallet: z.object({ address: accountText, name: text }).nullish(),
})

const chartPoint = z
  .tuple([z.number().positive(), z.unknown()], z.unknown())
  .transform(([seconds, price]) => ({ at: Math.round(seconds * 1000), rate: toDecimalText(price) }))

/** `at` is in milliseconds, `rate` is a decimal. Points without a price are omitted. */
export const ratesChartResponse = only(
  'points',
  list(tolerant(chartPoint)).transform((points): RatePoint[] =>
    points.flatMap((point) => (point?.rate ? [{ at: point.at, rate: point.rate }] : [])),
  ),
)

type Fields = Readonly<Record<string, unknown>>

/**
 * The service omits messages from `out_msgs` that became children; here each transaction has all its
 * messages in the order it sent them.
 * @throws Error when the tree is invalid
 */
function flattenTrace(root: unknown): Fields[] {
  const nodes: Fields[] = []
  const waiting = [{ value: root, parent: null as number | null, depth: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, parent, depth } = next
    if (!isFields(value)) throw new Error('a trace without a transaction')
    const children = Array.isArray(value['children']) ? (value['children'] as unknown[]) : []
    const index = nodes.length
    nodes.push({
      ...value,
      transaction: withMessages(value['transaction'], children),
      parent,
      depth,
    })
    for (const child of children.toReversed()) {
      waiting.push({ value: child, parent: index, depth: depth + 1 })
    }
  }
  return nodes
}

function withMessages(transaction: unknown, children: readonly unknown[]): unknown {
  if (!isFields(transaction)) return transaction
  const own = Array.isArray(transaction['out_msgs']) ? (transaction['out_msgs'] as unknown[]) : []
  const hashOf = (message: unknown) =>
    isFields(message) ? hashText.safeParse(message['hash']).data : undefined
  const known = new Set(own.map(hashOf))
  const arrived = children.flatMap((child) => {
    const message =
      isFields(child) && isFields(child['transaction']) && child['transaction']['in_msg']
    return isFields(message) && !known.has(hashOf(message)) ? [message] : []
  })
  if (arrived.length === 0) return transaction
  const messages = [...own, ...arrived].sort((a, b) => Number(ltOf(a) - ltOf(b)))
  return { ...transaction, out_msgs: messages }
}

function ltOf(message: unknown): bigint {
  const lt = isFields(message) ? message['created_lt'] : 0
  return typeof lt === 'bigint' || Number.isSafeInteger(lt) ? BigInt(lt as bigint | number) : 0n
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
