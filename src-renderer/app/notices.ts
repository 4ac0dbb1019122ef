import type { Notice } from '../../src-preload/contract/app.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { attempt, request, reload, watch } from './bridge.ts'
import { routeHref } from './route.ts'
import { announce } from '../ui/toast.tsx'
import { webhookRoute } from './webhooks-route.ts'

watch('notice.list', (now, before) => {
  const news = newsOf(before, now)
  if (news.length > 0) announce(news.map(({ title }) => title).join('. '))
})

export async function dismissNotice(id: string): Promise<void> {
  await attempt('Could not dismiss the notice', () => request('notice.dismiss', { id }))
  reload('notice.list')
}

/** The webhook whose missed events a notice is about. */
function webhookOf({ id }: Pick<Notice, 'id'>) {
  const [, network, webhook] =
    /^webhook\.(sandbox|testnet|mainnet|custom-[0-9a-f]{8})\.(\d{1,19})\.missed$/.exec(id) ?? []
  return network === undefined || webhook === undefined ? null : { network, id: webhook }
}

/** Returns the page of a notice with the link's text; null if the notice needs no link. */
export function linkOfNotice(notice: Pick<Notice, 'id'>): { href: string; label: string } | null {
  if (notice.id === 'app.crashed') {
    return { href: routeHref({ page: 'settings', section: 'logs' }), label: 'Show crash report' }
  }
  const webhook = webhookOf(notice)
  if (webhook === null) return null
  return { href: routeHref(webhookRoute(webhook, 'missed')), label: 'Show missed events' }
}

const weight: Record<Notice['level'], number> = { alarm: 0, warning: 1, info: 2 }

/** Returns notices that are new or whose severity changed, such as an error that was fixed. */
export function newsOf(before: readonly Notice[], next: readonly Notice[]): Notice[] {
  const levels = new Map(before.map(({ id, level }) => [id, level]))
  return next.filter(({ id, level }) => levels.get(id) !== level)
}

/**
 * Selects the notices for every page while a network is selected, the most severe first.
 * @param hasInbox the page has a list of its own of what webhooks missed
 */
export function bannersOf(
  list: readonly Notice[],
  network: NetworkId | undefined,
  hasInbox = false,
): Notice[] {
  return sortNotices(list).filter((notice) => {
    const webhook = webhookOf(notice)
    if (notice.level === 'info' || (hasInbox && webhook !== null)) return false
    return (webhook?.network ?? network) === network
  })
}

/** Sorts by severity, the most severe first, and then newest first. */
export const sortNotices = (list: readonly Notice[]): Notice[] =>
  list.toSorted((a, b) => weight[a.level] - weight[b.level] || b.raisedAt - a.raisedAt)
