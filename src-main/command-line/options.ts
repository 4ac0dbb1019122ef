// Each reader throws AppError USAGE for a value that it cannot accept.
import { parseDateTime, parseSpan } from '../../src-preload/domain/time-span.ts'
import { resolve } from 'node:path'
import { createZoneTimes } from '../exports/zone-times.ts'
import { type CommandOption, type Invocation, assertUsage, usageError } from './command.ts'

export const flag = (description: string): CommandOption => ({ type: 'boolean', description })
export const text = (value: string, description: string): CommandOption => ({
  type: 'string',
  value,
  description,
})

export const jsonOption = flag('print one JSON object per line')
export const networkOption = text(
  'NETWORK',
  'sandbox, testnet, mainnet, or the name of a custom network',
)
export const receiverPortOption = text(
  'N',
  'port of the receiver, for this run (default: from the settings; 0 for any)',
)
export const outputOption = (value: string): CommandOption => ({
  ...text(value, 'write the export to this file'),
  short: 'o',
})
export const yesOption = (description: string): CommandOption => ({
  ...flag(description),
  short: 'y',
})

type Typed = Pick<Invocation, 'options'>

export function readText({ options }: Typed, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** @param taken options of each action besides `everywhere`; null allows any option @throws AppError USAGE */
export function readAction<A extends string>(
  command: string,
  taken: Readonly<Record<A, readonly string[] | null>>,
  { options, positionals }: Pick<Invocation, 'options' | 'positionals'>,
): { readonly action: A; readonly rest: readonly string[] } {
  const [typed = '', ...rest] = positionals
  const actions = Object.keys(taken) as A[]
  const action = actions.find((each) => each === typed)
  const unknown = `\`tondesk ${command}\` knows ${actions.join(', ')}, not "${typed}".`
  assertUsage(action !== undefined, unknown)
  const known = taken[action]
  const strange = Object.keys(options).find(
    (name) => options[name] !== undefined && known?.includes(name) === false,
  )
  const refusal = `\`tondesk ${command} ${action}\` takes no --${strange ?? ''}. See \`tondesk ${command} --help\`.`
  assertUsage(strange === undefined, refusal)
  return { action, rest }
}

export function readOutput(typed: Typed): string | null {
  const output = readText(typed, 'output')
  return output === undefined || output === '-' ? null : resolve(output)
}

/**
 * `--format` takes precedence over the file's extension.
 * @param otherwise the default; null if the option or an extension is required
 * @throws AppError USAGE
 */
export function readFormat<T extends string>(
  typed: Typed,
  formats: readonly T[],
  file: string | null,
  otherwise: T | null,
): T {
  const named = readText(typed, 'format')
  const ending = /\.(\w+)$/.exec(file ?? '')?.[1]?.toLowerCase()
  const format = formats.find((each) => each === (named ?? ending))
  if (format !== undefined) return format
  if (named !== undefined) throw usageError(checkChoice('format', formats, named))
  if (otherwise !== null) return otherwise
  throw usageError(`--format takes ${list(formats)}; without it, FILE has to end in one of them.`)
}

export const checkChoice = (option: string, choices: readonly string[], typed: string): string =>
  `--${option} is ${list(choices)}, not "${typed}".`

const list = (choices: readonly string[]): string =>
  choices.join(', ').replace(/, ([^,]*)$/, ' or $1')

export function readChoice<T extends string>(
  typed: Typed,
  name: string,
  choices: readonly T[],
  otherwise: T,
): T {
  const value = readText(typed, name) ?? otherwise
  const found = choices.find((each) => each === value)
  if (found !== undefined) return found
  throw usageError(checkChoice(name, choices, value))
}

export function readNumber<T>(
  typed: Typed,
  name: string,
  otherwise: T,
  min: number,
  max: number,
  noun = 'number',
): number | T {
  const value = readText(typed, name)
  if (value === undefined) return otherwise
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  if (number >= min && number <= max) return number
  throw usageError(`--${name} takes a ${noun} from ${min} to ${max}, not "${value}".`)
}

export const readPort = (typed: Typed, name: string): number | undefined =>
  readNumber(typed, name, undefined, 0, 65_535, 'port')

const dayMs = 86_400_000
const typed =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/

/**
 * Accepts `2026-01-31`, `2026-01-31T14:00`, with seconds, and with an offset that overrides the zone.
 * @param end true if a day means its end
 * @returns Unix milliseconds
 * @throws AppError USAGE
 */
export function readMoment(text: string, zone: string, option: string, end: boolean): number {
  const [, day = '', clock, offset] = typed.exec(text) ?? []
  const local = parseDateTime(day, clock ?? '00:00', 'Z')
  const message = `--${option} takes a day such as 2026-01-31, or 2026-01-31T14:00, not "${text}".`
  assertUsage(local !== null, message)
  if (offset !== undefined) return parseDateTime(day, clock ?? '', offset) ?? local
  return atClock(end && clock === undefined ? local + dayMs : local, zone)
}

/**
 * Returns the first of two possible moments; a local time that a clock change skips keeps the
 * earlier offset.
 */
function atClock(local: number, zone: string): number {
  const times = createZoneTimes(zone)
  const before = times.offsetAt(local - dayMs)
  const shown = [before, times.offsetAt(local + dayMs)]
    .map((offset) => local - offset)
    .filter((moment) => moment + times.offsetAt(moment) === local)
  return shown.length === 0 ? local - before : Math.min(...shown)
}

export function readZone(text: string): string {
  try {
    createZoneTimes(text)
    return text
  } catch {
    throw usageError(`--zone takes a name such as Europe/Berlin, or UTC, not "${text}".`)
  }
}

/** Accepts `30s`, `90m`, `12h`, `7d`, or seconds. @throws AppError USAGE */
export function readSeconds(text: string, option: string): number {
  const ms = parseSpan(text)
  const message = `--${option} takes a duration of whole seconds, minutes, hours or days, such as 30s, 30m, 12h or 7d, not "${text}".`
  assertUsage(ms !== null && ms % 1000 === 0, message)
  return ms / 1000
}
