import type { Event } from 'electron'

/** An event as Electron hands it to listeners, with what it tells. */
export function createEvent<P extends object>(params: P): Event<P> {
  let prevented = false
  return {
    ...params,
    preventDefault: () => void (prevented = true),
    get defaultPrevented() {
      return prevented
    },
  }
}
