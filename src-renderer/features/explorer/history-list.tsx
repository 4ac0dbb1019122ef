import { useState } from 'react'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type {
  AccountView,
  HistoryFilter,
  HistoryRow,
  JettonBalance,
} from '../../../src-preload/contract/chain.ts'
import { emptyFilter } from '../../app/chain-route.ts'
import { navigate } from '../../app/route.ts'
import { formatUnits } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { Amount, symbolOf } from '../../components/chain/chain-text.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Button, IconButton, Chip } from '../../ui/button.tsx'
import { type DataColumn, DataList } from '../../ui/data-list.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { type DaySpan, DaySpanForm, FilterForm, FormChip } from '../../ui/form-chip.tsx'
import { formatCount, formatDay, formatNumber, fromMs } from '../../ui/format.ts'
import { Moment, Pane, Row, useNow, Tag, Text } from '../../ui/layout.tsx'
import { Select, TextField } from '../../ui/form.tsx'
import { StaleNote, UnreadTransactions, useReloadOnceAvailable } from './chain-data.tsx'
import { history } from './history.ts'
import { describeOperation, isFiltered, parseOpcode } from './words.ts'

type Change = (part: Partial<HistoryFilter>) => void

/** The transactions of an account, with their filters. The filters are in the URL, so a link contains them. */
export function AccountHistory({
  account,
  filter,
}: {
  account: AccountView
  filter: HistoryFilter
}) {
  const { id: network } = useShownNetwork()
  const { address } = account.account
  const hasFailed = history.source.use((state) => state.status === 'failed')
  const unread = history.use((state) => state.unread)
  useReloadOnceAvailable(hasFailed, history.reload)
  const change: Change = (part) =>
    navigate(
      { page: 'transactions', network, view: 'account', address, filter: { ...filter, ...part } },
      { replace: true },
    )
  return (
    <Pane role="region" aria-label="History">
      <Filters filter={filter} jettons={account.jettons ?? []} onChange={change} />
      <Staleness account={account} />
      <UnreadTransactions unread={unread} />
      <DataList
        list={history.source}
        columns={columns}
        of="transactions"
        thing="transaction"
        group="Transactions"
        openId={null}
        onOpen={({ hash }) => navigate({ page: 'transactions', network, view: 'tx', hash })}
        empty={<Empty account={account} isFiltered={isFiltered(filter)} />}
        foot={<Foot isFiltered={isFiltered(filter)} />}
      />
    </Pane>
  )
}

const directions = { in: 'In', out: 'Out', other: 'Other' } as const

const columns: DataColumn<HistoryRow>[] = [
  {
    name: 'Time',
    width: 140,
    look: 'dim',
    cell: ({ at }) => <Moment at={fromMs(at)} absolute="second" />,
  },
  {
    name: 'Direction',
    width: 36,
    hideName: true,
    gives: 2,
    look: 'dim',
    cell: ({ direction }) => directions[direction],
  },
  {
    name: 'Counterparty',
    width: 84,
    grow: 1,
    cell: ({ peer }) =>
      peer !== null && <AccountLink account={peer} canCopy={false} tabIndex={-1} />,
  },
  {
    name: 'Amount',
    width: 150,
    grow: 0.3,
    look: 'number',
    cell: ({ change }) =>
      change !== null && <Amount units={change.units} asset={change.asset} signed />,
  },
  { name: 'Operation', width: 90, grow: 1.4, cell: (row) => <Operation row={row} /> },
  {
    id: 'Fees, TON',
    get name() {
      return `Fees, ${coinName()}`
    },
    width: 92,
    gives: 1,
    look: 'number',
    cell: ({ fees }) => (
      <Text mono tone="faint">
        {formatUnits(fees, 9)}
      </Text>
    ),
  },
]

function Operation({ row }: { row: HistoryRow }) {
  const operation = describeOperation(row)
  return (
    <Row gap="s">
      {!row.success && (
        <Tag tone="bad" title={row.failure ?? undefined}>
          failed
        </Tag>
      )}
      {operation !== '' && (
        <Text size="s" over="cut" tone={row.operation === null ? 'dim' : undefined}>
          {operation}
        </Text>
      )}
      {row.comment !== null && (
        <Text size="s" tone="dim" over="cut" title={row.comment}>
          <UntrustedText text={row.comment} />
        </Text>
      )}
      {row.outMessages > 1 && (
        <Tag title={`This transaction sent ${row.outMessages} messages.`}>
          {row.outMessages} messages
        </Tag>
      )}
    </Row>
  )
}

function Staleness({ account }: { account: AccountView }) {
  const { newerProblem, offline } = history.use()
  if (newerProblem !== null) {
    return (
      <StaleNote
        why={`Could not load newer transactions: ${newerProblem.message}`}
        onRetry={history.poll}
      />
    )
  }
  // The note on the account says the same.
  if (offline === null || account.offline !== null) return null
  return <StaleNote why={`This is a stored copy. ${offline}`} onRetry={history.reload} />
}

