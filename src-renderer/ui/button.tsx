import { Menu as Base } from '@base-ui/react/menu'
import { type ComponentPropsWithRef, type ReactNode, type ReactElement, useState } from 'react'
import { classes } from './classes.ts'
import { formatNumber } from './format.ts'
import { type IconName, Icon } from './icons.tsx'
import { Row, Text } from './layout.tsx'
import surface from './surface.module.css'
import styles from './button.module.css'

export type ButtonKind = 'plain' | 'main' | 'danger' | 'dangerMain' | 'quiet' | 'link'

type ButtonProps = ComponentPropsWithRef<'button'> & {
  kind?: ButtonKind
  icon?: IconName
  /** True while the action runs: the button looks disabled but keeps the focus. */
  busy?: boolean | undefined
  children?: ReactNode
}

export function Button({
  kind = 'plain',
  icon,
  busy = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      {...(busy && { 'aria-disabled': true, 'aria-busy': true })}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={classes(
        styles['button'],
        kind !== 'plain' && styles[kind],
        icon !== undefined && children === undefined && styles['iconOnly'],
        className,
      )}
    >
      {icon !== undefined && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

/** A button that is busy until the action it started has ended. */
export function ActionButton({
  action,
  waits = false,
  ...rest
}: Omit<ButtonProps, 'busy' | 'onClick'> & {
  action: () => Promise<unknown>
  /** True if the button is disabled for now and shows activity. */
  waits?: boolean
}) {
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    await action()
    setBusy(false)
  }
  return <Button {...rest} busy={busy || waits} onClick={() => void run()} />
}

/** A button with only an icon; `label` is its name and its tooltip. */
export function IconButton({
  label,
  ...rest
}: Omit<ButtonProps, 'children' | 'icon'> & { label: string; icon: IconName }) {
  return <Button aria-label={label} title={label} kind="quiet" {...rest} />
}

export type MenuItem =
  | {
      label: string
      onSelect: () => void
      icon?: IconName | undefined
      /** The key for the same action, such as `r`. */
      hint?: string | undefined
      danger?: boolean | undefined
      disabled?: boolean | undefined
      /** Set if the button is one of several choices; true for the selected one. */
      checked?: boolean | undefined
      /** Replaces the icon. */
      mark?: ReactNode
    }
  | 'line'

/** An item by its label, its form and what it does. */
export function menuItem(
  label: string,
  form: Omit<Exclude<MenuItem, 'line'>, 'label' | 'onSelect'>,
  run: () => unknown,
): MenuItem {
  return { label, ...form, onSelect: () => void run() }
}

/** `trigger` is a `Button`; arrow keys, letters and Escape work as in any menu. */
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
          <Base.Popup className={classes(surface['raised'], styles['menu'])}>
            {items.map((item, index) =>
              item === 'line' ? (
                <Base.Separator key={index} className={styles['separator']} />
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
    className: classes(
      surface['hover'],
      styles['item'],
      item.danger === true && styles['itemDanger'],
    ),
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

/** A button that filters a list while it is pressed. */
export function Chip({
  pressed,
  large = false,
  title,
  onPress,
  children,
}: {
  pressed: boolean
  /** True for the height of a button beside it. */
  large?: boolean
  title?: string
  onPress: () => void
  children: ReactNode
}) {
  return (
    <button
      type="button"
      className={classes(surface['hover'], styles['chip'], large && styles['large'])}
      aria-pressed={pressed}
      title={title}
      onClick={onPress}
    >
      {children}
    </button>
  )
}

export type Choice<T> = {
  readonly value: T
  readonly label: string
  /** The number after the label, with the tone unless it is 0. */
  readonly count?: number | undefined
  readonly tone?: 'ok' | 'warn' | 'bad' | undefined
}

/** A few choices, all visible, of which one is selected. */
export function Choices<T extends string | null>({
  label,
  value,
  onChange,
  options,
}: {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly Choice<T>[]
}) {
  return (
    <Row wrap gap="s" role="group" aria-label={label}>
      {options.map(({ count, tone, ...option }) => (
        <Chip
          key={option.label}
          large
          pressed={option.value === value}
          onPress={() => onChange(option.value)}
        >
          {option.label}{' '}
          {count !== undefined && (
            <Text strong number tone={count > 0 ? tone : undefined}>
              {formatNumber(count)}
            </Text>
          )}
        </Chip>
      ))}
    </Row>
  )
}
