import type { MovedAmount } from '../../../src-preload/contract/capture.ts'
import {
  captureKinds,
  captureOrigins,
  forwardSummaries,
  meaningStates,
  tokenVerdicts,
} from '../../../src-preload/domain/capture-words.ts'
import { readAddress } from '../../ton/address.ts'
import { formatAmount } from '../../../src-preload/domain/amount.ts'
import { readHash } from '../../ton/hash.ts'
import { operationName } from '../../ton/opcodes.ts'
import type { Subject } from './subject.ts'
import {
  namesOfAsset,
  readAmount,
  readAccount,
  readAsset,
  readOperation,
  readTransactionHash,
} from './values/chain.ts'
import {
  readDuration,
  readExitCode,
  readInteger,
  readSize,
  readStatus,
  readTime,
} from './values/number.ts'
import {
  type ReadValue,
  type Choice,
  is,
  readChoice,
  readInside,
  readText,
  readWords,
  yesNo,
} from './values/text.ts'

/**
 * When it is known: with the delivery itself; once it was compared with those before it; or later,
 * when its transaction was asked for, when it was sent on, when a person marked it.
 */
export type Known = 'arrival' | 'indexed' | 'later'

type Common = {
  /** The first is how it is written; the others are understood. */
  readonly names: readonly [string, ...string[]]
  /** A word on what it finds. */
  readonly hint: string
  /** Of a value, as one would write it. */
  readonly example: string
  readonly known: Known
  readonly read: ReadValue
  readonly choices?: readonly Choice[]
}

/**
 * A property that queries can ask for, by the way it is found:
 * - words: by the words of a text.
 * - text: one of values that many captures share. Any test can be tried on each of them.
 * - key: a value of its own for nearly each capture: found whole, or by its beginning.
 * - number: between two.
 * - slow: by reading capture after capture.
 */
export type Field = Common &
  (
    | { readonly by: 'words'; readonly column: WordColumn; readonly text: (of: Subject) => string }
    | { readonly by: 'text'; readonly values: (of: Subject, name: string) => readonly string[] }
    | { readonly by: 'key'; readonly values: (of: Subject) => readonly string[] }
    | { readonly by: 'number'; readonly value: (of: Subject) => bigint | number | null }
    | { readonly by: 'amount'; readonly value: (of: Subject) => MovedAmount | null }
    | { readonly by: 'slow' }
  )

type WordColumn = 'all' | 'body' | 'comment' | 'note'

/** Of a longer body the beginning can be found by words; all of it by the slow scan. */
const searchedBytes = 1024 * 1024

const choicesOf = (values: readonly string[], hint: (value: string) => string) =>
  values.map((value): Choice => ({ value, hint: hint(value) }))

function chosen(choices: readonly Choice[]) {
  return { choices, read: readChoice(choices) }
}

const kinds: Readonly<Record<string, string>> = {
  account_tx: 'a transaction of a watched account',
  opcode_msg: 'a message with a watched opcode',
  new_contracts: 'a contract was deployed',
  mempool_msg: 'a message that is not in a block yet',
  invoice: 'an invoice changed',
  unknown: 'none of the gateway’s',
}
const verdicts: Readonly<Record<string, string>> = {
  right: 'a token of one of your webhooks',
  wrong: 'another one',
  missing: 'none, though one is expected',
  unchecked: 'there was none to compare with',
}
const presets = [
  { value: 'sandbox', hint: 'this computer’s' },
  { value: 'testnet', hint: 'test net' },
  { value: 'mainnet', hint: 'main net' },
  { value: 'unknown', hint: 'nothing tells whose it is' },
]

const networkByName: ReadValue = (piece, context) => {
  const preset = readChoice(presets)(piece, context)
  if (typeof preset !== 'string') return preset
  const named = context.names.networks(piece.text)
  if (piece.lead === '' && named.length > 0) return named.map(is)
  if (piece.lead === '' && /^custom-[0-9a-f]{8}$/.test(piece.text)) return [is(piece.text)]
  return 'sandbox, testnet, mainnet, unknown, or a network of yours by its name.'
}

