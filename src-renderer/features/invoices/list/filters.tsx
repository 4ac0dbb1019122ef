/** Which invoices the list shows; the filters stand in its link. */
import { type RefObject, useState } from 'react'
import type { MatterKind } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { invoiceCurrencies } from '../../../../src-preload/domain/invoice-words.ts'
import { type InvoicesQuery, everyInvoice } from '../../../app/invoices-route.ts'
import { useData } from '../../../app/bridge.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { ChoiceChips, SearchField } from '../../../components/list/choice-chips.tsx'
import { Button, Chip, Menu } from '../../../ui/button.tsx'
import {
  type DaySpan,
  CheckList,
  DaySpanForm,
  FilterForm,
  FormChip,
} from '../../../ui/form-chip.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Row, useNow, Text } from '../../../ui/layout.tsx'
import { Select, TextField } from '../../../ui/form.tsx'
import { useGatewayNow } from '../../../components/gateway-clock.ts'
import {
  knownStates,
  matterTexts,
  matterWords,
} from '../../../components/invoices/invoice-words.ts'
import { cancelMatching } from './cancel-invoices.tsx'
import { hiddenColumns, optionalColumns } from './columns.tsx'
import { changeQuery, invoices } from './invoice-list.ts'
import {
  builtInViews,
  isFiltered,
  isSameQuery,
  printAmounts,
  printMatter,
  printSpan,
  printWithin,
  readCoins,
} from './invoice-query.ts'
import { ViewsMenu } from './views.tsx'

type Props = { readonly network: Network; readonly query: InvoicesQuery }

export function FilterBar({
  network,
  query,
  field,
}: Props & { field: RefObject<HTMLInputElement | null> }) {
  const { paidWithin } = query
  return (
    <Row as="search" wrap gap="s" pad="m" line="below">
      <BuiltInViews network={network} query={query} />
      <ViewsMenu query={query} />
      <Row wrap gap="s" role="group" aria-label="Filters">
        <StateChip network={network} query={query} />
        <CurrencyChip query={query} />
        <DateChip query={query} />
        <AmountChip query={query} />
        <MatterChip query={query} />
        {paidWithin !== null && (
          <Chip
            large
            pressed
            title="Remove the filter by time to payment"
            onPress={() => changeQuery({ paidWithin: null })}
          >
            {printWithin(paidWithin)}
          </Chip>
        )}
      </Row>
      <SearchField
        ref={field}
        label="Search the invoices"
        placeholder="Search"
        value={query.text}
        onSearch={(text) => changeQuery({ text }, true)}
      />
      {isFiltered(query) && (
        <Button kind="quiet" onClick={() => changeQuery({ ...everyInvoice, sort: query.sort })}>
          Clear all
        </Button>
      )}
      <ListMenu network={network} query={query} />
    </Row>
  )
}

function BuiltInViews({ network, query }: Props) {
  const now = useGatewayNow(network.id) / 1000
  const counts = useData('invoice.counts', { network: network.id }).data
  const views = builtInViews(new Date(now).setHours(0, 0, 0, 0))
  const shown = views.find((view) => isSameQuery(view.query, query))
  const known: Record<string, number | undefined> = {
    All: counts?.total,
    Pending: counts && (counts.byStatus['pending'] ?? 0),
  }
  return (
    <ChoiceChips<string | null>
      label="Views"
      value={shown?.name ?? null}
      choices={views.map(({ name }) => ({ value: name, label: name, count: known[name] }))}
      onChange={(name) => {
        const view = views.find((each) => each.name === name)
        if (view !== undefined) changeQuery(view.query)
      }}
    />
  )
}

