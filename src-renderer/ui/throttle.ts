/**
 * At once, then at most once in `ms`, and never twice at the same time; a call in between is made up for at
 * the end. Returns the throttled function and the way to call off what is waiting. The pause may depend on
 * how the last run went; a run that fails ends as any other.
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
