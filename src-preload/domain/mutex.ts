/** Lets works in one at a time, in the order they came. */
export type Mutex = {
  /** @throws what the work throws; those that wait go on */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>
  /** Resolves when all that was waiting has ended, and what came meanwhile. */
  readonly settled: () => Promise<void>
}

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(work) {
      const mine = last.then(work)
      last = mine.catch(() => undefined)
      return mine
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
