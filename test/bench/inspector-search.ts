/**
 * Measures queries over many captures with explanations: the first page and the count of each single term,
 * the bars while the user drags the histogram, and the speed of indexing. Called by `inspector.ts`. Flags:
 * --captures N (1000000), --times N (5), --data-dir PATH (filled before, and not deleted).
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dataPaths } from '../../src-main/app/paths.ts'
import { formatFriendly } from '../../src-main/ton/address.ts'
import { type Figure, median, writeStats } from './lib/stats.ts'
import { accountOf, fillInspector, hashOf } from './lib/fill-inspector.ts'
import { type Product, startProduct, untilIndexed } from './lib/product.ts'

const pageLimitMs = 150
const countLimitMs = 500
const dragLimitMs = 200

/** Single terms that match nearly all captures, few captures, or none. */
function queriesOf(count: number): string[] {
  const middle = Math.floor(count / 2 / 20) * 20 + 5
  return [
    'event:account_tx',
    'event:invoice',
    'event:mempool_msg',
    `account:${accountOf(5)}`,
    `account:${accountOf(5).slice(0, 5)}*`,
    `lt:>${25713146000000 + middle}`,
    'lt:<25713146000100',
    'lt:<5',
    `hash:${hashOf(middle)}`,
    'hash:ab*',
    'hash:*',
    'status:200',
    'status:500',
    'status:404',
    '-status:200',
    'body:account_tx',
    `body:"inv-${middle - 5 + 7}"`,
    'body:nothing',
    'header.user-agent:*tonapi*',
    'header.user-agent:*1.3',
    'header.x-absent:*',
    'token:wrong',
    'received:today',
    'received:-7d',
    'received:<2000-01-01',
    'network:mainnet',
    'network:unknown',
    'network:sandbox',
    'duplicate:yes',
    'duplicate:no',
    'order:late',
    'amount:>1.5TON',
    'amount:>999999TON',
    'amount:0..1000USDT',
    'asset:USDT',
    'direction:in',
    `sender:${accountOf(5)}`,
    'sender:*',
    `recipient:${accountOf(5)}`,
    `comment:"order-${middle}"`,
    'comment:payment',
    'comment:*',
    'invoice:inv-1007',
    'invoice:*',
    'opcode:jetton_notify',
    'exit:35',
    'exit:>100',
    'success:no',
    'meaning:unavailable',
    'forwarded:delivered',
    'forwarded:failed',
    'forwarded:waiting',
    'forwarded:dropped',
    'forwarded:no',
    'pinned:yes',
    'pinned:no',
    'note:*',
    'method:POST',
    'path:/orders*',
    'path:/nowhere',
    'from:203.0.113.5',
    'from:10.*',
    'size:>10KB',
    'size:<200',
    'took:>1s',
    'complete:partial',
    'origin:imported',
    'id:<50',
    'json',
    'berlin',
    `order-${middle}`,
    '"account_tx"',
    'tonap*',
    '-berlin',
    'nothing',
    // Texts that rows show: accounts, amounts, beginnings with hyphens, and words of the explanation.
    formatFriendly(accountOf(5), { bounceable: true, testOnly: false }),
    formatFriendly(accountOf(5), { bounceable: true, testOnly: false }).slice(0, 6),
    shortened(formatFriendly(accountOf(5), { bounceable: false, testOnly: false })),
    `${hashOf(middle).slice(0, 6)}…${hashOf(middle).slice(-4)}`,
    '0.48',
    'order-4',
    'order-47*',
    'sent',
    'jetton_notify',
    'duplicate',
    'mainnet',
  ]
}

const shortened = (text: string) => `${text.slice(0, 6)}…${text.slice(-4)}`

const combined = [
  'event:account_tx status:500 received:-7d',
  'network:mainnet amount:>2TON direction:in',
  'berlin token:wrong forwarded:failed',
  'comment:payment -status:200 lt:>25713146000000',
]

async function timed(times: number, ask: () => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let time = 0; time < times; time += 1) {
    const from = performance.now()
    await ask()
    took.push(performance.now() - from)
  }
  return median(took)
}

type Timed = { readonly text: string; readonly ms: number }

