import { useState } from 'react'
import type { MatterKind } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatNumber } from '../../../ui/format.ts'
import type { InvoicesQuery } from '../../../app/invoices-route.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Chip } from '../../../ui/chip.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { FilterForm, FormChip } from '../../../ui/form-chip.tsx'
import { formatDateField, parseDateField } from '../../../ui/format.ts'
import { knownStates, matterTexts, matterWords } from '../invoice-words.ts'
import { invoiceCounts } from '../invoices.ts'
import { changeQuery } from './go.ts'
import { printAmounts, printMatter, printSpan, readCoins } from './invoice-query.ts'
import styles from './list.module.css'
import { invoiceCurrencies } from '../../../../src-preload/domain/invoice-words.ts'

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
  const all = [...new Set([...knownStates, ...Object.keys(counts), ...statuses])]
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
  return formatDateField(to === null ? null : to - 1)
}

function PeriodForm({
  period,
  onDone,
}: {
  period: Period | null
  onDone: (period: Period | null) => void
}) {
  const [by, setBy] = useState<Period['by']>(period?.by ?? 'created')
  const [first, setFirst] = useState(formatDateField(period?.from ?? null))
  // The end is not included: the field holds the last day that is.
  const [last, setLast] = useState(lastDay(period))
  const isWrong = first !== '' && last !== '' && first > last
  const apply = () => {
    if (isWrong) return
    const end = parseDateField(last, 'end')
    const from = parseDateField(first, 'begin')
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

export function CurrencyChip({ query }: { query: InvoicesQuery }) {
  const { currencies: chosen } = query
  return (
    <FormChip
      label={chosen.length === 0 ? 'currency' : chosen.join(', ')}
      isOn={chosen.length > 0}
      title="Currency"
    >
      {() => (
        <fieldset className={styles['states']}>
          <legend>In any of these</legend>
          {invoiceCurrencies.map((currency) => (
            <label key={currency} className={styles['state']}>
              <input
                type="checkbox"
                checked={chosen.includes(currency)}
                onChange={({ target }) =>
                  changeQuery({
                    currencies: invoiceCurrencies.filter((each) =>
                      each === currency ? target.checked : chosen.includes(each),
                    ),
                  })
                }
              />
              {currency}
            </label>
          ))}
        </fieldset>
      )}
    </FormChip>
  )
}

const matters: readonly (MatterKind | 'any' | null)[] = [
  null,
  'any',
  // That of a payment alone: no invoice has it.
  ...(Object.keys(matterWords) as MatterKind[]).filter((kind) => kind !== 'unmatched'),
]

/** What needs a decision, of any kind or of one. */
export function MatterChip({ query: { matter } }: { query: InvoicesQuery }) {
  return (
    <FormChip
      label={matter === null ? 'attention' : printMatter(matter)}
      isOn={matter !== null}
      title="Needs attention"
    >
      {() => (
        <fieldset className={styles['states']}>
          <legend>What needs a decision</legend>
          {matters.map((kind) => (
            <label
              key={kind}
              className={styles['state']}
              title={kind === null || kind === 'any' ? undefined : matterTexts[kind]}
            >
              <input
                type="radio"
                name="matter"
                checked={kind === matter}
                onChange={() => changeQuery({ matter: kind })}
              />
              {kind === null ? 'with and without' : printMatter(kind)}
            </label>
          ))}
        </fieldset>
      )}
    </FormChip>
  )
}

export function AmountChip({ query }: { query: InvoicesQuery }) {
  const { amountFrom, amountTo, overpaid } = query
  return (
    <FormChip
      label={printAmounts(query)}
      isOn={amountFrom !== null || amountTo !== null || overpaid}
      title="Amount"
    >
      {(close) => (
        <AmountForm
          query={query}
          onDone={(change) => {
            close()
            changeQuery(change)
          }}
        />
      )}
    </FormChip>
  )
}

const notAnAmount = 'Give an amount such as 12.5.'

type Amounts = Pick<InvoicesQuery, 'amountFrom' | 'amountTo' | 'overpaid'>

function AmountForm({
  query: { amountFrom, amountTo, overpaid },
  onDone,
}: {
  query: Amounts
  onDone: (change: Amounts) => void
}) {
  const [least, setLeast] = useState(amountFrom ?? '')
  const [most, setMost] = useState(amountTo ?? '')
  const [isOver, setIsOver] = useState(overpaid)
  const [isTried, setIsTried] = useState(false)
  const [low, high] = [readCoins(least), readCoins(most)]
  return (
    <FilterForm
      onApply={() => {
        if (low === undefined || high === undefined) setIsTried(true)
        else onDone({ amountFrom: low, amountTo: high, overpaid: isOver })
      }}
      clear={
        amountFrom === null && amountTo === null && !overpaid
          ? null
          : {
              label: 'Any amount',
              run: () => onDone({ amountFrom: null, amountTo: null, overpaid: false }),
            }
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
      <label className={styles['state']}>
        <input
          type="checkbox"
          checked={isOver}
          onChange={({ target }) => setIsOver(target.checked)}
        />
        Only overpaid ones
      </label>
    </FilterForm>
  )
}
