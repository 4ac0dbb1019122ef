import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { createResource } from '../../../src-renderer/app/resource.ts'

/** A source whose answers come when the test says so, in any order. */
function createSource() {
  const waiting: PromiseWithResolvers<string>[] = []
  return {
    load: () => {
      const next = Promise.withResolvers<string>()
      waiting.push(next)
      return next.promise
    },
    at(index: number) {
      const one = waiting[index]
      if (one === undefined) throw new Error(`nothing was asked ${index + 1} times`)
      return one
    },
  }
}

describe('a resource', () => {
  it('asks again for what changed meanwhile, but one question at a time', async () => {
    const source = createSource()
    const resource = createResource(source.load)
    const first = resource.reload()
    const second = resource.reload()
    expect(() => source.at(1)).toThrow('nothing was asked 2 times')
    source.at(0).resolve('old')
    await expect.poll(() => source.at(1)).toBeDefined()
    void resource.reload()
    source.at(1).resolve('newer')
    await expect.poll(() => source.at(2)).toBeDefined()
    source.at(2).resolve('newest')
    await Promise.all([first, second])
    expect(resource.store.getState()).toMatchObject({ status: 'ready', value: 'newest' })
  })

  it('does not let a fetch under way undo what an event has told', async () => {
    const source = createSource()
    const resource = createResource(source.load)
    const fetched = resource.reload()
    resource.set('from the event')
    source.at(0).resolve('older')
    await fetched
    expect(resource.store.getState()).toMatchObject({ value: 'from the event' })
  })

  it('keeps showing what it had when fetching it again fails', async () => {
    const source = createSource()
    const resource = createResource(source.load)
    resource.set('kept')
    const again = resource.reload()
    expect(resource.store.getState()).toMatchObject({ status: 'ready', value: 'kept' })
    source.at(0).reject(new AppError('DISCONNECTED', 'gone'))
    await again
    expect(resource.store.getState()).toMatchObject({
      status: 'ready',
      value: 'kept',
      problem: { code: 'DISCONNECTED' },
    })
  })

  it('fails with an AppError whatever was thrown', async () => {
    const resource = createResource(() => Promise.reject(new TypeError('x is undefined')))
    await resource.reload()
    expect(resource.store.getState()).toMatchObject({
      status: 'failed',
      error: { code: 'INTERNAL' },
    })
  })
})
