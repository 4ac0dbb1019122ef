import { badOpcode, formatOpcode, parseOpcode } from '../../../src-preload/domain/opcode.ts'
import { useState } from 'react'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type {
  AccountView,
  HistoryFilter,
  HistoryRow,
  HistoryView,
  JettonBalance,
} from '../../../src-preload/contract/chain/account.ts'
import type { Asset } from '../../../src-preload/contract/chain/references.ts'
import type { ActionView, SentencePart } from '../../../src-preload/contract/chain/transaction.ts'
import { emptyFilter } from '../../app/chain-route.ts'
import { navigate } from '../../app/route.ts'
import { createStored } from '../../app/stored.ts'
import { formatUnits } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink, AccountName } from '../../components/chain/account-link.tsx'
import { SentenceText } from '../../components/chain/sentence-view.tsx'
import { Amount, symbolOf, ton } from '../../components/chain/chain-text.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Button, Choices, IconButton } from '../../ui/button.tsx'
import { type DataColumn, DataList } from '../../ui/data-list.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import {
  type DaySpan,
  type Filter,
  DaySpanForm,
  FilterForm,
  FilterMenu,
  choiceFilter,
} from '../../ui/form-chip.tsx'
import { formatCount, formatDay, formatNumber, fromMs } from '../../ui/format.ts'
import { Pane, Row, Tag, Text, Small } from '../../ui/layout.tsx'
import { Moment, useNow } from '../../ui/time.tsx'
import { TextField } from '../../ui/form.tsx'
import { StaleNote, UnreadTransactions, useReloadOnceAvailable } from './chain-data.tsx'
import { type HistoryLine, accountHistory, isSpam } from './history.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { describeOperation, isFiltered } from './labels.ts'

type Change = (part: Partial<HistoryFilter>) => void

type Reading = { readonly view: HistoryView; readonly hidesSpam: boolean }

/** The user's choices of how histories are displayed, the same for all accounts. */
const { use, change: changeReading } = createStored<Reading>(
  'tondesk.history',
  ({ view, hidesSpam }) => ({
    view: view === 'transactions' ? view : 'events',
    hidesSpam: hidesSpam === true,
  }),
)

export const useHistoryOptions = use

/**
 * Shows the events or transactions of an account, with filters. The filters are part of the URL, so
 * that a link contains them.
 */
export function AccountHistory({
  account,
  filter,
}: {
  account: AccountView
  filter: HistoryFilter
}) {
  const { id: network } = useShownNetwork()
  const { address } = account.account
  const hasFailed = accountHistory.source.use((state) => state.status === 'failed')
  const total = accountHistory.source.use((state) => state.total)
  const { unread, view, scanned } = accountHistory.use()
  const thing = view === 'events' ? 'event' : 'transaction'
  const reading = useHistoryOptions()
  const key = shortcutsOf('Transactions')
  useShortcuts([
    key(['t'], 'Show or hide the transactions of the event', () => {
      const line = accountHistory.source.cursorRow()
      if (line?.kind === 'row') void accountHistory.toggle(line.row)
      else if (line) void accountHistory.toggle(line.of)
    }),
  ])
  useReloadOnceAvailable(hasFailed, () => accountHistory.reload())
  const change: Change = (part) =>
    navigate(
      { page: 'explorer', network, view: 'account', address, filter: { ...filter, ...part } },
      { replace: true },
    )
  const filters = useFilters(filter, account.jettons ?? [], change)
  return (
    <Pane role="region" aria-label="History">
      <Row wrap gap="s" pad="s" line="below">
        <Choices
          label="History of"
          value={reading.view}
          onChange={(next) => changeReading({ view: next })}
          options={[
            { value: 'events', label: 'Events' },
            { value: 'transactions', label: 'Transactions' },
          ]}
        />
        <FilterMenu filters={filters} />
        {isFiltered(filter) && (
          <>
            <IconButton icon="close" label="Remove filters" onClick={() => change(emptyFilter)} />
            <Row last>
              <Text tone="dim" size="s" role="status">
                {formatNumber(total)} of {formatCount(scanned, thing)} searched
              </Text>
            </Row>
          </>
        )}
      </Row>
      <Staleness account={account} />
      <UnreadTransactions unread={unread} />
      <DataList
        list={accountHistory.source}
        columns={view === 'events' ? eventColumns : columns}
        of={view}
        thing={thing}
        group="Transactions"
        openId={null}
        onOpen={(line) => navigate({ page: 'explorer', network, view: 'tx', hash: hashOf(line) })}
        empty={<Empty account={account} isFiltered={isFiltered(filter)} />}
        foot={<Foot isFiltered={isFiltered(filter)} />}
      />
    </Pane>
  )
}

