/**
 * How long payment took, in buckets: the seconds themselves below ten minutes, and above each
 * doubling of ten minutes divided into 128, so that none is wider than 0.8 % of what is in it. The
 * triggers of migration 0014 reckon the same.
 */

const exactSeconds = 600
const parts = 128

/** The least number of whole seconds that a bucket holds. */
export function startOfBucket(bucket: number): number {
  if (bucket < exactSeconds) return bucket
  const doubling = Math.floor((bucket - exactSeconds) / parts)
  const from = exactSeconds * 2 ** doubling
  return from + Math.ceil((((bucket - exactSeconds) % parts) * from) / parts)
}
