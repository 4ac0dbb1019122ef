import { useEffect } from 'react'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type { AccountStatus } from '../../../src-preload/contract/chain/account.ts'
import type {
  ExportFormat,
  LookupJob,
  LookupRow,
  RowFilter,
} from '../../../src-preload/contract/lookup.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { request } from '../../app/bridge.ts'
import { lookupsHome } from '../../app/chain-route.ts'
import { navigate, parseRoute, routeHref } from '../../app/route.ts'
import { countAll, describeLeftOut } from '../../components/address-list/line-labels.ts'
import { OneJob, useJobs } from '../../components/jobs/job-kind.tsx'
import { copyAddress, useAddressForm } from '../../components/address-form.tsx'
import { formatAsset, formatDecimal, formatUnits } from '../../components/amount.ts'
import { ton } from '../../components/chain/chain-text.tsx'
import { accountHref } from '../../components/chain/chain-links.ts'
import { OfNetwork, NetworkTag, useNetwork } from '../../components/network-tag.tsx'
import { ExportMenu, saveExport } from '../../components/files/save-export.tsx'
import { friendlyAddress } from '../../components/friendly-address.ts'
import { type Choice, Choices, Button, Chip } from '../../ui/button.tsx'
import { SearchField } from '../../components/list/search-field.tsx'
import { Pane, Row } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Figure, Stats } from '../../ui/values.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Select } from '../../ui/form.tsx'
import {
  type Sums,
  LookupRows,
  allRows,
  filterRows,
  isContract,
  isEveryRow,
  openRows,
  lookupRows,
  useRows,
} from './lookup-rows.tsx'
import { countDone, lookupJobs, lookupRoute } from './lookups.tsx'

/** Shows one lookup, which the address names by its number. */
export function LookupView({ id }: { id: number }) {
  return (
    <OneJob query={useJobs('lookup')} id={id} thing="lookup" onAll={() => navigate(lookupsHome)}>
      {(job) => <Lookup job={job} />}
    </OneJob>
  )
}

function Lookup({ job }: { job: LookupJob }) {
  const network = useNetwork(job.network)
  useEffect(() => openRows(job.id), [job.id])
  useEffect(() => lookupRows.note(), [job.answered, job.failed, job.state])
  return (
    <OfNetwork network={network}>
      <Pane>
        <lookupJobs.Head
          job={job}
          about={
            <>
              <ComparedWith job={job} />, <NetworkTag id={job.network} />
            </>
          }
        >
          <ExportRows job={job} />
        </lookupJobs.Head>
        {(job.state !== 'done' || job.problem !== null) && <lookupJobs.Standing job={job} />}
        <Sum job={job} />
        <FilterBar job={job} network={network} />
        <LookupRows
          job={job}
          onOpen={({ address }) => {
            if (address !== null) navigate(parseRoute(accountHref(address, job.network)))
          }}
        />
      </Pane>
    </OfNetwork>
  )
}

function ComparedWith({ job: { comparedTo } }: { job: LookupJob }) {
  const { data } = useJobs('lookup')
  if (comparedTo === null) return null
  const before = data?.find(({ id }) => id === comparedTo)
  if (before === undefined) return <>, compared with a lookup that was removed</>
  return (
    <>
      , compared with{' '}
      <a href={routeHref(lookupRoute(before))}>
        the lookup of <Moment at={fromMs(before.createdAt)} />
      </a>
    </>
  )
}

function Sum({ job }: { job: LookupJob }) {
  const sums = lookupRows.use((state) => state.extra)
  const isAll = useRows(({ filter }) => isEveryRow(filter))
  const { counts, currency, answered } = job
  return (
    <Stats>
      <Figure
        name="Accounts looked up"
        value={formatNumber(answered)}
        unit={answered === counts.valid ? undefined : `of ${formatNumber(counts.valid)}`}
        more={describeRequests(job)}
      />
      <Figure
        name={isAll ? 'Total balance' : 'Balance of the shown results'}
        value={sums === null ? undefined : formatUnits(sums.balance, ton.decimals)}
        unit={coinName()}
        more={[currency !== null && inCurrency(sums, currency), ...jettonSums(job, sums)]
          .filter(Boolean)
          .join(', ')}
      />
      <Figure
        name={isAll ? 'Active accounts' : 'Active among the shown results'}
        value={sums === null ? undefined : formatNumber(sums.byStatus['active'] ?? 0)}
        more={describeLeftOutJettons(sums)}
      />
      <Figure
        name="Skipped lines"
        value={formatNumber(countAll(counts) - counts.valid)}
        more={describeLeftOut(counts)}
      />
    </Stats>
  )
}

