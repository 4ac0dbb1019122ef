import type { ForwardMode } from '../../src-preload/contract/forward.ts'
import { receiverSettings } from '../../src-preload/contract/settings.ts'
import { targetUrl } from '../../src-preload/contract/target.ts'
import { type CommandOption, type Invocation, readPort, usageError } from './command.ts'

export const listenOptions = {
  port: {
    type: 'string',
    value: 'N',
    description: 'port to receive on, for this run (default: as in the settings; 0 for any)',
  },
  forward: {
    type: 'string',
    value: 'URL',
    multiple: true,
    description: 'send each on to this URL as well; may be given several times',
  },
  filter: {
    type: 'string',
    value: 'QUERY',
    description: 'print, and forward, only what this query finds',
  },
  'pass-through': {
    type: 'boolean',
    description: 'answer with the status of the --forward target',
  },
  'public-url': {
    type: 'string',
    value: 'URL',
    description: 'where a tunnel makes the receiver reachable; kept in the settings',
  },
  yes: { type: 'boolean', short: 'y', description: 'forward to hosts that are not this computer' },
  json: { type: 'boolean', description: 'print a JSON object a line' },
} as const satisfies Readonly<Record<string, CommandOption>>

export type AskedListen = {
  readonly port: number | undefined
  readonly targets: readonly string[]
  readonly filter: string
  readonly mode: ForwardMode
  readonly publicUrl: string | null
  readonly yes: boolean
  readonly json: boolean
}

/** @throws AppError USAGE */
export function readListen({ options, lists }: Invocation): AskedListen {
  const targets = [...new Set((lists['forward'] ?? []).map(readTarget))]
  if (targets.length > 10) throw usageError('--forward takes at most ten URLs.')
  const isThrough = options['pass-through'] === true
  if (isThrough && targets.length !== 1) {
    throw usageError('--pass-through needs one --forward URL, whose status is answered.')
  }
  const filter = options['filter']
  return {
    port: readPort(options['port'], 'port'),
    targets,
    filter: typeof filter === 'string' ? filter.trim() : '',
    mode: isThrough ? 'through' : 'after',
    publicUrl: readPublicUrl(options['public-url']),
    yes: options['yes'] === true,
    json: options['json'] === true,
  }
}

/** @throws AppError USAGE */
export function readTarget(text: string): string {
  const target = targetUrl.safeParse(text)
  if (target.success) return target.data
  throw usageError(`"${text}": ${target.error.issues[0]?.message ?? 'no URL'}`)
}

function readPublicUrl(typed: string | boolean | undefined): string | null {
  if (typeof typed !== 'string') return null
  const url = receiverSettings.shape.publicUrl.safeParse(typed)
  if (url.success) return url.data
  throw usageError(`--public-url: ${url.error.issues[0]?.message ?? 'no URL'}`)
}
