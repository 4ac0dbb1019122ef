import { resolve } from 'node:path'
import { type ExportFormat, exportFormat } from '../../src-preload/contract/lookup.ts'
import { type Invocation, usageError } from './command.ts'

export type AskedLookup = {
  readonly network: string
  readonly format: ExportFormat
  /** Absolute; null for standard output. */
  readonly output: string | null
  readonly currency: string | null
  readonly resume: boolean
  /** Null for standard input. */
  readonly file: string | null
}

/** @throws AppError USAGE */
export function readOptions({ options, positionals }: Invocation): AskedLookup {
  const { network, currency } = options
  if (typeof network !== 'string') {
    throw usageError('`tondesk lookup` needs --network, such as --network mainnet.')
  }
  const output = typeof options['output'] === 'string' ? resolve(options['output']) : null
  const ending = /\.(\w+)$/.exec(output ?? '')?.[1]?.toLowerCase()
  const format = exportFormat.safeParse(options['format'] ?? ending)
  if (!format.success && options['format'] !== undefined) {
    throw usageError(`--format is csv, json or xlsx, not "${String(options['format'])}".`)
  }
  if (format.data === 'xlsx' && output === null) {
    throw usageError('A workbook cannot be printed: name a file for it with -o.')
  }
  if (typeof currency === 'string' && !/^[a-z]{3,8}$/i.test(currency)) {
    throw usageError(`--currency takes a code such as usd, not "${currency}".`)
  }
  const [file = '-'] = positionals
  return {
    network,
    format: format.data ?? 'csv',
    output,
    currency: typeof currency === 'string' ? currency.toLowerCase() : null,
    resume: options['resume'] === true,
    file: file === '-' ? null : resolve(file),
  }
}
