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
 * When the property is known: with the delivery, after comparison with earlier deliveries, or later
 * (transaction, forwarding, marks).
 */
export type Known = 'arrival' | 'indexed' | 'later'

type Head = {
  /** The first name is written; the others are also accepted. */
  readonly names: readonly [string, ...string[]]
  readonly hint: string
  readonly example: string
  readonly known: Known
}

/**
 * A property that queries can ask for, by the way it is found:
 * - words: by the words of a text.
 * - text: one of values that many captures share. Any test can be tried on each of them.
 * - key: a value of its own for nearly each capture: found whole, or by its beginning.
 * - number: between two.
 * - slow: by reading capture after capture.
 */
export type Field = Head & FieldRest

type FieldRest = { readonly read: ReadValue; readonly choices?: readonly Choice[] } & (
  | { readonly by: 'words'; readonly column: WordColumn; readonly text: (of: Subject) => string }
  | { readonly by: 'text'; readonly values: (of: Subject, name: string) => readonly string[] }
  | { readonly by: 'key'; readonly values: (of: Subject) => readonly string[] }
  | { readonly by: 'number'; readonly value: (of: Subject) => bigint | number | null }
  | { readonly by: 'amount'; readonly value: (of: Subject) => MovedAmount | null }
  | { readonly by: 'slow' }
)

function field(
  known: Known,
  names: Field['names'],
  hint: string,
  example: string,
  rest: FieldRest,
): Field {
  return { known, names, hint, example, ...rest }
}

type WordColumn = 'all' | 'body' | 'comment' | 'note'

/** The index covers this beginning of a longer body; the slow scan covers all of it. */
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
  // Tokens are stored under `webhookTokenId`, which ends with the gateway's webhook id.
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

/** The raw form; a body may contain another one. */
function rawAddress(value: string | null | undefined): readonly string[] {
  return typeof value === 'string' ? strings(readAddress(value)?.raw) : []
}

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

/** The part of an explanation that free words find: the text in its row and detail. */
export function meaningLine({ later, network, kind }: Subject): string {
  const lines = [network]
  if (later !== null) {
    const { sender, recipient, opcode, invoice, amount, success, exitCode } = later.meaning
    const operation = opcode === null ? null : operationName(Number(opcode))
    lines.push(sender, recipient, opcode, operation, later.explanation)
    // Bodies of other kinds contain these words.
    if (kind === 'mempool_msg') lines.push(later.summary)
    if (invoice !== null) lines.push(`invoice ${invoice}`)
    if (amount !== null) lines.push(amountLine(amount))
    if (success === false) lines.push(exitCode === null ? 'failed' : `failed exit ${exitCode}`)
  }
  return lines.filter((each) => each !== null).join('\n')
}

/** Without and with separated thousands, as lists display it. */
function amountLine({ units, asset }: MovedAmount): string {
  const text = formatAmount(BigInt(units), asset.decimals)
  const grouped = text.replaceAll(/\B(?=(?:\d{3})+(?:\.|$))(?<!\..*)/g, ' ')
  return `${text === grouped ? text : `${text} ${grouped}`} ${asset.symbol}`
}

export function compoundText(subject: Subject): string {
  const { note = '', meaning } = subject.later ?? {}
  const told = [meaning?.comment ?? '', meaning?.invoice ?? '', note]
  return [subjectTarget(subject), ...told, bodyText(subject)].join('\n')
}

const rawAddresses = /-?\d:[0-9a-f]{64}/g

/** Accounts in the explanation without a field of their own. Only free words search them. */
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

export const anywhere: Field = field('arrival', ['words'], 'anywhere', 'order-42', {
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
})

