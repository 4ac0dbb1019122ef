import type { RefObject } from 'react'
import type { SubscriptionFilter } from '../../../../src-preload/contract/subscription.ts'
import { type Choice, ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { filterSubscriptions, useSubscriptions } from './subscriptions.ts'
import styles from './accounts.module.css'

type Only = SubscriptionFilter['only']

/** Which accounts are shown. */
export function FilterBar({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const filter = useSubscriptions((state) => state.filter)
  const counts = useSubscriptions((state) => state.standing?.counts)
  const choices: Choice<Only>[] = [
    { value: null, label: 'All', count: counts?.all },
    { value: 'failing', label: 'Failing', count: counts?.failing, tone: 'bad' },
    { value: 'watched', label: 'Watched', count: counts?.watched },
    { value: 'behind', label: 'Behind', count: counts?.behind, tone: 'warn' },
    { value: 'never-delivered', label: 'Never delivered', count: counts?.neverDelivered },
  ]
  return (
    <search className={styles['filter']}>
      <ChoiceChips<Only>
        label="Accounts shown"
        value={filter.only}
        choices={choices}
        onChange={(only) => filterSubscriptions({ only })}
      />
      <SearchField
        ref={field}
        label="Filter the accounts"
        placeholder="type to filter by address or label"
        value={filter.text}
        onSearch={(text) => filterSubscriptions({ text })}
      />
    </search>
  )
}
