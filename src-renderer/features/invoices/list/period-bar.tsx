import { useEffect, useState } from 'react'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useNow } from '../../../ui/moment.tsx'
import { FilterForm, FormChip } from '../../../ui/form-chip.tsx'
import { formatDateField, parseDateField } from '../../../ui/format.ts'
import { useClockOffset } from '../gateway-clock.ts'
import {
  chooseDays,
  choosePeriod,
  choosePeriodCurrencies,
  periodPresets,
  printPeriod,
  renewPeriod,
  usePeriod,
} from '../period.ts'
import { SyncState } from './sync-state.tsx'
import chip from '../../../ui/chip.module.css'
import { classes } from '../../../ui/classes.ts'
import styles from './list.module.css'

/** What figures and charts stand for, whether they are shown, and how true all of it is. */
export function PeriodBar({
  network,
  isFolded,
  onFold,
}: {
  network: Network
  /** Null where there is nothing to fold. */
  isFolded: boolean | null
  onFold: (isFolded: boolean) => void
}) {
  return (
    <div className={styles['bar']}>
      {isFolded !== null && (
        <>
          <Button
            kind="quiet"
            icon={isFolded ? 'right' : 'down'}
            aria-expanded={!isFolded}
            aria-label="Figures and charts"
            title={isFolded ? 'Show figures and charts' : 'Hide figures and charts'}
            onClick={() => onFold(!isFolded)}
          />
          <PeriodChip network={network} />
          <CurrencyChip />
        </>
      )}
      <SyncState network={network} />
    </div>
  )
}

function PeriodChip({ network }: { network: Network }) {
  const period = usePeriod()
  const offset = useClockOffset(network.id)
  const now = useNow() / 1000 + offset
  const day = new Date(now).toDateString()
  useEffect(() => renewPeriod(offset), [day, offset])
  return (
    <FormChip label={`${printPeriod(period, now)} ▾`} isOn={false} title="Period">
      {(close) => <PeriodForm from={period.from} to={period.to} onDone={close} />}
    </FormChip>
  )
}

function PeriodForm({ from, to, onDone }: { from: number; to: number; onDone: () => void }) {
  const preset = usePeriod((state) => state.preset)
  const [first, setFirst] = useState(formatDateField(from))
  const [last, setLast] = useState(formatDateField(to - 1))
  const [begin, end] = [parseDateField(first, 'begin'), parseDateField(last, 'begin')]
  const isWrong = begin !== null && end !== null && begin > end
  return (
    <>
      <div className={styles['presets']} role="group" aria-label="Period">
        {periodPresets.map(([value, name]) => (
          <button
            key={value}
            type="button"
            className={chip['chip']}
            aria-pressed={value === preset}
            onClick={() => {
              choosePeriod(value)
              onDone()
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <FilterForm
        onApply={() => {
          if (begin === null || end === null || isWrong) return
          chooseDays(begin, end)
          onDone()
        }}
        clear={null}
      >
        <TextField label="From" type="date" required value={first} onChange={setFirst} />
        <TextField
          label="Through"
          type="date"
          required
          value={last}
          onChange={setLast}
          error={isWrong ? 'It ends before it begins.' : undefined}
        />
      </FilterForm>
    </>
  )
}

const currencyChoices: readonly (readonly [string, readonly InvoiceCurrency[]])[] = [
  ['all currencies', []],
  ['TON', ['TON']],
  ['USDT', ['USDT']],
]

function CurrencyChip() {
  const currencies = usePeriod((state) => state.currencies)
  const isChosen = (choice: readonly InvoiceCurrency[]) => choice.join() === currencies.join()
  const [label] = currencyChoices.find(([, choice]) => isChosen(choice)) ?? ['all currencies']
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className={classes(chip['chip'], chip['large'])}>
          {label} ▾
        </button>
      }
      items={currencyChoices.map(([name, choice]) => ({
        label: name,
        checked: isChosen(choice),
        onSelect: () => choosePeriodCurrencies(choice),
      }))}
    />
  )
}
