import { request } from '../../../app/bridge.ts'

/** No span is divided finer to find the first capture in it. */
const fineEnough = 3600e6
const buckets = 400

/** Only retention and a person change it. */
const knownForUs = 60e6
let known = { at: 0, oldest: 0 }

/**
 * When about the oldest capture was received, in microseconds: found by histograms, each of the first
 * part of the one before that holds anything. Null when there is none.
 */
export async function findOldest(now: number): Promise<number | null> {
  if (now >= known.at && now - known.at < knownForUs) return known.oldest
  let from = 0
  let to = now
  while (to - from > fineEnough) {
    const bars = await request('capture.histogram', { from, to, buckets })
    const at = bars.findIndex(({ total }) => total > 0)
    if (at === -1) return null
    from = bars[at]?.startsAt ?? from
    to = bars[at + 1]?.startsAt ?? to
  }
  known = { at: now, oldest: from }
  return from
}
