/**
 * Measures a trace of 200 transactions in the product's own window, with few and with many stored
 * transactions. Flags: --stored N (100000), --messages N (199), --times N (7).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Page, chromium } from '@playwright/test'
import { frame } from '../e2e/pages/frame.ts'
import { beginCell, comment, external, internal, SendMode, storeMessage } from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { WalletContractV5R1 } from '@ton/ton'
import { createChainRecords } from '../../src-main/chain/store/chain.ts'
import { openDatabase } from '../../src-main/database/database.ts'
import { median, writeStats } from './lib/stats.ts'
import { type Product, startProduct } from './lib/product.ts'
import { chromiumPath } from '../stand-in/chromium.ts'

const { values: flags } = parseArgs({
  options: {
    stored: { type: 'string', default: '100000' },
    messages: { type: 'string', default: '199' },
    times: { type: 'string', default: '7' },
  },
})
const stored = Number(flags.stored)
const messages = Number(flags.messages)
const times = Number(flags.times)
const network = 'sandbox'

async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function sandboxRuns(product: Product): Promise<true> {
  return until(async () => {
    const { status } = await product.request<{ status: string }>('sandbox.state')
    return status === 'running' ? true : null
  })
}

/**
 * Creates a trace by a wallet's order that pays many accounts: one transaction for each account,
 * and the wallet's own.
 */
async function makeTrace(product: Product): Promise<string> {
  const keys = keyPairFromSeed(Buffer.alloc(32, 7))
  const wallet = WalletContractV5R1.create({ workchain: 0, publicKey: keys.publicKey })
  const address = wallet.address.toRawString()
  const faucet = { network: 'mainnet', address, amount: '1000000000000' }
  await product.request('sandbox.faucet', faucet)
  const body = wallet.createTransfer({
    seqno: 0,
    secretKey: keys.secretKey,
    sendMode: SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
    timeout: 0xffffffff,
    messages: Array.from({ length: messages }, (_, index) =>
      internal({
        to: `0:${index.toString(16).padStart(64, 'a')}`,
        value: 1_000_000n,
        bounce: false,
        body: comment(`order ${index}`),
      }),
    ),
  })
  const message = external({ to: wallet.address, init: wallet.init, body })
  const boc = beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
  const sent = await product.request<{ messageHash: string; validUntil: number | null }>(
    'message.send',
    { network, boc },
  )
  return until(async () => {
    const state = await product.request<{ transactionHash: string | null }>('message.watch', {
      network,
      messageHash: sent.messageHash,
      validUntil: sent.validUntil,
    })
    return state.transactionHash
  })
}

type Answer = { trace: { nodes: { hash: string | null }[] } | null; transaction: { hash: string } }

/** Measures the milliseconds from the change of the address to the tree's first rows, within the page. */
async function untilTree(page: Page, hash: string): Promise<number> {
  await page.evaluate(() => {
    window.location.hash = '#/overview'
  })
  await frame(page).title('overview').waitFor()
  return page.evaluate(
    (target) =>
      new Promise<number>((resolve) => {
        const from = performance.now()
        const look = () => {
          const rows = document.querySelectorAll(
            '[role="treeitem"], [role="treegrid"] [role="row"]',
          )
          if (rows.length > 10) resolve(performance.now() - from)
          else requestAnimationFrame(look)
        }
        window.location.hash = target
        requestAnimationFrame(look)
      }),
    `#/transactions/tx/${hash}?network=sandbox`,
  )
}

async function measure(
  product: Product,
  page: Page,
  hashes: readonly string[],
): Promise<{ main: number; window: number }> {
  const main: number[] = []
  const shown: number[] = []
  // Each run opens another transaction of the trace, because the window caches the opened ones.
  for (const hash of hashes) {
    const from = performance.now()
    await product.request<Answer>('transaction.get', { network, id: hash })
    main.push(performance.now() - from)
    shown.push(await untilTree(page, hash))
  }
  return { main: median(main), window: median(shown) }
}

/** Stores copies of one account's transaction, each with its own hash and time. */
function fill(directory: string, hash: string): void {
  const database = openDatabase(join(directory, 'tondesk.db'))
  const records = createChainRecords(database)
  const pattern = records.find(network, hash)
  if (pattern === null) throw new Error('the transaction was not stored')
  for (let done = 0; done < stored; done += 500) {
    const transactions = Array.from({ length: 500 }, (_, index) => {
      const id = (done + index + 1).toString(16).padStart(64, '0')
      return {
        hash: id,
        account: `0:${((done + index) % 1000).toString(16).padStart(64, 'b')}`,
        lt: String(1_000_000 + done + index),
        messages: [id.replaceAll('0', 'c')],
        names: [],
        answer: pattern.answer,
      }
    })
    records.put(network, { transactions }, Date.now())
  }
  database.close()
}

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
const browser = await chromium.launch({
  executablePath: chromiumPath() ?? 'chromium',
  args: ['--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
})
try {
  const measured: { main: number; window: number }[] = []
  let hash = ''
  let nodes = 0
  for (const isFull of [false, true]) {
    if (isFull) {
      process.stderr.write(`filling ${stored} transactions…\n`)
      fill(directory, hash)
    }
    const product = await startProduct(directory, { sandbox: true })
    await sandboxRuns(product)
    if (!isFull) hash = await makeTrace(product)
    const answer = await until(async () => {
      const got = await product.request<Answer>('transaction.get', { network, id: hash })
      return (got.trace?.nodes.length ?? 0) > messages ? got : null
    })
    const hashes = (answer.trace?.nodes ?? []).flatMap(({ hash }) => hash ?? [])
    nodes = hashes.length
    const page = await browser.newPage({ viewport: { width: 1360, height: 820 } })
    await page.goto(product.appUrl)
    await frame(page).title('overview').waitFor()
    measured.push(await measure(product, page, hashes.slice(-times)))
    await page.close()
    await product.stop()
  }
  const [few, many] = measured
  if (few === undefined || many === undefined) throw new Error('nothing was measured')
  const ms = (value: number) => `${value.toFixed(0)} ms`
  const open = (name: string, value: number) => ({
    name,
    value: ms(value),
    wanted: '< 300 ms',
    met: value < 300,
  })
  const storedText = stored.toLocaleString('en')
  writeStats(`trace: ${nodes} transactions, median of ${times}`, [
    open('opens in the window, nothing else stored', few.window),
    open(`opens in the window, ${storedText} transactions stored`, many.window),
    { name: '`transaction.get` alone, nothing else stored', value: ms(few.main) },
    { name: `\`transaction.get\` alone, ${storedText} transactions stored`, value: ms(many.main) },
  ])
} finally {
  await browser.close()
  rmSync(directory, { recursive: true, force: true })
}
