import { useEffect, useState } from 'react'
import { currencyName } from '../../../../src-preload/domain/amount.ts'
import { create } from 'zustand'
import type { ReconciliationSummary } from '../../../../src-preload/contract/discrepancy.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { useData } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { routeHref } from '../../../app/route.ts'
import { printPage } from '../../../app/host-window.ts'
import { formatAmount, formatMoney } from '../../../components/amount.ts'
import { useGatewayNow } from '../../../components/gateway-clock.ts'
import { Choices, Button } from '../../../ui/button.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { TextField } from '../../../ui/form.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Fold, Text, Note, Pane, Row, Stack, Hint, Small } from '../../../ui/layout.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Table } from '../../../ui/table.tsx'
import { offerReconciliation, openExport } from '../export/export-choice.ts'
import { readNow } from '../list/sync-state.tsx'
import { addDays, dayBegin, dayIn, isZone, monthBegin, ownZone, ZoneField } from '../zone.tsx'
import { ReconciliationRows } from './reconciliation-rows.tsx'

type Days = readonly [first: string, last: string]

const reconciliationPresets = [
  { value: 'today', label: 'Today', daysAt: (today: string): Days => [today, today] },
  {
    value: 'yesterday',
    label: 'Yesterday',
    daysAt: (today: string): Days => [addDays(today, -1), addDays(today, -1)],
  },
  {
    value: 'this-month',
    label: 'This month',
    daysAt: (today: string): Days => [monthBegin(today), today],
  },
  {
    value: 'previous-month',
    label: 'Previous month',
    daysAt: (today: string): Days => [monthBegin(today, -1), addDays(monthBegin(today), -1)],
  },
  { value: 'days', label: 'Custom…', daysAt: null },
] as const

type ReconciliationPreset = (typeof reconciliationPresets)[number]['value']

type ReconciliationChoice = {
  readonly preset: ReconciliationPreset
  /** The first and the last day, both inclusive, in the form of date fields. */
  readonly first: string
  readonly last: string
  readonly zone: string
}

const storageKey = 'tondesk.closing-zone'

const useReconciliationChoice = create<ReconciliationChoice>(() => {
  const kept = window.localStorage.getItem(storageKey) ?? ''
  return { preset: 'today', first: '', last: '', zone: isZone(kept) ? kept : ownZone() }
})

function chooseReconciliation(next: Partial<ReconciliationChoice>): void {
  useReconciliationChoice.setState(next)
  if (next.zone !== undefined && isZone(next.zone)) {
    window.localStorage.setItem(storageKey, next.zone)
  }
}

/** Returns the chosen days in their time zone, or a sentence that describes the problem. */
function spanOf({ preset, first, last, zone }: ReconciliationChoice, now: number) {
  if (!isZone(zone)) return 'Unknown time zone.'
  const { daysAt } =
    reconciliationPresets.find(({ value }) => value === preset) ?? reconciliationPresets[0]
  // If no last day is given, the period is one day.
  const [begin, end] = daysAt?.(dayIn(zone, now)) ?? [first, last === '' ? first : last]
  const from = dayBegin(zone, begin)
  const to = from === null ? null : dayBegin(zone, nextDay(end))
  if (from === null) return 'Choose the first day.'
  if (to === null) return 'Choose the last day.'
  if (to <= from) return 'The last day is before the first day.'
  return { from, to, zone, first: begin, last: end }
}

/** The period is in milliseconds; `to` is exclusive. */
type ReconciledSpan = Exclude<ReturnType<typeof spanOf>, string>

const nextDay = (day: string): string => (/^\d{4}-\d\d-\d\d$/.test(day) ? addDays(day, 1) : '')

const format = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})

/** Formats the chosen days: `20 Nov 2026`, `1 Nov 2026 to 20 Nov 2026`. */
function formatDays({ first, last }: ReconciledSpan): string {
  const print = (day: string) => format.format(new Date(`${day}T00:00:00Z`))
  return first === last ? print(first) : `${print(first)} to ${print(last)}`
}

/** Shows the reconciliation of some days: it compares invoices with the chain and lists differences first. */
export function ReconciliationView() {
  const choice = useReconciliationChoice()
  const now = useGatewayNow(useShownNetwork().id) / 1000
  const span = spanOf(choice, now)
  return (
    <Pane>
      <SpanForm problem={typeof span === 'string' ? span : null} />
      {typeof span === 'string' ? (
        <div />
      ) : (
        // The key ensures that rows of other days are never displayed below these totals.
        <Reconciliation
          key={`${span.from} ${span.to} ${span.zone}`}
          span={span}
          isOver={span.to <= now}
        />
      )}
    </Pane>
  )
}

