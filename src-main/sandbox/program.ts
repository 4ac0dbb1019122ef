/** Parts that `tondesk sandbox` and the sandbox's own process share. */
import { fstatSync } from 'node:fs'
import process from 'node:process'
import type { ReadyLine } from './sandbox.ts'

const parentLookMs = 500

/** Resolves when standard input closes. Only a pipe closes with the parent; a terminal or file does not. */
export const parentGone = (): Promise<void> =>
  new Promise((resolve) => {
    const parent = process.ppid
    setInterval(() => {
      if (!isRunning(parent)) resolve()
    }, parentLookMs).unref()
    if (isPipe(0)) process.stdin.on('error', resolve).on('close', resolve).resume()
  })

/** A process whose parent ends gets another parent id; on Windows the id stays. */
function isRunning(parent: number): boolean {
  if (process.ppid !== parent) return false
  try {
    return process.kill(parent, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

function isPipe(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor)
    return found.isFIFO() || found.isSocket()
  } catch {
    return false
  }
}

/** Describes the ready line for a reader, without mnemonics. */
export function describeReady(ready: ReadyLine): string {
  const rows = [
    ['Query API', `${ready.queryUrl}/v2`],
    ['Webhooks API', `${ready.webhooksUrl}/webhooks`],
    ['Invoices API', `${ready.consoleUrl}/api/v1/services/invoices`],
    ['Test network', `${ready.testnetQueryUrl}/v2, ${ready.testnetWebhooksUrl}/webhooks`],
    ['Control API', ready.controlUrl],
    ['API key', ready.apiKey],
    ['Invoices API token', ready.invoicesToken],
    ['Control API key', ready.controlKey],
    ['USDT master', ready.usdtMaster],
    ...ready.wallets.map(({ name, address }) => [name, address] as const),
  ] as const
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}
