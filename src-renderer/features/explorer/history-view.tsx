/** Shows the exports of account histories, and one export with its sums and its files. */
import { useState } from 'react'
import type {
  HistoryAsset,
  HistoryExport,
  HistoryFormat,
} from '../../../src-preload/contract/history-export.ts'
import { currencyName } from '../../../src-preload/domain/amount.ts'
import { request, useDataOf } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { formatUnits } from '../../components/amount.ts'
import { TimeChartPanel } from '../../components/charts/chart-panel.tsx'
import { type Measure, roundTicks } from '../../components/charts/series.ts'
import { tickStepOf, timeAxis } from '../../components/charts/time-axis.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { ExportMenu, saveExport } from '../../components/files/save-export.tsx'
import { OneJob, useJobs } from '../../components/jobs/job-kind.tsx'
import { historyExports, historyExportsHome } from '../../components/history-export.tsx'
import { NetworkTag, OfNetwork, useNetwork } from '../../components/network-tag.tsx'
import { escapeControls } from '../../components/trace/tree-text.ts'
import { Select } from '../../ui/form.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Hint, Note, Pane, Section, Stack, Tag, Text } from '../../ui/layout.tsx'
import { Moment, useNow } from '../../ui/time.tsx'
import { Figure, Stats } from '../../ui/values.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { Table } from '../../ui/table.tsx'

export function HistoryList() {
  return (
    <Loaded query={useJobs('historyExport')} of="the history exports">
      {(jobs) =>
        jobs.length === 0 ? (
          <EmptyState
            title="Export the history of an account"
            detail="Open an account in the explorer and choose “Export history”. Tondesk reads its events, or its transactions and those of its jetton wallets, and writes them as CSV, JSON Lines, Excel, or for Koinly, hledger and beancount."
          />
        ) : (
          <historyExports.JobTable
            jobs={jobs}
            of="History exports"
            group="Explorer"
            columns={[
              { name: 'Network', width: 120, cell: ({ network }) => <NetworkTag id={network} /> },
              { name: 'Rows', width: 120, look: 'dim', cell: ({ view }) => view },
              { name: 'Period', look: 'dim', cell: (job) => <Period job={job} /> },
            ]}
          />
        )
      }
    </Loaded>
  )
}

function Period({ job: { from, to } }: { job: HistoryExport }) {
  return (
    <>
      {from === null ? 'whole history until ' : <Moment at={fromMs(from)} />}
      {from !== null && ' – '}
      <Moment at={fromMs(to)} />
    </>
  )
}

export function HistoryView({ id }: { id: number }) {
  return (
    <OneJob
      query={useJobs('historyExport')}
      id={id}
      thing="history export"
      onAll={() => navigate(historyExportsHome)}
    >
      {(job) => <History job={job} />}
    </OneJob>
  )
}

function History({ job }: { job: HistoryExport }) {
  const network = useNetwork(job.network)
  return (
    <OfNetwork network={network}>
      <Pane>
        <historyExports.Head
          job={job}
          back={{ label: 'All exports', run: () => navigate(historyExportsHome) }}
          about={
            <>
              , <NetworkTag id={job.network} />
            </>
          }
        >
          <Files job={job} />
        </historyExports.Head>
        <Stack fill scroll gap="none" tabIndex={0} role="region" aria-label="History export">
          {(job.state !== 'done' || job.problem !== null) && <historyExports.Standing job={job} />}
          {job.notes.map((note) => (
            <Note key={note}>
              <UntrustedText as="p" over="break" text={note} />
            </Note>
          ))}
          <Stats>
            <Figure
              name="Account"
              value={formatNumber(job.rows)}
              unit={job.rows === 1 ? 'row' : 'rows'}
              more={
                <AccountLink account={{ address: job.address, label: job.label, isWallet: true }} />
              }
            />
            <Figure
              name={job.view === 'events' ? 'Events' : 'Transactions'}
              value={formatNumber(job.transactions)}
              more={formatCount(job.requests, 'request')}
            />
            {job.view === 'transactions' && (
              <Figure
                name="Contracts"
                value={formatNumber(job.contracts)}
                more="the account and its jetton wallets"
              />
            )}
          </Stats>
          {job.state === 'done' && job.rows > 0 && <Balance job={job} />}
          <Section title="Sums">
            <Stack>
              <Sums job={job} />
              {job.fiat !== null && (
                <Hint>The files have values in {job.fiat} at the gateway’s nearest rates.</Hint>
              )}
            </Stack>
          </Section>
        </Stack>
      </Pane>
    </OfNetwork>
  )
}

