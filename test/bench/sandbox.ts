/**
 * Compares the sandbox with bare @ton/sandbox: both execute the same signed messages in turns, then a
 * process runs for a long time. The call log is measured alternately read and left alone. Flags: --rounds N (3), --messages N (400), --transactions N (100000).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import {
  type Cell,
  Address,
  beginCell,
  comment,
  external,
  internal,
  loadMessage,
  storeMessage,
  SendMode,
} from '@ton/core'
import { Blockchain } from '@ton/sandbox'
import { WalletContractV4 } from '@ton/ton'
import { createChain } from '../../src-main/sandbox/chain/create-chain.ts'
import { developmentWallets } from '../../src-main/sandbox/chain/wallets.ts'
import type { Clock } from '../../src-main/sandbox/clock.ts'
import { openDatabase } from '../../src-main/sandbox/store/database.ts'
import { type Figure, median, writeStats } from './lib/stats.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    messages: { type: 'string', default: '400' },
    transactions: { type: 'string', default: '100000' },
  },
})
const rounds = Number(flags.rounds)
const messages = Number(flags.messages)
const wanted = Number(flags.transactions)

const startedAt = 1_790_000_000_000
const clock: Clock = { mode: 'virtual', now: () => startedAt }
const [payer, payee] = developmentWallets
if (payer === undefined || payee === undefined) throw new Error('there are no development wallets')

/** Signed transfers of the payer in sequence. */
function transfers(from: number, count: number): Cell[] {
  if (payer === undefined || payee === undefined) return []
  const wallet = WalletContractV4.create({ workchain: 0, publicKey: payer.publicKey })
  return Array.from({ length: count }, (_, index) => {
    const body = wallet.createTransfer({
      seqno: from + index,
      secretKey: payer.secretKey,
      sendMode: SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
      timeout: 0xffffffff,
      messages: [
        internal({
          to: payee.address,
          value: 1_000_000n,
          bounce: false,
          body: comment(`n${index}`),
        }),
      ],
    })
    return beginCell()
      .store(storeMessage(external({ to: wallet.address, body })))
      .endCell()
  })
}

const perSecond = (count: number, ms: number) => (count * 1000) / ms

