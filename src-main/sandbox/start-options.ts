import { z } from 'zod'
import { firstMoment, lastMoment } from './clock.ts'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SandboxError, sandboxCodes } from './errors.ts'
import { maxActivityPerMinute } from '../../src-preload/domain/sandbox-values.ts'

/** Absent values keep the stored value or the default. */
export type SandboxConfig = {
  readonly dataDirectory?: string | undefined
  readonly ephemeral?: boolean
  /** The value 0 takes any port; the default is the last one, or the first free one from 4810. */
  readonly port?: number | undefined
  readonly seed?: string | undefined
  readonly clock?: 'real' | 'virtual' | undefined
  /** Start of a new virtual clock in milliseconds; the default is now. */
  readonly now?: number | undefined
  readonly activityPerMinute?: number | undefined
  readonly keys?: KeysOption
  readonly version?: string
  readonly allowHosts?: readonly string[] | undefined
}

type TypedOptions = Readonly<Record<string, string | boolean | undefined>>

export class OptionError extends Error {}

/** The value and description of each option of programs that start a sandbox. */
export const startOptions = {
  port: ['N', 'port to listen on, 0 for any (default: the last port, or from 4810 on)'],
  seed: ['TEXT', 'seed from which a new chain is created'],
  clock: [
    'real|virtual',
    'a virtual clock moves only when you advance it (default: unchanged; real for a new chain)',
  ],
  now: ['TIME', 'start of a new chain’s virtual clock, ISO 8601 (default: now)'],
  activity: [
    'N',
    'background activity in steps per minute, 0 to 600 (default: unchanged; 0 for a new chain)',
  ],
  'allow-host': ['HOST,…', 'also deliver webhooks to these hosts (default: this computer only)'],
  'keys-file': ['FILE', 'JSON file with apiKey, invoicesToken or controlKey'],
} as const satisfies Readonly<Record<string, readonly [value: string, description: string]>>

/** @throws OptionError; SandboxError if the given keys cannot be read */
export function readStartOptions(
  typed: TypedOptions,
  env: Readonly<Record<string, string | undefined>>,
): SandboxConfig {
  function read<T>(
    name: keyof typeof startOptions,
    rule: string,
    parse: (text: string) => T | null,
  ): T | undefined {
    const text = typed[name]
    if (typeof text !== 'string') return undefined
    const value = parse(text)
    if (value === null) throw new OptionError(`--${name} ${rule}, not "${text}".`)
    return value
  }

  if (typed['now'] !== undefined && typed['clock'] !== 'virtual') {
    throw new OptionError('--now sets the start of a virtual clock: add --clock virtual.')
  }
  return {
    port: read('port', 'needs a port from 1024 to 65535, or 0 for any', (text) => {
      const port = upTo(65_535)(text)
      // Lower ports need the rights of an administrator.
      return port === null || (port > 0 && port < 1024) ? null : port
    }),
    seed: read('seed', 'needs a text', (text) => text),
    clock: read('clock', 'must be real or virtual', (text) =>
      text === 'real' || text === 'virtual' ? text : null,
    ),
    now: read(
      'now',
      'needs a time from 2020 to 2099 such as 2026-01-01 or 2026-01-01T12:00:00Z',
      readMoment,
    ),
    activityPerMinute: read(
      'activity',
      `needs a number of steps per minute from 0 to ${maxActivityPerMinute}`,
      upTo(maxActivityPerMinute),
    ),
    keys: {
      ...keysFromEnvironment(env),
      ...read('keys-file', 'needs a file', readKeysOption),
    },
    allowHosts: read('allow-host', 'needs host names', (text) =>
      text.split(',').flatMap((host) => host.trim().toLowerCase() || []),
    ),
  }
}

const upTo = (max: number) => (text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= max ? Number(text) : null

const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()])

function readMoment(text: string): number | null {
  const ms = moment.safeParse(text).success ? Date.parse(text) : Number.NaN
  return ms >= firstMoment && ms < lastMoment ? ms : null
}

/** Keys are random for each data directory, and not derived from the seed. */
export type Keys = {
  readonly apiKey: string
  readonly invoicesToken: string
  readonly controlKey: string
}

const key = z.string().regex(/^[\x21-\x7e]{8,256}$/)
const some = z.strictObject({ apiKey: key, invoicesToken: key, controlKey: key }).partial()
const keysOption = some.extend({ webhookToken: key.optional() })

type KeysOption = Partial<Keys> & {
  /** The token of every new webhook, instead of a random one. */
  readonly webhookToken?: string
}

const rule = 'a key has 8 to 256 visible characters without spaces'

/**
 * Creates missing keys. `given` keys replace the stored ones during this run and are not stored.
 * @throws SandboxError
 */
export function keysOf(dataDirectory: string, given: KeysOption = {}): Keys {
  const file = join(dataDirectory, 'keys.json')
  const stored = readKeysFile(file)
  const secret = () => randomBytes(24).toString('base64url')
  const complete = {
    apiKey: secret(),
    invoicesToken: `TC-INVOICES_${secret()}`,
    controlKey: secret(),
    ...stored,
  }
  if (Object.keys(stored ?? {}).length < 3) {
    // The file is replaced in one step, so an interrupted start never leaves half of it.
    writeFileSync(`${file}.new`, `${JSON.stringify(complete, null, 2)}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  const { apiKey, invoicesToken, controlKey } = { ...complete, ...given }
  return { apiKey, invoicesToken, controlKey }
}

/** @throws SandboxError SANDBOX_BAD_KEYS */
export function readKeysOption(file: string): KeysOption {
  const keys = readKeysFile(file, keysOption)
  if (keys === null) throw badKeys(`The keys file ${file} does not exist.`)
  return keys
}

export const keyVariables = {
  apiKey: 'TONDESK_SANDBOX_API_KEY',
  invoicesToken: 'TONDESK_SANDBOX_INVOICES_TOKEN',
  controlKey: 'TONDESK_SANDBOX_CONTROL_KEY',
  webhookToken: 'TONDESK_SANDBOX_WEBHOOK_TOKEN',
} as const

export function keysFromEnvironment(env: Readonly<Record<string, string | undefined>>): KeysOption {
  const found = Object.entries(keyVariables).flatMap(([name, variable]) => {
    const value = env[variable] ?? ''
    if (value === '') return []
    if (!key.safeParse(value).success) throw badKeys(`${variable} is not a key: ${rule}.`)
    return [[name, value] as const]
  })
  return Object.fromEntries(found)
}

export function isSameKey(sent: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(sent), digest(wanted))
}

function readKeysFile(
  file: string,
  schema: typeof some | typeof keysOption = some,
): KeysOption | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw badKeys(`The keys file ${file} cannot be read.`, error)
  }
  try {
    // Absent keys must stay absent, as `exactOptionalPropertyTypes` requires.
    return schema.parse(JSON.parse(text)) as KeysOption
  } catch (error) {
    throw badKeys(
      `The keys file ${file} must be a JSON object of apiKey, invoicesToken and controlKey (a file that you give also of webhookToken), any of them; ${rule}.`,
      error,
    )
  }
}

const badKeys = (message: string, cause?: unknown): SandboxError =>
  new SandboxError(sandboxCodes.badKeys, message, { cause })
