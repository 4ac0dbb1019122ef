import { type Shortcut, printKeys, useShortcutList } from '../../ui/keyboard.ts'
import { classes } from '../../ui/classes.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/layout.tsx'
import { closeOverlay, useOverlay } from './overlays.ts'
import styles from './shortcut-sheet.module.css'

/** Every key that works right now. The page's own come first, what works everywhere last. */
export function ShortcutSheet() {
  const open = useOverlay((state) => state.open === 'shortcuts')
  const held = useShortcutList((state) => state.held)
  const groups = groupShortcuts(held.map(({ shortcut }) => shortcut))
  return (
    <Dialog open={open} onClose={closeOverlay} title="Keys" wide={groups.length > 1}>
      <div className={classes(styles['groups'], groups.length > 1 && styles['columns'])}>
        {groups.map(([name, shortcuts]) => (
          <section key={name} className={styles['group']}>
            <h2 className={styles['title']}>{name}</h2>
            <ul>
              {shortcuts.map((shortcut) => (
                <li key={shortcut.keys.join()} className={styles['row']}>
                  {shortcut.label}
                  <span className={styles['keys']}>
                    {shortcut.keys.map((spec) => (
                      <Kbd key={spec}>{printKeys(spec)}</Kbd>
                    ))}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** A key taken by a later shortcut is shown for that one only. */
function groupShortcuts(list: readonly Shortcut[]): [string, Shortcut[]][] {
  const taken = new Set<string>()
  const groups = new Map<string, Shortcut[]>()
  for (const shortcut of list.toReversed()) {
    const keys = shortcut.keys.filter((key) => !taken.has(key))
    for (const key of keys) taken.add(key)
    if (keys.length === 0) continue
    const group = groups.get(shortcut.group) ?? []
    groups.set(shortcut.group, [{ ...shortcut, keys }, ...group])
  }
  return [...groups]
}
