import type { RefObject } from 'react'
import type { AccountStatus } from '../../../../src-preload/contract/chain.ts'
import type { LookupJob, RowFilter } from '../../../../src-preload/contract/lookup.ts'
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { Select } from '../../../ui/select.tsx'
import { type Choice, ChoiceChips } from '../../list/choice-chips.tsx'
import { countAll } from '../../address-list/line-words.ts'
import { countDone } from '../job-words.ts'
import { SearchField } from '../../list/search-field.tsx'
import { everyRow, isEveryRow } from './row-order.ts'
import { filterRows, useRows } from './rows.ts'
import styles from './job.module.css'

const statuses = [
  { value: 'any', label: 'Any status' },
  { value: 'active', label: 'active' },
  { value: 'uninit', label: 'uninit' },
  { value: 'nonexist', label: 'nonexist' },
  { value: 'frozen', label: 'frozen' },
] as const

/** Which rows are shown. */
export function FilterBar({
  job,
  field,
}: {
  job: LookupJob
  field: RefObject<HTMLInputElement | null>
}) {
  const filter = useRows((state) => state.filter)
  return (
    <search className={styles['filter']}>
      <ChoiceChips<RowFilter['state']>
        label="Rows shown"
        value={filter.state}
        choices={statesOf(job)}
        onChange={(state) => filterRows({ state })}
      />
      <Select<AccountStatus | 'any'>
        label="Account status"
        value={filter.status ?? 'any'}
        options={statuses}
        onChange={(status) => filterRows({ status: status === 'any' ? null : status })}
      />
      {job.comparedTo !== null && (
        <Chip
          large
          title="Only accounts that have changed since the lookup before"
          pressed={filter.onlyChanged}
          onPress={() => filterRows({ onlyChanged: !filter.onlyChanged })}
        >
          Changed
        </Chip>
      )}
      <Chip
        large
        title="Only scams, suspended accounts and those that need a comment"
        pressed={filter.onlyFlagged}
        onPress={() => filterRows({ onlyFlagged: !filter.onlyFlagged })}
      >
        Flagged
      </Chip>
      <SearchField
        ref={field}
        label="Search the rows"
        placeholder="type to search addresses and names"
        value={filter.text}
        onSearch={(text) => filterRows({ text })}
      />
      {!isEveryRow(filter) && (
        <Button kind="quiet" onClick={() => filterRows(everyRow)}>
          Show all
        </Button>
      )}
    </search>
  )
}

/** States without a row are left out: most lists have only some of them. */
function statesOf(job: LookupJob): Choice<RowFilter['state']>[] {
  const { counts, answered, failed } = job
  const choices: Choice<RowFilter['state']>[] = [
    { value: 'answered', label: 'Answered', count: answered },
    { value: 'waiting', label: 'Waiting', count: counts.valid - countDone(job) },
    { value: 'failed', label: 'Failed', count: failed, tone: 'bad' },
    { value: 'duplicate', label: 'Duplicate', count: counts.duplicate },
    { value: 'wrong-network', label: 'Wrong network', count: counts.wrongNetwork, tone: 'warn' },
    { value: 'invalid', label: 'Invalid', count: counts.invalid, tone: 'bad' },
  ]
  return [
    { value: null, label: 'All', count: countAll(counts) },
    ...choices.filter(({ count = 0 }) => count > 0),
  ]
}
