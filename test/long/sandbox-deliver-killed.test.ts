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

/**
 * Lets the queue work until this number of deliveries has arrived, then kills it. @returns the
 * number of events that are certainly committed
 */
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

test('a sandbox queue that is killed repeatedly delivers every committed event, in order', async () => {
  using directory = temporaryDirectory()
  await using endpoint = await startEndpoint()
  let committed = 0
  const told = new Set<number>()
  for (let kill = 0; kill < 5; kill += 1) {
    const arrived = endpoint.arrived(endpoint.received.length + 40 + kill * 13)
    // The last commit may not have been reported, so numbers need only grow.
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
    // Only the delivery that was being sent may be sent again, and the order must be kept.
    const first = [...new Set(heard.filter((one) => one.lane === lane).map(({ number }) => number))]
    expect(first).toEqual(first.toSorted((a, b) => a - b))
  }
  expect(heard.length - numbers.size).toBeLessThanOrEqual(2 * 5)
})