/** How many rows the filters match, which columns are shown, and what can be done with all rows. */
function ListMenu({ network, query }: Props) {
  const total = invoices.use((state) => state.total)
  const columns = hiddenColumns.useItems(optionalColumns)
  return (
    <Row last gap="xs">
      <Text tone="dim" size="s" role="status">
        {isFiltered(query) && formatCount(total, 'invoice')}
      </Text>
      <Menu
        trigger={<Button kind="quiet" icon="more" aria-label="List options" title="List options" />}
        items={[
          ...columns,
          'line',
          {
            label: 'Cancel all pending invoices of this list…',
            icon: 'trash',
            danger: true,
            disabled: total === 0,
            onSelect: () => void cancelMatching(network, query),
          },
        ]}
      />
    </Row>
  )
}

function StateChip({ network, query: { statuses } }: Props) {
  const counts = useData('invoice.counts', { network: network.id }).data?.byStatus ?? {}
  // An undocumented state can be chosen once an invoice has it.
  const all = [...new Set([...knownStates, ...Object.keys(counts), ...statuses])]
  return (
    <FormChip
      label={statuses.length === 0 ? 'State' : statuses.join(', ')}
      isOn={statuses.length > 0}
      title="State"
    >
      {() => (
        <CheckList
          legend="State"
          type="checkbox"
          choices={all.map((value) => ({
            value,
            label: <UntrustedText text={value} />,
            count: formatNumber(counts[value] ?? 0),
          }))}
          isChecked={(status) => statuses.includes(status)}
          onChange={(status, checked) =>
            changeQuery({
              statuses: checked
                ? [...statuses, status]
                : statuses.filter((each) => each !== status),
            })
          }
        />
      )}
    </FormChip>
  )
}

function CurrencyChip({ query: { currencies } }: Pick<Props, 'query'>) {
  return (
    <FormChip
      label={currencies.length === 0 ? 'Currency' : currencies.join(', ')}
      isOn={currencies.length > 0}
      title="Currency"
    >
      {() => (
        <CheckList
          legend="Currency"
          type="checkbox"
          choices={invoiceCurrencies.map((value) => ({ value, label: value }))}
          isChecked={(currency) => currencies.includes(currency)}
          onChange={(currency, checked) =>
            changeQuery({
              currencies: invoiceCurrencies.filter((each) =>
                each === currency ? checked : currencies.includes(each),
              ),
            })
          }
        />
      )}
    </FormChip>
  )
}

const matters: readonly (MatterKind | 'any')[] = [
  'any',
  // Only payments can be unmatched, never an invoice.
  ...(Object.keys(matterWords) as MatterKind[]).filter((kind) => kind !== 'unmatched'),
]

function MatterChip({ query: { matter } }: Pick<Props, 'query'>) {
  return (
    <FormChip
      label={matter === null ? 'Discrepancy' : printMatter(matter)}
      isOn={matter !== null}
      title="Discrepancy"
    >
      {() => (
        <CheckList<MatterKind | 'any' | 'all'>
          legend="Discrepancy"
          type="radio"
          choices={[
            { value: 'all', label: 'all invoices' },
            ...matters.map((value) => ({
              value,
              label: printMatter(value),
              title: value === 'any' ? undefined : matterTexts[value],
            })),
          ]}
          isChecked={(kind) => kind === (matter ?? 'all')}
          onChange={(kind) => changeQuery({ matter: kind === 'all' ? null : kind })}
        />
      )}
    </FormChip>
  )
}

const dateKinds = [
  { value: 'created', label: 'Created' },
  { value: 'ended', label: 'Paid, expired or cancelled' },
  { value: 'expires', label: 'Expires' },
] as const

type Period = NonNullable<InvoicesQuery['period']>

