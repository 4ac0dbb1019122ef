/** What every page has of the Inspector; the rest is loaded with its page. */
import { registerFeature } from '../../app/features.tsx'
import type { PaletteEntry } from '../../app/frame/palette-entry.ts'
import { navigate } from '../../app/route.ts'

function show(text: string): void {
  navigate({ page: 'inspector', captureId: null, query: { text } })
}

const queries: readonly (readonly [id: string, label: string, text: string, words: string])[] = [
  ['pinned', 'Pinned captures', 'pinned:yes', 'kept marked'],
  ['today', 'Captures of today', 'received:today', 'time day'],
  ['refused', 'Captures with a response other than 2xx', '-status:2xx', 'refused failed errors'],
  ['wrong-token', 'Captures with a wrong or missing token', 'token:wrong,missing', 'bearer'],
  ['duplicates', 'Duplicate deliveries', 'duplicate:yes', 'again twice captures'],
  ['out-of-order', 'Deliveries out of order', 'order:late', 'lt logical time captures'],
  ['unforwarded', 'Captures not forwarded', 'forwarded:failed,dropped', 'target'],
  ['failed-tx', 'Captures of failed transactions', 'success:no', 'exit code'],
  ['invoices-told', 'Captures about invoices', 'invoice:*', 'paid'],
  ['unknown-network', 'Captures of an unknown network', 'network:unknown', 'whose'],
]

async function importCaptures(): Promise<void> {
  show('')
  const { openImport } = await import('./import-dialog.tsx')
  openImport()
}

async function exportCaptures(): Promise<void> {
  show('')
  const { openExport } = await import('./export-dialog.tsx')
  openExport([{ label: 'All captures', subject: { kind: 'query', text: '' } }])
}

registerFeature({
  paletteEntries: [
    ...queries.map(([id, label, text, words]): PaletteEntry => ({
      id,
      label,
      icon: id === 'pinned' ? 'pin' : 'search',
      words,
      run: () => show(text),
    })),
    {
      id: 'captures-import',
      label: 'Inspector: Import captures',
      icon: 'upload',
      words: 'har json lines file exchange',
      run: () => void importCaptures(),
    },
    {
      id: 'captures-export',
      label: 'Inspector: Export all captures',
      icon: 'download',
      words: 'har json lines html share pseudonyms exchange',
      run: () => void exportCaptures(),
    },
  ],
})
