import type { Notice } from '../../src-preload/contract/app.ts'
import { attempt, request, reload, watch } from './bridge.ts'
import { printRoute } from './route.ts'
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

/** Whose webhook a notice is about, and what of it; null when it is of none. */
function ofWebhook({ id }: Pick<Notice, 'id'>) {
  const [, about, network, webhook, matter] =
    /^(webhook\.(sandbox|testnet|mainnet|custom-[0-9a-f]{8})\.(\d{1,19}))\.(.+)/.exec(id) ?? []
  if (about === undefined || network === undefined || webhook === undefined) return null
  return { about, network, webhook, matter }
}

/** Where a notice leads to, with the words for it; null when it stands for itself. */
export function placeOf({ id }: Pick<Notice, 'id'>): { href: string; label: string } | null {
  const found = ofWebhook({ id })
  if (found === null) return null
  const { network, webhook, matter } = found
  const tab = matter === 'missed' ? matter : 'failures'
  const href = printRoute(webhookRoute({ id: webhook, network }, tab))
  return { href, label: tab === 'missed' ? 'Show missed events' : 'Show failures' }
}

const weight: Record<Notice['level'], number> = { alarm: 0, warning: 1, info: 2 }

/** What was not there before, or is of another gravity now: what was bad is well again. */
export function newsOf(before: readonly Notice[], next: readonly Notice[]): Notice[] {
  const levels = new Map(before.map(({ id, level }) => [id, level]))
  return next.filter(({ id, level }) => levels.get(id) !== level)
}

/** Those to be shown on every page: the gravest of each webhook, for it brings the others about. */
export function bannersOf(list: readonly Notice[]): Notice[] {
  const seen = new Set<string>()
  return sortNotices(list).filter((notice) => {
    if (notice.level === 'info') return false
    const about = ofWebhook(notice)?.about ?? notice.id
    if (seen.has(about)) return false
    seen.add(about)
    return true
  })
}

/** The gravest first, and of one level the newest first. */
export function sortNotices(list: readonly Notice[]): Notice[] {
  return list.toSorted((a, b) => weight[a.level] - weight[b.level] || b.raisedAt - a.raisedAt)
}
