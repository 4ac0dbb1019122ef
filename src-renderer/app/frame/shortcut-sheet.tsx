import { type Shortcut, formatKeys, useShortcutList } from '../../ui/keyboard.ts'
import { classes } from '../../ui/classes.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd, Row, Text } from '../../ui/layout.tsx'
import styles from './frame.module.css'
import { closeOverlay, useOverlay } from './overlays.ts'

/** Every key that works right now. The page's own come first, what works everywhere last. */
export function ShortcutSheet() {
  const open = useOverlay((state) => state.open === 'shortcuts')
  const locked = useShortcutList((state) => state.held)
  const groups = groupShortcuts(locked.map(({ shortcut }) => shortcut))
  return (
    <Dialog open={open} onClose={closeOverlay} title="Keyboard shortcuts" wide={groups.length > 1}>
      <div className={classes(groups.length > 1 && styles['shortcutColumns'])}>
        {groups.map(([name, shortcuts]) => (
          <section key={name} className={styles['shortcuts']}>
            <h2>{name}</h2>
            <ul>
              {shortcuts.map((shortcut) => (
                <Row as="li" justify="between" gap="l" key={shortcut.keys.join()}>
                  <Text size="s">{shortcut.label}</Text>
                  <Row as="span" gap="xs">
                    {shortcut.keys.map((spec) => (
                      <Kbd key={spec}>{formatKeys(spec)}</Kbd>
                    ))}
                  </Row>
                </Row>
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
