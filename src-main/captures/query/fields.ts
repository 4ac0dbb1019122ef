import type { MovedAmount } from '../../../src-preload/contract/capture.ts'
import {
  captureKinds,
  captureOrigins,
  forwardSummaries,
  explanationStates,
  tokenVerdicts,
} from '../../../src-preload/domain/capture-values.ts'
import { readAddress } from '../../ton/address.ts'
import { formatAmount } from '../../../src-preload/domain/amount.ts'
import { readHash } from '../../ton/hash.ts'
import { operationName } from '../../ton/opcodes.ts'
import { describeMessage } from '../explanation/facts.ts'
import type { SearchedCapture } from './searched-capture.ts'
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
  equalsText,
  readChoice,
  readPattern,
  readText,
  parsePhrase,
  yesNo,
} from './values/text.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

/**
 * When a property becomes known: on arrival, after the comparison with earlier deliveries, or later
 * (transaction, forwarding, marks).
 */
export type KnownFrom = 'arrival' | 'indexed' | 'later'

/**
 * How the values of a property are found:
 * - words: by the words of a text.
 * - text: as one of the values that many captures share, each of which can be tested.
 * - key: as a value that nearly each capture has for itself, found completely or by its beginning.
 * - number: within a range.
 * - slow: by reading each capture.
 */
type Values = {
  readonly words: string
  readonly text: readonly string[]
  readonly key: readonly string[]
  readonly number: bigint | number | null
  readonly amount: MovedAmount | null
  readonly slow: null
}

type Reading = { readonly read: ReadValue; readonly choices?: readonly Choice[] }

type FieldBy<B extends keyof Values> = Reading & {
  readonly by: B
  readonly known: KnownFrom
  /** Tondesk writes the first name; the others are also accepted. */
  readonly names: readonly [string, ...string[]]
  readonly hint: string
  readonly example: string
  /** @param name the name of a header */
  readonly value: (of: SearchedCapture, name: string) => Values[B]
}

/** A property that queries can name. */
export type Field = { [B in keyof Values]: FieldBy<B> }[keyof Values]

const fieldsBy =
  <B extends keyof Values>(by: B) =>
  (
    known: KnownFrom,
    names: Field['names'],
    hint: string,
    example: string,
    reading: ReadValue | Reading,
    value: FieldBy<B>['value'],
  ): FieldBy<B> => {
    const read = typeof reading === 'function' ? { read: reading } : reading
    return { by, known, names, hint, example, value, ...read }
  }

const text = fieldsBy('text')
const key = fieldsBy('key')
const words = fieldsBy('words')
const number = fieldsBy('number')

/** The index covers this beginning of a longer body; the slow scan covers the whole body. */
const searchedBytes = 1024 * 1024

const choicesOf = (values: readonly string[], hints: Readonly<Record<string, string>>) =>
  values.map((value): Choice => ({ value, hint: hints[value] ?? '' }))

const chosen = (choices: readonly Choice[]) => ({ choices, read: readChoice(choices) })

const kindHints: Readonly<Record<string, string>> = lookupTable({
  account_tx: 'a transaction of a watched account',
  opcode_msg: 'a message with a watched opcode',
  new_contracts: 'a contract was deployed',
  mempool_msg: 'a message that is not in a block yet',
  invoice: 'an invoice changed',
  unknown: 'not a gateway event',
})
const verdictHints: Readonly<Record<string, string>> = lookupTable({
  right: 'the token of one of your webhooks',
  wrong: 'a token of none of your webhooks',
  missing: 'no token, although one is expected',
  unchecked: 'no stored token to compare it with',
})
const stateHints: Readonly<Record<string, string>> = lookupTable({
  none: 'no chain data is needed',
  waiting: 'not loaded yet',
  known: 'the transaction is loaded',
  unavailable: 'the transaction could not be loaded',
})
const forwardHints: Readonly<Record<string, string>> = lookupTable({
  waiting: 'not sent yet',
  failed: 'failed so far, will be retried',
  delivered: 'every target accepted it',
  dropped: 'not delivered, no more attempts',
})