const dayFields: readonly { name: 'first' | 'last'; label: string; title?: string }[] = [
  { name: 'first', label: 'First day' },
  { name: 'last', label: 'Last day', title: 'Last day (leave empty for a single day)' },
]

function SpanForm({ problem }: { problem: string | null }) {
  const choice = useReconciliationChoice()
  return (
    <Row wrap pad="m" line="below" role="group" aria-label="Period">
      <Choices
        label="Days"
        value={choice.preset}
        options={reconciliationPresets}
        onChange={(next) => chooseReconciliation({ preset: next })}
      />
      {choice.preset === 'days' &&
        dayFields.map(({ name, label, title = label }) => (
          <TextField
            key={name}
            label={label}
            hideLabel
            title={title}
            type="date"
            value={choice[name]}
            onChange={(next) => chooseReconciliation({ [name]: next })}
          />
        ))}
      <ZoneField hideLabel zone={choice.zone} onChange={(zone) => chooseReconciliation({ zone })} />
      {problem !== null && <Hint role="status">{problem}</Hint>}
    </Row>
  )
}

function Reconciliation({ span, isOver }: { span: ReconciledSpan; isOver: boolean }) {
  const { from, to, zone } = span
  const { id: network } = useShownNetwork()
  const query = useData('reconciliation.read', { network, from, to, zone })
  const { data: sync } = useData('invoiceSync.state', { network })
  const isReading = sync?.status === 'reading' || sync?.chain.isReading === true
  const [shown, setShown] = useState<'all' | 'differences'>('all')
  useEffect(() => offerReconciliation({ from, to, zone }), [from, to, zone])
  return (
    <Loaded query={query} of="the reconciliation" rows={8}>
      {({ isComplete, problems, ...reconciliation }) => (
        <Pane roomy>
          <Stack as="section" pad="m" line="below" aria-label="Reconciliation report" data-print>
            <Row wrap align="baseline">
              <Text as="h2" size="l">
                {formatDays(span)}
              </Text>
              <Small>
                {zone}
                {!isOver && ', not over yet'}
              </Small>
              <Row last>
                <Button icon="print" onClick={() => void printPage()}>
                  Print
                </Button>
                <Button icon="download" onClick={openExport}>
                  Export the report…
                </Button>
              </Row>
            </Row>
            {isComplete && problems.length === 0 ? (
              <Text as="p" size="s" tone="ok">
                ✓ The data of the gateway and the chain is complete for this period.
              </Text>
            ) : (
              <Note tone="warn">
                <Row wrap justify="between" role="status">
                  <ul>
                    {(problems.length === 0
                      ? [isOver ? openTexts.over : openTexts.running]
                      : problems
                    ).map((problem) => (
                      <li key={problem}>{problem}</li>
                    ))}
                  </ul>
                  {!isComplete && (
                    <Button icon="refresh" busy={isReading} onClick={() => void readNow(network)}>
                      {isReading ? 'Syncing…' : 'Sync now'}
                    </Button>
                  )}
                </Row>
              </Note>
            )}
            <Statement totals={reconciliation.totals} isComplete={isComplete} />
            <Fold lazy summary="Gateway totals">
              <GatewayTotals />
            </Fold>
            <Text as="p" size="s" data-print-only>
              The rows are not printed. Export the report as a PDF file to print them.
            </Text>
          </Stack>
          <Row wrap pad="m" line="below">
            <Choices
              label="Rows to show"
              value={shown}
              options={[
                { value: 'all', label: 'All rows' },
                {
                  value: 'differences',
                  label: 'Differences',
                  count: reconciliation.differences,
                  tone: 'bad',
                },
              ]}
              onChange={setShown}
            />
            {reconciliation.differences > 0 && (
              <Hint>
                These rows differ or need a decision. Their column “Difference” adds up to the
                total.{' '}
                {reconciliation.needsAttention > 0 && (
                  <a
                    href={routeHref({ ...invoicesHome, view: 'attention', matter: null, network })}
                  >
                    {formatCount(
                      reconciliation.needsAttention,
                      'discrepancy needs',
                      'discrepancies need',
                    )}{' '}
                    attention
                  </a>
                )}
              </Hint>
            )}
          </Row>
          <ReconciliationRows
            question={{ network, from, to, zone, onlyDifferences: shown === 'differences' }}
            days={formatDays(span)}
            isComplete={isComplete}
          />
        </Pane>
      )}
    </Loaded>
  )
}

