import { Select as Base } from '@base-ui/react/select'
import { Icon } from './icons.tsx'
import styles from './menu.module.css'

/** One of a few. `label` is its name for those who do not see what stands beside it. */
export function Select<T extends string>({
  label,
  value,
  onChange,
  options,
  id,
}: {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly { value: T; label: string }[]
  id?: string | undefined
}) {
  return (
    <Base.Root
      items={options}
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
      {...(id !== undefined && { id })}
    >
      <Base.Trigger className={styles['selectTrigger']} aria-label={label}>
        <Base.Value />
        <Base.Icon>
          <Icon name="down" size={12} />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className={styles['popup']}>
            <Base.List>
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} className={styles['item']}>
                  <span className={styles['check']}>
                    <Base.ItemIndicator>
                      <Icon name="check" size={13} />
                    </Base.ItemIndicator>
                  </span>
                  <Base.ItemText>{option.label}</Base.ItemText>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
