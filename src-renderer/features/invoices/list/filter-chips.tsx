import { useState } from 'react'
import type { Network } from '../../../../src-preload/contract/index.ts'
import { knownInvoiceStates } from '../../../../src-preload/contract/index.ts'
import { formatNumber } from '../../../format.ts'
import type { InvoicesQuery } from '../../../invoices-route.ts'
import { useResource, valueOf } from '../../../resource.ts'
import { Chip } from '../../../ui/chip.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { UntrustedText } from '../../inspector/body/untrusted-text.tsx'
import { FilterForm, FormChip } from '../../transactions/account/filter-chip.tsx'
import { printDay, readDay } from '../../transactions/account/history-words.ts'
import { invoiceCounts } from '../invoices.ts'
import { changeQuery } from './go.ts'
import { printAmounts, printSpan, readCoins } from './invoice-query.ts'
import styles from './list.module.css'

/** Any of the states there are; those that are not documented too, once an invoice has one. */
export function StateChip({ network, query }: { network: Network; query: InvoicesQuery }) {
  const { statuses } = query
  const label = statuses.length === 0 ? 'state' : statuses.join(', ')
  return (
    <FormChip label={label} isOn={statuses.length > 0} title="State">
      {() => <States network={network} statuses={statuses} />}
    </FormChip>
  )
}

function States({ network, statuses }: { network: Network; statuses: readonly string[] }) {
  const counts = valueOf(useResource(invoiceCounts(network.id)))?.byStatus ?? {}
  const all = [...new Set([...knownInvoiceStates, ...Object.keys(counts), ...statuses])]
  return (
    <fieldset className={styles['states']}>
      <legend>In any of these states</legend>
      {all.map((status) => (
        <label key={status} className={styles['state']}>
          <input
            type="checkbox"
            checked={statuses.includes(status)}
            onChange={({ target }) =>
              changeQuery({
                statuses: target.checked
                  ? [...statuses, status]
                  : statuses.filter((each) => each !== status),
              })
            }
          />
          <UntrustedText text={status} />
          <span className={styles['number']}>{formatNumber(counts[status] ?? 0)}</span>
        </label>
      ))}
    </fieldset>
  )
}

type Period = NonNullable<InvoicesQuery['period']>

export function PeriodChip({ query: { period }, now }: { query: InvoicesQuery; now: number }) {
  return (
    <FormChip
      label={period === null ? 'period' : printSpan(period, now)}
      isOn={period !== null}
      title="Period"
    >
      {(close) => (
        <PeriodForm
          period={period}
          onDone={(next) => {
            close()
            changeQuery({ period: next })
          }}
        />
      )}
    </FormChip>
  )
}

const kinds = [
  { value: 'created', label: 'Created' },
  { value: 'ended', label: 'Ended: paid, expired, cancelled' },
  { value: 'expires', label: 'Expires' },
] as const

const spans = [
  ['Today', 0],
  ['7 days', 6],
  ['30 days', 29],
  ['90 days', 89],
] as const

function lastDay(period: Period | null): string {
  const to = period?.to ?? null
  return printDay(to === null ? null : to - 1)
}

function PeriodForm({
  period,
  onDone,
}: {
  period: Period | null
  onDone: (period: Period | null) => void
}) {
  const [by, setBy] = useState<Period['by']>(period?.by ?? 'created')
  const [first, setFirst] = useState(printDay(period?.from ?? null))
  // The end is not included: the field holds the last day that is.
  const [last, setLast] = useState(lastDay(period))
  const isWrong = first !== '' && last !== '' && first > last
  const apply = () => {
    if (isWrong) return
    const end = readDay(last, 'end')
    const from = readDay(first, 'begin')
    onDone(from === null && end === null ? null : { by, from, to: end === null ? null : end + 1 })
  }
  const choose = (daysBefore: number) => {
    const today = new Date()
    const at = (days: number) =>
      new Date(today.getFullYear(), today.getMonth(), today.getDate() + days).getTime()
    const future = by === 'expires'
    onDone(
      future
        ? { by, from: at(0), to: at(daysBefore + 1) }
        : { by, from: at(-daysBefore), to: at(1) },
    )
  }
  return (
    <FilterForm
      onApply={apply}
      clear={period === null ? null : { label: 'Any time', run: () => onDone(null) }}
    >
      <Select label="Which moment" value={by} options={kinds} onChange={setBy} />
      <div className={styles['spans']} role="group" aria-label="Up to today, or from today on">
        {spans.map(([name, days]) => (
          <Chip key={name} pressed={false} onPress={() => choose(days)}>
            {name}
          </Chip>
        ))}
      </div>
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

export function AmountChip({ query }: { query: InvoicesQuery }) {
  const { amountFrom, amountTo } = query
  return (
    <FormChip
      label={printAmounts(query)}
      isOn={amountFrom !== null || amountTo !== null}
      title="Amount"
    >
      {(close) => (
        <AmountForm
          from={amountFrom}
          to={amountTo}
          onDone={(from, to) => {
            close()
            changeQuery({ amountFrom: from, amountTo: to })
          }}
        />
      )}
    </FormChip>
  )
}

const notAnAmount = 'Give an amount such as 12.5.'

function AmountForm({
  from,
  to,
  onDone,
}: {
  from: string | null
  to: string | null
  onDone: (from: string | null, to: string | null) => void
}) {
  const [least, setLeast] = useState(from ?? '')
  const [most, setMost] = useState(to ?? '')
  const [isTried, setIsTried] = useState(false)
  const [low, high] = [readCoins(least), readCoins(most)]
  return (
    <FilterForm
      onApply={() => {
        if (low === undefined || high === undefined) setIsTried(true)
        else onDone(low, high)
      }}
      clear={
        from === null && to === null ? null : { label: 'Any amount', run: () => onDone(null, null) }
      }
    >
      <TextField
        label="At least"
        inputMode="decimal"
        placeholder="0.5"
        mono
        value={least}
        onChange={setLeast}
        error={isTried && low === undefined ? notAnAmount : undefined}
      />
      <TextField
        label="At most"
        inputMode="decimal"
        placeholder="100"
        mono
        value={most}
        onChange={setMost}
        error={isTried && high === undefined ? notAnAmount : undefined}
        hint="In whole coins, of TON and of USDT alike."
      />
    </FilterForm>
  )
}
