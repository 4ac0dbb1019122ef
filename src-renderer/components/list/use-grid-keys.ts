import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'

const pageStep = 15

/** Walks through a list by its indexes; the sheet behind `?` lists the keys from here. */
export function useGridKeys({
  group,
  count,
  cursor,
  onCursor,
  thing = 'row',
}: {
  group: string
  count: number
  cursor: number | null
  onCursor: (index: number | null) => void
  thing?: string
}): void {
  const go = (index: number) => {
    if (count === 0) return
    leaveControl()
    onCursor(Math.max(0, Math.min(count - 1, index)))
  }
  const at = cursor ?? -1
  const key = shortcutsOf(group)
  useShortcuts([
    key(['j', 'ArrowDown'], `Next ${thing}`, () => go(at + 1)),
    key(['k', 'ArrowUp'], `Previous ${thing}`, () => go(at - 1)),
    key(['PageDown'], 'A page down', () => go(at + pageStep)),
    key(['PageUp'], 'A page up', () => go(at - pageStep)),
    key(['Home'], `First ${thing}`, () => go(0)),
    key(['End'], `Last ${thing}`, () => go(count - 1)),
  ])
}

/** Enter is to open the row one has come to, and not to press once more what was pressed before. */
function leaveControl(): void {
  const focused = document.activeElement
  if (focused instanceof HTMLElement && focused.matches('a, button')) focused.blur()
}
