import type { DeliveryTargets } from './delivery-queue.ts'

/** Targets of several owners as one: `webhook:12` is the one called `webhook`'s. */
export function joinTargets(owners: Readonly<Record<string, DeliveryTargets>>): DeliveryTargets {
  const byName = new Map(Object.entries(owners))
  const ownerOf = (target: string) => byName.get(target.slice(0, target.indexOf(':')))
  return {
    describe: (target) => ownerOf(target)?.describe(target) ?? null,
    delivered: (delivery, at) => ownerOf(delivery.target)?.delivered(delivery, at),
    failed: (delivery, ...rest) => ownerOf(delivery.target)?.failed(delivery, ...rest) ?? true,
  }
}