const openTexts = {
  over: 'The data of the gateway or the chain is not complete for this period yet. The totals may change.',
  running: 'This period is not over. The totals show what is loaded so far.',
}

type Total = ReconciliationSummary['totals'][number]

type Line = {
  readonly name: string
  readonly of: Exclude<keyof Total, 'currency' | 'paid' | 'payments'>
  readonly isSum?: boolean
  readonly note?: (total: Total, isComplete: boolean) => string
}

const lines: readonly Line[] = [
  {
    name: 'Paid, according to the gateway',
    of: 'paidAmount',
    note: ({ paid }) => formatCount(paid, 'invoice'),
  },
  { name: 'Overpaid, according to the gateway', of: 'overpayment' },
  {
    name: 'Received on the chain',
    of: 'received',
    isSum: true,
    note: ({ payments }) => formatCount(payments, 'payment'),
  },
  { name: 'Received and matched to invoices', of: 'matched' },
  { name: 'Received but unmatched', of: 'unmatched' },
  {
    name: 'Difference',
    of: 'difference',
    isSum: true,
    note: ({ difference }, isComplete) => {
      const units = BigInt(difference)
      if (units === 0n) return isComplete ? 'agrees' : 'no difference so far'
      return units < 0n ? 'less on the chain' : 'more on the chain'
    },
  },
  { name: 'of which unmatched payments', of: 'unmatched' },
  { name: 'of which invoices not paid in the period', of: 'unpaidDifference' },
  { name: 'of which invoices paid in the period', of: 'paidDifference' },
  { name: 'of which payments accepted although short', of: 'acceptedDifference' },
  { name: 'Shortfall of these payments', of: 'shortfall' },
]

function Statement({ totals, isComplete }: Pick<ReconciliationSummary, 'totals' | 'isComplete'>) {
  return (
    <Table
      label="Totals"
      scroll
      rows={lines}
      keyOf={({ name }) => name}
      columns={[
        {
          name: 'Total',
          hideName: true,
          cell: ({ name, isSum = false }) => <Text strong={isSum}>{name}</Text>,
        },
        ...totals.flatMap((total) => [
          {
            name: currencyName(total.currency),
            look: 'amount' as const,
            cell: ({ of, isSum = false }: Line) => {
              const amount = formatAmount(total[of], total.currency)
              if (of !== 'difference') return <Text strong={isSum}>{amount}</Text>
              const difference = BigInt(total.difference)
              // The gateway and the chain agree only if both were read for the whole period.
              const tone = difference !== 0n ? 'bad' : isComplete ? 'ok' : undefined
              return (
                <Text strong tone={tone}>
                  {difference > 0n && '+'}
                  {amount}
                </Text>
              )
            },
          },
          {
            name: `Details of the ${currencyName(total.currency)} amount`,
            hideName: true,
            look: 'dim' as const,
            cell: ({ note }: Line) => note?.(total, isComplete),
          },
        ]),
      ]}
    />
  )
}

type Compared = Output<'invoiceStats.gateway'>[number]

/** Shows the totals of all time, by the gateway and by the ledger. */
function GatewayTotals() {
  const query = useData('invoiceStats.gateway', { network: useShownNetwork().id })
  return (
    <Loaded query={query} of="the totals of the gateway" rows={2}>
      {(totals) => (
        <Table
          label="Gateway totals"
          scroll
          rows={totals}
          keyOf={({ currency }) => currency}
          columns={[
            { name: 'All time', cell: ({ currency }) => currencyName(currency) },
            { name: 'Gateway', cell: ({ gateway, currency }) => describe(gateway, currency) },
            { name: 'Tondesk', cell: ({ ledger, currency }) => describe(ledger, currency) },
            {
              name: 'Result',
              hideName: true,
              cell: ({ agrees }) => (
                <Text tone={agrees ? 'ok' : 'bad'}>{agrees ? 'agrees' : 'differs'}</Text>
              ),
            },
          ]}
        />
      )}
    </Loaded>
  )
}

function describe(
  { total, pending, paidAmount, pendingAmount }: Compared['gateway'],
  currency: Compared['currency'],
): string {
  const amounts = `${formatMoney(paidAmount, currency)} paid, ${formatMoney(pendingAmount, currency)} pending`
  return `${amounts}; ${formatCount(total, 'invoice')}, ${pending} of them pending`
}
