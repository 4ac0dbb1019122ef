import { type MouseEvent, useEffect } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { type Column, useRowsInSight, VirtualGrid } from '../../../ui/virtual-grid.tsx'
import { directionOf, nextSort } from '../../../components/list/sort.ts'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { type SortKey, largeFirst, usualOrder } from './arrange.ts'
import { useListChoice } from './list-state.ts'
import { rowElementId, WebhookRow } from './webhook-row.tsx'
import styles from './list.module.css'

const columns: readonly {
  readonly name: string
  readonly by: SortKey | null
  readonly end?: boolean
  /** In which of its widths the list has room for it; always when there is none. */
  readonly room?: 'wide' | 'middle'
}[] = [
  { name: 'Status', by: 'status' },
  { name: 'Endpoint', by: 'endpoint' },
  { name: 'Accounts', by: 'accounts', end: true, room: 'middle' },
  { name: 'Opcodes', by: 'opcodes', end: true, room: 'middle' },
  { name: 'Mempool', by: null, room: 'wide' },
  { name: 'New contracts', by: null, room: 'wide' },
  { name: 'Failed attempts', by: 'failedAttempts', end: true, room: 'wide' },
  { name: 'Failing', by: 'failing', end: true },
  { name: 'Last online', by: 'lastOnlineAt', room: 'wide' },
]

/** Opens one; the tab one is on stays. */
function open({ id, network }: Webhook, replace: boolean): void {
  const { route } = useRoute.getState()
  const tab = route.page === 'webhooks' && route.view === 'webhook' ? route.tab : 'overview'
  navigate({ ...webhookRoute(id, tab), network }, { replace })
}

const gridId = 'webhooks'

/** For when what had the focus is gone: the keys of the list work from here. */
export function focusList(): void {
  // The list may have to be drawn first.
  requestAnimationFrame(() => document.getElementById(gridId)?.focus())
}

export function WebhookGrid({
  webhooks,
  openId,
}: {
  webhooks: readonly Webhook[]
  openId: string | null
}) {
  const { cursor, order } = useListChoice()
  const at = webhooks.findIndex(({ id }) => id === (cursor ?? openId))
  const inSight = useRowsInSight(webhooks.length)
  const { virtual } = inSight
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [at, virtual])

  const put = (index: number | null) => {
    const webhook = index === null ? undefined : webhooks[index]
    useListChoice.setState({ cursor: webhook?.id ?? null })
    // Or Enter would press the heading or the chip that was pressed last.
    document.getElementById(gridId)?.focus({ preventScroll: true })
    // Beside an open one, what is walked to is shown at once.
    if (webhook !== undefined && openId !== null) open(webhook, true)
  }
  useGridKeys({
    group: 'Webhooks',
    thing: 'webhook',
    count: webhooks.length,
    cursor: at === -1 ? null : at,
    onCursor: put,
  })
  useShortcuts([
    {
      keys: ['Enter'],
      label: 'Open the webhook',
      group: 'Webhooks',
      run: () => {
        const webhook = webhooks[at]
        if (webhook !== undefined) open(webhook, false)
      },
    },
  ])

  const click = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest('[data-webhook]') : null
    const webhook = webhooks.find(({ id }) => id === row?.getAttribute('data-webhook'))
    if (webhook === undefined) return
    useListChoice.setState({ cursor: webhook.id })
    open(webhook, false)
  }

  const shown = webhooks[at]
  return (
    <VirtualGrid
      inSight={inSight}
      id={gridId}
      aria-label="Webhooks"
      rowCount={webhooks.length}
      columns={columns.map(({ name, by, end, room }): Column => ({
        name,
        end,
        className: room === undefined ? undefined : styles[room],
        sort:
          by === null
            ? undefined
            : {
                direction: directionOf(order, by),
                onSort: () =>
                  useListChoice.setState({
                    order: nextSort(order, by, { usual: usualOrder, largeFirst }),
                  }),
              },
      }))}
      aria-activedescendant={shown === undefined ? undefined : rowElementId(shown.id)}
      className={styles['grid']}
      onClick={click}
      row={(index, top) => {
        const webhook = webhooks[index]
        return (
          webhook !== undefined && (
            <WebhookRow
              key={webhook.id}
              webhook={webhook}
              index={index}
              top={top}
              isOpen={webhook.id === openId}
              hasCursor={webhook.id === cursor}
            />
          )
        )
      }}
    />
  )
}
