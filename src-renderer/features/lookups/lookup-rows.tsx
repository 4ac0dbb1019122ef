/** The rows of a lookup. The filter and the order are kept while the user looks at other pages. */
import { create } from 'zustand'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type { AccountStatus } from '../../../src-preload/contract/chain/account.ts'
import type {
  LookupJetton,
  LookupJob,
  LookupRow,
  RowFilter,
  RowSort,
} from '../../../src-preload/contract/lookup.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { request } from '../../app/bridge.ts'
import { formatAsset, formatDecimal, formatUnits, renameCoin } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { AccountFlags } from '../../components/chain/chain-text.tsx'
import { Button } from '../../ui/button.tsx'
import { type DataColumn, DataList, nextSort } from '../../ui/data-list.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatNumber, fromMs } from '../../ui/format.ts'
import { Row, type Tone, Tag, Text, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { createLiveList } from '../../ui/live-list.ts'

export type Sums = Output<'lookup.rows'>['sums']

export const allRows: RowFilter = {
  state: null,
  status: null,
  onlyChanged: false,
  onlyFlagged: false,
  text: '',
}

/** The order in which the user entered the list. */
const listOrder: RowSort = { by: 'index', descending: false }

export const useRows = create<{ job: number; filter: RowFilter; sort: RowSort }>(() => ({
  job: 0,
  filter: allRows,
  sort: listOrder,
}))

export const lookupRows = createLiveList({
  load: async (question: { id: number; filter: RowFilter; sort: RowSort }, offset, limit) => {
    const { sums, ...page } = await request('lookup.rows', { ...question, offset, limit })
    return { ...page, extra: sums }
  },
  idOf: ({ index }: LookupRow) => index,
})

function open(keep: boolean): void {
  const { job: id, filter, sort } = useRows.getState()
  lookupRows.open({ id, filter, sort }, { keep })
}

export function openRows(job: number): void {
  if (useRows.getState().job !== job) useRows.setState({ job, filter: allRows, sort: listOrder })
  open(false)
}

export function filterRows(change: Partial<RowFilter>): void {
  useRows.setState(({ filter }) => ({ filter: { ...filter, ...change } }))
  open(true)
}

/** The columns of amounts and times, which are sorted in descending order first. */
const largeFirst: ReadonlySet<RowSort['by']> = new Set(['balance', 'inCurrency', 'lastActivity'])

function sortRows(by: RowSort['by']): void {
  useRows.setState(({ sort }) => ({ sort: nextSort(sort, by, { usual: listOrder, largeFirst }) }))
  open(true)
}

export const isEveryRow = (filter: RowFilter): boolean =>
  JSON.stringify(filter) === JSON.stringify(allRows)

export function LookupRows({ job, onOpen }: { job: LookupJob; onOpen: (row: LookupRow) => void }) {
  const sort = useRows((state) => state.sort)
  return (
    <DataList
      list={lookupRows}
      columns={columnsOf(job)}
      of="results"
      thing="result"
      group="Lookup"
      sort={sort}
      onSort={sortRows}
      onOpen={onOpen}
      empty={
        <EmptyState title="No result matches the filter">
          <Button onClick={() => filterRows(allRows)}>Show all results</Button>
        </EmptyState>
      }
    />
  )
}

function columnsOf({
  currency,
  comparedTo,
  jettons,
}: LookupJob): DataColumn<LookupRow, RowSort['by']>[] {
  return [
    {
      name: 'Line',
      width: 52,
      look: 'number',
      sort: 'index',
      cell: ({ line }) => <Text tone="faint">{formatNumber(line)}</Text>,
    },
    { name: 'Address', width: 112, cell: (row) => <AddressOf row={row} /> },
    {
      name: 'Name',
      width: 100,
      grow: 1,
      sort: 'name',
      cell: (row) => <Name row={row} />,
      title: ({ label, name }) => label ?? name ?? '',
    },
    {
      name: 'Status',
      width: 104,
      sort: 'status',
      cell: ({ state, status }) =>
        state !== 'answered' ? (
          <Tag tone={stateTones[state]}>{state.replace('-', ' ')}</Tag>
        ) : (
          status !== null && <Tag tone={statusTones[status]}>{status}</Tag>
        ),
      title: ({ reason }) => reason ?? undefined,
    },
    {
      id: 'Balance, TON',
      name: `Balance, ${coinName()}`,
      width: 100,
      look: 'amount',
      sort: 'balance',
      cell: ({ balance }) => balance !== null && formatUnits(balance, 9),
    },
    ...(currency === null ? [] : [inCurrency(currency)]),
    ...jettons.map(jettonColumn),
    ...(comparedTo === null ? [] : [changes]),
    {
      name: 'Wallet type',
      width: 96,
      grow: 0.8,
      gives: 1,
      sort: 'walletKind',
      cell: (row) =>
        row.state === 'answered' ? (
          <UntrustedText tone="dim" text={kindOf(row)} />
        ) : (
          <Small>{row.reason}</Small>
        ),
      title: (row) => row.reason ?? kindOf(row),
    },
    {
      name: 'Last activity',
      width: 124,
      gives: 2,
      look: 'dim',
      sort: 'lastActivity',
      cell: ({ lastActivity }) => lastActivity !== null && <Moment at={fromMs(lastActivity)} />,
    },
  ]
}

const inCurrency = (currency: string): DataColumn<LookupRow, RowSort['by']> => ({
  name: `Balance, ${currency.toUpperCase()}`,
  width: 100,
  look: 'amount',
  sort: 'inCurrency',
  cell: ({ inCurrency: amount }) => amount !== null && formatDecimal(amount),
  title: ({ inCurrency: amount }) => amount ?? undefined,
})

function jettonColumn(
  { symbol, address, decimals, scale }: LookupJetton,
  place: number,
): DataColumn<LookupRow, RowSort['by']> {
  const walletOf = (row: LookupRow) => row.jettons.find((each) => each.place === place)
  return {
    id: `jetton ${address}`,
    name: symbol,
    width: 100,
    look: 'amount',
    sort: `jetton${place}`,
    cell(row) {
      const { balance = null, problem = null } = walletOf(row) ?? {}
      if (problem !== null) return <Tag tone="warn">unknown</Tag>
      if (balance === null) return null
      return formatAsset(balance, { decimals, scale })
    },
    title: (row) => walletOf(row)?.problem ?? walletOf(row)?.wallet ?? undefined,
  }
}

const changes: DataColumn<LookupRow, RowSort['by']> = {
  name: 'Changes',
  width: 140,
  grow: 2.4,
  cell: ({ changes: changed }) => <Text tone="accent">{renameCoin(changed.join(', '))}</Text>,
  title: ({ changes: changed }) => renameCoin(changed.join(', ')),
}

function AddressOf({ row }: { row: LookupRow }) {
  const { address, text, state } = row
  // The explorer of this network cannot open an address of another network.
  if (address === null || state === 'wrong-network') {
    return <UntrustedText mono title={text} text={text} />
  }
  // The label and the flags have their own columns.
  const account = { address, name: null, label: null, isScam: false, isWallet: !isContract(row) }
  return <AccountLink account={account} show="address" tabIndex={-1} />
}

function Name({ row }: { row: LookupRow }) {
  const { label, name } = row
  return (
    <Row gap="s">
      <UntrustedText
        over="cut"
        tone={label === null ? 'dim' : undefined}
        text={label ?? name ?? ''}
      />
      <AccountFlags {...row} />
    </Row>
  )
}

const statusTones: Record<AccountStatus, Tone> = {
  active: 'ok',
  uninit: 'plain',
  nonexist: 'plain',
  frozen: 'warn',
}

const stateTones: Record<LookupRow['state'], Tone> = {
  waiting: 'plain',
  answered: 'ok',
  failed: 'bad',
  duplicate: 'plain',
  'wrong-network': 'warn',
  invalid: 'bad',
}

/** True if a contract uses the address, so that its bounceable form is the usual one, as in exported files. */
export const isContract = ({ status, walletKind }: LookupRow): boolean =>
  status === 'active' && walletKind === null

/**
 * Describes the kind of the account: the kind of wallet, or else the interfaces that the gateway
 * recognized.
 */
const kindOf = ({ walletKind, interfaces }: LookupRow): string =>
  walletKind ?? interfaces.join(', ')
