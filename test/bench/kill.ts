/**
 * Kills the process under load repeatedly, and checks that every delivery with the response 200 is
 * stored. Flags: --rounds N (100), --seed N (1).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { request, Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeStats } from './lib/stats.ts'
import { connectionCount } from './lib/load.ts'
import { startProduct } from './lib/product.ts'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
})
const rounds = Number(flags.rounds)

/** The mulberry32 generator is small and gives the same numbers on every machine. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Posts numbered deliveries on 32 connections until the receiver is killed. @returns the numbers
 * with the response 200
 */
async function postUntilKilled(url: string, round: number, killAfter: number, kill: () => void) {
  const agent = new Agent({ keepAlive: true, maxSockets: connectionCount })
  const answered: string[] = []
  let number = 0
  let dead = false

  async function sender(): Promise<void> {
    while (!dead) {
      const id = `${round}-${(number += 1)}`
      const status = await post(url, agent, id)
      if (status === 200) answered.push(id)
      else dead = true
      if (answered.length === killAfter) kill()
    }
  }
  await Promise.all(Array.from({ length: connectionCount }, sender))
  agent.destroy()
  return answered
}

/** @returns the status; null if the connection broke */
function post(url: string, agent: Agent, id: string): Promise<number | null> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method: 'POST', agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? null))
      response.on('error', () => resolve(null))
    })
    outgoing.on('error', () => resolve(null))
    outgoing.end(`{"kill":"${id}"}`)
  })
}

type Page = { rows: { id: number; summary: string }[]; nextBefore: number | null }

const random = seeded(Number(flags.seed))
const directory = mkdtempSync(join(tmpdir(), 'tondesk-bench-'))
const answered = new Set<string>()
try {
  for (let round = 0; round < rounds; round += 1) {
    const product = await startProduct(directory)
    const killAfter = 50 + Math.floor(random() * 3_000)
    const ids = await postUntilKilled(product.receiverUrl, round, killAfter, () => {
      process.kill(product.pid, 'SIGKILL')
    })
    await product.kill()
    for (const id of ids) answered.add(id)
    process.stderr.write(`round ${round + 1}: killed after ${ids.length} answered\n`)
  }
  const product = await startProduct(directory)
  const found = new Map<string, number>()
  let before: number | null | undefined
  do {
    const page: Page = await product.request<Page>('capture.list', {
      limit: 500,
      ...(before === undefined ? {} : { before }),
    })
    for (const row of page.rows) {
      const id = /"kill":"([\d-]+)"/.exec(await bodyOf(product, row.id))?.[1] ?? `?${row.id}`
      found.set(id, (found.get(id) ?? 0) + 1)
    }
    before = page.nextBefore
  } while (before !== null)
  await product.stop()
  const missing = [...answered].filter((id) => !found.has(id))
  const twice = [...found.values()].filter((times) => times > 1).length
  writeStats(`kill: ${rounds} rounds of kill -9 under load, seed ${flags.seed}`, [
    { name: 'deliveries answered 200', value: answered.size.toLocaleString('en') },
    {
      name: 'of them missing',
      value: String(missing.length),
      wanted: '0',
      met: missing.length === 0,
    },
    { name: 'stored more than once', value: String(twice), wanted: '0', met: twice === 0 },
    {
      name: 'stored without having been answered',
      value: String(found.size - answered.size + missing.length),
    },
  ])
  process.exitCode = missing.length + twice === 0 ? 0 : 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}

async function bodyOf(product: Awaited<ReturnType<typeof startProduct>>, id: number) {
  const { base64 } = await product.request<{ base64: string }>('capture.body', { id })
  return Buffer.from(base64, 'base64').toString('utf8')
}