const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
try {
  const database = openDatabase(join(directory, 'mainnet.db'))
  const chain = await createChain({ database, network: 'mainnet', clock, seed: 'bench' })
  const bare = await Blockchain.create()
  bare.now = startedAt / 1000
  for (const { address } of developmentWallets) {
    const account = chain.account(address.toRawString())
    if (account !== null) await bare.setShardAccount(address, account)
  }
  const seqno = await chain.runMethod(payer.address.toRawString(), 'seqno', [])
  const [top] = seqno?.stack ?? []
  let next = top?.type === 'int' ? Number(top.value) : 0

  const rates = { bare: [] as number[], ours: [] as number[] }
  // The first round is not measured: it warms up both sides.
  for (let round = 0; round <= rounds; round += 1) {
    const batch = transfers(next, messages)
    next += messages
    let began = performance.now()
    for (const message of batch) await bare.sendMessage(loadMessage(message.beginParse()))
    const bareRate = perSecond(messages, performance.now() - began)
    began = performance.now()
    for (const message of batch) await chain.send([message])
    const ourRate = perSecond(messages, performance.now() - began)
    process.stderr.write(
      `round ${round}: bare ${bareRate.toFixed(0)}, ours ${ourRate.toFixed(0)}\n`,
    )
    if (round === 0) continue
    rates.bare.push(bareRate)
    rates.ours.push(ourRate)
  }
  database.close()
  const ratio = median(rates.ours.map((rate, index) => rate / (rates.bare[index] ?? NaN)))

  const log = await measureCallLog(join(directory, 'calls'))
  const long = await measureProcess(join(directory, 'process'))
  const figures: Figure[] = [
    { name: 'bare @ton/sandbox, in memory', value: `${median(rates.bare).toFixed(0)} messages/s` },
    { name: 'ours, executed and stored', value: `${median(rates.ours).toFixed(0)} messages/s` },
    { name: 'to bare', value: ratio.toFixed(2), wanted: '≥ 0.8', met: ratio >= 0.8 },
    log,
    ...long,
  ]
  writeStats(`sandbox: ${messages} transfers a round, median of ${rounds}`, figures)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

type Ready = {
  queryUrl: string
  controlUrl: string
  apiKey: string
  controlKey: string
  wallets: { name: string; address: string }[]
}

async function begin(dataDirectory: string) {
  const from = performance.now()
  const child = spawn(
    process.execPath,
    ['out/main/cli.js', 'sandbox', '--json', '--port', '0', '--data-dir', dataDirectory],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, ready: JSON.parse(line) as Ready, tookMs: performance.now() - from }
}

async function end({ child }: Awaited<ReturnType<typeof begin>>): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const logRounds = 7
const requestsPerRound = 2000

/** Reading 10,000 calls by a list, a filter and a follower must not slow down the other requests. */
async function measureCallLog(dataDirectory: string): Promise<Figure> {
  const sandbox = await begin(dataDirectory)
  const { queryUrl, controlUrl, controlKey, apiKey } = sandbox.ready
  const send = async (count: number) => {
    const from = performance.now()
    const client = async () => {
      for (let sent = 0; sent < count / 4; sent += 1) await get(`${queryUrl}/v2/status`, apiKey)
    }
    await Promise.all([client(), client(), client(), client()])
    return perSecond(count, performance.now() - from)
  }
  const calls = (query: string) => get<{ last: number }>(`${controlUrl}/calls?${query}`, controlKey)
  const read = async (signal: AbortSignal) => {
    const follow = async () => {
      for (let after = 10_000; !signal.aborted;) {
        after = (await calls(`after=${after}&limit=10000&waitMs=1000`)).last
      }
    }
    const look = async () => {
      while (!signal.aborted) {
        await calls('limit=100')
        await calls('status=4xx&path=accounts&limit=100')
        await new Promise((resolve) => setTimeout(resolve, 1000))
      }
    }
    await Promise.all([follow(), look()])
  }
  await send(10_000)
  const ratios: number[] = []
  for (let round = 0; round < logRounds; round += 1) {
    const alone = await send(requestsPerRound)
    const reading = new AbortController()
    const ended = read(reading.signal)
    ratios.push((await send(requestsPerRound)) / alone)
    reading.abort()
    await ended
  }
  await end(sandbox)
  const ratio = median(ratios)
  return {
    name: 'requests while 10,000 calls are listed, filtered and followed, to requests alone',
    value: ratio.toFixed(2),
    wanted: '≥ 0.95',
    met: ratio >= 0.95,
  }
}

/** Measures the shipped process: the time until it is ready, and its speed with a long chain. */
async function measureProcess(dataDirectory: string): Promise<Figure[]> {
  const first = await begin(dataDirectory)
  await end(first)
  const second = await begin(dataDirectory)
  const { ready, child } = second
  const resident = () =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8'))?.[1]) /
    1024
  const count = async () => {
    const state = await get<{ head: { transactionCount: number } }>(
      `${ready.controlUrl}/state`,
      ready.controlKey,
    )
    return state.head.transactionCount
  }
  const memory: number[] = []
  const costs: number[] = []
  const account = payer?.address.toRawString() ?? ''
  let done = await count()
  let sampleAt = 10_000
  while (done < wanted) {
    const began = performance.now()
    const before = done
    const from = await seqnoOf(ready, account)
    for (const group of chunks(transfers(from, 200), 5)) {
      const batch = group.map((cell) => cell.toBoc().toString('base64'))
      await post(`${ready.queryUrl}/v2/blockchain/message`, ready.apiKey, { batch })
    }
    done = await count()
    costs.push((performance.now() - began) / (done - before))
    if (done >= sampleAt) {
      memory.push(resident())
      process.stderr.write(`${done} transactions, ${memory.at(-1)?.toFixed(0)} MB\n`)
      sampleAt += 10_000
    }
  }
  const pages: number[] = []
  for (let time = 0; time < 15; time += 1) {
    const began = performance.now()
    await get(
      `${ready.queryUrl}/v2/blockchain/accounts/${account}/transactions?limit=100`,
      ready.apiKey,
    )
    pages.push(performance.now() - began)
  }
  await end(second)
  const early = median(costs.slice(0, 20))
  const late = median(costs.slice(-20))
  const highest = Math.max(...memory)
  const growth = (memory.at(-1) ?? NaN) - (memory[1] ?? NaN)
  const startMs = Math.max(first.tookMs, second.tookMs)
  return [
    {
      name: 'ready, first and second start',
      value: `${first.tookMs.toFixed(0)} and ${second.tookMs.toFixed(0)} ms`,
      wanted: '< 1,500 ms',
      met: startMs < 1500,
    },
    {
      name: `a page of 100 of an account's history, ${done.toLocaleString('en')} transactions stored`,
      value: `${median(pages).toFixed(1)} ms`,
      wanted: '< 30 ms',
      met: median(pages) < 30,
    },
    {
      name: 'cost of a transaction over HTTP, at first and at last',
      value: `${early.toFixed(2)} and ${late.toFixed(2)} ms`,
      wanted: 'no growth',
      met: late < early * 1.15,
    },
    {
      name: 'its process, resident at most',
      value: `${highest.toFixed(0)} MB`,
      wanted: '< 500 MB',
      met: highest < 500,
    },
    {
      name: `growth from 20,000 to ${done.toLocaleString('en')}`,
      value: `${growth.toFixed(0)} MB`,
      wanted: 'flat',
      met: growth < 40,
    },
  ]
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  )
}

async function seqnoOf(ready: Ready, account: string): Promise<number> {
  const { seqno } = await get<{ seqno: number }>(
    `${ready.queryUrl}/v2/wallet/${Address.parse(account).toRawString()}/seqno`,
    ready.apiKey,
  )
  return seqno
}

async function get<T>(url: string, key: string): Promise<T> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

async function post(url: string, key: string, body: unknown): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
}
