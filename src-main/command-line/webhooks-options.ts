import { resolve } from 'node:path'
import {
  type SubscriptionsFormat,
  subscriptionsFormat,
} from '../../src-preload/contract/subscription.ts'
import { type Invocation, usageError } from './command.ts'

const actions = ['list', 'export', 'plan', 'apply', 'undo'] as const

export type AskedWebhooks = {
  readonly action: (typeof actions)[number]
  readonly network: string
  readonly format: SubscriptionsFormat
  /** Absolute; null for standard input. */
  readonly file: string | null
  /** Absolute; null for standard output. */
  readonly output: string | null
  readonly yes: boolean
  readonly json: boolean
}

/** @throws AppError USAGE */
export function readOptions({ options, positionals }: Invocation): AskedWebhooks {
  const [typed = '', file] = positionals
  const action = actions.find((each) => each === typed)
  if (action === undefined) {
    throw usageError(`\`tondesk webhooks\` knows ${actions.join(', ')}, not "${typed}".`)
  }
  const { network } = options
  if (typeof network !== 'string') {
    throw usageError('`tondesk webhooks` needs --network, such as --network mainnet.')
  }
  const readsFile = action === 'plan' || action === 'apply'
  if (readsFile && file === undefined) {
    throw usageError(`\`tondesk webhooks ${action}\` needs a FILE, or - for standard input.`)
  }
  if (!readsFile && file !== undefined) {
    throw usageError(`"${file}" is too much: \`tondesk webhooks ${action}\` reads no file.`)
  }
  const output = typeof options['output'] === 'string' ? resolve(options['output']) : null
  return {
    action,
    network,
    format: readFormat(options['format'], file ?? output ?? ''),
    file: file === undefined || file === '-' ? null : resolve(file),
    output,
    yes: options['yes'] === true,
    json: options['json'] === true,
  }
}

function readFormat(given: string | boolean | undefined, name: string): SubscriptionsFormat {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase()
  const format = subscriptionsFormat.safeParse(given ?? (ending === 'csv' ? 'csv' : 'yaml'))
  if (format.success) return format.data
  throw usageError(`--format is yaml or csv, not "${String(given)}".`)
}
