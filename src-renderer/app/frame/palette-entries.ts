import { openInvoiceExport, openNewInvoice } from '../invoice-dialogs.ts'
import { invoicesOf } from '../invoices-route.ts'
import { parseLink } from '../../../src-preload/domain/links.ts'
import type { CaptureView } from '../../../src-preload/contract/capture-query.ts'
import type { NetworksState } from '../../../src-preload/contract/network.ts'
import type { ReceiverState } from '../../../src-preload/contract/receiver.ts'
import { attempt, request } from '../bridge.ts'
import { explorerHome } from '../chain-route.ts'
import { navigate, parseRoute, routeHref, useRoute } from '../route.ts'
import { newWindowLabel, openInNewWindow, printPage } from '../host-window.ts'
import { copyText, showToast } from '../../ui/toast.tsx'
import { paletteEntry, registeredEntries, settingsTopics, type PaletteEntry } from '../features.tsx'
import { selectNetwork } from '../networks.ts'
import { rotateReceiverToken, startReceiver, stopReceiver } from '../receiver-state.ts'
import { chooseTheme, themes } from '../theme.ts'
import { linkToRoute } from './page-link.ts'
import { openShortcutSheet } from './overlays.ts'
import { pages } from './pages.ts'

/** Lists every command that can be run at present. */
export function listEntries(
  receiver: ReceiverState | null,
  networks: NetworksState | null,
  views: readonly CaptureView[] = [],
): PaletteEntry[] {
  return [
    ...pages.map(({ keys: [keys], name, icon, words, route }): PaletteEntry => ({
      id: route.page,
      label: name,
      icon,
      words,
      keys,
      run: () => navigate(route),
    })),
    ...viewsOfPages,
    ...actionsOfPages,
    ...settingsEntries(),
    ...registeredEntries(),
    ...viewEntries(views),
    ...networkEntries(networks),
    ...receiverEntries(receiver),
    ...linkEntries(networks?.current ?? null),
    ...themeEntries,
    // The label depends on the host, which is known only after the page has loaded.
    paletteEntry(
      'new-window',
      `${newWindowLabel()}: this page`,
      'window',
      'second another detach',
      openInNewWindow,
    ),
    ...others,
  ]
}

/** Saved queries of the Inspector. */
const viewEntries = (views: readonly CaptureView[]): PaletteEntry[] =>
  views.map(({ id, name, text }) =>
    paletteEntry(
      `capture-view-${id}`,
      `Inspector view: ${name}`,
      'search',
      `captures saved query ${text.toLowerCase()}`,
      () => navigate({ page: 'captures', captureId: null, query: { text } }),
    ),
  )

/** The views of the pages; the first view of each is the page itself. */
const viewsOfPages: readonly PaletteEntry[] = pages.flatMap(({ name, icon, views = [] }) =>
  views
    .slice(1)
    .map(({ label, words, route }) =>
      paletteEntry(`view-${routeHref(route)}`, `${name}: ${label}`, icon, words, () =>
        navigate(route),
      ),
    ),
)

const actionsOfPages: readonly PaletteEntry[] = [
  paletteEntry(
    'send-signed',
    'Explorer: Send a signed message',
    'send',
    'boc external emulate broadcast',
    () => navigate({ ...explorerHome, view: 'build', isSigned: true }),
  ),
  paletteEntry(
    'new-invoice',
    'Invoices: New invoice',
    'plus',
    'create issue payment link qr',
    openNewInvoice,
  ),
  paletteEntry('invoices-pending', 'Invoices: Pending', 'invoices', 'open waiting unpaid', () =>
    navigate(invoicesOf({ statuses: ['pending'] })),
  ),
  paletteEntry(
    'invoices-export',
    'Invoices: Export…',
    'download',
    'csv excel xlsx pdf json statement save',
    openInvoiceExport,
  ),
]

const settingsEntries = (): PaletteEntry[] =>
  settingsTopics().map(({ id, title, words }) => ({
    id: `settings-${id}`,
    label: `Settings: ${title}`,
    icon: 'settings',
    ...(words !== undefined && { words }),
    run: () => navigate({ page: 'settings', section: id }),
  }))

