/**
 * Closing is limited by lack of progress, not by time, because on a busy computer closing may be
 * slow and still make progress.
 */
const tickMs = 1_000
/** If a process with all its threads uses less processor time per tick (milliseconds), it does nothing. */
const idleMs = 5
const idleTicks = 30
const mostTicks = 600
/** After this many ticks, users see that closing continues. */
const slowTicks = 5

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Waits while this process makes progress with the work.
 * @param onSlow called once
 * @returns false if the work is stuck
 */
export async function isCompleted(
  work: Promise<unknown>,
  onSlow: () => void = () => undefined,
  usedMs: () => number = processorMs,
): Promise<boolean> {
  const stuck = Promise.withResolvers<false>()
  let used = usedMs()
  let idle = 0
  let ticks = 0
  // Ticks are counted instead of time, because a process without a processor gets no ticks either.
  const timer = setInterval(() => {
    const now = usedMs()
    idle = now - used < idleMs ? idle + 1 : 0
    used = now
    ticks += 1
    if (ticks === slowTicks) onSlow()
    if (idle >= idleTicks || ticks >= mostTicks) stuck.resolve(false)
  }, tickMs)
  try {
    return await Promise.race([work.then(() => true), stuck.promise])
  } finally {
    clearInterval(timer)
  }
}