function DateChip({ query: { period } }: Pick<Props, 'query'>) {
  const now = useNow() / 1000
  return (
    <FormChip
      label={period === null ? 'Date' : printSpan(period, now)}
      isOn={period !== null}
      title="Date"
    >
      {(close) => (
        <DateForm
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

const quickSpans = [
  ['Today', 0],
  ['7 days', 6],
  ['30 days', 29],
  ['90 days', 89],
] as const

/** Local midnight of the day that is `offset` days from today. */
function startOfDay(offset: number): number {
  const today = new Date()
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() + offset).getTime()
}

function DateForm({
  period,
  onDone,
}: {
  period: Period | null
  onDone: (period: Period | null) => void
}) {
  const [by, setBy] = useState<Period['by']>(period?.by ?? 'created')
  const choose = (days: number) => {
    const isFuture = by === 'expires'
    onDone(
      isFuture
        ? { by, from: startOfDay(0), to: startOfDay(days + 1) }
        : { by, from: startOfDay(-days), to: startOfDay(1) },
    )
  }
  const apply = ({ from, to }: DaySpan) =>
    // The end of a period is not included.
    onDone(from === null && to === null ? null : { by, from, to: to === null ? null : to + 1 })
  const end = period?.to ?? null
  return (
    <DaySpanForm
      from={period?.from ?? null}
      to={end === null ? null : end - 1}
      clear={period === null ? null : { label: 'Any date', run: () => onDone(null) }}
      onDone={apply}
    >
      <Select label="Date of" value={by} options={dateKinds} onChange={setBy} />
      <Row
        wrap
        gap="s"
        role="group"
        aria-label={by === 'expires' ? 'From today on' : 'Up to today'}
      >
        {quickSpans.map(([name, days]) => (
          <Chip key={name} pressed={false} onPress={() => choose(days)}>
            {name}
          </Chip>
        ))}
      </Row>
    </DaySpanForm>
  )
}

type Amounts = Pick<InvoicesQuery, 'amountFrom' | 'amountTo' | 'overpaid'>

const anyAmount: Amounts = { amountFrom: null, amountTo: null, overpaid: false }

function AmountChip({ query }: Pick<Props, 'query'>) {
  const { amountFrom, amountTo, overpaid } = query
  const isOn = amountFrom !== null || amountTo !== null || overpaid
  return (
    <FormChip label={isOn ? printAmounts(query) : 'Amount'} isOn={isOn} title="Amount">
      {(close) => (
        <AmountForm
          amounts={query}
          isOn={isOn}
          onDone={(change) => {
            close()
            changeQuery(change)
          }}
        />
      )}
    </FormChip>
  )
}

const notAnAmount = 'Enter an amount such as 12.5.'

function AmountForm({
  amounts: { amountFrom, amountTo, overpaid },
  isOn,
  onDone,
}: {
  amounts: Amounts
  isOn: boolean
  onDone: (change: Amounts) => void
}) {
  const [least, setLeast] = useState(amountFrom ?? '')
  const [most, setMost] = useState(amountTo ?? '')
  const [onlyOverpaid, setOnlyOverpaid] = useState(overpaid)
  const [isSubmitted, setSubmitted] = useState(false)
  const [low, high] = [readCoins(least), readCoins(most)]
  return (
    <FilterForm
      onApply={() => {
        if (low === undefined || high === undefined) setSubmitted(true)
        else onDone({ amountFrom: low, amountTo: high, overpaid: onlyOverpaid })
      }}
      clear={isOn ? { label: 'Any amount', run: () => onDone(anyAmount) } : null}
    >
      <TextField
        label="At least"
        inputMode="decimal"
        placeholder="0.5"
        mono
        value={least}
        onChange={setLeast}
        error={isSubmitted && low === undefined ? notAnAmount : undefined}
      />
      <TextField
        label="At most"
        inputMode="decimal"
        placeholder="100"
        mono
        value={most}
        onChange={setMost}
        error={isSubmitted && high === undefined ? notAnAmount : undefined}
        hint="In whole coins; applies to TON and to USDT."
      />
      <Row as="label">
        <input
          type="checkbox"
          checked={onlyOverpaid}
          onChange={({ target }) => setOnlyOverpaid(target.checked)}
        />
        <Text size="s">Only overpaid invoices</Text>
      </Row>
    </FilterForm>
  )
}
