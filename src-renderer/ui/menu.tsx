import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement } from 'react'
import { classes } from './classes.ts'
import type { IconName } from './icons.tsx'
import { Icon } from './icons.tsx'
import styles from './menu.module.css'

export type MenuItem =
  | {
      label: string
      onSelect: () => void
      icon?: IconName | undefined
      /** A key that does the same: `r`. */
      hint?: string | undefined
      danger?: boolean | undefined
      disabled?: boolean | undefined
    }
  | 'line'

/** `trigger` is a `Button`; arrows, letters and Escape work as in any menu. */
export function Menu({
  trigger,
  items,
  align = 'end',
}: {
  trigger: ReactElement
  items: readonly MenuItem[]
  align?: 'start' | 'end'
}) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align}>
          <Base.Popup className={styles['popup']}>
            {items.map((item, index) =>
              item === 'line' ? (
                <Base.Separator key={index} className={styles['line']} />
              ) : (
                <Base.Item
                  key={item.label}
                  className={classes(styles['item'], item.danger === true && styles['danger'])}
                  disabled={item.disabled ?? false}
                  onClick={item.onSelect}
                >
                  {item.icon !== undefined && <Icon name={item.icon} size={14} />}
                  {item.label}
                  {item.hint !== undefined && <span className={styles['hint']}>{item.hint}</span>}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
