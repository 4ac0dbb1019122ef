import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { classes } from './classes.ts'
import { type IconName, Icon } from './icons.tsx'
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
      /** It is one of several to choose from, and whether it is the one. */
      checked?: boolean | undefined
      /** Stands where an icon would. */
      mark?: ReactNode
    }
  | 'line'

/** `trigger` is a `Button`; arrows, letters and Escape work as in any menu. */
export function Menu({
  trigger,
  items,
  align = 'end',
  onOpen,
}: {
  trigger: ReactElement
  items: readonly MenuItem[]
  align?: 'start' | 'end'
  onOpen?: () => void
}) {
  return (
    <Base.Root onOpenChange={(isOpen) => isOpen && onOpen?.()}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align}>
          <Base.Popup className={styles['popup']}>
            {items.map((item, index) =>
              item === 'line' ? (
                <Base.Separator key={index} className={styles['line']} />
              ) : (
                <Item key={item.label} item={item} />
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Item({ item }: { item: Exclude<MenuItem, 'line'> }) {
  const shared = {
    className: classes(styles['item'], item.danger === true && styles['danger']),
    disabled: item.disabled ?? false,
  }
  const content = (
    <>
      {item.icon !== undefined && <Icon name={item.icon} size={14} />}
      {item.mark}
      {item.label}
      {item.hint !== undefined && <span className={styles['hint']}>{item.hint}</span>}
    </>
  )
  if (item.checked === undefined) {
    return (
      <Base.Item {...shared} onClick={item.onSelect}>
        {content}
      </Base.Item>
    )
  }
  return (
    <Base.CheckboxItem
      {...shared}
      checked={item.checked}
      onCheckedChange={item.onSelect}
      closeOnClick
    >
      <span className={styles['check']}>{item.checked && <Icon name="check" size={13} />}</span>
      {content}
    </Base.CheckboxItem>
  )
}
