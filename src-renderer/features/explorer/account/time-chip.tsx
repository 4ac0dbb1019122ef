import { useState } from 'react'
import type { HistoryFilter } from '../../../../src-preload/contract/chain.ts'
import { formatDay, fromMs } from '../../../ui/format.ts'
import { useNow } from '../../../ui/moment.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { FilterForm, FormChip } from './filter-chip.tsx'
import { printDay, readDay } from './history-words.ts'

export function TimeChip({
  filter: { from, to },
  onChange,
}: {
  filter: HistoryFilter
  onChange: (part: Pick<HistoryFilter, 'from' | 'to'>) => void
}) {
  const now = useNow()
  const day = (at: number) => formatDay(fromMs(at), now)
  const label =
    from !== null && to !== null
      ? `${day(from)} – ${day(to)}`
      : from !== null
        ? `since ${day(from)}`
        : to !== null
          ? `until ${day(to)}`
          : 'time'
  return (
    <FormChip label={label} isOn={from !== null || to !== null} title="Time">
      {(close) => (
        <TimeForm
          from={from}
          to={to}
          onDone={(part) => {
            close()
            onChange(part)
          }}
        />
      )}
    </FormChip>
  )
}

function TimeForm({
  from,
  to,
  onDone,
}: Pick<HistoryFilter, 'from' | 'to'> & {
  onDone: (part: Pick<HistoryFilter, 'from' | 'to'>) => void
}) {
  const [first, setFirst] = useState(printDay(from))
  const [last, setLast] = useState(printDay(to))
  const isWrong = first !== '' && last !== '' && first > last
  return (
    <FilterForm
      onApply={() => {
        if (!isWrong) onDone({ from: readDay(first, 'begin'), to: readDay(last, 'end') })
      }}
      clear={
        from === null && to === null
          ? null
          : { label: 'Any time', run: () => onDone({ from: null, to: null }) }
      }
    >
      <TextField label="From" type="date" value={first} onChange={setFirst} />
      <TextField
        label="Through"
        type="date"
        value={last}
        onChange={setLast}
        error={isWrong ? 'It ends before it begins.' : undefined}
      />
    </FilterForm>
  )
}
