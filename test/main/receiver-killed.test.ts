import { Agent, request } from 'node:http'
import { expect, test } from 'vitest'
import type { TestApp } from '../fixtures/app.ts'
import { startApp } from '../fixtures/app.ts'
import type { ChildApp } from '../fixtures/child-app.ts'
import { startChildApp } from '../fixtures/child-app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'

const senders = 16

/** A generator that gives the same for the same seed (mulberry32), so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Bodies of any bytes and very different lengths; the number in front makes each the only one. */
function bodyOf(round: number, index: number, random: () => number): Buffer {
  const length = random() < 0.05 ? 60_000 : Math.floor(random() * 2_000)
  const filler = Buffer.alloc(length, Math.floor(random() * 256))
  return Buffer.concat([Buffer.from(`${round}-${index} `), filler])
}

function post(agent: Agent, url: string, body: Buffer): Promise<number | null> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, method: 'POST' }, (answer) => {
      answer.resume()
      answer.on('close', () => resolve(answer.statusCode ?? null))
    })
    sent.on('error', () => resolve(null))
    sent.end(body)
  })
}

/** Posts from many senders until the app is killed, which is done after so many answers. */
async function postUntilKilled(app: ChildApp, round: number, random: () => number) {
  const agent = new Agent({ keepAlive: true, maxSockets: senders })
  const killAfter = 20 + Math.floor(random() * 600)
  const answered = new Map<string, Buffer>()
  let sent = 0
  const kills: Promise<void>[] = []
  const isOver = () => kills.length > 0

  async function sender(): Promise<void> {
    while (!isOver()) {
      const index = (sent += 1)
      const body = bodyOf(round, index, random)
      const status = await post(agent, app.url, body)
      if (status === 200) answered.set(`${round}-${index}`, body)
      if (answered.size >= killAfter && !isOver()) kills.push(app.kill())
    }
  }
  await Promise.all(Array.from({ length: senders }, sender))
  await Promise.all(kills)
  agent.destroy()
  return answered
}

/** Every capture there is by the number in front of its body, and how often it is there. */
async function readAll(app: TestApp) {
  const found = new Map<string, { body: Buffer; times: number }>()
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
    const page: { rows: { id: number }[]; nextBefore: number | null } = await app.request(
      'capture.list',
      { before, limit: 500 },
    )
    for (const { id } of page.rows) {
      const { base64 } = await app.request('capture.body', { id })
      const body = Buffer.from(base64, 'base64')
      const key = body.toString('latin1', 0, body.indexOf(' '))
      found.set(key, { body, times: (found.get(key)?.times ?? 0) + 1 })
    }
    before = page.nextBefore
  }
  return found
}

test.each([1, 20_261, 777_777])(
  'killed under load (seed %i): every delivery answered 200 is there, once, byte for byte',
  { timeout: 60_000 },
  async (seed) => {
    using directory = temporaryDirectory()
    const random = seeded(seed)
    const answered = new Map<string, Buffer>()
    // The second life starts on what the first left behind.
    for (const round of [1, 2]) {
      await using app = await startChildApp(directory.path)
      for (const [key, body] of await postUntilKilled(app, round, random)) answered.set(key, body)
    }
    await using app = await startApp({ dataDirectory: directory.path, receive: false })
    const found = await readAll(app)
    const missing = [...answered].filter(([key, body]) => !found.get(key)?.body.equals(body))
    expect(missing.map(([key]) => key)).toEqual([])
    expect([...found.values()].filter(({ times }) => times !== 1)).toEqual([])
    expect(answered.size).toBeGreaterThanOrEqual(40)
    // Deliveries on their way when it was killed may be there too, but no more than there were senders.
    expect(found.size - answered.size).toBeLessThanOrEqual(2 * senders)
    expect((await app.request('notice.list')).map(({ id }) => id)).not.toContain('store.rescued')
    expect((await app.request('app.checkIntegrity')).ok).toBe(true)
  },
)
