import type { CaptureView } from '../../../src-preload/contract/capture-query.ts'
import { navigate } from '../../app/route.ts'
import type { PaletteEntry } from '../../app/frame/palette-entry.ts'
import { useShownView } from './views/views.ts'

type Ready = readonly [id: string, label: string, text: string, words: string]

/** Questions that come up again and again. */
const ready: readonly Ready[] = [
  ['pinned', 'Pinned captures', 'pinned:yes', 'kept marked'],
  ['today', 'Captures of today', 'received:today', 'time day'],
  ['refused', 'Captures answered other than 2xx', '-status:2xx', 'refused failed errors status'],
  ['wrong-token', 'Captures with a wrong or missing token', 'token:wrong,missing', 'bearer'],
  ['duplicates', 'Duplicate deliveries', 'duplicate:yes', 'again twice captures'],
  ['out-of-order', 'Deliveries out of order', 'order:late', 'lt logical time captures'],
  ['unforwarded', 'Captures that could not be forwarded', 'forwarded:failed,dropped', 'target'],
  ['failed-tx', 'Captures of failed transactions', 'success:no', 'exit code'],
  ['invoices-told', 'Captures about invoices', 'invoice:*', 'paid tells'],
  ['unknown-network', 'Captures of an unknown network', 'network:unknown', 'whose'],
]

function show(text: string): void {
  navigate({ page: 'inspector', captureId: null, query: { text } })
}

export const queryEntries: readonly PaletteEntry[] = ready.map(([id, label, text, words]) => ({
  id,
  label,
  icon: id === 'pinned' ? 'pin' : 'search',
  words,
  run: () => show(text),
}))

/** What was saved under a name. */
export function viewEntries(views: readonly CaptureView[]): PaletteEntry[] {
  return views.map(({ id, name, text }) => ({
    id: `capture-view-${id}`,
    label: `View: ${name}`,
    icon: 'search',
    words: `captures saved query ${text.toLowerCase()}`,
    run: () => {
      useShownView.setState({ id })
      show(text)
    },
  }))
}
