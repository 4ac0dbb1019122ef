/**
 * Measures the ledger of a shop with a million invoices: its list, filters, orders, charts and
 * export. Flags: --invoices N (1000000), --times N (5), --data-dir PATH (filled before, and kept),
 * --without-window.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dataPaths } from '../../src-main/app/paths.ts'
import { fillPayments, measureExports } from './lib/export-invoices.ts'
import { fillInvoices } from './lib/fill-invoices.ts'
import { type Figure, writeStats } from './lib/stats.ts'
import { measureCharts, measureRoutes, measureWrites } from './lib/invoice-lists.ts'
import { measureWindow } from './lib/invoice-window.ts'
import { startProduct } from './lib/product.ts'

const { values: flags } = parseArgs({
  options: {
    invoices: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '5' },
    'data-dir': { type: 'string' },
    'without-window': { type: 'boolean', default: false },
  },
})
const count = Number(flags.invoices)
const times = Number(flags.times)
const network = 'mainnet'

async function measureLists(dataDirectory: string): Promise<Figure[]> {
  const product = await startProduct(dataDirectory)
  try {
    await product.request('network.select', { id: network })
    const bench = { product, dataDirectory, network, times }
    const routes = await measureRoutes(bench)
    const charts = await measureCharts(bench)
    const shown = flags['without-window'] ? [] : await measureWindow(bench)
    return [...shown, ...routes, ...charts]
  } finally {
    await product.stop()
  }
}

/** The measurement starts a new product process. */
async function measureFiles(dataDirectory: string): Promise<Figure[]> {
  const product = await startProduct(dataDirectory)
  try {
    return await measureExports({ product, dataDirectory, network, times })
  } finally {
    await product.stop()
  }
}

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
try {
  const dataDirectory = flags['data-dir'] ?? join(directory, 'data')
  if (!existsSync(dataPaths(dataDirectory).database)) {
    const from = performance.now()
    fillInvoices(dataDirectory, count, { network })
    fillPayments(dataDirectory, network)
    process.stderr.write(`filled in ${((performance.now() - from) / 1000).toFixed(0)} s\n`)
  }
  const lists = await measureLists(dataDirectory)
  const files = await measureFiles(dataDirectory)
  const writes = measureWrites({ dataDirectory, network, times })
  writeStats(`invoices: ${count.toLocaleString('en')}, median of ${times}`, [
    ...lists,
    ...files,
    ...writes,
  ])
} finally {
  rmSync(directory, { recursive: true, force: true })
}
