/**
 * Runs a function at once, then at most once in `ms`, and never twice at the same time; a call in
 * between is made up for at the end. Returns the throttled function and a function that cancels a
 * waiting call. The pause may depend on the last run, which may also have failed.
 */
export function throttle(
  run: () => void | Promise<void>,
  ms: number | (() => number),
  later: (work: () => void, ms: number) => unknown = (work, pause) => setTimeout(work, pause),
): { call: () => void; cancel: () => void } {
  let timer: unknown
  let isResting = false
  let isWanted = false

  function start(): void {
    isWanted = false
    isResting = true
    const running = run()
    if (running instanceof Promise) running.then(rest, rest)
    else rest()
  }

  function rest(): void {
    timer = later(
      () => {
        isResting = false
        if (isWanted) start()
      },
      typeof ms === 'number' ? ms : ms(),
    )
  }

  return {
    call() {
      if (isResting) isWanted = true
      else start()
    },
    cancel() {
      clearTimeout(timer as number)
      isResting = false
      isWanted = false
    },
  }
}
