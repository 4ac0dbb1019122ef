/** The filters of the list of invoices. They are part of the address. */
import { type ComponentProps, useState } from 'react'
import { coinName } from '../../../../src-preload/domain/amount.ts'
import type { DiscrepancyKind, InvoiceView } from '../../../../src-preload/contract/invoice.ts'
import { useData, request } from '../../../app/bridge.ts'
import { type InvoicesQuery, everyInvoice } from '../../../app/invoices-route.ts'
import { useForm } from '../../../app/use-form.ts'
import { currencyChoices } from '../../../components/amount.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { useGatewayNow } from '../../../components/gateway-clock.ts'
import {
  documentedStatuses,
  discrepancyTexts,
  discrepancyLabels,
} from '../../../components/invoices/invoice-labels.ts'
import { Button, Chip, Menu, IconButton } from '../../../ui/button.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import {
  type DaySpan,
  type Filter,
  CheckList,
  DaySpanForm,
  FilterForm,
  FilterMenu,
  choiceFilter,
} from '../../../ui/form-chip.tsx'
import { Checkbox, Select, TextField } from '../../../ui/form.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { Row, Text } from '../../../ui/layout.tsx'
import { useNow } from '../../../ui/time.tsx'
import { localMidnight } from '../period.ts'
import {
  cancelMatching,
  changeQuery,
  hiddenColumns,
  invoiceList,
  optionalColumns,
} from './invoice-list.tsx'
import {
  builtInViews,
  isFiltered,
  isSameQuery,
  describeAmounts,
  describeDiscrepancy,
  describePeriod,
  describeWithin,
  readBound,
  writeBound,
  filterOf,
  queryOf,
} from './invoice-query.ts'
import { createSavedViews } from '../../../components/list/saved-views.tsx'

/** The filters that the user has saved under a name, for every network. */

const SavedViews = createSavedViews<InvoiceView, InvoicesQuery>({
  routes: 'invoiceView',
  thing: 'view',
  contentOf: queryOf,
  isSame: isSameQuery,
  save: (name, query, id) =>
    request('invoiceView.save', { id, name, filter: filterOf(query), sort: query.sort }),
  onShow: changeQuery,
})

const describeViews = () =>
  'A view stores the filters and the order of the list. Views are available on every network.'

type Props = { readonly query: InvoicesQuery }

export function FilterBar({ query }: Props) {
  return (
    <Row as="search" wrap gap="s" pad="m" line="below">
      <SavedViews kind="quiet" content={query} builtIn={useBuiltInViews()} detail={describeViews} />
      <FilterMenu filters={useFilters(query)} />
      <SearchField
        group="Invoices"
        label="Search the invoices"
        placeholder="Search"
        value={query.text}
        onSearch={(text) => changeQuery({ text }, true)}
      />
      {isFiltered(query) && (
        <Button kind="quiet" onClick={() => changeQuery({ ...everyInvoice, sort: query.sort })}>
          Clear all filters
        </Button>
      )}
      <ListMenu query={query} />
    </Row>
  )
}

function useFilters(query: InvoicesQuery): readonly Filter[] {
  const { statuses, currencies, paidWithin, period, matter } = query
  const { byStatus = {} } = useCounts() ?? {}
  const now = useNow() / 1000
  // An undocumented state is offered if an invoice has it.
  const states = [...new Set([...documentedStatuses, ...Object.keys(byStatus), ...statuses])]
  const filters: Filter[] = [
    checksFilter(
      'State',
      states.map((value) => ({
        value,
        label: <UntrustedText text={value} />,
        count: formatNumber(byStatus[value] ?? 0),
      })),
      statuses,
      (next) => changeQuery({ statuses: next }),
    ),
    checksFilter('Currency', currencyChoices(), currencies, (next) =>
      changeQuery({ currencies: next }),
    ),
    {
      title: 'Date',
      value: period === null ? null : describePeriod(period, now),
      form: (closing) => (
        <DateForm period={period} onDone={closing((next) => changeQuery({ period: next }))} />
      ),
    },
    {
      title: 'Amount',
      value: hasAmount(query) ? describeAmounts(query) : null,
      form: (closing) => <AmountForm amounts={query} onDone={closing(changeQuery)} />,
    },
    choiceFilter<DiscrepancyKind | 'any' | 'all'>({
      title: 'Discrepancy',
      value: matter && describeDiscrepancy(matter),
      chosen: matter ?? 'all',
      choices: discrepancyChoices(),
      onChange: (kind) => changeQuery({ matter: kind === 'all' ? null : kind }),
    }),
  ]
  // Only a chart sets this filter; it has no form.
  const within: Filter = {
    title: 'Time to payment',
    value: paidWithin && describeWithin(paidWithin),
    form: (closing) => (
      <Button onClick={closing(() => changeQuery({ paidWithin: null }))}>
        Any time to payment
      </Button>
    ),
  }
  return paidWithin === null ? filters : [...filters, within]
}

/** Loads how many invoices there are, and how many are in each state. */
const useCounts = () => useData('invoice.counts', { network: useShownNetwork().id }).data

