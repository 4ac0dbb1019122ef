import { Tabs as Base } from '@base-ui/react/tabs'
import { type ReactNode, useRef } from 'react'
import { useShortcuts } from './keyboard.ts'
import styles from './tabs.module.css'

type TabItem<T extends string> = {
  value: T
  label: string
  count?: number | string | undefined
  /** Mounted only while its tab is selected. */
  panel: ReactNode
}

export function Tabs<T extends string>({
  label,
  value,
  onChange,
  tabs,
  group,
}: {
  /** The subject of the tabs, such as "Capture". */
  label: string
  value: T
  onChange: (value: T) => void
  tabs: readonly TabItem<T>[]
  /**
   * The heading of their keys in the list of shortcuts: digits select a tab, the right arrow key
   * moves the focus there.
   */
  group?: string
}) {
  const list = useRef<HTMLDivElement>(null)
  useShortcuts(
    group === undefined
      ? []
      : [
          {
            keys: tabs.map((_, index) => String(index + 1)),
            label: 'Switch to a tab',
            group,
            run: ({ key }) => {
              const tab = tabs[Number(key) - 1]
              if (tab !== undefined) onChange(tab.value)
            },
          },
          {
            keys: ['ArrowRight'],
            label: 'Move the focus to the tabs',
            group,
            run: () => list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus(),
          },
        ],
  )
  return (
    <Base.Root className={styles['root']} value={value} onValueChange={(next: T) => onChange(next)}>
      <Base.List ref={list} className={styles['list']} aria-label={label} activateOnFocus>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className={styles['tab']}>
            {tab.label}
            {tab.count !== undefined && <span className={styles['count']}>{tab.count}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className={styles['panel']}>
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
