import { useEffect } from 'react'
import type {
  MissedEvent,
  MissedCheck,
  Verdict,
} from '../../../../src-preload/contract/missed-events.ts'
import { request } from '../../../app/bridge.ts'
import { captureHref } from '../../../app/route.ts'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { LtText, TransactionHash } from '../../../components/chain/chain-text.tsx'
import { Choices, IconButton } from '../../../ui/button.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { type DataColumn, DataList, dataColumn } from '../../../ui/data-list.tsx'
import { EmptyState } from '../../../ui/loaded.tsx'
import { formatDuration, formatNumber, formatRowTime, fromMs } from '../../../ui/format.ts'
import { Icon } from '../../../ui/icons.tsx'
import { Tag, Pane, Row, Stack, Small } from '../../../ui/layout.tsx'
import { Moment, useNow } from '../../../ui/time.tsx'
import { KeyValues } from '../../../ui/values.tsx'
import { createLiveList } from '../../../ui/live-list.ts'
import { gatewayLabels, describeReceived, verdictOrder, verdictLooks } from './checks.ts'

type Filter = { readonly verdict: Verdict | null; readonly text: string }

const noFilter: Filter = { verdict: null, text: '' }

/** The events of a check. Their filter is kept while the user looks at other pages. */
export const events = createLiveList({
  load: async ({ id, filter }: { id: number; filter: Filter }, offset, limit) => {
    const { total, events: rows } = await request('missedEvents.events', {
      id,
      filter,
      offset,
      limit,
    })
    return { total, rows, extra: null }
  },
  idOf: ({ index }: MissedEvent) => index,
})

function openEvents(id: number): void {
  const { question } = events.use.getState()
  events.open({ id, filter: question?.id === id ? question.filter : noFilter })
}

/** Lists the events of a check with their verdicts. The event at the cursor is shown in full below the list. */
export function EventList({ check, onLeave }: { check: MissedCheck; onLeave: () => void }) {
  const { id, events: found, state } = check
  const filter = events.use(({ question }) => question?.filter ?? noFilter)
  const change = (part: Partial<Filter>) =>
    events.open({ id, filter: { ...filter, ...part } }, { keep: true })
  const open = events.use(() => events.cursorRow())
  useEffect(() => openEvents(id), [id])
  useEffect(() => events.note(), [found, state])
  const group = 'Missed events'
  /** The event in the three records: the chain, the gateway and this computer. */
  const detail = open !== null && (
    <Stack as="section" line="above" aria-label="Event" tabIndex={0}>
      <Row pad="m" line="below">
        <VerdictTag verdict={open.verdict} />
        {open.also.map((each) => (
          <VerdictTag key={each} verdict={each} />
        ))}
        <Small>{verdictLooks[open.verdict].meaning}</Small>
        <Row last>
          <IconButton icon="close" label="Close the event (Esc)" onClick={() => events.put(null)} />
        </Row>
      </Row>
      <Stack pad="m">
        <KeyValues
          pairs={[
            [
              'Account',
              <AccountLink key="account" account={{ address: open.account, label: open.label }} />,
            ],
            [
              'Chain',
              <Row key="chain" wrap gap="l">
                <TransactionHash hash={open.txHash} network={check.network} />
                <span>
                  lt <LtText lt={open.lt} />
                </span>
                <Moment at={fromMs(open.at)} />
              </Row>,
            ],
            ['Gateway', gatewayLabels[open.gateway]],
            ['Captures', <Captures key="captures" captures={open.captures} />],
            [
              'Delay',
              open.delayMs === null
                ? null
                : `${formatDuration(fromMs(open.delayMs))} from the block to the first accepted delivery`,
            ],
            [
              'Rebuilt',
              open.rebuilt === null ? null : (
                <a key="rebuilt" href={captureHref(open.rebuilt)}>
                  Capture {formatNumber(open.rebuilt)}
                </a>
              ),
            ],
          ]}
        />
      </Stack>
    </Stack>
  )
  return (
    <Pane foot={detail}>
      <Row as="search" wrap gap="s" pad="m" line="below">
        <Choices<Verdict | null>
          label="Events to show"
          value={filter.verdict}
          onChange={(verdict) => change({ verdict })}
          options={[
            { value: null, label: 'All', count: found },
            ...verdictOrder
              .filter((each) => check.counts[each] > 0 || each === filter.verdict)
              .map((each) => {
                const { word, tone } = verdictLooks[each]
                return {
                  value: each,
                  label: word,
                  count: check.counts[each],
                  tone: tone === 'plain' ? undefined : tone,
                }
              }),
          ]}
        />
        <SearchField
          group={group}
          label="Search the events"
          placeholder="address, label or hash"
          value={filter.text}
          onSearch={(text) => change({ text })}
        />
      </Row>
      <DataList
        list={events}
        columns={columns}
        of="events"
        thing="event"
        group={group}
        onLeave={onLeave}
        empty={<EmptyState title={describeEmpty(check)} />}
      />
    </Pane>
  )
}

function describeEmpty({ events: found, state }: MissedCheck): string {
  if (found > 0) return 'No event matches the filter'
  return state === 'running'
    ? 'No events found yet'
    : 'These accounts had no transactions in this period'
}

/** Shows a verdict as an icon and a word, so that color is not the only sign. */
function VerdictTag({ verdict }: { verdict: Verdict }) {
  const { word, icon, tone, meaning } = verdictLooks[verdict]
  return (
    <Tag tone={tone} title={meaning}>
      <Row as="span" gap="xs">
        <Icon name={icon} size={11} />
        {word}
      </Row>
    </Tag>
  )
}

function RowTime({ at }: { at: number }) {
  return formatRowTime(fromMs(at), useNow())
}

const columns: readonly DataColumn<MissedEvent>[] = [
  dataColumn('Verdict', { width: 150 }, ({ verdict }) => <VerdictTag verdict={verdict} />),
  dataColumn('Account', { width: 90, grow: 1 }, ({ account, label }) => (
    <AccountLink account={{ address: account, label }} canCopy={false} tabIndex={-1} />
  )),
  dataColumn('Block time', { width: 98, look: 'number' }, ({ at }) => <RowTime at={at} />),
  dataColumn('Logical time', { width: 138, gives: 2, look: 'number' }, ({ lt }) => (
    <LtText lt={lt} />
  )),
  dataColumn('Gateway', { width: 114 }, ({ gateway }) => gatewayLabels[gateway]),
  dataColumn('Captures', { width: 82 }, (event) =>
    event.rebuilt === null ? describeReceived(event) : 'rebuilt',
  ),
  dataColumn(
    'Delay',
    { width: 64, gives: 1, look: 'number' },
    ({ delayMs }) => delayMs !== null && formatDuration(fromMs(delayMs)),
  ),
]

/** Lists the received deliveries with their responses. */
export function Captures({ captures }: Pick<MissedEvent, 'captures'>) {
  if (captures.length === 0) return 'No delivery received'
  return (
    <ul>
      {captures.map(({ id, receivedAt, status }) => (
        <li key={id}>
          <a href={captureHref(id)}>Capture {formatNumber(id)}</a>,{' '}
          {status === null ? 'no response' : `response ${status}`}, <Moment at={receivedAt} />
        </li>
      ))}
    </ul>
  )
}