function hashOf(line: HistoryLine): string {
  if (line.kind === 'row') return line.row.hash
  const own =
    line.kind === 'transaction'
      ? line.node.hash
      : line.kind === 'action'
        ? line.action.transactions[0]
        : null
  return own ?? line.of.hash
}

const directions = { in: 'In', out: 'Out', other: 'Other' } as const

const columns: DataColumn<HistoryLine>[] = [
  {
    name: 'Details',
    width: 26,
    hideName: true,
    cell: (line) => <Expander line={line} />,
  },
  {
    name: 'Time',
    width: 140,
    look: 'dim',
    cell: (line) =>
      line.kind === 'row' ? (
        <Moment at={fromMs(line.row.at)} absolute="second" />
      ) : line.kind === 'transaction' ? (
        <Moment at={fromMs(line.node.at)} absolute="second" />
      ) : null,
  },
  {
    name: 'Direction',
    width: 36,
    hideName: true,
    gives: 2,
    look: 'dim',
    cell: (line) => (line.kind === 'row' ? directions[line.row.direction] : null),
  },
  {
    name: 'Counterparty',
    width: 84,
    grow: 1,
    cell: (line) => {
      const account =
        line.kind === 'row' ? line.row.peer : line.kind === 'transaction' ? line.node.account : null
      return account && <AccountLink account={account} canCopy={false} tabIndex={-1} />
    },
  },
  {
    name: 'Amount',
    width: 150,
    grow: 0.3,
    look: 'number',
    cell: (line) => <Amounts line={line} />,
  },
  { name: 'Operation', width: 90, grow: 1.4, cell: (line) => <Operation line={line} /> },
  {
    id: 'Fees, TON',
    get name() {
      return `Fees, ${coinName()}`
    },
    width: 92,
    gives: 1,
    look: 'number',
    title: (line) => (line.kind === 'row' && line.row.event !== null ? extraTitle : undefined),
    cell: (line) => <Fees line={line} />,
  },
]

/** The sentence of an event already names the sender and the recipient. */
const eventColumns: DataColumn<HistoryLine>[] = columns.flatMap((column) =>
  column.name === 'Direction' || column.name === 'Counterparty'
    ? []
    : column.name === 'Operation'
      ? { ...column, name: 'Event', width: 200, grow: 3 }
      : column.id === 'Fees, TON'
        ? { ...column, name: 'Fees (+ returned)', width: 116 }
        : column,
)

const extraTitle =
  'The fees that the account paid beside the amounts of the event. A plus sign: contracts returned more than the fees.'

function Fees({ line }: { line: HistoryLine }) {
  if (line.kind !== 'row' && line.kind !== 'transaction') return null
  const { fees } = line.kind === 'row' ? line.row : line.node
  const extra = line.kind === 'row' ? (line.row.event?.extra ?? null) : null
  const isGain = extra !== null && !extra.startsWith('-') && extra !== '0'
  return (
    <Text mono tone="faint">
      {isGain ? `+${formatUnits(extra, 9)}` : formatUnits(fees, 9)}
    </Text>
  )
}

/** The number of assets that one row shows. The page of the event shows all of them. */
const maxAmounts = 2

function Amounts({ line }: { line: HistoryLine }) {
  if (line.kind === 'transaction') {
    const { jetton, value } = line.node
    const { asset, units }: { asset: Asset; units: string } = jetton ?? { asset: ton, units: value }
    return units !== '0' && <Amount units={units} asset={asset} aligned />
  }
  if (line.kind !== 'row') return null
  const { change, event } = line.row
  const changes = event?.changes ?? (change === null ? [] : [change])
  return (
    <>
      {changes.slice(0, maxAmounts).map(({ asset, units }, index) => (
        <span key={index}>
          {index > 0 && ', '}
          <Amount units={units} asset={asset} signed aligned />
        </span>
      ))}
      {changes.length > maxAmounts && ' …'}
    </>
  )
}

function Expander({ line }: { line: HistoryLine }) {
  if (line.kind !== 'row') return <Text tone="faint">↳</Text>
  if (line.row.event === null) return null
  return (
    <IconButton
      icon={line.isExpanded ? 'down' : 'right'}
      tabIndex={-1}
      aria-expanded={line.isExpanded}
      label={line.isExpanded ? 'Hide its transactions' : 'Show its transactions'}
      onClick={() => void accountHistory.toggle(line.row)}
    />
  )
}

