/**
 * Compares the receiver’s rate with and without a rule that forwards after the response, in turns.
 * Called by `inspector.ts`; alone: --seconds N (5), --rounds N (3).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ForwardRule } from '../../src-preload/contract/forward.ts'
import { type Figure, median, writeStats } from './lib/stats.ts'
import { requestsPerSecond } from './lib/load.ts'
import { type Product, startProduct } from './lib/product.ts'

async function delivered(product: Product): Promise<number> {
  const rules = await product.request<ForwardRule[]>('forwardRule.list')
  return rules[0]?.health[0]?.delivered ?? 0
}

type Round = { rate: number; during: number; after: number }

async function measure(target: string | null, seconds: number): Promise<Round> {
  const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
  try {
    const product = await startProduct(directory)
    try {
      if (target !== null) await product.request('forwardRule.save', { targets: [target] })
      const rate = await requestsPerSecond(product.receiverUrl, seconds)
      if (target === null) return { rate, during: 0, after: 0 }
      const during = await delivered(product)
      // All deliveries are of one account, so waiting deliveries are sent one after another.
      await wait(seconds * 1000)
      return { rate, during, after: ((await delivered(product)) - during) / seconds }
    } finally {
      await product.stop()
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Measures the numbers for docs/benchmarks.md. */
async function forwardFigures(seconds: number, rounds: number): Promise<Figure[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'lib', 'counting-target.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [target] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  try {
    const without: number[] = []
    const forwarding: Round[] = []
    for (let round = 1; round <= rounds; round += 1) {
      without.push((await measure(null, seconds)).rate)
      forwarding.push(await measure(target, seconds))
      const [bare = 0, own] = [without.at(-1), forwarding.at(-1)]
      process.stderr.write(
        `forward, round ${round}: ${bare.toFixed(0)}, forwarding ${own?.rate.toFixed(0) ?? ''} ` +
          `(${own?.during ?? 0} sent meanwhile, ${own?.after.toFixed(0) ?? ''} a second after)\n`,
      )
    }
    const ratio = median(forwarding.map(({ rate }, index) => rate / (without[index] ?? NaN)))
    const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')} req/s`
    return [
      { name: 'captured without a rule', value: perSecond(median(without)) },
      {
        name: 'captured while forwarding after the answer',
        value: perSecond(median(forwarding.map(({ rate }) => rate))),
      },
      {
        name: 'forwarding to not forwarding',
        value: ratio.toFixed(2),
        wanted: '≥ 0.8',
        met: ratio >= 0.8,
      },
      {
        name: 'forwarded after it, of one account',
        value: perSecond(median(forwarding.map(({ after }) => after))),
      },
    ]
  } finally {
    child.kill('SIGKILL')
  }
}

if (import.meta.main) {
  const { values: flags } = parseArgs({
    options: {
      seconds: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '3' },
    },
  })
  writeStats('forward', await forwardFigures(Number(flags.seconds), Number(flags.rounds)))
}
