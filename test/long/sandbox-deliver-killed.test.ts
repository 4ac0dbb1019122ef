import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openQueue, testClock } from '../fixtures/deliveries.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { startEndpoint } from '../fixtures/endpoint.ts'

type Heard = { readonly lane: string; readonly number: number }

const program = join(import.meta.dirname, '..', 'fixtures', 'delivering-program.ts')

/** Lets it work until so much has arrived, then kills it. @returns how many it has committed for sure */
async function workAndDie(file: string, url: string, from: number, arrived: Promise<void>) {
  const child = spawn(process.execPath, [program, file, url, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let committed = from
  const lines = createInterface({ input: child.stdout })
  const over = Promise.all([once(child, 'exit'), once(lines, 'close')])
  lines.on('line', (line) => (committed = Number(line)))
  await arrived
  child.kill('SIGKILL')
  await over
  return committed
}

test('killed again and again, it has told of everything that was committed, in order', async () => {
  using directory = temporaryDirectory()
  await using endpoint = await startEndpoint()
  let committed = 0
  const told = new Set<number>()
  for (let kill = 0; kill < 5; kill += 1) {
    const arrived = endpoint.arrived(endpoint.received.length + 40 + kill * 13)
    // The last commit may be one it did not come to tell of: numbers need only rise.
    const from = committed + 10
    committed = await workAndDie(join(directory.path, 'mainnet.db'), endpoint.url, from, arrived)
    for (let number = from; number < committed; number += 1) told.add(number)
  }
  await using test = openQueue({ directory, clock: testClock(Date.now()) })
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  test.queue.wake()
  await test.queue.settled()
  expect(test.queue.count().waiting).toBe(0)

  const heard = endpoint.received.map(({ body }) => JSON.parse(body) as Heard)
  const numbers = new Set(heard.map(({ number }) => number))
  expect([...told].filter((number) => !numbers.has(number))).toEqual([])
  for (const lane of ['even', 'odd']) {
    // Sent again is allowed, and only the one that was under way; out of order is not.
    const first = [...new Set(heard.filter((one) => one.lane === lane).map(({ number }) => number))]
    expect(first).toEqual(first.toSorted((a, b) => a - b))
  }
  expect(heard.length - numbers.size).toBeLessThanOrEqual(2 * 5)
})
