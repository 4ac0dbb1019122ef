/** The parts of the Inspector that exist on every page. The rest is loaded with the page itself. */
import { lazy } from 'react'
import { captureExtensions } from '../../../src-preload/domain/opened-files.ts'
import { openDialog, registerFeature, type PaletteEntry } from '../../app/features.tsx'
import { navigate } from '../../app/route.ts'
import { allCaptures, queryPresets } from './presets.ts'

function show(text: string): void {
  navigate({ page: 'captures', captureId: null, query: { text } })
}

const ExportDialog = lazy(async () => ({
  default: (await import('./export-dialog.tsx')).ExportDialog,
}))
const ImportDialog = lazy(async () => ({
  default: (await import('./import-dialog.tsx')).ImportDialog,
}))
const ClearDialog = lazy(async () => ({
  default: (await import('./captures-page.tsx')).ClearDialog,
}))

registerFeature({
  files: {
    extensions: captureExtensions,
    open: (file) => openDialog('importCaptures', file),
  },
  dialogs: {
    exportCaptures: ExportDialog,
    importCaptures: ImportDialog,
    clearCaptures: ClearDialog,
  },
  paletteEntries: [
    ...queryPresets.map(({ id, label, text, words }): PaletteEntry => ({
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
      run: () => openDialog('importCaptures', null),
    },
    {
      id: 'captures-export',
      label: 'Inspector: Export all captures',
      icon: 'download',
      words: 'har json lines html share pseudonyms exchange',
      run: () => openDialog('exportCaptures', [allCaptures]),
    },
    {
      id: 'clear',
      label: 'Inspector: Delete all captures',
      icon: 'trash',
      words: 'clear remove empty',
      run: () => openDialog('clearCaptures', null),
    },
  ],
})
