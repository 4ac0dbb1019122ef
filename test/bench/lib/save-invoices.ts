/** Exports with the command that a user would type and an app of its own, for manual checks and benchmarks. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../../src-main/cli.ts', import.meta.url))

type SaveOptions = {
  readonly format: string
  readonly zone: string
  /** The first and last day of a reconciliation, if it is exported instead of the invoices. */
  readonly closing?: readonly [from: string, to: string] | readonly []
}

export async function saveInvoices(
  dataDirectory: string,
  file: string,
  { format, zone, closing = [] }: SaveOptions,
): Promise<void> {
  const options = ['--format', format, '--zone', zone, '--network', 'mainnet', '--force']
  const [from, to] = closing
  if (from !== undefined && to !== undefined) {
    options.push('--closing', '--from', from, '--to', to)
  }
  const args = [cli, 'invoices', 'export', '-o', file, ...options, '--data-dir', dataDirectory]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`The export ended with ${String(code)}.`)
}
