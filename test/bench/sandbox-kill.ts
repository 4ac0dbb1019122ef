/**
 * Kills the sandbox repeatedly during steady activity, and checks that no acknowledged data is
 * lost. By hand: node test/bench/sandbox-kill.ts --rounds N (50) --seed N (1).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { killAgainAndAgain } from '../fixtures/killed-sandbox.ts'
import { seededRandom } from '../fixtures/seeded.ts'
import { writeStats } from './lib/stats.ts'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
})

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
try {
  const report = await killAgainAndAgain({
    dataDirectory: join(directory, 'sandbox'),
    rounds: Number(flags.rounds),
    killAfter: 60,
    random: seededRandom(Number(flags.seed)),
    onRound: (line) => process.stderr.write(`${line}\n`),
  })
  const none = (name: string, list: readonly string[]) => ({
    name,
    value: String(list.length),
    wanted: '0',
    met: list.length === 0,
  })
  const figures = [
    { name: 'transactions acknowledged', value: report.transactions.toLocaleString('en') },
    none('of them missing', report.missingTransactions),
    { name: 'invoices acknowledged', value: report.invoices.toLocaleString('en') },
    none('of them missing or no longer paid', report.missingInvoices),
    { name: 'events of subscribed accounts', value: report.events.toLocaleString('en') },
    none('of them never delivered', report.missingEvents),
    none('delivered and not on the chain', report.unknownEvents),
    none('accounts whose events came out of order', report.disordered),
    { name: 'events delivered again', value: report.repeated.toLocaleString('en') },
    { name: 'invoices told as paid', value: report.deliveredInvoices.toLocaleString('en') },
    none('paid and never told', report.missingInvoiceEvents),
    { name: 'longest start', value: `${Math.round(report.longestStartMs)} ms` },
  ]
  const title = `sandbox-kill: ${report.rounds} rounds of kill -9 in steady activity, seed ${flags.seed}`
  writeStats(title, figures)
  process.exitCode = figures.every((figure) => !('met' in figure) || figure.met) ? 0 : 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
