/** Open incidents, at most one for each webhook, target, tunnel and so on. */
import type { Incident } from '../../src-preload/contract/incident.ts'
import { announce } from '../ui/toast.tsx'
import { attempt, request, reload, useData, watch } from './bridge.ts'
import { useCurrentNetwork } from './networks.ts'

watch('incident.list', (now, before) => {
  const isIn =
    ({ incidents }: typeof now) =>
    ({ id }: Incident) =>
      incidents.some((incident) => incident.id === id)
  const began = now.incidents.filter((incident) => !isIn(before)(incident))
  const ended = before.incidents.filter((incident) => !isIn(now)(incident))
  const isOpen = ({ closedAt }: Incident) => closedAt === null
  const news = [
    ...began.filter(isOpen).map(({ title }) => title),
    ...ended.filter(isOpen).map(({ title }) => `Resolved: ${title}`),
  ]
  if (news.length > 0) announce(news.join('. '))
})

/** The limit is far above any realistic number. */
const maxOpen = 500

/**
 * Returns incidents of the selected network and the whole app, and of other networks, the most
 * severe first.
 */
export function useOpenIncidents(): { here: readonly Incident[]; elsewhere: readonly Incident[] } {
  const network = useCurrentNetwork()?.id ?? null
  const all = useData('incident.list', { open: true, offset: 0, limit: maxOpen }).data?.incidents
  const isHere = (incident: Incident) => incident.network === null || incident.network === network
  return {
    here: (all ?? []).filter(isHere),
    elsewhere: (all ?? []).filter((incident) => !isHere(incident)),
  }
}

export async function snoozeIncident(
  { id }: Incident,
  until: 'hour' | 'day' | 'fixed' | null,
): Promise<void> {
  await attempt('Could not snooze the incident', () => request('incident.snooze', { id, until }))
  reload('incident.list')
}
