import { afterEach, expect, it } from 'vitest'
import type { ReceiverRefusals } from '../../../src-preload/contract/receiver.ts'
import {
  connect,
  fetchData,
  watchRoute,
  patchData,
  peek,
  put,
  queries,
  reload,
  startQueries,
} from '../../../src-renderer/app/bridge.ts'
import { storeJobs, takeOwnJob } from '../../../src-renderer/components/jobs/job-kind.tsx'

const route = 'receiver.refusals'
const answer = (total: number): ReceiverRefusals => ({ total, latest: [] })

/** Simulates a main process that replies when the test releases the reply, in any order. */
function createSource() {
  const waiting: PromiseWithResolvers<unknown>[] = []
  const stop = connect({
    request: () => {
      const next = Promise.withResolvers<unknown>()
      waiting.push(next)
      return next.promise as never
    },
    on: () => () => undefined,
    start: (onStatus) => onStatus('open'),
    retry: () => undefined,
  })
  const at = (index: number) => {
    const one = waiting[index]
    if (one === undefined) throw new Error(`nothing was asked ${index + 1} times`)
    return one
  }
  return {
    stop,
    at,
    resolve: (index: number, total: number) => at(index).resolve({ ok: true, data: answer(total) }),
  }
}

startQueries()
afterEach(() => queries.clear())

it('a change during a request causes another request, one at a time', async () => {
  const source = createSource()
  const stop = watchRoute(route, () => undefined)
  reload(route)
  expect(() => source.at(1)).toThrow('nothing was asked 2 times')
  source.resolve(0, 1)
  await expect.poll(() => source.at(1)).toBeDefined()
  reload(route)
  source.resolve(1, 2)
  await expect.poll(() => source.at(2)).toBeDefined()
  source.resolve(2, 3)
  await expect.poll(() => peek(route)).toEqual(answer(3))
  stop()
  source.stop()
})

it('a change by an event before the first response causes another request', async () => {
  const source = createSource()
  const stop = watchRoute(route, () => undefined)
  patchData(route, undefined, () => answer(2))
  source.resolve(0, 1)
  await expect.poll(() => source.at(1)).toBeDefined()
  source.resolve(1, 2)
  await expect.poll(() => peek(route)).toEqual(answer(2))
  stop()
  source.stop()
})

it('no request is sent before the subscription to events', async () => {
  let confirm: (status: 'open') => void = () => undefined
  const asked: string[] = []
  const stop = connect({
    request: (name) => {
      asked.push(name)
      return Promise.resolve({ ok: true, data: answer(1) }) as never
    },
    on: () => () => undefined,
    start: (onStatus) => (confirm = onStatus),
    retry: () => undefined,
  })
  const fetched = fetchData(route)
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toEqual([])
  confirm('open')
  expect(await fetched).toEqual(answer(1))
  stop()
})

it('the response to a start does not undo the end of the job that an event reported', async () => {
  // Other tests of this process may have loaded the lookups, which follow this list.
  const counts = { valid: 1, duplicate: 0, wrongNetwork: 0, invalid: 0 }
  const lookup = { id: 1, network: 'sandbox', createdAt: 0, answered: 1, failed: 0, counts }
  const job = (state: string) => ({ ...lookup, state, problem: null, comparedTo: null }) as never
  const lookups = { kind: 'lookup' } as const
  const source = createSource()
  put('job.list', lookups, [])
  const stop = watchRoute('job.list', () => undefined, lookups)
  storeJobs('lookup', [job('done')])
  takeOwnJob('lookup', job('running'))
  await expect.poll(() => source.at(0)).toBeDefined()
  source.at(0).resolve({ ok: true, data: [job('done')] })
  await expect.poll(() => peek('job.list', lookups)).toEqual([job('done')])
  stop()
  source.stop()
})

it('a response to a request does not undo a newer value from an event', async () => {
  const source = createSource()
  const fetched = fetchData(route).catch(() => undefined)
  put(route, undefined, answer(5))
  source.resolve(0, 1)
  await fetched
  expect(peek(route)).toEqual(answer(5))
  source.stop()
})

it('a failed reload keeps the former data, and its error is an AppError', async () => {
  const source = createSource()
  put(route, undefined, answer(7))
  const stop = watchRoute(route, () => undefined)
  reload(route)
  await expect.poll(() => source.at(0)).toBeDefined()
  source.at(0).reject(new TypeError('x is undefined'))
  await expect
    .poll(() => queries.getQueryState([route]))
    .toMatchObject({ data: answer(7), error: { code: 'DISCONNECTED' } })
  stop()
  source.stop()
})
