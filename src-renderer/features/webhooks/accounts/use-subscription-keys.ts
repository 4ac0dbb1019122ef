import type { RefObject } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { friendlyAddress } from '../../../components/friendly-address.ts'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import { navigate } from '../../../app/route.ts'
import { webhooksHome } from '../../../app/webhooks-route.ts'
import { copyAddress, useAddressForm } from '../../../components/address.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { rowAt } from '../../../components/list/windows.ts'
import { accountRoute, addItem } from './account-route.ts'
import { selectTo, toggleRow } from './selecting.ts'
import {
  exportSubscriptions,
  ofWebhook,
  readNow,
  removeAccounts,
  watchAccounts,
} from './subscription-commands.ts'
import { clearSelection, showNews, subscriptions, useSubscriptions } from './subscriptions.ts'

const group = 'Subscribed accounts'
const key = shortcutsOf(group)

/** The keys of the tab; the sheet behind `?` lists them from here. */
export function useSubscriptionKeys({
  webhook,
  account,
  field,
  onCursor,
}: {
  webhook: Webhook
  /** The one that is open; empty for none. */
  account: string
  field: RefObject<HTMLInputElement | null>
  onCursor: (index: number | null) => void
}): void {
  const network = useShownNetwork()
  const state = subscriptions.store()
  const { cursor, selected } = useSubscriptions()
  const count = state.status === 'ready' ? state.total : 0
  const row = state.status === 'ready' && cursor !== null ? rowAt(state, cursor) : null
  const meant = selected.size > 0 ? [...selected] : row === null ? [] : [row.account]
  const of = ofWebhook(webhook)

  const extend = (step: 1 | -1) => {
    if (count === 0) return
    if (cursor !== null && selected.size === 0) toggleRow(cursor)
    const next = Math.max(0, Math.min(count - 1, (cursor ?? -1) + step))
    onCursor(next)
    void selectTo(next)
  }
  const leave = () => {
    if (selected.size > 0) clearSelection()
    else if (account !== '') navigate(accountRoute(webhook))
    else if (cursor !== null) onCursor(null)
    else navigate(webhooksHome)
  }

  useGridKeys({ group, thing: 'account', count, cursor, onCursor })
  useShortcuts([
    key(['Enter'], 'Open the account', () => {
      if (row !== null) navigate(accountRoute(webhook, row.account))
    }),
    key(['x', ' '], 'Select or deselect', () => {
      if (cursor !== null) toggleRow(cursor)
    }),
    key(['J', 'shift+ArrowDown'], 'Select downwards', () => extend(1)),
    key(['K', 'shift+ArrowUp'], 'Select upwards', () => extend(-1)),
    key(['X'], 'Select all from the last selected on', () => {
      if (cursor !== null) void selectTo(cursor)
    }),
    key(['c'], 'Copy the address', () => {
      if (row !== null) void copyAddress(addressText(row.account, network.testOnly))
    }),
    key(['w'], 'Watch, or stop watching', () => {
      if (meant.length > 0) void watchAccounts(of, meant, row?.isWatched !== true)
    }),
    key(['Delete'], 'Remove…', () => void removeAccounts(network, webhook, meant)),
    key(['a'], 'Add accounts', () => navigate(accountRoute(webhook, addItem))),
    key(['e'], 'Export as YAML', () => void exportSubscriptions(webhook, 'yaml')),
    key(['r'], 'Read the accounts now', () => void readNow(of)),
    key(['.'], 'Show the new order', showNews),
    key(['/'], 'Filter the accounts', () => {
      field.current?.focus()
      field.current?.select()
    }),
    key(['Escape'], 'Put away the selection, the account', leave),
  ])
}

/** As it is shown: in the form that was chosen. */
function addressText(account: string, testOnly: boolean): string {
  if (useAddressForm.getState().form === 'raw') return account
  return friendlyAddress(account, { bounceable: true, testOnly }) ?? account
}
