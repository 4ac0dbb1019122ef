import process from 'node:process'
import { exitCodes } from './command.ts'

/** How long draining may take once asked to stop. */
const drainMs = 3000

/** One Ctrl-C can arrive twice: from the terminal, and passed on by npm or a script above. */
const sameKeyMs = 300

/** Ctrl-C, SIGTERM or a closed terminal asks to drain; a second time ends at once. */
export function stopOnSignals(...also: AbortSignal[]): AbortSignal {
  const controller = new AbortController()
  let firstAt = 0
  const stop = () => {
    if (!controller.signal.aborted) {
      firstAt = performance.now()
      controller.abort()
    } else if (performance.now() - firstAt > sameKeyMs) {
      process.exit(exitCodes.forced)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  return AbortSignal.any([controller.signal, ...also])
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** False when it took longer. */
export async function inTime(work: Promise<unknown>, ms: number = drainMs): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
