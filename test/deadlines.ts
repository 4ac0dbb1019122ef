/**
 * How long tests wait, in milliseconds. A wait ends when what it waits for happens, so these only bound waits
 * that are in vain. They must exceed what a loaded computer with a third of a processor needs.
 */
export const deadlines = {
  /** One expectation, event or reply. */
  wait: 120_000,
  /** One test or hook, which may wait several times. */
  test: 600_000,
  /** One test of `npm run test:long`. */
  longTest: 60 * 60_000,
}

/**
 * Repeats an act whose effect may come too early to be seen, each time with twice the deadline: on a slow computer
 * no attempt with a fixed limit would ever succeed.
 */
export async function repeatUntil(act: (patienceMs: number) => Promise<unknown>): Promise<void> {
  for (let patienceMs = 500; ; patienceMs *= 2) {
    try {
      await act(patienceMs)
      return
    } catch (error) {
      if (patienceMs >= deadlines.wait) throw error
    }
  }
}
