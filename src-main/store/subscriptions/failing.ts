/** What a reading of a subscription says beside the one before. Pure. */

/** As the gateway tells it. */
export type Reading = {
  /** Raw form. */
  readonly account: string
  readonly lastDeliveredLt: bigint
  readonly failedAt: number | null
  readonly failedLt: bigint | null
  readonly failedAttempts: number
}

export type Progress = {
  readonly isFailing: boolean
  /** Failed attempts since the reading before. */
  readonly growth: number
  /** Something was delivered since then. */
  readonly delivered: boolean
  /** It was failing, and a delivery has got through; it may fail again by now. */
  readonly recovered: boolean
}

/** An event has failed, and neither it nor a later one was delivered since. */
export function isFailing({ failedAttempts, failedLt, lastDeliveredLt }: Omit<Reading, 'account'>) {
  return failedAttempts > 0 && (failedLt === null || failedLt > lastDeliveredLt)
}

/**
 * Growth of a counter; one that has fallen began anew, so that all it shows is growth.
 * @param before null where there is nothing to compare with: then nothing is known to have grown
 */
export function growthOf(before: bigint | null, after: bigint): bigint
export function growthOf(before: number | null, after: number): number
export function growthOf(before: bigint | number | null, after: bigint | number): bigint | number {
  if (before === null) return typeof after === 'bigint' ? 0n : 0
  // The overloads keep both of one kind.
  return after < before ? after : (after as number) - (before as number)
}

/** @param before null for an account seen for the first time; its past is not known */
export function progress(
  before: (Omit<Reading, 'account'> & { readonly isFailing: boolean }) | null,
  after: Omit<Reading, 'account'>,
): Progress {
  const failing = isFailing(after)
  if (before === null) {
    return { isFailing: failing, growth: 0, delivered: false, recovered: false }
  }
  const beganAnew = after.failedAttempts < before.failedAttempts
  const delivered = after.lastDeliveredLt > before.lastDeliveredLt
  return {
    isFailing: failing,
    growth: growthOf(before.failedAttempts, after.failedAttempts),
    delivered,
    recovered: before.isFailing && (beganAnew || !failing || passed(before.failedLt, after)),
  }
}

/** What had failed was passed by a delivery, though something later has failed since. */
function passed(failedLt: bigint | null, { lastDeliveredLt }: Pick<Reading, 'lastDeliveredLt'>) {
  return failedLt !== null && lastDeliveredLt >= failedLt
}
