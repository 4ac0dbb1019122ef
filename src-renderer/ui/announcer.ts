import { throttle } from './throttle.ts'

/** Long enough to read a short sentence, so that a burst of messages becomes one. */
const pauseMs = 1000
const maxAtOnce = 3

/**
 * Passes messages on to `show`: the first at once, then those of each second together. Of several about the same
 * subject only the newest is passed on, and of many only the last three.
 */
export function createAnnouncer(show: (text: string) => void) {
  const waiting = new Map<string, string>()
  const pass = throttle(() => {
    show([...waiting.values()].slice(-maxAtOnce).join('. '))
    waiting.clear()
  }, pauseMs)
  return (message: string, about = message): void => {
    waiting.delete(about)
    waiting.set(about, message)
    pass.call()
  }
}
