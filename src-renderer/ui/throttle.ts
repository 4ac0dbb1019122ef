/**
 * At once, then at most once in `ms`; a call in between is made up for at the end. Returns the
 * throttled function and the way to call off what is waiting. The pause may depend on how the last
 * run went.
 */
export function throttle(
  run: () => void,
  ms: number | (() => number),
): { call: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let again = false

  function rest(): void {
    timer = setTimeout(
      () => {
        timer = undefined
        if (!again) return
        again = false
        run()
        rest()
      },
      typeof ms === 'number' ? ms : ms(),
    )
  }

  return {
    call() {
      if (timer !== undefined) {
        again = true
        return
      }
      run()
      rest()
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
      again = false
    },
  }
}
