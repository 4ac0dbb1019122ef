/** Executing keeps the thread; others get theirs at least so often. */
const longestMs = 15

let lastPause = performance.now()

/** Lets timers and sockets have their moment when this thread has had none for a while. */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - lastPause < longestMs) return
  await new Promise((resolve) => setImmediate(resolve))
  lastPause = performance.now()
}
