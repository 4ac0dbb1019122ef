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

type Progress = {
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

/** What no counter can have grown by between two readings: more is nonsense, and would sum up to it. */
const largestGrowth = 1_000_000_000

/**
 * Growth of a counter; one that has fallen began anew, so that all it shows is growth.
 * @param before null where there is nothing to compare with: then nothing is known to have grown
 */
export function growthOf(before: number | bigint | null, after: number | bigint): number {
  if (before === null) return 0
  const [from, to] = [BigInt(before), BigInt(after)]
  const growth = to < from ? to : to - from
  return growth > largestGrowth ? largestGrowth : Number(growth)
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