function Operation({ line }: { line: HistoryLine }) {
  switch (line.kind) {
    case 'row':
      return line.row.event === null ? (
        <TransactionWords row={line.row} />
      ) : (
        <EventWords row={line.row} event={line.row.event} />
      )
    case 'action':
      return <ActionWords action={line.action} />
    case 'note':
      return (
        <UntrustedText
          size="s"
          tone={line.failed ? 'bad' : 'dim'}
          over="cut"
          title={line.text}
          text={line.text}
        />
      )
    case 'transaction': {
      const { failure, operation, opcode, comment } = line.node
      return (
        <Row gap="s">
          <Failed failure={failure} />
          <Small over="cut">
            <AccountName account={line.node.account} />
            {(operation ?? opcode) !== null && (
              <>
                {': '}
                <UntrustedText text={operation ?? opcode ?? ''} />
              </>
            )}
          </Small>
          <Comment text={comment} />
        </Row>
      )
    }
  }
}

function EventWords({ row, event }: { row: HistoryRow; event: NonNullable<HistoryRow['event']> }) {
  const [first] = event.actions
  const more = event.actions.length - 1
  return (
    <Row gap="s">
      <Spam row={row} />
      {event.inProgress && (
        <Tag tone="warn" title="Messages of this event are still being processed.">
          in progress
        </Tag>
      )}
      {first === undefined ? (
        <Small>Nothing was recognized</Small>
      ) : (
        <ActionWords action={more > 0 ? first : withoutAmount(first)} />
      )}
      {more > 0 && (
        <Tag title="Expand the row to see every action of this event.">
          +{formatCount(more, 'action')}
        </Tag>
      )}
      {row.failure !== null && first?.status !== 'failed' && <Failed failure={row.failure} />}
    </Row>
  )
}

/** The sentence of a row beside its amount: the comment first, so that it is not cut off, and no amount. */
export function withoutAmount(action: ActionView): ActionView {
  const { sentence } = action
  const comment = sentence.find(({ kind }) => kind === 'quote')
  const rest = sentence.flatMap((part, index): SentencePart[] => {
    if (part.kind === 'amount' || part === comment) return []
    if (part.kind !== 'words') return [part]
    const isAfterAmount = sentence[index - 1]?.kind === 'amount'
    const text = isAfterAmount ? part.text.replace(/^ /, '') : part.text
    return [{ ...part, text: text.replace(/ with the comment $/, '') }]
  })
  const first = comment === undefined ? [] : [comment, { kind: 'words', text: ' · ' } as const]
  return { ...action, sentence: [...first, ...rest] }
}

function ActionWords({ action }: { action: ActionView }) {
  return (
    <>
      {action.status === 'failed' && <Failed failure="The action failed." />}
      <Text size="s" over="cut">
        <SentenceText parts={action.sentence} />
      </Text>
    </>
  )
}

function Spam({ row }: { row: HistoryRow }) {
  if (!isSpam(row)) return null
  return (
    <Tag tone="bad" title="The gateway marks this as spam. Do not follow its links or texts.">
      spam
    </Tag>
  )
}

function Failed({ failure }: { failure: string | null }) {
  return (
    failure !== null && (
      <Tag tone="bad" title={failure}>
        failed
      </Tag>
    )
  )
}

function Comment({ text }: { text: string | null }) {
  return text !== null && <UntrustedText size="s" tone="dim" over="cut" title={text} text={text} />
}

function TransactionWords({ row }: { row: HistoryRow }) {
  const operation = describeOperation(row)
  return (
    <Row gap="s">
      <Spam row={row} />
      {!row.success && <Failed failure={row.failure ?? ''} />}
      {operation !== '' && (
        <Small over="cut" tone={row.operation === null ? 'dim' : undefined}>
          {operation}
        </Small>
      )}
      <Comment text={row.comment} />
      {row.outMessages > 1 && (
        <Tag title={`This transaction sent ${row.outMessages} messages.`}>
          {row.outMessages} messages
        </Tag>
      )}
    </Row>
  )
}

function Staleness({ account }: { account: AccountView }) {
  const { newerProblem, offline, viewProblem } = accountHistory.use()
  if (newerProblem !== null) {
    return (
      <StaleNote
        why={`Could not load newer rows: ${newerProblem.message}`}
        onRetry={() => accountHistory.poll()}
      />
    )
  }
  if (viewProblem !== null && offline === null) {
    return <StaleNote why={viewProblem} onRetry={() => accountHistory.reload(true)} />
  }
  // The note on the account already says the same.
  if (offline === null || account.offline !== null) return null
  return (
    <StaleNote why={`This is a stored copy. ${offline}`} onRetry={() => accountHistory.reload()} />
  )
}

