export type Mutex = {
  /**
   * A failed task does not stop the waiting tasks.
   * @throws the error of the task
   */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>
  /** Resolves when all tasks have ended, including those added meanwhile. */
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
