/** What every page has of the Inspector; the rest is loaded with its page. */
import { registerFeature, type PaletteEntry } from '../../app/features.tsx'
import { navigate } from '../../app/route.ts'
import { presets } from './presets.ts'

function show(text: string): void {
  navigate({ page: 'inspector', captureId: null, query: { text } })
}

async function open(dialog: 'openImport' | 'openClear'): Promise<void> {
  show('')
  const dialogs = await import('./dialogs.ts')
  dialogs[dialog]()
}

async function exportCaptures(): Promise<void> {
  show('')
  const { useDialogs } = await import('./dialogs.ts')
  useDialogs.setState({
    offered: [{ label: 'All captures', subject: { kind: 'query', text: '' } }],
  })
}

registerFeature({
  paletteEntries: [
    ...presets.map(({ id, label, text, words }): PaletteEntry => ({
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
      run: () => void open('openImport'),
    },
    {
      id: 'captures-export',
      label: 'Inspector: Export all captures',
      icon: 'download',
      words: 'har json lines html share pseudonyms exchange',
      run: () => void exportCaptures(),
    },
    {
      id: 'clear',
      label: 'Inspector: Delete all captures',
      icon: 'trash',
      words: 'clear remove empty',
      run: () => void open('openClear'),
    },
  ],
})