function Sums({ job: { assets, state, view } }: { job: HistoryExport }) {
  if (assets.length === 0) {
    return (
      <Hint>
        {state === 'running'
          ? `The sums are compared with the balances after all ${view} were read.`
          : 'The sums were not compared with the balances, because the export did not reach its end.'}
      </Hint>
    )
  }
  const units = (text: string | null, { decimals }: HistoryAsset) =>
    text === null ? 'unknown' : formatUnits(text, decimals)
  return (
    <Table
      label="Sums"
      scroll
      rows={assets}
      keyOf={({ key }) => key}
      columns={[
        {
          name: 'Asset',
          cell: ({ key, symbol }) => (
            <Text title={key}>
              {key === 'TON' ? currencyName('TON') : <UntrustedText text={symbol} />}
            </Text>
          ),
        },
        { name: 'At the start', look: 'amount', cell: (each) => units(each.opening, each) },
        { name: 'Received', look: 'amount', cell: (each) => units(each.received, each) },
        { name: 'Sent', look: 'amount', cell: (each) => units(each.sent, each) },
        { name: 'Fees', look: 'amount', cell: (each) => units(each.fees, each) },
        { name: 'At the end', look: 'amount', cell: (each) => units(each.closing, each) },
        { name: 'Sum of the rows', wraps: true, cell: (each) => <Verdict asset={each} /> },
      ]}
    />
  )
}

/** Compares the sum of all rows with the change of the balance over the period of the export. */
function Balance({ job: { id, assets } }: { job: HistoryExport }) {
  const now = useNow()
  const [chosen, setChosen] = useState('TON')
  const asset = assets.find(({ key }) => key === chosen) ?? assets[0]
  const query = useDataOf(
    'historyExport.balances',
    asset === undefined ? null : { id, asset: asset.key },
  )
  if (asset === undefined) return null
  const nameOf = ({ key, symbol }: HistoryAsset) =>
    key === 'TON' ? currencyName('TON') : escapeControls(symbol)
  const title = `Balance of ${nameOf(asset)}`
  return (
    <Loaded query={query} of="the balances">
      {({ stepMs, steps }) => {
        const step = fromMs(stepMs)
        const span = step * steps.length
        const points = steps.map(({ startsAt, units }) => ({
          startsAt: fromMs(startsAt),
          values: { balance: Number(units) / 10 ** asset.decimals },
          texts: { balance: formatUnits(units, asset.decimals) },
        }))
        const starts = points.map(({ startsAt }) => startsAt)
        return (
          <TimeChartPanel
            title={title}
            unit="at the end of each step"
            low
            actions={
              assets.length > 1 && (
                <Select
                  label="Asset of the chart"
                  value={asset.key}
                  onChange={setChosen}
                  options={assets.map((each) => ({ value: each.key, label: nameOf(each) }))}
                />
              )
            }
            name={title}
            kind="lines"
            points={points}
            series={[{ key: 'balance', name: nameOf(asset), colour: 1 }]}
            axis={timeAxis(starts, { step, between: tickStepOf(span), now })}
            measure={balances}
          />
        )
      }}
    </Loaded>
  )
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })
const balances: Measure = {
  print: (value) => compact.format(value),
  ticks: (limit) => roundTicks(limit, limit > 0 ? 0 : 1),
}

function Verdict({ asset }: { asset: HistoryAsset }) {
  const { difference, reason, decimals } = asset
  if (difference === '0') {
    return <Tag tone="ok">equals the change of balance</Tag>
  }
  return (
    <Stack gap="xs">
      {difference === null ? (
        <Tag>unknown</Tag>
      ) : (
        <Tag tone="bad">differs by {formatUnits(difference, decimals)}</Tag>
      )}
      {reason !== null && <Hint>{reason}</Hint>}
    </Stack>
  )
}

const formats: readonly { format: HistoryFormat; label: string; hint?: string }[] = [
  { format: 'csv', label: 'CSV', hint: 'e' },
  { format: 'jsonl', label: 'JSON Lines' },
  { format: 'xlsx', label: 'Excel (XLSX)' },
  { format: 'koinly', label: 'Koinly (CSV)' },
  { format: 'hledger', label: 'hledger journal' },
  { format: 'beancount', label: 'beancount ledger' },
]

function Files({ job: { id } }: { job: HistoryExport }) {
  const save = (format: HistoryFormat, label: string) =>
    void saveExport(label, 'addresses', () => request('historyExport.write', { id, format }))
  const key = shortcutsOf('History export')
  useShortcuts([key(['e'], 'Export as CSV', () => save('csv', 'CSV'))])
  return (
    <ExportMenu
      items={formats.map(({ format, ...item }) => ({
        ...item,
        onSelect: () => save(format, item.label),
      }))}
    />
  )
}
