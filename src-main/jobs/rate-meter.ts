const overMs = 10_000

export function createRateMeter(now: () => number) {
  const beganAt = now()
  let recent: { at: number; answers: number }[] = []
  return {
    count: (answers: number) => void recent.push({ at: now(), answers }),
    /** Items per second over the last seconds; null before the first measurement. */
    rate(): number | null {
      const from = Math.max(beganAt, now() - overMs)
      recent = recent.filter(({ at }) => at >= from)
      const ms = now() - from
      if (ms < 500) return null
      return (recent.reduce((sum, { answers }) => sum + answers, 0) * 1000) / ms
    },
  }
}
