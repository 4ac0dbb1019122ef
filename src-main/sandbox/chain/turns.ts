import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** Lets works in one at a time, in the order they came. */
type KeyedMutex = {
  /** @throws whatever the work throws; those that wait go on */
  take<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when all that was waiting has ended. */
  settled(): Promise<void>
}

export function createKeyedMutex(): KeyedMutex {
  let last: Promise<unknown> = Promise.resolve()
  return {
    take(work) {
      const turn = last.then(yieldToEventLoop).then(work)
      last = turn.catch(() => undefined)
      return turn
    },
    async settled() {
      let seen
      do {
        seen = last
        await seen
      } while (seen !== last)
    },
  }
}
