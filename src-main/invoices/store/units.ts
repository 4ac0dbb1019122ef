/** Sums of amounts pass SQLite's 64 bits, so they are kept and summed in two parts. */

const nano = 1_000_000_000n

/** @param rest sums of `amount % 10^9`; null, as SQLite has it, for a sum of nothing */
export function joinUnits(whole: unknown, rest: unknown): bigint {
  const read = (part: unknown) => BigInt((part ?? 0) as bigint | number)
  return read(whole) * nano + read(rest)
}