const kinds = chosen(choicesOf(captureKinds, kindHints))
const verdicts = chosen(choicesOf(tokenVerdicts, verdictHints))
const states = chosen(choicesOf(explanationStates, stateHints))
const origins = chosen(choicesOf(captureOrigins, {}))
const forwards = chosen([
  ...choicesOf(forwardSummaries, forwardHints),
  { value: 'no', hint: 'no forwarding rule matched the capture', also: ['none'] },
])
const orders = chosen([
  { value: 'late', hint: 'arrived after a later event of its account', also: ['out', 'no'] },
  { value: 'right', hint: 'arrived in order', also: ['in', 'yes', 'ok'] },
])
const directions = chosen([
  { value: 'in', hint: 'money received' },
  { value: 'out', hint: 'money sent' },
])
const repeats = chosen(yesNo('delivered before', 'the first delivery'))
const successes = chosen(yesNo('the transaction succeeded', 'the transaction failed'))
const pins = chosen(yesNo('pinned', 'not pinned'))
const completes = chosen([
  ...yesNo('the whole body was received', 'truncated or partial'),
  { value: 'truncated', hint: 'the body was longer than the limit' },
  { value: 'missing', hint: 'the imported file does not contain the body' },
  { value: 'partial', hint: 'the connection ended early' },
])
const statuses = {
  read: readStatus,
  choices: [
    { value: '2xx', hint: 'the receiver accepted the delivery' },
    { value: '5xx', hint: 'the receiver returned an error; the gateway retries' },
    { value: 'none', hint: 'no response was sent' },
  ],
}
const times = {
  read: readTime,
  choices: [
    { value: 'today', hint: 'since midnight, local time' },
    { value: 'yesterday', hint: 'the day before today' },
    { value: '>-1h', hint: 'in the last hour' },
    { value: '>-7d', hint: 'in the last seven days' },
  ],
}
const presets = [
  { value: 'sandbox', hint: 'the sandbox on this computer' },
  { value: 'testnet', hint: 'Testnet' },
  { value: 'mainnet', hint: 'Mainnet' },
  { value: 'unknown', hint: 'the network could not be determined' },
]

const networkByName: ReadValue = (piece, context) => {
  const preset = readChoice(presets)(piece, context)
  if (typeof preset !== 'string') return preset
  const named = context.names.networks(piece.text)
  if (piece.lead === '' && named.length > 0) return named.map(equalsText)
  if (piece.lead === '' && /^custom-[0-9a-f]{8}$/.test(piece.text)) return [equalsText(piece.text)]
  return 'Use sandbox, testnet, mainnet, unknown, or the name of a network you added.'
}

const networks = { read: networkByName, choices: presets }

const webhookByName: ReadValue = (piece, context) => {
  if (piece.lead !== '') return readText(piece, context)
  const named = context.names.webhooks(piece.text).map(equalsText)
  // Tokens are stored under `webhookTokenId`, which ends with the gateway's webhook id.
  if (/^\d+$/.test(piece.text)) return [...named, { is: 'text', pattern: ['', `/${piece.text}`] }]
  return named.length > 0
    ? named
    : 'Use the id of a webhook or the label of a webhook token; the settings list both.'
}

const strings = (value: string | null | undefined): readonly string[] =>
  value === null || value === undefined ? [] : [value]

const yes = (value: boolean | null | undefined): readonly string[] =>
  value === null || value === undefined ? [] : [value ? 'yes' : 'no']

/** Returns the raw form, because a body may contain another form. */
const rawAddress = (value: string | null | undefined): readonly string[] =>
  typeof value === 'string' ? strings(readAddress(value)?.raw) : []

const forwardedFor = new Set([
  'x-forwarded-for',
  'x-real-ip',
  'cf-connecting-ip',
  'forwarded',
  'via',
])

function addressesOf({ remoteAddress, headers }: SearchedCapture): readonly string[] {
  const addresses = [remoteAddress.replace(/^::ffff:/, '')]
  for (const [name, value] of headers) {
    if (!forwardedFor.has(name.toLowerCase())) continue
    for (const each of value.split(',')) if (each.trim() !== '') addresses.push(each.trim())
  }
  return addresses
}

function pathsOf({ subpath }: SearchedCapture): readonly string[] {
  const path = subpath.split('?', 1)[0] ?? ''
  return path === subpath ? [subpath] : [path, subpath]
}

export function bodyText({ body }: { readonly body: Uint8Array }): string {
  const { buffer, byteOffset, byteLength } = body
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, searchedBytes)).toString('utf8')
}

export function searchedTarget({
  method,
  subpath,
}: Pick<SearchedCapture, 'method' | 'subpath'>): string {
  return `${method} ${subpath}`
}