function Empty({ account, isFiltered: narrows }: { account: AccountView; isFiltered: boolean }) {
  const { older, scanned } = history.use()
  if (narrows) {
    return (
      <EmptyState
        title="No transaction matches the filters"
        detail={`Tondesk searched ${formatCount(scanned, 'transaction')}.`}
      >
        {older !== null && (
          <Button onClick={() => void history.loadOlder()}>Search older transactions</Button>
        )}
      </EmptyState>
    )
  }
  if (account.lastActivity === null) {
    return (
      <EmptyState
        title="No transactions yet"
        detail="A transaction appears here as soon as it is on the chain."
      />
    )
  }
  return (
    <EmptyState
      title="The gateway has no transactions of this account"
      detail="The account was active in the past, but the gateway may store recent transactions only."
    />
  )
}

function Foot({ isFiltered: narrows }: { isFiltered: boolean }) {
  const { older, scanned, isSparse, isBeginning, offline, olderProblem } = history.use()
  const searched = narrows ? ` Tondesk searched ${formatCount(scanned, 'transaction')}.` : ''
  const more = () => void history.loadOlder()
  return (
    <Row pad="m" wrap>
      {olderProblem !== null ? (
        <>
          <Text tone="bad" size="s" role="alert">
            Could not load older transactions: {olderProblem.message}
          </Text>
          <Button icon="refresh" onClick={more}>
            Try again
          </Button>
        </>
      ) : (
        <Text tone="dim" size="s">
          {older === null && isBeginning && `The first transaction of this account.${searched}`}
          {older === null && !isBeginning && narrows && `End of the history.${searched}`}
          {older === null &&
            !isBeginning &&
            !narrows &&
            (offline === null
              ? 'The account has older transactions, but the gateway does not store them.'
              : 'No older transactions are stored on this computer.')}
          {older !== null && !isSparse && 'Loading older transactions…'}
          {older !== null && isSparse && `No older match found so far.${searched}`}
        </Text>
      )}
      {older !== null && isSparse && olderProblem === null && (
        <Button onClick={more}>Search older transactions</Button>
      )}
    </Row>
  )
}

function Filters({
  filter,
  jettons,
  onChange,
}: {
  filter: HistoryFilter
  jettons: readonly JettonBalance[]
  onChange: Change
}) {
  const total = history.source.use((state) => state.total)
  const scanned = history.use((state) => state.scanned)
  return (
    <Row wrap gap="s" pad="s" line="below" role="group" aria-label="Filters">
      {(['in', 'out'] as const).map((direction) => (
        <Chip
          key={direction}
          pressed={filter.direction === direction}
          onPress={() => onChange({ direction: filter.direction === direction ? null : direction })}
        >
          {direction}
        </Chip>
      ))}
      <Select
        label="Asset"
        value={filter.asset ?? ''}
        onChange={(asset) => onChange({ asset: asset === '' ? null : asset })}
        options={assetOptions(jettons, filter.asset)}
      />
      <OpcodeChip opcode={filter.opcode} onChange={onChange} />
      <TimeChip filter={filter} onChange={onChange} />
      {isFiltered(filter) && (
        <>
          <IconButton icon="close" label="Remove filters" onClick={() => onChange(emptyFilter)} />
          <Row last>
            <Text tone="dim" size="s" role="status">
              {formatNumber(total)} of {formatCount(scanned, 'transaction')} searched
            </Text>
          </Row>
        </>
      )}
    </Row>
  )
}

function assetOptions(jettons: readonly JettonBalance[], chosen: string | null) {
  const options = [
    { value: '', label: 'Any asset' },
    { value: 'TON', label: coinName() },
    ...jettons.flatMap(({ asset }) =>
      asset.jetton === null ? [] : [{ value: asset.jetton, label: symbolOf(asset) }],
    ),
  ]
  const isKnown = options.some(({ value }) => value === (chosen ?? ''))
  return isKnown ? options : [...options, { value: chosen ?? '', label: 'Selected jetton' }]
}

function OpcodeChip({ opcode, onChange }: { opcode: string | null; onChange: Change }) {
  return (
    <FormChip
      label={opcode === null ? 'opcode' : `opcode: ${opcode}`}
      isOn={opcode !== null}
      title="Opcode"
    >
      {(close) => (
        <OpcodeForm
          opcode={opcode}
          onDone={(next) => {
            close()
            onChange({ opcode: next })
          }}
        />
      )}
    </FormChip>
  )
}

function OpcodeForm({
  opcode,
  onDone,
}: {
  opcode: string | null
  onDone: (opcode: string | null) => void
}) {
  const [typed, setTyped] = useState(opcode ?? '')
  const [error, setError] = useState<string | undefined>(undefined)
  return (
    <FilterForm
      onApply={() => {
        const next = typed.trim() === '' ? null : parseOpcode(typed)
        if (next === null && typed.trim() !== '') {
          setError('Enter an opcode such as 0x0f8a7ea5, or a number.')
        } else onDone(next)
      }}
      clear={opcode === null ? null : { label: 'Any opcode', run: () => onDone(null) }}
    >
      <TextField
        label="Opcode of the message"
        mono
        placeholder="0x0f8a7ea5"
        value={typed}
        onChange={setTyped}
        error={error}
      />
    </FilterForm>
  )
}

function TimeChip({ filter: { from, to }, onChange }: { filter: HistoryFilter; onChange: Change }) {
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
      {(close) => {
        const apply = (span: DaySpan) => {
          close()
          onChange(span)
        }
        const any = { from: null, to: null }
        return (
          <DaySpanForm
            from={from}
            to={to}
            clear={
              from === null && to === null ? null : { label: 'Any time', run: () => apply(any) }
            }
            onDone={apply}
          />
        )
      }}
    </FormChip>
  )
}
