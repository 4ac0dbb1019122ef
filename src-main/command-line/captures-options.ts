import { resolve } from 'node:path'
import {
  type CaptureExportFormat,
  captureExportFormat,
} from '../../src-preload/contract/exchange.ts'
import { type CommandOption, type Invocation, usageError } from './command.ts'
import { readTarget } from './listen-options.ts'

const actions = ['search', 'show', 'replay', 'export'] as const
type CapturesAction = (typeof actions)[number]

const text = (value: string, description: string): CommandOption => ({
  type: 'string',
  value,
  description,
})
const flag = (description: string): CommandOption => ({ type: 'boolean', description })

export const capturesOptions = {
  query: text('QUERY', 'replay, export: all that this query finds'),
  limit: text('N', 'search: at most so many (default 100; 0 for all)'),
  to: text('URL', 'replay: send them to this URL'),
  pace: text(
    'fast|original|N',
    'replay: as fast as it answers, with the gaps of then, or N a second',
  ),
  parallel: text('N', 'replay: so many at the same time (default 1)'),
  times: text('N', 'replay: each so many times (default 1)'),
  order: text('arrival|lt|shuffled|doubled', 'replay: in this order (default arrival)'),
  'append-path': flag('replay: path and query below the receiver’s go after those of the URL'),
  'stop-at-failure': flag('replay: end at the first answer that is not 2xx'),
  format: text('har|jsonl|html', 'export: of the file (default: as FILE ends)'),
  output: { type: 'string', short: 'o', value: 'FILE', description: 'export to this file' },
  reveal: flag('show, export: with tokens, which are masked otherwise'),
  pseudonyms: flag('export: addresses, hashes, tokens and amounts made up, to be shown to others'),
  force: flag('export: write over FILE'),
  yes: { type: 'boolean', short: 'y', description: 'replay: to hosts that are not this computer' },
  json: flag('print a JSON object a line'),
} as const satisfies Readonly<Record<string, CommandOption>>

type OptionName = keyof typeof capturesOptions
const taken: Readonly<Record<CapturesAction, readonly OptionName[]>> = {
  search: ['limit', 'json'],
  show: ['reveal', 'json'],
  // prettier-ignore
  replay: ['query', 'to', 'pace', 'parallel', 'times', 'order', 'append-path', 'stop-at-failure', 'yes', 'json'],
  export: ['query', 'format', 'output', 'reveal', 'pseudonyms', 'force', 'json'],
}

/** Captures named, or all that a query finds. */
type AskedSubject =
  | { readonly kind: 'captures'; readonly ids: number[] }
  | { readonly kind: 'query'; readonly text: string }

export type AskedCaptures = { readonly json: boolean } & (
  | { readonly action: 'search'; readonly text: string; readonly limit: number }
  | { readonly action: 'show'; readonly id: number; readonly reveal: boolean }
  | ({ readonly action: 'replay'; readonly subject: AskedSubject } & AskedReplay)
  | ({ readonly action: 'export'; readonly subject: AskedSubject } & AskedExport)
)

type AskedReplay = {
  readonly target: string
  readonly pace: { kind: 'fast' } | { kind: 'original' } | { kind: 'rate'; perSecond: number }
  readonly parallel: number
  readonly times: number
  readonly order: 'arrival' | 'lt' | 'shuffled' | 'doubled'
  readonly appendPath: boolean
  readonly stopAtFailure: boolean
  readonly yes: boolean
}

type AskedExport = {
  readonly format: CaptureExportFormat
  /** Absolute; null for standard output. */
  readonly output: string | null
  readonly reveal: boolean
  readonly pseudonyms: boolean
  readonly force: boolean
}