function useBuiltInViews() {
  const now = useGatewayNow(useShownNetwork().id) / 1000
  const counts = useCounts()
  const known: Record<string, number | undefined> = {
    All: counts?.total,
    Pending: counts && (counts.byStatus['pending'] ?? 0),
  }
  return builtInViews(new Date(now).setHours(0, 0, 0, 0)).map(({ name, query }) => {
    const count = known[name]
    return { name, content: query, hint: count === undefined ? undefined : formatNumber(count) }
  })
}

/** The menu of the list: the number of rows, the columns, and the actions on all rows. */
function ListMenu({ query }: Props) {
  const network = useShownNetwork()
  const total = invoiceList.use((state) => state.total)
  const columns = hiddenColumns.useItems(optionalColumns)
  return (
    <Row last gap="xs">
      <Text tone="dim" size="s" role="status">
        {isFiltered(query) && formatCount(total, 'invoice')}
      </Text>
      <Menu
        trigger={<IconButton icon="more" label="Options for this list" />}
        items={[
          ...columns,
          'line',
          {
            label: 'Cancel all pending invoices in this list…',
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

/** The choice of any number of values. The chosen values keep the order of `choices`. */
function checksFilter<T extends string>(
  title: string,
  choices: ComponentProps<typeof CheckList<T>>['choices'],
  chosen: readonly T[],
  onChange: (chosen: T[]) => void,
): Filter {
  return {
    title,
    value: chosen.join(', ') || null,
    form: () => (
      <CheckList
        legend={title}
        type="checkbox"
        choices={choices}
        isChecked={(value) => chosen.includes(value)}
        onChange={(value, checked) => {
          const isChosen = (each: T) => (each === value ? checked : chosen.includes(each))
          onChange(choices.map((choice) => choice.value).filter(isChosen))
        }}
      />
    ),
  }
}

const matters: readonly (DiscrepancyKind | 'any')[] = [
  'any',
  // Only a payment can be unmatched, so this kind is left out for invoices.
  ...(Object.keys(discrepancyLabels) as DiscrepancyKind[]).filter((kind) => kind !== 'unmatched'),
]

const discrepancyChoices = () => [
  { value: 'all', label: 'all invoices' } as const,
  ...matters.map((value) => ({
    value,
    label: describeDiscrepancy(value),
    title: value === 'any' ? undefined : discrepancyTexts[value],
  })),
]

const dateKinds = [
  { value: 'created', label: 'Created' },
  { value: 'ended', label: 'Paid, expired or cancelled' },
  { value: 'expires', label: 'Expires' },
] as const

type Period = NonNullable<InvoicesQuery['period']>

const quickSpans = [
  ['Today', 0],
  ['7 days', 6],
  ['30 days', 29],
  ['90 days', 89],
] as const

function daysFromToday(first: number, last: number) {
  const today = new Date()
  return { from: localMidnight(today, first), to: localMidnight(today, last + 1) }
}

function DateForm({
  period,
  onDone,
}: {
  period: Period | null
  onDone: (period: Period | null) => void
}) {
  const [by, setBy] = useState<Period['by']>(period?.by ?? 'created')
  const isFuture = by === 'expires'
  const choose = (days: number) => {
    onDone({ by, ...(isFuture ? daysFromToday(0, days) : daysFromToday(-days, 0)) })
  }
  const apply = ({ from, to }: DaySpan) =>
    // The end of the period is exclusive.
    onDone(from === null && to === null ? null : { by, from, to: to === null ? null : to + 1 })
  const end = period?.to ?? null
  return (
    <DaySpanForm
      from={period?.from ?? null}
      to={end === null ? null : end - 1}
      clear={period === null ? null : { label: 'Any date', run: () => onDone(null) }}
      onDone={apply}
    >
      <Select label="Date to filter by" value={by} options={dateKinds} onChange={setBy} />
      <Row wrap gap="s" role="group" aria-label={isFuture ? 'From today on' : 'Up to today'}>
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

function hasAmount({ amountFrom, amountTo, overpaid }: Amounts): boolean {
  return amountFrom !== null || amountTo !== null || overpaid
}

function AmountForm({ amounts, onDone }: { amounts: Amounts; onDone: (change: Amounts) => void }) {
  const { amountFrom, amountTo, overpaid } = amounts
  const initial = { least: writeBound(amountFrom), most: writeBound(amountTo), overpaid }
  const apply = (typed: typeof initial) => {
    const [low, high] = [readBound(typed.least), readBound(typed.most)]
    if (low.problem !== null) return { least: low.problem }
    if (high.problem !== null) return { most: high.problem }
    onDone({ amountFrom: low.bound, amountTo: high.bound, overpaid: typed.overpaid })
    return undefined
  }
  const form = useForm(initial, (typed) => Promise.resolve(apply(typed)))
  const amount = { inputMode: 'decimal', mono: true } as const
  return (
    <FilterForm
      onApply={form.submit}
      clear={hasAmount(amounts) ? { label: 'Any amount', run: () => onDone(anyAmount) } : null}
    >
      <TextField label="At least" placeholder="0.5" {...amount} {...form.field('least')} />
      <TextField
        label="At most"
        placeholder="100"
        hint={`An amount in ${coinName()} or USDT, such as 12.5.`}
        {...amount}
        {...form.field('most')}
      />
      <Checkbox
        label={<Text size="s">Only overpaid invoices</Text>}
        checked={form.values.overpaid}
        onChange={(checked) => form.change({ overpaid: checked })}
      />
    </FilterForm>
  )
}
