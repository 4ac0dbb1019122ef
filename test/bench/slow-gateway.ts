/**
 * Measures a jetton transaction and an account in the product's own window, with a gateway that
 * takes a second for each response and has not indexed the event of the transaction: once with and
 * once without a list of the account's events. Flags: --delay MS (1000), --times N (5).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Page, chromium } from '@playwright/test'
import { formatJson } from '../../src-main/ton/lossless-json.ts'
import { frame } from '../e2e/pages/frame.ts'
import { openScriptedServer } from '../fixtures/scripted-server.ts'
import {
  alice,
  responseTo,
  balanceOf,
  bob,
  firstTransaction,
  transferNotification,
  usdtJetton,
} from '../fixtures/jetton-gateway.ts'
import { chromiumPath } from '../stand-in/chromium.ts'
import { median, writeStats } from './lib/stats.ts'
import { startProduct } from './lib/product.ts'

const { values: flags } = parseArgs({
  options: { delay: { type: 'string', default: '1000' }, times: { type: 'string', default: '5' } },
})
const delayMs = Number(flags.delay)
const times = Number(flags.times)

/** The notification as it appears in the account's list of events. */
const event = {
  event_id: firstTransaction.hash,
  account: { address: alice, is_scam: false, is_wallet: true },
  timestamp: 1,
  is_scam: false,
  lt: 100,
  in_progress: false,
  extra: 0,
  actions: [
    {
      type: 'JettonTransfer',
      status: 'ok',
      JettonTransfer: {
        sender: { address: bob, is_scam: false, is_wallet: true },
        recipient: { address: alice, is_scam: false, is_wallet: true },
        senders_wallet: '',
        recipients_wallet: '',
        amount: '5000000',
        jetton: { ...usdtJetton, verification: 'none', image: '', score: 0 },
      },
      simple_preview: { name: 'Jetton Transfer', description: 'Transferring 5 USDT', accounts: [] },
      base_transactions: [firstTransaction.hash],
    },
  ],
}

let listsEvents = true

function answerOf(path: string): unknown {
  if (path === `/v2/accounts/${alice}`) {
    return { address: alice, balance: 1, last_activity: 1, status: 'active' }
  }
  if (path === `/v2/accounts/${alice}/jettons`) return { balances: [balanceOf(alice)] }
  if (path === `/v2/accounts/${alice}/events`) {
    return listsEvents ? { events: [event], next_from: 0 } : null
  }
  if (path.endsWith('/transactions')) return { transactions: [transferNotification(alice, 100n)] }
  return responseTo(path)
}

type Shown = { readonly first: number; readonly whole: number }

/**
 * Measures the milliseconds until the page shows the first row, and until that row shows the
 * jetton's symbol.
 */
async function open(page: Page, target: string): Promise<Shown> {
  await page.evaluate(() => {
    window.location.hash = '#/overview'
  })
  await frame(page).title('overview').waitFor()
  return page.evaluate(
    ([address = '', symbol = '']) =>
      new Promise<Shown>((resolve) => {
        const from = performance.now()
        let first: number | null = null
        const look = () => {
          const row = document.querySelector('[role="treeitem"], [role="grid"] [data-index]')
          if (row !== null) first ??= performance.now() - from
          if (first !== null && row?.textContent.includes(symbol) === true) {
            resolve({ first, whole: performance.now() - from })
          } else requestAnimationFrame(look)
        }
        window.location.hash = address
        requestAnimationFrame(look)
      }),
    [target, usdtJetton.symbol],
  )
}

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
const browser = await chromium.launch({
  executablePath: chromiumPath() ?? 'chromium',
  args: ['--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
})
const gateway = await openScriptedServer()
let requests = 0
gateway.answer = ({ url }, response) => {
  requests += 1
  const body = answerOf(decodeURIComponent(url.split('?')[0] ?? ''))
  setTimeout(() => {
    response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' })
    response.end(formatJson(body ?? { error: 'entity not found' }))
  }, delayMs)
}
try {
  const kinds = ['jetton transaction', 'account', 'account without events'] as const
  const results = new Map(kinds.map((kind) => [kind, { shown: [] as Shown[], requests: 0 }]))
  const runs = [['account', 'jetton transaction'], ['account without events']] as const
  for (const run of Array.from({ length: times }, () => runs).flat()) {
    // Each run has a new data directory, because a second visit requests nothing.
    const product = await startProduct(mkdtempSync(join(directory, 'run-')))
    const urls = { query: gateway.origin, webhooks: gateway.origin }
    const { id } = await product.request<{ id: string }>('network.add', {
      name: 'Slow',
      urls: { ...urls, testnetWebhooks: null, console: null },
      testOnly: false,
    })
    await product.request('network.select', { id })
    const page = await browser.newPage({ viewport: { width: 1360, height: 820 } })
    await page.goto(product.appUrl)
    await frame(page).title('overview').waitFor()
    for (const kind of run) {
      listsEvents = kind !== 'account without events'
      requests = 0
      const path =
        kind === 'jetton transaction' ? `tx/${firstTransaction.hash}` : `account/${alice}`
      const shown = results.get(kind)?.shown ?? []
      shown.push(await open(page, `#/transactions/${path}?network=${id}`))
      results.set(kind, { shown, requests })
    }
    await page.close()
    await product.stop()
  }
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
  const figures = [...results].flatMap(([kind, { shown, requests: asked }]) => {
    const begun = median(shown.map(({ first: value }) => value))
    const whole = median(shown.map((each) => each.whole))
    return [
      {
        name: `${kind}, first row of the ${kind === 'jetton transaction' ? 'tree' : 'history'}`,
        value: seconds(begun),
        wanted: `< ${seconds(1.5 * delayMs)}`,
        met: begun < 1.5 * delayMs,
      },
      {
        name: `${kind}, with the jetton’s name (${asked} requests)`,
        value: seconds(whole),
        wanted: `< ${seconds(3.5 * delayMs)}`,
        met: whole < 3.5 * delayMs,
      },
    ]
  })
  writeStats(`slow-gateway: ${seconds(delayMs)} for each answer, median of ${times}`, figures)
} finally {
  await browser.close()
  await gateway[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
}