async function measureQueries(product: Product, texts: readonly string[], times: number) {
  const pages: Timed[] = []
  const counts: Timed[] = []
  for (const text of texts) {
    const query = { text }
    const shown: number[] = []
    const page = await timed(times, async () => {
      const found = await product.request<{ rows: unknown[]; nextBefore: number | null }>(
        'capture.list',
        { query, limit: 100 },
      )
      // A page that is neither full nor the last one is incomplete.
      shown.push(found.rows.length === 100 || found.nextBefore === null ? found.rows.length : NaN)
    })
    let counted = ''
    const count = await timed(times, async () => {
      const found = await product.request<{ count: number; isExact: boolean }>(
        'captureQuery.count',
        { query },
      )
      counted = `${found.count.toLocaleString('en')}${found.isExact ? '' : ', not exact'}`
    })
    process.stderr.write(
      `${page.toFixed(1).padStart(8)} ms ${count.toFixed(1).padStart(8)} ms  ${text}: ${counted}\n`,
    )
    pages.push({ text, ms: shown.some(Number.isNaN) ? Infinity : page })
    counts.push({ text, ms: counted.endsWith('not exact') ? Infinity : count })
  }
  return { pages, counts }
}

/**
 * Measures the bars during a drag: each move of the mouse requests its time span, and the matches
 * of a query in it.
 */
async function measureDrag(product: Product, text: string, times: number): Promise<Timed> {
  const now = Date.now() * 1000
  const day = 86_400_000_000
  const took: number[] = []
  for (const [from, to] of [
    [30, 0],
    [20, 3],
    [8, 7],
  ]) {
    const span = { from: now - (from ?? 0) * day, to: now - (to ?? 0) * day, buckets: 120 }
    took.push(
      await timed(times, () =>
        product.request('captureQuery.histogram', { query: { text }, ...span }),
      ),
    )
  }
  process.stderr.write(`${took.map((ms) => ms.toFixed(1)).join(' ')} ms  bars of ${text}\n`)
  return { text, ms: Math.max(...took) }
}

function slowest(name: string, all: readonly Timed[], limit: number): Figure {
  const [worst] = all.toSorted((a, b) => b.ms - a.ms)
  const typical = median(all.map(({ ms }) => ms))
  return {
    name: `${name}, slowest of ${all.length}`,
    value: `${worst?.ms.toFixed(0) ?? ''} ms (${worst?.text ?? ''}); median ${typical.toFixed(1)} ms`,
    wanted: `< ${limit} ms`,
    met: (worst?.ms ?? 0) < limit,
  }
}

async function figures(dataDirectory: string, count: number, times: number): Promise<Figure[]> {
  const isFresh = !existsSync(dataPaths(dataDirectory).index)
  const started = performance.now()
  const product = await startProduct(dataDirectory)
  try {
    await untilIndexed(product)
    const seconds = (performance.now() - started) / 1000
    const single = await measureQueries(product, queriesOf(count), times)
    const several = await measureQueries(product, combined, times)
    const drags = [
      await measureDrag(product, '', times),
      await measureDrag(product, 'event:account_tx', times),
      await measureDrag(product, 'status:500', times),
      await measureDrag(product, 'amount:>1.5TON', times),
      await measureDrag(product, 'received:-7d berlin', times),
      await measureDrag(product, 'tonapi json', times),
      await measureDrag(product, 'hash:ab*', times),
    ]
    return [
      ...(isFresh
        ? [
            {
              name: 'filling the index',
              value: `${Math.round(count / seconds).toLocaleString('en')} captures/s`,
            },
          ]
        : []),
      slowest('first page of a single term', single.pages, pageLimitMs),
      slowest('count of a single term', single.counts, countLimitMs),
      slowest('first page of several terms', several.pages, pageLimitMs),
      slowest('count of several terms', several.counts, countLimitMs),
      slowest('120 bars while dragging', drags, dragLimitMs),
      { name: 'resident', value: `${Math.round(product.residentBytes() / 1_048_576)} MB` },
    ]
  } finally {
    await product.stop()
  }
}

const { values: flags } = parseArgs({
  options: {
    captures: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '5' },
    'data-dir': { type: 'string' },
  },
})
const count = Number(flags.captures)
const times = Number(flags.times)
const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
try {
  const dataDirectory = flags['data-dir'] ?? join(directory, 'data')
  if (!existsSync(dataPaths(dataDirectory).database)) {
    const from = performance.now()
    await fillInspector(dataDirectory, count)
    process.stderr.write(`filled in ${((performance.now() - from) / 1000).toFixed(0)} s\n`)
  }
  writeStats(
    `inspector, search: ${count.toLocaleString('en')} captures, median of ${times}`,
    await figures(dataDirectory, count, times),
  )
} finally {
  rmSync(directory, { recursive: true, force: true })
}
