import { useEffect, useMemo, useRef } from 'react'
import type { LedgerEvent, MissedCheck, Verdict } from '../../../../src-preload/contract/ledger.ts'
import { formatDuration, formatRowTime, fromMs } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { useNow } from '../../../ui/moment.tsx'
import { throttle } from '../../../ui/throttle.ts'
import { classes } from '../../../ui/classes.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { LtText } from '../../../components/chain/hash-text.tsx'
import { ChoiceChips } from '../../../components/list/choice-chips.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { useGridKeys } from '../../../components/list/use-grid-keys.ts'
import { Cell, WindowGrid } from '../../../components/list/window-grid.tsx'
import { rowAt } from '../../../components/list/windows.ts'
import { EventDetail } from './event-detail.tsx'
import { events, filterEvents, openEvents, useEvents } from './events.ts'
import { VerdictTag } from './verdict-tag.tsx'
import { sayGateway, sayHere, verdictOrder, verdicts } from './verdict-words.ts'
import styles from './missed.module.css'

const columns = [
  { name: 'Verdict' },
  { name: 'Account' },
  { name: 'Block time', end: true },
  { name: 'Logical time', end: true, className: styles['lt'] },
  { name: 'Gateway' },
  { name: 'Here' },
  { name: 'Delay', end: true, className: styles['delay'] },
]

const group = 'Missed events'
/** Read anew this often while a check finds more. */
const lookMs = 1000

/** The events of a check with what became of each. */
export function EventList({ check }: { check: MissedCheck }) {
  const field = useRef<HTMLInputElement>(null)
  const { verdict, text: words, cursor } = useEvents()
  const state = events.store()
  useEffect(() => openEvents(check.id), [check.id])
  useNews(check)
  useGridKeys({
    group,
    thing: 'event',
    count: state.status === 'ready' ? state.total : 0,
    cursor,
    onCursor: (next) => useEvents.setState({ cursor: next }),
  })
  const shortcuts = [
    { keys: ['/'], label: 'Search the events', group, run: () => field.current?.focus() },
  ]
  const close = () => useEvents.setState({ cursor: null })
  useShortcuts(
    cursor === null
      ? shortcuts
      : [...shortcuts, { keys: ['Escape'], label: 'Close the event', group, run: close }],
  )
  const open = state.status === 'ready' && cursor !== null ? rowAt(state, cursor) : null
  return (
    <div className={classes(styles['events'], open !== null && styles['withDetail'])}>
      <search className={styles['filter']}>
        <ChoiceChips<Verdict | null>
          label="Events shown"
          value={verdict}
          onChange={(next) => filterEvents({ verdict: next })}
          choices={[
            { value: null, label: 'All', count: check.events },
            ...verdictOrder
              .filter((each) => check.counts[each] > 0 || each === verdict)
              .map((each) => ({
                value: each,
                label: verdicts[each].word,
                count: check.counts[each],
                ...(verdicts[each].tone !== 'plain' && { tone: verdicts[each].tone }),
              })),
          ]}
        />
        <SearchField
          ref={field}
          label="Search the events"
          placeholder="address, label or hash"
          value={words}
          onSearch={(next) => filterEvents({ text: next })}
        />
      </search>
      <Rows check={check} />
      {open !== null && <EventDetail check={check} event={open} onClose={close} />}
    </div>
  )
}

function useNews({ events: found, state }: MissedCheck): void {
  const look = useMemo(() => throttle(() => events.refresh(), lookMs), [])
  const isFirst = useRef(true)
  useEffect(() => look.cancel, [look])
  useEffect(() => {
    if (isFirst.current) isFirst.current = false
    else look.call()
  }, [found, state, look])
}

function Rows({ check }: { check: MissedCheck }) {
  const state = events.store()
  const cursor = useEvents((each) => each.cursor)
  const now = useNow()
  if (state.status === 'loading') return <Skeleton rows={8} label="Loading the events" />
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The events could not be listed"
        why={state.error.message}
        onRetry={() => events.refresh()}
      />
    )
  }
  if (state.total === 0) {
    return (
      <p className={styles['none']}>
        {check.events > 0
          ? 'No event is like that.'
          : check.state === 'running'
            ? 'No event was found so far.'
            : 'These accounts had no transactions in this time.'}
      </p>
    )
  }
  return (
    <WindowGrid
      label="Events"
      className={styles['eventColumns']}
      columns={columns}
      list={events}
      state={state}
      cursor={cursor}
      onCursor={(index) => useEvents.setState({ cursor: index })}
      cells={(event) => <EventCells event={event} now={now} />}
    />
  )
}

function EventCells({ event, now }: { event: LedgerEvent; now: number }) {
  const { account, label, at, lt, delayMs } = event
  return (
    <>
      <Cell>
        <VerdictTag verdict={event.verdict} />
      </Cell>
      <Cell>
        <AccountLink
          account={{ address: account, label, name: null, isScam: false, isWallet: false }}
          canCopy={false}
          tabIndex={-1}
        />
      </Cell>
      <Cell className={text['number']}>{formatRowTime(fromMs(at), now)}</Cell>
      <Cell className={classes(text['number'], styles['lt'])}>
        <LtText lt={lt} />
      </Cell>
      <Cell>{sayGateway(event)}</Cell>
      <Cell>{event.rebuilt === null ? sayHere(event) : 'rebuilt'}</Cell>
      <Cell className={classes(text['number'], styles['delay'])}>
        {delayMs !== null && formatDuration(fromMs(delayMs))}
      </Cell>
    </>
  )
}
