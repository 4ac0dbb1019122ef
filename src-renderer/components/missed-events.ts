/** Handles the missing events of a check: how many are left, and storing them as captures. */
import type { Output } from '../../src-preload/contract/routes.ts'
import { attempt, reload, request } from '../app/bridge.ts'
import { confirm } from '../ui/dialog.tsx'
import { formatCount } from '../ui/format.ts'

/** Beyond this number of missing events, the rebuilt ones are not counted, and all events are offered. */
export const maxLookedThrough = 500

/** Returns the number of missing events that were not rebuilt; null if the page does not contain all events. */
export function leftToRebuild({ total, events }: Output<'missedEvents.events'>): number | null {
  if (total > events.length) return null
  return events.filter(({ rebuilt }) => rebuilt === null).length
}

/** Resolves with undefined if the user cancelled or the action failed. */
export async function rebuildMissing(
  id: number,
  left: number,
): Promise<Output<'missedEvents.rebuild'> | undefined> {
  const missing = formatCount(left, 'missing event')
  const yes = await confirm({
    title: `Rebuild ${missing}?`,
    detail:
      'Tondesk stores each event as a capture in the exact form of its delivery, and marks the capture as rebuilt. Rebuilt captures do not count as received and are not forwarded. Events that you rebuilt before stay unchanged.',
    action: `Rebuild ${missing}`,
  })
  if (!yes) return undefined
  const result = await attempt('Could not rebuild the events', () =>
    request('missedEvents.rebuild', { id, events: { all: true } }),
  )
  if (result !== undefined) reload('missedEvents.events')
  return result
}
