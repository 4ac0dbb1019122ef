/**
 * Measures `tondesk mcp` over many captures: the time from the start of the process to its first result, with and
 * without the app, and each tool that reads. Flags: --captures N (1000000), --times N (7).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { connectMcp } from '../fixtures/mcp.ts'
import { accountOf, fillInspector } from './lib/fill-inspector.ts'
import { startProduct, untilIndexed } from './lib/product.ts'
import { type Figure, median, writeStats } from './lib/stats.ts'

const { values: flags } = parseArgs({
  options: {
    captures: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '7' },
  },
})
const captures = Number(flags.captures)
const times = Number(flags.times)
const firstLimitMs = 1000

const middle = Math.floor(captures / 2)
const sandbox = { network: 'sandbox' }

/** A call of each tool whose data the benchmark fills, or that a new sandbox has. */
const calls: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ['captures_read', { action: 'search' }],
  ['captures_read', { action: 'search', query: `account:${accountOf(5)}` }],
  ['captures_read', { action: 'search', query: 'amount:>1.5TON' }],
  ['captures_read', { action: 'show', id: middle }],
  ['captures_read', { action: 'body', id: middle }],
  ['captures_read', { action: 'timeline', id: middle }],
  ['deliveries_read', { action: 'forwards' }],
  ['deliveries_read', { action: 'forwards_of', id: middle }],
  ['deliveries_read', { action: 'rules' }],
  ['deliveries_read', { action: 'webhooks', ...sandbox }],
  ['deliveries_read', { action: 'health', ...sandbox }],
  ['missed_read', { action: 'checks', ...sandbox }],
  ['invoices_read', { action: 'list', ...sandbox }],
  ['invoices_read', { action: 'attention', ...sandbox }],
  ['incidents_read', {}],
  ['calls_read', {}],
  ['sandbox_read', { action: 'chain' }],
  ['wait_for', { afterId: 0 }],
]

async function untilFirstResult(directory: string): Promise<number> {
  const took: number[] = []
  for (let time = 0; time < times; time += 1) {
    const from = performance.now()
    await using mcp = await connectMcp(directory)
    await mcp.call('captures_read', { action: 'search' })
    took.push(performance.now() - from)
  }
  return median(took)
}

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
try {
  process.stderr.write(`filling ${captures} captures…\n`)
  await fillInspector(directory, captures)
  const filled = await startProduct(directory)
  await untilIndexed(filled)
  await filled.stop()
  const limit = (name: string, ms: number): Figure => ({
    name,
    value: `${Math.round(ms)} ms`,
    wanted: `< ${firstLimitMs} ms`,
    met: ms < firstLimitMs,
  })
  const figures = [limit('start to first result, no app', await untilFirstResult(directory))]
  const product = await startProduct(directory, { sandbox: true })
  while ((await product.request<{ status: string }>('sandbox.state')).status !== 'running') {
    await wait(200)
  }
  figures.push(limit('start to first result, app runs', await untilFirstResult(directory)))
  {
    await using mcp = await connectMcp(directory)
    for (const [name, given] of calls) {
      const took: number[] = []
      for (let time = 0; time < times; time += 1) {
        const from = performance.now()
        await mcp.call(name, given)
        took.push(performance.now() - from)
      }
      const text = `${name} ${JSON.stringify(given)}`
      figures.push({ name: text, value: `${median(took).toFixed(1)} ms` })
    }
  }
  await product.stop()
  writeStats(`mcp: ${captures} captures, median of ${times}`, figures)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
