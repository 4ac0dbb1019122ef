import type { RefObject } from 'react'
import type { Shell } from '../../../src-preload/contract/capture.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { openReplay } from '../../components/delivery/replays.tsx'
import {
  copyCurl,
  deleteCaptures,
  escape,
  move,
  openCursor,
  showNew,
  toggleMarkAtCursor,
  togglePin,
} from './inspector-commands.ts'
import { histogramId } from './histogram/histogram-bars.tsx'
import { choices } from './inspector.ts'
import type { QueryFieldHandle } from '../../components/query/query-field.tsx'
import { viewsId } from './views/views-menu.tsx'

const group = 'Inspector'
const pageStep = 15
const key = shortcutsOf(group)

/** The keys of the page; the sheet behind `?` lists them from here. */
export function useInspectorKeys(
  field: RefObject<QueryFieldHandle | null>,
  shell: Shell,
  editNote: () => void,
): void {
  useShortcuts([
    key(['j', 'ArrowDown'], 'Next capture', () => move((index) => index + 1)),
    key(['k', 'ArrowUp'], 'Previous capture', () => move((index) => Math.max(0, index - 1))),
    key(['PageDown'], 'A page down', () => move((index) => index + pageStep)),
    key(['PageUp'], 'A page up', () => move((index) => Math.max(0, index - pageStep))),
    key(['Home'], 'First capture', () => move(() => 0)),
    key(['End'], 'Last capture that is loaded', () => move((_, count) => count - 1)),
    key(['Enter'], 'Open the capture', openCursor),
    key(['Escape'], 'Put away the selection, the detail', escape),
    key(['/'], 'Write a query', () => field.current?.focus()),
    key(['v'], 'Saved views', () => document.getElementById(viewsId)?.click()),
    key(['h'], 'Choose a time: arrows, Shift to mark, Enter', () =>
      document.getElementById(histogramId)?.focus(),
    ),
    key(['.'], 'Show what is new', showNew),
    key(['x', ' '], 'Select or deselect', toggleMarkAtCursor),
    key(['p'], 'Pin or unpin', () => void togglePin()),
    key(['n'], 'Write a note', editNote),
    key(['c'], 'Copy as curl', () => {
      const id = choices.meant()[0]
      if (id !== undefined) void copyCurl(id, shell, false)
    }),
    key(['r'], 'Replay', () => openReplay({ kind: 'captures', ids: choices.meant() })),
    key(['R'], 'Edit and replay', () => {
      const ids = choices.meant().slice(0, 1)
      openReplay({ kind: 'captures', ids }, { edited: true })
    }),
    key(['Delete'], 'Delete', () => void deleteCaptures()),
  ])
}
