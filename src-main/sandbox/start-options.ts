import { z } from 'zod'
import { type GivenKeys, keysFromEnvironment, readGivenKeys } from './keys.ts'
import { firstMoment, lastMoment } from './clock.ts'

/** How a sandbox is to be started. What is not given is as it was kept, or as the default is. */
export type SandboxConfig = {
  /** Its own, made when it does not exist. Needed unless it is ephemeral. */
  readonly dataDirectory?: string | undefined
  /** Keeps nothing: a private directory that is removed at the end. */
  readonly ephemeral?: boolean
  /** Exactly that port, 0 for any. By default the one it had last, or the first free from 4810. */
  readonly port?: number | undefined
  /** What the chain's beginnings are derived from; cannot be changed later. */
  readonly seed?: string | undefined
  readonly clock?: 'real' | 'virtual' | undefined
  /** Where the virtual clock of a new chain starts, milliseconds; by default at the present moment. */
  readonly now?: number | undefined
  /** Steps of steady activity on the main network, a minute. */
  readonly activityPerMinute?: number | undefined
  readonly keys?: GivenKeys
  /** Of the program that starts it, for the ready line. */
  readonly version?: string
  /** Deliveries go to this computer only, and to these. */
  readonly allowHosts?: readonly string[]
}

/** The options of `tondesk sandbox` and of the sandbox's process, as typed. */
export type TypedOptions = Readonly<Record<string, string | boolean | undefined>>

/** Something typed that cannot be meant; the message is one sentence. */
export class OptionError extends Error {}

export const optionNames = [
  'port',
  'seed',
  'clock',
  'now',
  'activity',
  'allow-host',
  'keys-file',
] as const

export const maxActivityPerMinute = 600

/** @throws OptionError, SandboxError when keys that are given cannot be read */
export function readStartOptions(
  typed: TypedOptions,
  env: Readonly<Record<string, string | undefined>>,
): SandboxConfig {
  const keysFile = text(typed['keys-file'])
  if (typed['now'] !== undefined && typed['clock'] !== 'virtual') {
    throw new OptionError('--now sets where a virtual clock starts: give --clock virtual too.')
  }
  return {
    port: wholeNumber(typed['port'], 65_535, '--port takes a port from 0 to 65535'),
    seed: text(typed['seed']),
    clock: clockOf(typed['clock']),
    now: momentOf(typed['now']),
    activityPerMinute: wholeNumber(
      typed['activity'],
      maxActivityPerMinute,
      `--activity takes steps a minute, from 0 to ${maxActivityPerMinute}`,
    ),
    keys: {
      ...keysFromEnvironment(env),
      ...(keysFile === undefined ? {} : readGivenKeys(keysFile)),
    },
    allowHosts: (text(typed['allow-host']) ?? '')
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter((host) => host !== ''),
  }
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function wholeNumber(
  value: string | boolean | undefined,
  max: number,
  rule: string,
): number | undefined {
  if (typeof value !== 'string') return undefined
  const number = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (number <= max) return number
  throw new OptionError(`${rule}, not "${value}".`)
}

function clockOf(value: string | boolean | undefined): 'real' | 'virtual' | undefined {
  if (typeof value !== 'string') return undefined
  if (value === 'real' || value === 'virtual') return value
  throw new OptionError(`--clock is real or virtual, not "${value}".`)
}

/** ISO 8601 with a time zone, so that it is the same moment on every computer; or a day, in UTC. */
const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()])

function momentOf(value: string | boolean | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const ms = moment.safeParse(value).success ? Date.parse(value) : Number.NaN
  if (ms >= firstMoment && ms < lastMoment) return ms
  throw new OptionError(
    `--now takes a moment from 2020 to 2099 such as 2026-01-01 or 2026-01-01T12:00:00Z, not "${value}".`,
  )
}