export const headerLines = ({ headers }: Pick<SearchedCapture, 'headers'>): string =>
  headers.map(([name, value]) => `${name}: ${value}`).join('\n')

/** The part of an explanation that words find: the text in its row and detail. */
export function explanationLine({ later, network, kind }: SearchedCapture): string {
  const lines = [network]
  if (later !== null) {
    const { state, sender, recipient, opcode, invoice, amount, success, exitCode } = later.meaning
    const operation = opcode === null ? null : operationName(Number(opcode))
    lines.push(sender, recipient, opcode, operation, later.explanation)
    if (state === 'known') lines.push(describeMessage(later.meaning))
    // Bodies of other kinds already contain these words.
    if (kind === 'mempool_msg') lines.push(later.summary)
    if (invoice !== null) lines.push(`invoice ${invoice}`)
    if (amount !== null) lines.push(amountLine(amount))
    if (success === false) lines.push(exitCode === null ? 'failed' : `failed exit ${exitCode}`)
  }
  return lines.filter((each) => each !== null).join('\n')
}

/** The amount without and with separators between thousands, as lists display it. */
function amountLine({ units, asset }: MovedAmount): string {
  const text = formatAmount(BigInt(units), asset.decimals)
  const grouped = text.replaceAll(/\B(?=(?:\d{3})+(?:\.|$))(?<!\..*)/g, ' ')
  return `${text === grouped ? text : `${text} ${grouped}`} ${asset.symbol}`
}

export function compoundText(subject: SearchedCapture): string {
  const { note = '', meaning } = subject.later ?? {}
  const [comment, invoice] = [meaning?.comment ?? '', meaning?.invoice ?? '']
  return [searchedTarget(subject), comment, invoice, note, bodyText(subject)].join('\n')
}

const rawAddresses = /-?\d:[0-9a-f]{64}/g

/** Accounts in the explanation that have no field of their own, so that only words find them. */
export const mentionedField = key('later', ['mentioned'], '', '', readText, (of) => {
  const { sender, recipient } = of.later?.meaning ?? {}
  const own = [of.account, sender, recipient].flatMap(rawAddress)
  const named = new Set(of.later?.explanation?.match(rawAddresses))
  return [...named].filter((address) => !own.includes(address))
})

export const anyField = words('arrival', ['words'], 'anywhere', 'order-42', parsePhrase, (of) =>
  [
    searchedTarget(of),
    headerLines(of),
    bodyText(of),
    of.later?.meaning.comment ?? '',
    explanationLine(of),
    of.later?.note ?? '',
  ].join('\n\n'),
)

