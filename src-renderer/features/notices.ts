import type { Notice } from '../../src-preload/contract/index.ts'
import { attempt } from '../attempt.ts'
import { on, request } from '../bridge.ts'
import { createResource } from '../resource.ts'
import { printRoute } from '../route.ts'
import { announce } from '../ui/live-region.tsx'
import { webhookRoute } from '../webhooks-route.ts'

export const notices = createResource(() => request('notice.list'))

export function startNotices(): () => void {
  return on('notice.changed', ({ notices: next }) => {
    const state = notices.store.getState()
    const known = new Set(state.status === 'ready' ? state.value.map(({ id }) => id) : [])
    for (const notice of next) if (!known.has(notice.id)) announce(notice.title)
    notices.set(next)
  })
}

export async function dismissNotice(id: string): Promise<void> {
  await attempt('Could not put the notice away', () => request('notice.dismiss', { id }))
  void notices.reload()
}

/** Where a notice leads to, with the words for it; null when it stands for itself. */
export function placeOf({ id }: Pick<Notice, 'id'>): { href: string; label: string } | null {
  const [, network, webhook, matter] =
    /^webhook\.(sandbox|testnet|mainnet|custom-[0-9a-f]{8})\.(\d{1,19})\.(.+)/.exec(id) ?? []
  if (network === undefined || webhook === undefined) return null
  const tab = matter === 'missed' ? matter : 'failures'
  const href = printRoute({ ...webhookRoute(webhook, tab), network })
  return { href, label: tab === 'missed' ? 'Show what was missed' : 'Show its failures' }
}

const weight: Record<Notice['level'], number> = { alarm: 0, warning: 1, info: 2 }

/** The gravest first, and of one level the newest first. */
export function sortNotices(list: readonly Notice[]): Notice[] {
  return list.toSorted((a, b) => weight[a.level] - weight[b.level] || b.raisedAt - a.raisedAt)
}
