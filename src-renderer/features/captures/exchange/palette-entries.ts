import { emptyQuery, navigate } from '../../../app/route.ts'
import type { PaletteEntry } from '../../../app/frame/palette-entry.ts'
import { openExport } from './export-dialog-state.ts'
import { openImport } from './imports.ts'

const inspector = () => navigate({ page: 'inspector', captureId: null, query: emptyQuery })

export const exchangeEntries: readonly PaletteEntry[] = [
  {
    id: 'captures-import',
    label: 'Inspector: Import captures',
    icon: 'upload',
    words: 'har json lines file exchange',
    run: () => {
      inspector()
      openImport()
    },
  },
  {
    id: 'captures-export',
    label: 'Inspector: Export all captures',
    icon: 'download',
    words: 'har json lines html share pseudonyms exchange',
    run: () => {
      inspector()
      openExport([{ label: 'All captures', subject: { kind: 'query', text: '' } }])
    },
  },
]
