/** The parts of the Inspector that exist on every page. The rest is loaded with the page itself. */
import { captureExtensions } from '../../../src-preload/domain/opened-files.ts'
import { lazyPart, openDialog, paletteEntry, registerFeature } from '../../app/features.tsx'
import { navigate } from '../../app/route.ts'
import { allCaptures, queryPresets } from './presets.ts'

registerFeature({
  files: {
    extensions: captureExtensions,
    open: (file) => openDialog('importCaptures', file),
  },
  dialogs: {
    exportCaptures: lazyPart(async () => (await import('./export-dialog.tsx')).ExportDialog),
    importCaptures: lazyPart(async () => (await import('./import-dialog.tsx')).ImportDialog),
    clearCaptures: lazyPart(async () => (await import('./captures-page.tsx')).ClearDialog),
  },
  paletteEntries: [
    ...queryPresets.map(({ id, label, text, words }) =>
      paletteEntry(id, label, id === 'pinned' ? 'pin' : 'search', words, () =>
        navigate({ page: 'captures', captureId: null, query: { text } }),
      ),
    ),
    paletteEntry(
      'captures-import',
      'Inspector: Import captures',
      'upload',
      'har json lines file exchange',
      () => openDialog('importCaptures', null),
    ),
    paletteEntry(
      'captures-export',
      'Inspector: Export all captures',
      'download',
      'har json lines html share pseudonyms exchange',
      () => openDialog('exportCaptures', [allCaptures]),
    ),
    paletteEntry('clear', 'Inspector: Delete all captures', 'trash', 'clear remove empty', () =>
      openDialog('clearCaptures', null),
    ),
  ],
})