/** In the order of suggestions. */
export const fields: readonly Field[] = [
  field('arrival', ['event', 'kind'], 'what it says it is', 'account_tx', {
    ...chosen(choicesOf(captureKinds, (value) => kinds[value] ?? '')),
    by: 'text',
    values: ({ kind }) => [kind],
  }),
  field('arrival', ['account'], 'whose event it is: address or label', 'EQ…', {
    read: readAccount,
    by: 'key',
    values: ({ account }) => rawAddress(account),
  }),
  field('arrival', ['lt'], 'logical time', '>4690000', {
    read: readInteger,
    by: 'number',
    value: ({ lt }) => lt,
  }),
  field('arrival', ['hash', 'tx'], 'the transaction’s', 'ab12*', {
    read: readTransactionHash,
    by: 'key',
    values: ({ txHash }) => strings(txHash === null ? null : readHash(txHash)),
  }),
  field('arrival', ['status'], 'what was answered', '500', {
    read: readStatus,
    choices: [
      { value: '2xx', hint: 'taken' },
      { value: '5xx', hint: 'to be delivered again' },
      { value: 'none', hint: 'nothing was answered' },
    ],
    by: 'text',
    values: ({ status }) => [status === null ? 'none' : String(status)],
  }),
  field('arrival', ['body'], 'words of the body', '"order-42"', {
    read: readWords,
    by: 'words',
    column: 'body',
    text: bodyText,
  }),
  field('arrival', ['header'], 'a header by its name', '*tonapi*', {
    read: readText,
    by: 'text',
    values: ({ headers }, name) =>
      headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value),
  }),
  field('arrival', ['token'], 'the bearer against your webhooks’', 'wrong', {
    ...chosen(choicesOf(tokenVerdicts, (value) => verdicts[value] ?? '')),
    by: 'text',
    // An invoice's delivery carries no bearer by design.
    values: ({ token, kind }) => [kind === 'invoice' && token === 'missing' ? 'unchecked' : token],
  }),
  field('arrival', ['received', 'time'], 'when', 'today', {
    read: readTime,
    choices: [
      { value: 'today', hint: 'since midnight here' },
      { value: 'yesterday', hint: 'the day before' },
      { value: '>-1h', hint: 'in the last hour' },
      { value: '>-7d', hint: 'in the last seven days' },
    ],
    by: 'number',
    value: ({ receivedAt }) => receivedAt,
  }),
  field('arrival', ['network', 'net'], 'whose it is', 'mainnet', {
    read: networkByName,
    choices: presets,
    by: 'text',
    values: ({ network }) => [network ?? 'unknown'],
  }),
  field('indexed', ['duplicate', 'dup'], 'an event that had been delivered before', 'yes', {
    ...chosen(yesNo('delivered before', 'the first of its event')),
    by: 'text',
    values: ({ isDuplicate }) => yes(isDuplicate),
  }),
  field('indexed', ['order'], 'by logical time', 'late', {
    ...chosen([
      { value: 'late', hint: 'a later one of its account was here before', also: ['out', 'no'] },
      { value: 'right', hint: 'in order', also: ['in', 'yes', 'ok'] },
    ]),
    by: 'text',
    values: ({ isOutOfOrder }) => [isOutOfOrder ? 'late' : 'right'],
  }),
  field('later', ['amount'], 'what it moved, with its unit', '>1.5TON', {
    read: readAmount,
    by: 'amount',
    value: (of) => of.later?.meaning.amount ?? null,
  }),
  field('later', ['asset'], 'by symbol, or by the jetton’s address', 'USDT', {
    read: readAsset,
    by: 'text',
    values({ later: known }) {
      const asset = known?.meaning.amount?.asset
      return asset === undefined ? [] : namesOfAsset(asset)
    },
  }),
  field('later', ['direction'], 'as its account sees it', 'in', {
    ...chosen([
      { value: 'in', hint: 'came' },
      { value: 'out', hint: 'went' },
    ]),
    by: 'text',
    values: (of) => strings(of.later?.meaning.amount?.direction),
  }),
  field('later', ['sender'], 'who paid: address or label', 'EQ…', {
    read: readAccount,
    by: 'key',
    values: (of) => rawAddress(of.later?.meaning.sender),
  }),
  field('later', ['recipient'], 'who was paid: address or label', 'EQ…', {
    read: readAccount,
    by: 'key',
    values: (of) => rawAddress(of.later?.meaning.recipient),
  }),
  field('later', ['comment'], 'words of the comment', '"order-42"', {
    read: readWords,
    by: 'words',
    column: 'comment',
    text: (of) => of.later?.meaning.comment ?? '',
  }),
  field('later', ['invoice'], 'that it tells of or pays, by id', '*', {
    read: readText,
    by: 'key',
    values: (of) => strings(of.later?.meaning.invoice),
  }),
  field('later', ['opcode', 'op'], 'of the message received', 'jetton_notify', {
    read: readOperation,
    by: 'text',
    values: (of) => strings(of.later?.meaning.opcode?.toLowerCase()),
  }),
  field('later', ['exit'], 'exit code of the contract', '>0', {
    read: readExitCode,
    by: 'text',
    values: (of) => strings(of.later?.meaning.exitCode?.toString()),
  }),
  field('later', ['success'], 'of its transaction', 'no', {
    ...chosen(yesNo('it did what it was to', 'it failed')),
    by: 'text',
    values: (of) => yes(of.later?.meaning.success),
  }),
  field('later', ['meaning'], 'how far its transaction is known', 'known', {
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
  }),
  field('later', ['forwarded', 'forward'], 'how sending it on went', 'failed', {
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
  }),
  field('later', ['pinned', 'pin'], 'kept by you', 'yes', {
    ...chosen(yesNo('pinned', 'not pinned')),
    by: 'text',
    values: (of) => yes(of.later?.pinned),
  }),
  field('later', ['note'], 'words of your note; note:* for any', '*', {
    read: readWords,
    by: 'words',
    column: 'note',
    text: (of) => of.later?.note ?? '',
  }),
  field('arrival', ['method'], 'of the request', 'POST', {
    read: readText,
    by: 'text',
    values: ({ method }) => [method],
  }),
  field('arrival', ['path'], 'below the receiver’s own', '/orders*', {
    read: readText,
    by: 'text',
    values: pathsOf,
  }),
  field('arrival', ['from', 'ip'], 'the sender’s address, or what a proxy says', '127.0.0.1', {
    read: readText,
    by: 'text',
    values: addressesOf,
  }),
  field('later', ['webhook'], 'by its id, or the label of its token', 'shop', {
    read: webhookByName,
    by: 'text',
    values: (of) => strings(of.later?.tokenId),
  }),
  field('arrival', ['size'], 'bytes of the body', '>10KB', {
    read: readSize,
    by: 'number',
    value: ({ bodyBytes }) => bodyBytes,
  }),
  field('arrival', ['took'], 'until it was on disk', '>100ms', {
    read: readDuration,
    by: 'number',
    value: ({ durationUs }) => durationUs,
  }),
  field('arrival', ['complete'], 'all of it arrived', 'no', {
    ...chosen([
      ...yesNo('all of it', 'truncated or partial'),
      { value: 'truncated', hint: 'longer than the limit' },
      { value: 'partial', hint: 'broken off' },
    ]),
    by: 'text',
    values: ({ completeness }) => (completeness === 'complete' ? ['yes'] : ['no', completeness]),
  }),
  field('arrival', ['origin'], 'received, or put here by you', 'received', {
    ...chosen(choicesOf(captureOrigins, () => '')),
    by: 'text',
    values: ({ origin }) => [origin],
  }),
  field('later', ['id'], 'number of the capture', '1..100', {
    read: readInteger,
    by: 'number',
    value: (of) => of.later?.id ?? null,
  }),
  field('arrival', ['contains'], 'characters anywhere, inside words too: a slow scan', '"rder-4"', {
    read: readInside,
    by: 'slow',
  }),
]

const byName: ReadonlyMap<string, Field> = new Map(
  fields.flatMap((field) => field.names.map((name): [string, Field] => [name, field])),
)

export function fieldNamed(name: string): Field | null {
  return byName.get(name.toLowerCase()) ?? null
}

export function fieldOfTest(name: string): Field {
  return name === mentioned.names[0] ? mentioned : (fieldNamed(name) ?? anywhere)
}
