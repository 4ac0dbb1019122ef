import type { RefObject } from 'react'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { type Only, matches } from './arrange.ts'
import { useListChoice } from './list-state.ts'
import styles from './list.module.css'

const choices = [
  { value: null, label: 'All' },
  { value: 'online', label: 'Online', tone: 'ok' },
  { value: 'offline', label: 'Offline', tone: 'bad' },
  { value: 'suspended', label: 'Suspended', tone: 'warn' },
  { value: 'failing', label: 'Failing', tone: 'bad' },
] as const

export function FilterBar({
  webhooks,
  field,
}: {
  webhooks: readonly Webhook[]
  field: RefObject<HTMLInputElement | null>
}) {
  const { text, only } = useListChoice()
  useShortcuts([
    {
      keys: ['/'],
      label: 'Filter the webhooks',
      group: 'Webhooks',
      run: () => {
        field.current?.focus()
        field.current?.select()
      },
    },
  ])
  const count = (value: Only) => webhooks.filter((webhook) => matches(webhook, value)).length
  return (
    <div className={styles['filter']}>
      <search className={styles['search']}>
        <SearchField
          ref={field}
          label="Filter the webhooks"
          placeholder="type to filter by endpoint or id"
          value={text}
          onSearch={(next) => useListChoice.setState({ text: next })}
        />
      </search>
      <ChoiceChips<Only>
        label="Webhooks shown"
        value={only}
        onChange={(next) => useListChoice.setState({ only: next })}
        choices={choices
          .map((choice) => ({ ...choice, count: count(choice.value) }))
          // What there is none of is no choice, unless it is the one that was made.
          .filter(({ value, count: some }) => value === null || some > 0 || value === only)}
      />
    </div>
  )
}