function Empty({ account, isFiltered: narrows }: { account: AccountView; isFiltered: boolean }) {
  const { older, scanned, view } = accountHistory.use()
  const thing = view === 'events' ? 'event' : 'transaction'
  if (narrows) {
    return (
      <EmptyState
        title={`No ${thing} matches the filters`}
        detail={`Tondesk searched ${formatCount(scanned, thing)}.`}
      >
        {older !== null && (
          <Button onClick={() => void accountHistory.loadOlder()}>Search older {thing}s</Button>
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
  const { older, scanned, isSparse, isBeginning, offline, olderProblem, view, hiddenCount } =
    accountHistory.use()
  const thing = view === 'events' ? 'event' : 'transaction'
  const searched = narrows ? ` Tondesk searched ${formatCount(scanned, thing)}.` : ''
  const more = () => void accountHistory.loadOlder()
  return (
    <Row pad="m" wrap>
      {olderProblem !== null ? (
        <>
          <Text tone="bad" size="s" role="alert">
            Could not load older {thing}s: {olderProblem.message}
          </Text>
          <Button icon="refresh" onClick={more}>
            Try again
          </Button>
        </>
      ) : (
        <Small>
          {older === null && isBeginning && `The first transaction of this account.${searched}`}
          {older === null && !isBeginning && narrows && `End of the history.${searched}`}
          {older === null &&
            !isBeginning &&
            !narrows &&
            (view === 'events'
              ? 'The gateway has no older events of this account.'
              : offline === null
                ? 'The account has older transactions, but the gateway does not store them.'
                : 'No older transactions are stored on this computer.')}
          {older !== null && !isSparse && `Loading older ${thing}s…`}
          {older !== null && isSparse && `No older match found so far.${searched}`}
          {hiddenCount > 0 && ` ${formatCount(hiddenCount, thing)} marked as spam hidden.`}
        </Small>
      )}
      {older !== null && isSparse && olderProblem === null && (
        <Button onClick={more}>Search older {thing}s</Button>
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

const spamChoices = [
  { value: 'hidden', label: 'hide what the gateway marks as spam' },
  { value: 'shown', label: 'show everything' },
] as const

const directionChoices = [
  { value: 'any', label: 'any direction' },
  { value: 'in', label: 'in' },
  { value: 'out', label: 'out' },
] as const

function useFilters(
  filter: HistoryFilter,
  jettons: readonly JettonBalance[],
  onChange: Change,
): readonly Filter[] {
  const { direction, asset, opcode, from, to } = filter
  const { hidesSpam } = useHistoryOptions()
  const now = useNow()
  const assets = assetOptions(jettons, asset)
  return [
    choiceFilter({
      title: 'Direction',
      value: direction,
      choices: directionChoices,
      chosen: direction ?? 'any',
      onChange: (value) => onChange({ direction: value === 'any' ? null : value }),
    }),
    choiceFilter({
      title: 'Asset',
      value: asset && (assets.find(({ value }) => value === asset)?.label ?? null),
      choices: assets,
      chosen: asset ?? '',
      onChange: (value) => onChange({ asset: value === '' ? null : value }),
    }),
    {
      title: 'Opcode',
      value: opcode && `opcode: ${opcode}`,
      form: (closing) => (
        <OpcodeForm opcode={opcode} onDone={closing((next) => onChange({ opcode: next }))} />
      ),
    },
    {
      title: 'Time',
      value: describeSpan(from, to, now),
      form: (closing) => {
        const apply = closing<[DaySpan]>(onChange)
        const clear = { label: 'Any time', run: () => apply({ from: null, to: null }) }
        const isSet = from !== null || to !== null
        return <DaySpanForm from={from} to={to} clear={isSet ? clear : null} onDone={apply} />
      },
    },
    choiceFilter({
      title: 'Spam',
      value: hidesSpam ? 'hide spam' : null,
      choices: spamChoices,
      chosen: hidesSpam ? 'hidden' : 'shown',
      onChange: (value) => changeReading({ hidesSpam: value === 'hidden' }),
    }),
  ]
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
        const next = parseOpcode(typed)
        if (next !== null) onDone(formatOpcode(next))
        else if (typed.trim() === '') onDone(null)
        else setError(badOpcode)
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

function describeSpan(from: number | null, to: number | null, now: number): string | null {
  const day = (at: number) => formatDay(fromMs(at), now)
  if (from === null) return to === null ? null : `until ${day(to)}`
  return to === null ? `since ${day(from)}` : `${day(from)} – ${day(to)}`
}