const webhookByName: ReadValue = (piece, context) => {
  if (piece.lead !== '') return readText(piece, context)
  const named = context.names.webhooks(piece.text).map(is)
  // Tokens are kept under `webhookTokenId`, which ends in the webhook's own; the gateway counts these.
  if (/^\d+$/.test(piece.text)) return [...named, { is: 'text', pattern: ['', `/${piece.text}`] }]
  return named.length > 0
    ? named
    : 'The id of a webhook, or the label of a webhook token; Settings lists these.'
}

function strings(value: string | null | undefined): readonly string[] {
  return value === null || value === undefined ? [] : [value]
}

function yes(value: boolean | null | undefined): readonly string[] {
  return value === null || value === undefined ? [] : [value ? 'yes' : 'no']
}

/** An address as all of the app writes it; a body may have it in another form. */
function rawAddress(value: string | null | undefined): readonly string[] {
  return typeof value === 'string' ? strings(readAddress(value)?.raw) : []
}

/** What proxies say of where it came from. */
const forwardedFor = new Set([
  'x-forwarded-for',
  'x-real-ip',
  'cf-connecting-ip',
  'forwarded',
  'via',
])

function addressesOf({ remoteAddress, headers }: Subject): readonly string[] {
  const addresses = [remoteAddress.replace(/^::ffff:/, '')]
  for (const [name, value] of headers) {
    if (!forwardedFor.has(name.toLowerCase())) continue
    for (const each of value.split(',')) if (each.trim() !== '') addresses.push(each.trim())
  }
  return addresses
}

/** Both with its query and without. */
function pathsOf({ subpath }: Subject): readonly string[] {
  const path = subpath.split('?', 1)[0] ?? ''
  return path === subpath ? [subpath] : [path, subpath]
}

export function bodyText({ body }: { readonly body: Uint8Array }): string {
  const { buffer, byteOffset, byteLength } = body
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, searchedBytes)).toString('utf8')
}

export function subjectTarget({ method, subpath }: Pick<Subject, 'method' | 'subpath'>): string {
  return `${method} ${subpath}`
}

export function headerLines({ headers }: Pick<Subject, 'headers'>): string {
  return headers.map(([name, value]) => `${name}: ${value}`).join('\n')
}

/** What of its explanation is found by free words: what its row and its detail show of it. */
export function meaningLine({ later, network, kind }: Subject): string {
  const lines = [network]
  if (later !== null) {
    const { sender, recipient, opcode, invoice, amount, success, exitCode } = later.meaning
    const operation = opcode === null ? null : operationName(Number(opcode))
    lines.push(sender, recipient, opcode, operation, later.explanation)
    // Of other kinds the body has the words of it.
    if (kind === 'mempool_msg') lines.push(later.summary)
    if (invoice !== null) lines.push(`invoice ${invoice}`)
    if (amount !== null) lines.push(amountLine(amount))
    if (success === false) lines.push(exitCode === null ? 'failed' : `failed exit ${exitCode}`)
  }
  return lines.filter((each) => each !== null).join('\n')
}

/** Both in one piece and with its thousands apart, as lists show it. */
function amountLine({ units, asset }: MovedAmount): string {
  const text = formatAmount(BigInt(units), asset.decimals)
  const grouped = text.replaceAll(/\B(?=(?:\d{3})+(?:\.|$))(?<!\..*)/g, ' ')
  return `${text === grouped ? text : `${text} ${grouped}`} ${asset.symbol}`
}

/** What is sought for the beginnings of words that are written together. */
export function compoundText(subject: Subject): string {
  const { note = '', meaning } = subject.later ?? {}
  const told = [meaning?.comment ?? '', meaning?.invoice ?? '', note]
  return [subjectTarget(subject), ...told, bodyText(subject)].join('\n')
}

