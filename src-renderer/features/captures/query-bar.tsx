import { type Ref, useEffect, useState } from 'react'
import { create } from 'zustand'
import { request } from '../../app/bridge.ts'
import { useRoute } from '../../app/route.ts'
import { type QueryFieldHandle, QueryField } from '../../components/query/query-field.tsx'
import { useQueryReading } from '../../components/query/use-query-reading.ts'
import { useCounted } from '../../components/charts/counted.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Note, Row, Stack, Text } from '../../ui/layout.tsx'
import { useTypedSearch } from '../../ui/use-typed-search.ts'
import { openReplay } from '../../components/delivery/replays.tsx'
import { captures, search } from './inspector.ts'
import { NetworkFilter } from './network-menu.tsx'
import { ViewsMenu } from './views-menu.tsx'

/** A query is remembered once its captures have been shown for this long. */
const rememberMs = 1500
/** A query that is not valid is most often half typed. */
const typingMs = 700
const countMs = 2000

type Matches = {
  readonly text: string
  readonly count: number
  readonly isExact: boolean
}

export function QueryBar({ field }: { field: Ref<QueryFieldHandle> }) {
  const route = useRoute((state) => state.route)
  const text = route.page === 'inspector' ? route.query.text : ''
  const { typed, settle, type, enter } = useTypedSearch(text, search)
  const recent = useRecentQueries((state) => state.recent)
  const reading = useQueryReading(text, null)
  const matches = useMatches(text.trim())
  useRemembered()
  return (
    <>
      <Stack as="search" pad="m" line="below">
        <QueryField
          ref={field}
          label="Search captures"
          hideLabel
          placeholder="event:account_tx amount:>1.5TON received:today, or any words"
          value={typed}
          onChange={type}
          onEnter={enter}
          recent={recent}
          beside={
            <Row>
              <MatchCount matches={matches} />
              {text !== '' && (
                <Button
                  disabled={matches?.count === 0}
                  kind="quiet"
                  icon="play"
                  onClick={() => openReplay({ kind: 'query', text })}
                >
                  Replay all…
                </Button>
              )}
              <NetworkFilter parts={reading.parts} settle={settle} />
              <ViewsMenu text={text} />
            </Row>
          }
        />
      </Stack>
      <Refused />
    </>
  )
}

/** How many captures match; null while that is unknown, and without a query. */
function useMatches(text: string): Matches | null {
  const load = async (): Promise<Matches | null> =>
    text === '' ? null : { text, ...(await request('captureQuery.count', { query: { text } })) }
  const { data = null, error } = useCounted('captureQuery.count', { text }, load, countMs)
  // The list and the field show what is wrong with a query.
  return error === null && data?.text === text ? data : null
}

function MatchCount({ matches }: { matches: Matches | null }) {
  const unsearched = captures.use((state) => state.notYetSearchable)
  return (
    <Text tone="dim" over="nowrap" role="status">
      {matches !== null && (
        <span title={matches.isExact ? undefined : 'Counting stopped before the last capture.'}>
          {matches.isExact
            ? formatCount(matches.count, 'match', 'matches')
            : `${formatNumber(matches.count)} or more matches`}
        </span>
      )}{' '}
      {unsearched > 0 && (
        <Text size="s" tone="faint">
          {formatCount(unsearched, 'new capture')} cannot be searched yet
        </Text>
      )}
    </Text>
  )
}

/** Says that the list still shows the query before one that is not valid. */
function Refused() {
  const { refusal, query } = captures.use()
  const [shown, show] = useState<typeof refusal>(null)
  useEffect(() => {
    if (refusal === null) return
    const timer = setTimeout(() => show(refusal), typingMs)
    return () => clearTimeout(timer)
  }, [refusal])
  if (refusal === null || shown !== refusal) return null
  return (
    <Note tone="warn">
      <span role="status">
        {query.text === ''
          ? 'The list still shows all captures'
          : `The list still shows “${query.text}”`}
        : the new query is not valid.
      </span>
    </Note>
  )
}

function useRemembered(): void {
  const text = captures.use(({ status, query }) => (status === 'ready' ? query.text : ''))
  useEffect(() => {
    if (text === '') return
    const timer = setTimeout(() => rememberQuery(text), rememberMs)
    return () => clearTimeout(timer)
  }, [text])
}

const storageKey = 'tondesk.queries'
const maxRecent = 20

/** Recent queries, the newest first. */
const useRecentQueries = create<{ recent: readonly string[] }>(() => ({ recent: readStored() }))

function rememberQuery(text: string): void {
  const { recent } = useRecentQueries.getState()
  if (text === '' || recent[0] === text) return
  const next = [text, ...recent.filter((each) => each !== text)].slice(0, maxRecent)
  useRecentQueries.setState({ recent: next })
  window.localStorage.setItem(storageKey, JSON.stringify(next))
}

/** An earlier version may have stored another shape, which is skipped. */
function readStored(): readonly string[] {
  try {
    const value: unknown = JSON.parse(window.localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}
