/** Maximum time that execution holds the thread without a pause. */
const longestMs = 15

let lastPause = performance.now()

/** Gives timers and sockets a turn when there was none for `longestMs`. */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - lastPause < longestMs) return
  await new Promise((resolve) => setImmediate(resolve))
  lastPause = performance.now()
}