function describeRequests({ failed, requests, chunk }: LookupJob): string {
  const parts = [
    failed > 0 && `${formatNumber(failed)} failed`,
    formatCount(requests, 'request'),
    chunk !== null && `up to ${formatNumber(chunk)} accounts each`,
  ]
  return parts.filter(Boolean).join(', ')
}

function inCurrency(sums: Sums | null, currency: string): string {
  const sum = sums?.inCurrency ?? null
  const name = currency.toUpperCase()
  return sum === null ? `no total in ${name}` : `${formatDecimal(sum)} ${name}`
}

/** Describes the sums of jettons; empty while the lookup is running. */
const jettonSums = ({ jettons }: LookupJob, sums: Sums | null): string[] =>
  jettons.flatMap((jetton, place) => {
    const units = sums?.jettons[place]
    return units === undefined ? [] : [`${formatAsset(units, jetton)} ${jetton.symbol}`]
  })

function describeLeftOutJettons(sums: Sums | null): string {
  const others = Object.entries(sums?.byStatus ?? {}).filter(
    ([name, count]) => name !== 'active' && count > 0,
  )
  return others.map(([name, count]) => `${formatNumber(count)} ${name}`).join(', ')
}

const statuses = [
  { value: 'any', label: 'Any status' },
  ...(['active', 'uninit', 'nonexist', 'frozen'] as const).map((value) => ({
    value,
    label: value,
  })),
] as const

/** The filter of the displayed rows. */
function FilterBar({ job, network }: { job: LookupJob; network: Network }) {
  const { filter } = useRows()
  const key = shortcutsOf('Lookup')
  useShortcuts([
    key(['c'], 'Copy the address', () => {
      const row = lookupRows.cursorRow()
      if (row !== null) void copyAddress(addressOf(row, network))
    }),
  ])
  return (
    <Row as="search" wrap gap="s" pad="m" line="below">
      <Choices<RowFilter['state']>
        label="Lookup result"
        value={filter.state}
        options={statesOf(job)}
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
          title="Only accounts that changed since the previous lookup"
          pressed={filter.onlyChanged}
          onPress={() => filterRows({ onlyChanged: !filter.onlyChanged })}
        >
          Changed
        </Chip>
      )}
      <Chip
        large
        title="Only accounts that are marked as scams, are suspended, or require a comment with each transfer"
        pressed={filter.onlyFlagged}
        onPress={() => filterRows({ onlyFlagged: !filter.onlyFlagged })}
      >
        Flagged
      </Chip>
      <SearchField
        group="Lookup"
        label="Search the results"
        placeholder="Address or name"
        value={filter.text}
        onSearch={(text) => filterRows({ text })}
      />
      {!isEveryRow(filter) && (
        <Button kind="quiet" onClick={() => filterRows(allRows)}>
          Remove filters
        </Button>
      )}
    </Row>
  )
}

/** Returns the address in the chosen form, or in the form that the list contained. */
function addressOf(row: LookupRow, { testOnly }: Network): string {
  const { address, text } = row
  if (address === null || useAddressForm.getState().form === 'raw') return address ?? text
  return friendlyAddress(address, { bounceable: isContract(row), testOnly }) ?? address
}

/** States without a row are left out, because most lists have only some states. */
function statesOf(job: LookupJob): Choice<RowFilter['state']>[] {
  const { counts, answered, failed } = job
  const choices: Choice<RowFilter['state']>[] = [
    { value: 'answered', label: 'Looked up', count: answered },
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

const formats = [
  { format: 'csv', label: 'CSV', hint: 'e' },
  { format: 'json', label: 'JSON', hint: undefined },
  { format: 'xlsx', label: 'Excel (XLSX)', hint: undefined },
] as const

/** Exports the displayed rows, with their filter and in their order, as a file. */
function ExportRows({ job: { id } }: { job: LookupJob }) {
  const save = (format: ExportFormat) => {
    const { filter, sort } = useRows.getState()
    const make = () => request('lookup.export', { id, format, filter, sort })
    void saveExport(format.toUpperCase(), 'addresses', make)
  }
  useShortcuts([{ keys: ['e'], label: 'Export as CSV', group: 'Lookup', run: () => save('csv') }])
  return (
    <ExportMenu
      items={formats.map(({ format, ...item }) => ({ ...item, onSelect: () => save(format) }))}
    />
  )
}