/** @throws AppError USAGE */
export function readCaptures(invocation: Invocation): AskedCaptures {
  const { options, positionals } = invocation
  const [typed = '', ...rest] = positionals
  const action = actions.find((each) => each === typed)
  if (action === undefined) {
    throw usageError(`\`tondesk captures\` knows ${actions.join(', ')}, not "${typed}".`)
  }
  const known: readonly string[] = taken[action]
  const strange = Object.keys(options).find(
    (name) => options[name] !== undefined && !known.includes(name),
  )
  if (strange !== undefined) {
    throw usageError(
      `\`tondesk captures ${action}\` takes no --${strange}. See \`tondesk captures --help\`.`,
    )
  }
  const json = options['json'] === true
  switch (action) {
    case 'search': {
      // Terms may come as one argument or as several: they are parted by spaces in either case.
      const limit = readNumber(invocation, 'limit', 100, 0, 1_000_000)
      return { action, json, text: rest.join(' '), limit }
    }
    case 'show': {
      if (rest.length !== 1)
        throw usageError('`tondesk captures show` needs the ID of one capture.')
      return { action, json, id: readId(rest[0] ?? ''), reveal: options['reveal'] === true }
    }
    case 'replay':
      return {
        action,
        json,
        subject: readSubject(invocation, action, rest),
        ...readReplay(invocation),
      }
    case 'export':
      return {
        action,
        json,
        subject: readSubject(invocation, action, rest),
        ...readExport(invocation),
      }
  }
}

function readSubject(
  { options }: Invocation,
  action: CapturesAction,
  ids: readonly string[],
): AskedSubject {
  const query = options['query']
  if ((typeof query === 'string') === ids.length > 0) {
    throw usageError(`\`tondesk captures ${action}\` needs IDs, or --query, and not both.`)
  }
  return typeof query === 'string'
    ? { kind: 'query', text: query }
    : { kind: 'captures', ids: ids.map(readId) }
}

function readId(typed: string): number {
  const id = /^#?\d{1,15}$/.test(typed) ? Number(typed.replace('#', '')) : 0
  if (id > 0) return id
  throw usageError(
    `"${typed}" is no id of a capture: it is a number, as \`tondesk listen\` prints it.`,
  )
}

function readReplay(invocation: Invocation): AskedReplay {
  const { options } = invocation
  const to = options['to']
  if (typeof to !== 'string') throw usageError('`tondesk captures replay` needs --to URL.')
  const order = options['order'] ?? 'arrival'
  const orders = ['arrival', 'lt', 'shuffled', 'doubled'] as const
  const known = orders.find((each) => each === order)
  if (known === undefined) throw usageError(`--order is one of ${orders.join(', ')}.`)
  return {
    target: readTarget(to),
    pace: readPace(options['pace']),
    parallel: readNumber(invocation, 'parallel', 1, 1, 256),
    times: readNumber(invocation, 'times', 1, 1, 1000),
    order: known,
    appendPath: options['append-path'] === true,
    stopAtFailure: options['stop-at-failure'] === true,
    yes: options['yes'] === true,
  }
}

function readPace(typed: string | boolean | undefined): AskedReplay['pace'] {
  if (typed === undefined || typed === 'fast') return { kind: 'fast' }
  if (typed === 'original') return { kind: 'original' }
  const perSecond = Number(typed)
  if (perSecond >= 0.01 && perSecond <= 10_000) return { kind: 'rate', perSecond }
  throw usageError('--pace is fast, original, or a number of requests a second up to 10000.')
}

function readExport({ options }: Invocation): AskedExport {
  const named = options['output']
  const output = typeof named === 'string' ? resolve(named) : null
  const ending = /\.(\w+)$/.exec(output ?? '')?.[1]?.toLowerCase()
  const format = captureExportFormat.safeParse(options['format'] ?? ending)
  if (!format.success) {
    throw usageError('--format is har, jsonl or html; without it, FILE has to end in one of them.')
  }
  if (options['json'] === true && output === null) {
    throw usageError('The captures are what is printed here: --json needs a file, -o FILE.')
  }
  return {
    format: format.data,
    output,
    reveal: options['reveal'] === true,
    pseudonyms: options['pseudonyms'] === true,
    force: options['force'] === true,
  }
}

/** @throws AppError USAGE */
export function readNumber(
  { options }: Pick<Invocation, 'options'>,
  name: string,
  otherwise: number,
  least: number,
  max: number,
): number {
  const typed = options[name]
  if (typed === undefined) return otherwise
  const number = typeof typed === 'string' && /^\d{1,9}$/.test(typed) ? Number(typed) : Number.NaN
  if (number >= least && number <= max) return number
  throw usageError(`--${name} takes a number from ${least} to ${max}, not "${String(typed)}".`)
}
