/**
 * Measures the Inspector with many captures, in the product's own window: how soon the list and a
 * search show their first rows, and whether the window stays responsive while webhooks arrive.
 * Flags: --captures N (1000000), --rate N (1000 a second), --seconds N (10).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Page, chromium } from '@playwright/test'
import { frame } from '../e2e/pages/frame.ts'
import { type Figure, median, writeStats } from './lib/stats.ts'
import { fillCaptures } from './lib/fill.ts'
import { webhookBody } from './lib/load.ts'
import { type Product, startProduct, untilIndexed } from './lib/product.ts'
import { chromiumPath } from '../stand-in/chromium.ts'

const { values: flags } = parseArgs({
  options: {
    captures: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
  },
})
const stored = Number(flags.captures)
const rate = Number(flags.rate)
const seconds = Number(flags.seconds)
const times = 7

/** Measures the milliseconds from an action to the first row of its result, within the page. */
async function untilRows(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate(() => {
    const from = performance.now()
    Object.assign(window, {
      rowsShown: new Promise<number>((resolve) => {
        const look = () => {
          const row = document.querySelector('[role="grid"] [aria-rowindex="2"]')
          const busy = document.querySelector('[aria-busy="true"]')
          if (row !== null && busy === null) resolve(performance.now() - from)
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(() => requestAnimationFrame(look))
      }),
    })
  })
  await act()
  return page.evaluate(() => (window as unknown as { rowsShown: Promise<number> }).rowsShown)
}

async function searchTimes(product: Product, text: string): Promise<number> {
  const took: number[] = []
  for (let time = 0; time < times; time += 1) {
    const from = performance.now()
    await product.request('capture.list', { query: { text }, limit: 100 })
    took.push(performance.now() - from)
  }
  return median(took)
}

/** Posts at a steady rate; responses are counted but not awaited. */
async function pour(url: string): Promise<{ sent: number; refused: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  let sent = 0
  let refused = 0
  const started = performance.now()
  while (performance.now() - started < seconds * 1000) {
    const due = ((performance.now() - started) / 1000) * rate
    for (; sent < due; sent += 1) {
      const outgoing = request(url, { method: 'POST', agent }, (response) => {
        if (response.statusCode !== 200) refused += 1
        response.resume()
      })
      outgoing.on('error', () => {
        refused += 1
      })
      outgoing.end(webhookBody(String(25713146000000 + sent)))
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  agent.destroy()
  return { sent, refused }
}

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
const browser = await chromium.launch({
  executablePath: chromiumPath() ?? 'chromium',
  args: ['--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
})
try {
  process.stderr.write(`filling ${stored} captures…\n`)
  await fillCaptures(directory, stored)
  const first = await startProduct(directory)
  await untilIndexed(first)
  await first.stop()
  const product = await startProduct(directory)
  const page = await browser.newPage({ viewport: { width: 1360, height: 820 } })
  await page.goto(product.appUrl)
  await frame(page).entry('inspector').waitFor()

  const opened: number[] = []
  for (let time = 0; time < times; time += 1) {
    await frame(page).entry('overview').click()
    await frame(page).title('overview').waitFor()
    opened.push(await untilRows(page, () => frame(page).entry('inspector').click()))
  }
  const searches = {
    'a rare word': await searchTimes(product, 'order-500000'),
    'a word of every capture': await searchTimes(product, 'tonapi'),
    'a prefix': await searchTimes(product, 'ord'),
    'two words': await searchTimes(product, 'account_tx tonapi'),
    'a word that is nowhere': await searchTimes(product, 'nowhere'),
  }

  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(window, { longTasks: tasks })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration)
    }).observe({ type: 'longtask' })
  })
  const { sent, refused } = await pour(product.receiverUrl)
  const tasks = await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks)
  const longest = Math.max(0, ...tasks)
  const resident = product.residentBytes() / 1024 / 1024
  await product.stop()

  const ms = (value: number) => `${value.toFixed(0)} ms`
  const under200 = (name: string, value: number): Figure => ({
    name,
    value: ms(value),
    wanted: '< 200 ms',
    met: value < 200,
  })
  writeStats(`captures: the Inspector over ${stored.toLocaleString('en')} captures`, [
    under200('list opens, first row on screen', median(opened)),
    ...Object.entries(searches).map(([name, took]) => under200(`search, ${name}`, took)),
    {
      name: `longest task of the window at ${rate} webhooks a second (${sent} sent, ${refused} refused)`,
      value: ms(longest),
      wanted: '< 100 ms',
      met: longest < 100 && refused === 0,
    },
    {
      name: 'main process, resident',
      value: `${resident.toFixed(0)} MB`,
      wanted: '< 250 MB',
      met: resident < 250,
    },
  ])
} finally {
  await browser.close()
  rmSync(directory, { recursive: true, force: true })
}
