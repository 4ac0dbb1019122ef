import type { Event } from 'electron'

/** Creates an event as Electron passes it to listeners, with its properties. */
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
