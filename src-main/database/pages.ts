import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Reads pages until one is empty. Other work runs between two pages. */
export async function* pagesOf<T>(next: (last: T | undefined) => readonly T[]) {
  for (let page = next(undefined); page.length > 0; page = next(page.at(-1))) {
    yield page
    await yieldToEventLoop()
  }
}

export function* slicesOf<T>(items: Iterable<T>, size: number): Generator<T[], void> {
  let slice: T[] = []
  for (const item of items) {
    slice.push(item)
    if (slice.length < size) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
}
