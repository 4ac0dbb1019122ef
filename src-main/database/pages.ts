import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Reads pages until one is empty. Other work runs between two pages. */
export async function* pagesOf<T>(next: (last: T | undefined) => readonly T[]) {
  for (let page = next(undefined); page.length > 0; page = next(page.at(-1))) {
    yield page
    await yieldToEventLoop()
  }
}

export function* slicesOf<T>(list: readonly T[], size: number) {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}
