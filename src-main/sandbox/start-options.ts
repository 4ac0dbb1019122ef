import { z } from 'zod'
import { type GivenKeys, keysFromEnvironment, readGivenKeys } from './keys.ts'
import { firstMoment, lastMoment } from './clock.ts'

/** Absent values keep the stored or default value. */
export type SandboxConfig = {
  /** Created if missing; required unless ephemeral. */
  readonly dataDirectory?: string | undefined
  readonly ephemeral?: boolean
  /** 0 for any; default: the last one, or the first free from 4810. */
  readonly port?: number | undefined
  /** Fixed once the chain exists. */
  readonly seed?: string | undefined
  readonly clock?: 'real' | 'virtual' | undefined
  /** Start of a new virtual clock, milliseconds; default now. */
  readonly now?: number | undefined
  readonly activityPerMinute?: number | undefined
  readonly keys?: GivenKeys
  readonly version?: string
  /** Delivery hosts beside this computer. */
  readonly allowHosts?: readonly string[]
}

export type TypedOptions = Readonly<Record<string, string | boolean | undefined>>

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

/** ISO 8601 with a time zone, or a day in UTC. */
const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()])

function momentOf(value: string | boolean | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const ms = moment.safeParse(value).success ? Date.parse(value) : Number.NaN
  if (ms >= firstMoment && ms < lastMoment) return ms
  throw new OptionError(
    `--now takes a moment from 2020 to 2099 such as 2026-01-01 or 2026-01-01T12:00:00Z, not "${value}".`,
  )
}
