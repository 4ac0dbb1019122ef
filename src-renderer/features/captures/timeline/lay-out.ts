import type { CaptureTimeline } from '../../../../src-preload/contract/meaning.ts'

type LaidOut = {
  readonly moment: CaptureTimeline[number]
  /** Percent of the whole way. */
  readonly from: number
  readonly width: number
}

/** Each moment with the time since the one before, as parts of the whole. */
export function layOut(moments: CaptureTimeline): LaidOut[] {
  const start = moments[0]?.at ?? 0
  const whole = Math.max(1, (moments.at(-1)?.at ?? 0) - start)
  return moments.map((moment, index) => {
    const before = moments[index - 1]?.at ?? start
    const from = ((before - start) / whole) * 100
    return { moment, from: Math.min(99, from), width: ((moment.at - before) / whole) * 100 }
  })
}