/** Raw addresses in a text of ours. */
const rawAddresses = /-?\d:[0-9a-f]{64}/g

/**
 * Accounts that its explanation names, other than those that have fields of their own. Only free
 * words ask for it, so it is none of the fields.
 */
export const mentioned = {
  known: 'later',
  names: ['mentioned'],
  hint: '',
  example: '',
  read: readText,
  by: 'key',
  values({ account, later: known }) {
    const own = [account, known?.meaning.sender, known?.meaning.recipient].flatMap(rawAddress)
    const named = new Set(known?.explanation?.match(rawAddresses))
    return [...named].filter((address) => !own.includes(address))
  },
} as const satisfies Field

const arrival = { known: 'arrival' } as const
const later = { known: 'later' } as const

/** Free words. */
export const anywhere: Field = {
  ...arrival,
  names: ['words'],
  hint: 'anywhere',
  example: 'order-42',
  by: 'words',
  column: 'all',
  read: readWords,
  text: (of) =>
    [
      subjectTarget(of),
      headerLines(of),
      bodyText(of),
      of.later?.meaning.comment ?? '',
      meaningLine(of),
      of.later?.note ?? '',
    ].join('\n\n'),
}

/** Every field, in the order in which they are offered. */
export const fields: readonly Field[] = [
  {
    ...arrival,
    names: ['event', 'kind'],
    hint: 'what it says it is',
    example: 'account_tx',
    ...chosen(choicesOf(captureKinds, (value) => kinds[value] ?? '')),
    by: 'text',
    values: ({ kind }) => [kind],
  },
  {
    ...arrival,
    names: ['account'],
    hint: 'whose event it is: address or label',
    example: 'EQ…',
    read: readAccount,
    by: 'key',
    values: ({ account }) => rawAddress(account),
  },
  {
    ...arrival,
    names: ['lt'],
    hint: 'logical time',
    example: '>4690000',
    read: readInteger,
    by: 'number',
    value: ({ lt }) => lt,
  },
  {
    ...arrival,
    names: ['hash', 'tx'],
    hint: 'the transaction’s',
    example: 'ab12*',
    read: readTransactionHash,
    by: 'key',
    values: ({ txHash }) => strings(txHash === null ? null : readHash(txHash)),
  },
  {
    ...arrival,
    names: ['status'],
    hint: 'what was answered',
    example: '500',
    read: readStatus,
    choices: [
      { value: '2xx', hint: 'taken' },
      { value: '5xx', hint: 'to be delivered again' },
      { value: 'none', hint: 'nothing was answered' },
    ],
    by: 'text',
    values: ({ status }) => [status === null ? 'none' : String(status)],
  },
  {
    ...arrival,
    names: ['body'],
    hint: 'words of the body',
    example: '"order-42"',
    read: readWords,
    by: 'words',
    column: 'body',
    text: bodyText,
  },
  {
    ...arrival,
    names: ['header'],
    hint: 'a header by its name',
    example: '*tonapi*',
    read: readText,
    by: 'text',
    values: ({ headers }, name) =>
      headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value),
  },
  {
    ...arrival,
    names: ['token'],
    hint: 'the bearer against your webhooks’',
    example: 'wrong',
    ...chosen(choicesOf(tokenVerdicts, (value) => verdicts[value] ?? '')),
    by: 'text',
    // An invoice's delivery carries no bearer by design.
    values: ({ token, kind }) => [kind === 'invoice' && token === 'missing' ? 'unchecked' : token],
  },
  {
    ...arrival,
    names: ['received', 'time'],
    hint: 'when',
    example: 'today',
    read: readTime,
    choices: [
      { value: 'today', hint: 'since midnight here' },
      { value: 'yesterday', hint: 'the day before' },
      { value: '>-1h', hint: 'in the last hour' },
      { value: '>-7d', hint: 'in the last seven days' },
    ],
    by: 'number',
    value: ({ receivedAt }) => receivedAt,
  },
  {
    ...arrival,
    names: ['network', 'net'],
    hint: 'whose it is',
    example: 'mainnet',
    read: networkByName,
    choices: presets,
    by: 'text',
    values: ({ network }) => [network ?? 'unknown'],
  },
  {
    known: 'indexed',
    names: ['duplicate', 'dup'],
    hint: 'an event that had been delivered before',
    example: 'yes',
    ...chosen(yesNo('delivered before', 'the first of its event')),
    by: 'text',
    values: ({ isDuplicate }) => yes(isDuplicate),
  },
  {
    known: 'indexed',
    names: ['order'],
    hint: 'by logical time',
    example: 'late',
    ...chosen([
      { value: 'late', hint: 'a later one of its account was here before', also: ['out', 'no'] },
      { value: 'right', hint: 'in order', also: ['in', 'yes', 'ok'] },
    ]),
    by: 'text',
    values: ({ isOutOfOrder }) => [isOutOfOrder ? 'late' : 'right'],
  },
  {
    ...later,
    names: ['amount'],
    hint: 'what it moved, with its unit',
    example: '>1.5TON',
    read: readAmount,
    by: 'amount',
    value: (of) => of.later?.meaning.amount ?? null,
  },
  {
    ...later,
    names: ['asset'],
    hint: 'by symbol, or by the jetton’s address',
    example: 'USDT',
    read: readAsset,
    by: 'text',
    values({ later: known }) {
      const asset = known?.meaning.amount?.asset
      return asset === undefined ? [] : namesOfAsset(asset)
    },
  },
  {
    ...later,
    names: ['direction'],
    hint: 'as its account sees it',
    example: 'in',
    ...chosen([
      { value: 'in', hint: 'came' },
      { value: 'out', hint: 'went' },
    ]),
    by: 'text',
    values: (of) => strings(of.later?.meaning.amount?.direction),
  },
  {
    ...later,
    names: ['sender'],
    hint: 'who paid: address or label',
    example: 'EQ…',
    read: readAccount,
    by: 'key',
    values: (of) => rawAddress(of.later?.meaning.sender),
  },
  {
    ...later,
    names: ['recipient'],
    hint: 'who was paid: address or label',
    example: 'EQ…',
    read: readAccount,
    by: 'key',
    values: (of) => rawAddress(of.later?.meaning.recipient),
  },
  {
    ...later,
    names: ['comment'],
    hint: 'words of the comment',
    example: '"order-42"',
    read: readWords,
    by: 'words',
    column: 'comment',
    text: (of) => of.later?.meaning.comment ?? '',
  },
  {
    ...later,
    names: ['invoice'],
    hint: 'that it tells of or pays, by id',
    example: '*',
    read: readText,
    by: 'key',
    values: (of) => strings(of.later?.meaning.invoice),
  },
  {
    ...later,
    names: ['opcode', 'op'],
    hint: 'of the message received',
    example: 'jetton_notify',
    read: readOperation,
    by: 'text',
    values: (of) => strings(of.later?.meaning.opcode?.toLowerCase()),
  },
  {
    ...later,
    names: ['exit'],
    hint: 'exit code of the contract',
    example: '>0',
    read: readExitCode,
    by: 'text',
    values: (of) => strings(of.later?.meaning.exitCode?.toString()),
  },
  {
    ...later,
    names: ['success'],
    hint: 'of its transaction',
    example: 'no',
    ...chosen(yesNo('it did what it was to', 'it failed')),
    by: 'text',
    values: (of) => yes(of.later?.meaning.success),
  },
  {
    ...later,
    names: ['meaning'],
    hint: 'how far its transaction is known',
    example: 'known',
    ...chosen(
      choicesOf(
        meaningStates,
        (value) =>
          ({
            none: 'nothing to ask for',
            waiting: 'to be asked for',
            known: 'known',
            unavailable: 'could not be had',
          })[value] ?? '',
      ),
    ),
    by: 'text',
    values: (of) => strings(of.later?.meaning.state),
  },
  {
    ...later,
    names: ['forwarded', 'forward'],
    hint: 'how sending it on went',
    example: 'failed',
    ...chosen([
      ...choicesOf(
        forwardSummaries,
        (value) =>
          ({
            waiting: 'for its target, or its turn',
            failed: 'tried in vain, and tried again',
            delivered: 'each target has taken it',
            dropped: 'given up',
          })[value] ?? '',
      ),
      { value: 'no', hint: 'no rule took it', also: ['none'] },
    ]),
    by: 'text',
    values: (of) => (of.later === null ? [] : [of.later.forward ?? 'no']),
  },
  {
    ...later,
    names: ['pinned', 'pin'],
    hint: 'kept by you',
    example: 'yes',
    ...chosen(yesNo('pinned', 'not pinned')),
    by: 'text',
    values: (of) => yes(of.later?.pinned),
  },
  {
    ...later,
    names: ['note'],
    hint: 'words of your note; note:* for any',
    example: '*',
    read: readWords,
    by: 'words',
    column: 'note',
    text: (of) => of.later?.note ?? '',
  },
  {
    ...arrival,
    names: ['method'],
    hint: 'of the request',
    example: 'POST',
    read: readText,
    by: 'text',
    values: ({ method }) => [method],
  },
  {
    ...arrival,
    names: ['path'],
    hint: 'below the receiver’s own',
    example: '/orders*',
    read: readText,
    by: 'text',
    values: pathsOf,
  },
  {
    ...arrival,
    names: ['from', 'ip'],
    hint: 'the sender’s address, or what a proxy says',
    example: '127.0.0.1',
    read: readText,
    by: 'text',
    values: addressesOf,
  },
  {
    ...later,
    names: ['webhook'],
    hint: 'by its id, or the label of its token',
    example: 'shop',
    read: webhookByName,
    by: 'text',
    values: (of) => strings(of.later?.tokenId),
  },
  {
    ...arrival,
    names: ['size'],
    hint: 'bytes of the body',
    example: '>10KB',
    read: readSize,
    by: 'number',
    value: ({ bodyBytes }) => bodyBytes,
  },
  {
    ...arrival,
    names: ['took'],
    hint: 'until it was on disk',
    example: '>100ms',
    read: readDuration,
    by: 'number',
    value: ({ durationUs }) => durationUs,
  },
  {
    ...arrival,
    names: ['complete'],
    hint: 'all of it arrived',
    example: 'no',
    ...chosen([
      ...yesNo('all of it', 'truncated or partial'),
      { value: 'truncated', hint: 'longer than the limit' },
      { value: 'partial', hint: 'broken off' },
    ]),
    by: 'text',
    values: ({ completeness }) => (completeness === 'complete' ? ['yes'] : ['no', completeness]),
  },
  {
    ...arrival,
    names: ['origin'],
    hint: 'received, or put here by you',
    example: 'received',
    ...chosen(choicesOf(captureOrigins, () => '')),
    by: 'text',
    values: ({ origin }) => [origin],
  },
  {
    ...later,
    names: ['id'],
    hint: 'number of the capture',
    example: '1..100',
    read: readInteger,
    by: 'number',
    value: (of) => of.later?.id ?? null,
  },
  {
    ...arrival,
    names: ['contains'],
    hint: 'characters anywhere, inside words too: a slow scan',
    example: '"rder-4"',
    read: readInside,
    by: 'slow',
  },
]

const byName: ReadonlyMap<string, Field> = new Map(
  fields.flatMap((field) => field.names.map((name): [string, Field] => [name, field])),
)

export function fieldNamed(name: string): Field | null {
  return byName.get(name.toLowerCase()) ?? null
}

/** The field that a free word's test names. */
export function fieldOfTest(name: string): Field {
  return name === mentioned.names[0] ? mentioned : (fieldNamed(name) ?? anywhere)
}
