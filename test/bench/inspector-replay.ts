/**
 * Compares replay with a bare undici loop: the same number of requests, the same concurrency, to a target
 * in its own process, in turns. Called by `inspector.ts`; alone: --captures N (100000), --rounds N (3).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { ReplayJob } from '../../src-preload/contract/replay.ts'
import { type Figure, median, writeStats } from './lib/stats.ts'
import { fillCaptures } from './lib/fill.ts'
import { type Product, startProduct, untilIndexed } from './lib/product.ts'

const parallel = 16

async function firstLine(file: string, args: readonly string[] = []) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'lib', file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { line, child }
}

async function bareLoop(url: string, count: number): Promise<number> {
  const { line, child } = await firstLine('bare-undici-loop.mjs', [url, `${count}`, `${parallel}`])
  await once(child, 'exit')
  return Number(line)
}

async function counted(url: string): Promise<number> {
  return Number(await (await fetch(new URL('/count', url))).text())
}

/** Measures the time from the order to its end: reading, sending and writing. */
async function replay(product: Product, url: string, count: number): Promise<number> {
  const before = await counted(url)
  const started = performance.now()
  let job = await product.request<ReplayJob>('replay.start', {
    subject: { kind: 'query', text: '' },
    target: url,
    parallel,
  })
  while (job.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 50))
    job = await product.request<ReplayJob>('job.get', { kind: 'replay', id: job.id })
  }
  const seconds = (performance.now() - started) / 1000
  const arrived = (await counted(url)) - before
  if (job.delivered !== count || arrived !== count) {
    throw new Error(`${job.delivered} of ${count} delivered, ${arrived} arrived: ${job.problem}`)
  }
  return count / seconds
}

/** Measures the numbers for docs/benchmarks.md. */
async function replayFigures(count: number, rounds: number): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
  const target = await firstLine('counting-target.mjs')
  try {
    await fillCaptures(directory, count)
    const product = await startProduct(directory)
    try {
      await untilIndexed(product)
      const bare: number[] = []
      const ours: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        bare.push(await bareLoop(target.line, count))
        ours.push(await replay(product, target.line, count))
        const [theirs = 0, own = 0] = [bare.at(-1), ours.at(-1)]
        process.stderr.write(
          `replay, round ${round + 1}: undici ${theirs.toFixed(0)}, Tondesk ${own.toFixed(0)}\n`,
        )
      }
      const ratio = median(ours.map((rate, index) => rate / (bare[index] ?? NaN)))
      const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')} req/s`
      return [
        { name: `bare undici loop, ${parallel} at a time`, value: perSecond(median(bare)) },
        {
          name: `replay of ${count.toLocaleString('en')} captures, ${parallel} at a time`,
          value: perSecond(median(ours)),
        },
        {
          name: 'replay to bare undici',
          value: ratio.toFixed(2),
          wanted: '≥ 0.7',
          met: ratio >= 0.7,
        },
      ]
    } finally {
      await product.stop()
    }
  } finally {
    target.child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { values: flags } = parseArgs({
    options: {
      captures: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: '3' },
    },
  })
  writeStats('replay', await replayFigures(Number(flags.captures), Number(flags.rounds)))
}
