import type { CaptureCounts, CaptureRow } from '../../../../src-preload/contract/capture.ts'

/**
 * The id up to which everything was read, from how many are unread. Exact where the first read row
 * is among `rows` (the newest of all); otherwise as near as ids without holes make it.
 */
export function readMark(rows: readonly CaptureRow[], counts: CaptureCounts): number {
  const newest = counts.newestId ?? 0
  const counted = rows.filter((row) => row.id <= newest)
  return counted[counts.unread]?.id ?? Math.max(0, newest - counts.unread)
}