/** Fields in the order in which they are suggested. */
export const queryFields: readonly Field[] = [
  text('arrival', ['event', 'kind'], 'kind of event', 'account_tx', kinds, (of) => [of.kind]),
  key('arrival', ['account'], 'account of the event: address or label', 'EQ…', readAccount, (of) =>
    rawAddress(of.account),
  ),
  number('arrival', ['lt'], 'logical time', '>4690000', readInteger, (of) => of.lt),
  key('arrival', ['hash', 'tx'], 'transaction hash', 'ab12*', readTransactionHash, (of) =>
    strings(of.txHash === null ? null : readHash(of.txHash)),
  ),
  text('arrival', ['status'], 'response status', '500', statuses, (of) => [
    of.status === null ? 'none' : String(of.status),
  ]),
  words('arrival', ['body'], 'words in the body', '"order-42"', parsePhrase, bodyText),
  text('arrival', ['header'], 'value of a header', '*tonapi*', readText, (of, name) =>
    of.headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value),
  ),
  // Deliveries of invoices carry no bearer token by design.
  text(
    'arrival',
    ['token'],
    'bearer token compared with your webhooks’',
    'wrong',
    verdicts,
    (of) => [of.kind === 'invoice' && of.token === 'missing' ? 'unchecked' : of.token],
  ),
  number('arrival', ['received', 'time'], 'time received', 'today', times, (of) => of.receivedAt),
  text('arrival', ['network', 'net'], 'network of the event', 'mainnet', networks, (of) => [
    of.network ?? 'unknown',
  ]),
  text('indexed', ['duplicate', 'dup'], 'event delivered before', 'yes', repeats, (of) =>
    yes(of.isDuplicate),
  ),
  text('indexed', ['order'], 'order compared with logical time', 'late', orders, (of) => [
    of.isOutOfOrder ? 'late' : 'right',
  ]),
  fieldsBy('amount')(
    'later',
    ['amount'],
    'amount of the transfer, with its unit',
    '>1.5TON',
    readAmount,
    (of) => of.later?.meaning.amount ?? null,
  ),
  text('later', ['asset'], 'symbol, or address of the jetton', 'USDT', readAsset, (of) => {
    const asset = of.later?.meaning.amount?.asset
    return asset === undefined ? [] : namesOfAsset(asset)
  }),
  text('later', ['direction'], 'direction, seen from the account', 'in', directions, (of) =>
    strings(of.later?.meaning.amount?.direction),
  ),
  key('later', ['sender'], 'sender: address or label', 'EQ…', readAccount, (of) =>
    rawAddress(of.later?.meaning.sender),
  ),
  key('later', ['recipient'], 'recipient: address or label', 'EQ…', readAccount, (of) =>
    rawAddress(of.later?.meaning.recipient),
  ),
  words(
    'later',
    ['comment'],
    'words in the comment',
    '"order-42"',
    parsePhrase,
    (of) => of.later?.meaning.comment ?? '',
  ),
  key(
    'later',
    ['invoice'],
    'id of the invoice that the delivery reports or pays',
    '*',
    readText,
    (of) => strings(of.later?.meaning.invoice),
  ),
  text(
    'later',
    ['opcode', 'op'],
    'operation of the incoming message',
    'jetton_notify',
    readOperation,
    (of) => strings(of.later?.meaning.opcode?.toLowerCase()),
  ),
  text('later', ['exit'], 'exit code of the contract', '>0', readExitCode, (of) =>
    strings(of.later?.meaning.exitCode?.toString()),
  ),
  text('later', ['success'], 'whether the transaction succeeded', 'no', successes, (of) =>
    yes(of.later?.meaning.success),
  ),
  text('later', ['meaning'], 'state of the explanation', 'known', states, (of) =>
    strings(of.later?.meaning.state),
  ),
  text('later', ['forwarded', 'forward'], 'state of forwarding', 'failed', forwards, (of) =>
    of.later === null ? [] : [of.later.forward ?? 'no'],
  ),
  text('later', ['pinned', 'pin'], 'pinned captures', 'yes', pins, (of) => yes(of.later?.pinned)),
  words(
    'later',
    ['note'],
    'words in your note; note:* finds any note',
    '*',
    parsePhrase,
    (of) => of.later?.note ?? '',
  ),
  text('arrival', ['method'], 'HTTP method', 'POST', readText, (of) => [of.method]),
  text('arrival', ['path'], 'path below the receiver’s URL', '/orders*', readText, pathsOf),
  text(
    'arrival',
    ['from', 'ip'],
    'IP address of the sender, or the one a proxy reports',
    '127.0.0.1',
    readText,
    addressesOf,
  ),
  text(
    'later',
    ['webhook'],
    'id of the webhook, or label of its token',
    'shop',
    webhookByName,
    (of) => strings(of.later?.tokenId),
  ),
  number('arrival', ['size'], 'size of the body', '>10KB', readSize, (of) => of.bodyBytes),
  number(
    'arrival',
    ['took'],
    'time until the capture was stored',
    '>100ms',
    readDuration,
    (of) => of.durationUs,
  ),
  text('arrival', ['complete'], 'whether the whole body arrived', 'no', completes, (of) =>
    of.completeness === 'complete' ? ['yes'] : ['no', of.completeness],
  ),
  text('arrival', ['origin'], 'origin of the capture', 'received', origins, (of) => [of.origin]),
  number(
    'later',
    ['id'],
    'number of the capture',
    '1..100',
    readInteger,
    (of) => of.later?.id ?? null,
  ),
  fieldsBy('slow')(
    'arrival',
    ['contains'],
    'text anywhere, also inside words (slow)',
    '"rder-4"',
    readPattern,
    () => null,
  ),
]

const byName: ReadonlyMap<string, Field> = new Map(
  queryFields.flatMap((field) => field.names.map((name): [string, Field] => [name, field])),
)

export const fieldNamed = (name: string): Field | null => byName.get(name.toLowerCase()) ?? null

export const fieldOfTest = (name: string): Field =>
  name === mentionedField.names[0] ? mentionedField : (fieldNamed(name) ?? anyField)
