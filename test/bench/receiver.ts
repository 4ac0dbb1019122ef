/**
 * Compares the receiver with a bare node:http server and mockttp, in turns in one run, so that other load
 * on the machine affects all of them. Flags: --rounds N (3), --seconds N (5), --captures N (1000000).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { median, writeStats } from './lib/stats.ts'
import { fillCaptures } from './lib/fill.ts'
import { connectionCount, requestsPerSecond } from './lib/load.ts'
import { type Product, startProduct, untilIndexed } from './lib/product.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    captures: { type: 'string', default: '1000000' },
  },
})
const rounds = Number(flags.rounds)
const seconds = Number(flags.seconds)
const stored = Number(flags.captures)

async function startPeer(file: string): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'lib', file)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { url, child }
}

async function measurePeer(file: string): Promise<number> {
  const { url, child } = await startPeer(file)
  try {
    return await requestsPerSecond(url, seconds)
  } finally {
    child.kill('SIGKILL')
  }
}

async function measureProduct(directory: string, memory: number[]): Promise<number> {
  const product = await startProduct(directory)
  try {
    // The limit of the retention is the number of stored captures, so that further captures replace
    // the oldest, as in a directory in use.
    await product.request('settings.change', { retention: { maxCount: stored } })
    await untilPruned(product)
    await untilIndexed(product)
    const rate = await requestsPerSecond(product.receiverUrl, seconds)
    memory.push(product.residentBytes())
    return rate
  } finally {
    await product.stop()
  }
}

/**
 * Waits until the captures beyond the limit are deleted, so that the next measurement starts idle.
 */
async function untilPruned(product: Product): Promise<void> {
  for (;;) {
    const counts = await product.request<{ total: number }>('capture.counts')
    if (counts.total <= stored) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
try {
  const full = join(directory, 'full')
  process.stderr.write(`filling ${stored} captures…\n`)
  await fillCaptures(full, stored)
  const rates = {
    bare: [] as number[],
    mockttp: [] as number[],
    empty: [] as number[],
    full: [] as number[],
  }
  const memory: number[] = []
  // The first run is not measured: it builds the index of the full product and reads all data from disk once.
  await measureProduct(full, [])
  for (let round = 0; round < rounds; round += 1) {
    rates.bare.push(await measurePeer('bare-server.mjs'))
    rates.empty.push(await measureProduct(join(directory, `empty-${round}`), memory))
    rates.full.push(await measureProduct(full, memory))
    rates.mockttp.push(await measurePeer('mockttp-server.mjs'))
    const line = Object.entries(rates).map(
      ([name, all]) => `${name} ${Math.round(all.at(-1) ?? 0)}`,
    )
    process.stderr.write(`round ${round + 1}: ${line.join(', ')}\n`)
  }
  const {
    bare,
    mockttp,
    empty,
    full: filled,
  } = {
    bare: median(rates.bare),
    mockttp: median(rates.mockttp),
    empty: median(rates.empty),
    full: median(rates.full),
  }
  const ratios = rates.empty.map((rate, index) => rate / (rates.bare[index] ?? NaN))
  const peak = Math.max(...memory) / 1024 / 1024
  const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')} req/s`
  writeStats(
    `receiver: ${connectionCount} connections, 193-byte body, median of ${rounds} rounds`,
    [
      { name: 'bare node:http', value: perSecond(bare) },
      { name: 'mockttp', value: perSecond(mockttp) },
      { name: 'Tondesk, empty', value: perSecond(empty) },
      { name: `Tondesk, ${stored.toLocaleString('en')} captures stored`, value: perSecond(filled) },
      {
        name: 'to bare node:http',
        value: median(ratios).toFixed(2),
        wanted: '≥ 0.7',
        met: median(ratios) >= 0.7,
      },
      {
        name: 'to mockttp',
        value: (empty / mockttp).toFixed(1),
        wanted: '≥ 3',
        met: empty >= 3 * mockttp,
      },
      {
        name: 'full to empty',
        value: (filled / empty).toFixed(2),
        wanted: '≥ 0.9',
        met: filled >= 0.9 * empty,
      },
      {
        name: 'main process, resident',
        value: `${peak.toFixed(0)} MB`,
        wanted: '< 250 MB',
        met: peak < 250,
      },
    ],
  )
} finally {
  rmSync(directory, { recursive: true, force: true })
}