function linkEntries(network: string | null): PaletteEntry[] {
  const link = linkToRoute(useRoute.getState().route, network)
  if (link === null) return []
  return [
    paletteEntry(
      'copy-link',
      'Copy the link to this page',
      'copy',
      'tondesk url share object',
      () => copyWithToast(link, 'Link'),
    ),
  ]
}

/** Lists commands that select the other networks. */
function networkEntries(state: NetworksState | null): PaletteEntry[] {
  if (state === null) return []
  return state.networks
    .filter(({ id }) => id !== state.current)
    .map(({ id, name }) =>
      paletteEntry(
        `network-${id}`,
        `Switch to network: ${name}`,
        'right',
        'switch change chain',
        () => selectNetwork(id),
      ),
    )
}

function receiverEntries(state: ReceiverState | null): PaletteEntry[] {
  if (state === null) return []
  const { url } = state
  const running: PaletteEntry =
    state.status === 'listening'
      ? { id: 'stop', label: 'Stop the receiver', icon: 'stop', run: () => void stopReceiver() }
      : { id: 'start', label: 'Start the receiver', icon: 'play', run: () => void startReceiver() }
  const rotate = paletteEntry(
    'rotate',
    'Rotate the receiver token…',
    'key',
    'new url',
    rotateReceiverToken,
  )
  if (url === null) return [running, rotate]
  const copy = paletteEntry('copy-url', 'Copy the receiver URL', 'copy', 'address endpoint', () =>
    copyWithToast(url, 'Receiver URL'),
  )
  return [copy, running, rotate]
}

async function copyWithToast(text: string, what: string): Promise<void> {
  if (await copyText(text, what)) showToast({ title: `${what} copied` })
}

const themeEntries = themes.map(({ value, label }) =>
  paletteEntry(
    `theme-${value}`,
    `Theme: ${label.toLowerCase()}`,
    'theme',
    'appearance colours dark light',
    () => chooseTheme(value),
  ),
)

const others: PaletteEntry[] = [
  paletteEntry('backup', 'Create a backup', 'download', 'save copy export', createBackup),
  {
    id: 'print',
    label: 'Print this page',
    icon: 'print',
    words: 'paper pdf',
    keys: 'mod+p',
    run: () => void printPage(),
  },
  {
    id: 'keys',
    label: 'Show keyboard shortcuts',
    icon: 'keyboard',
    words: 'shortcuts help',
    keys: '?',
    run: openShortcutSheet,
  },
]

async function createBackup(): Promise<void> {
  const made = await attempt('Could not create a backup', () => request('backup.create'))
  if (made === undefined) return
  showToast({
    title: 'Backup created',
    detail: made.name,
    action: { label: 'Show', run: () => navigate({ page: 'settings', section: 'data' }) },
  })
}

/** The entry that searches is last, or first if no other entry matches. */
export function filterEntries(
  entries: readonly PaletteEntry[],
  typed: string,
): readonly PaletteEntry[] {
  const text = typed.trim()
  if (text === '') return entries
  const linked = parseLink(text)
  if (linked !== null) return [linkEntry(linked)]
  const words = text.toLowerCase().split(/\s+/)
  const matches = entries
    .map((entry) => ({ entry, rank: rankEntry(entry, words) }))
    .filter(({ rank }) => rank !== null)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
  return [...matches.map(({ entry }) => entry), searchEntry(text)]
}

/**
 * Returns 0 if the label begins with the text, 1 if one of its words does, 2 if the label or its
 * other words contain it, and null otherwise.
 */
function rankEntry(entry: PaletteEntry, words: readonly string[]): number | null {
  const label = entry.label.toLowerCase()
  const all = `${label} ${entry.words ?? ''}`
  if (!words.every((word) => all.includes(word))) return null
  if (label.startsWith(words.join(' '))) return 0
  const parts = label.split(/[^\p{L}\p{N}]+/u)
  return words.every((word) => parts.some((part) => part.startsWith(word))) ? 1 : 2
}

/** Returns the entry for a pasted `tondesk://` link. */
function linkEntry(hash: string): PaletteEntry {
  return {
    id: 'open-link',
    label: 'Open the page of this link',
    icon: 'right',
    run: () => navigate(parseRoute(hash)),
  }
}

const searchEntry = (text: string): PaletteEntry => ({
  id: 'search',
  label: `Search captures for “${text}”`,
  icon: 'search',
  run: () => navigate({ page: 'captures', captureId: null, query: { text } }),
})
