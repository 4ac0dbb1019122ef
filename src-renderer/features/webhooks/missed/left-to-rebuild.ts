import type { Output } from '../../../../src-preload/contract/routes.ts'

/** How many of the missing events were not rebuilt; null where the first page does not hold all of them. */
export function leftToRebuild({ total, events }: Output<'ledger.events'>): number | null {
  if (total > events.length) return null
  return events.filter(({ rebuilt }) => rebuilt === null).length
}
