import { type Ref, useEffect, useState } from 'react'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import warning from '../../ui/warning.module.css'
import { useTypedSearch } from '../../ui/use-typed-search.ts'
import { openReplay } from '../../components/delivery/replays.tsx'
import { search } from './inspector-commands.ts'
import type { Refusal } from './inspector-state.ts'
import { useInspector } from './inspector.ts'
import { NetworkFilter } from './network-filter.tsx'
import { type QueryFieldHandle, QueryField } from '../../components/query/query-field.tsx'
import { rememberQuery, useRecentQueries } from '../../components/query/recent-queries.ts'
import { useQueryReading } from '../../components/query/use-query-reading.ts'
import { type MatchCount as Matches, useMatchCount } from './use-match-count.ts'
import { ViewsMenu } from './views/views-menu.tsx'
import styles from './page.module.css'

/** A query is worth remembering once one has looked at what it found for so long. */
const lookedMs = 1500

/** What cannot be read is most often a query that is not written to its end. */
const writingMs = 700

/** What is looked for, how much of it there is, and what was saved under a name. */
export function QueryBar({ field }: { field: Ref<QueryFieldHandle> }) {
  const route = useRoute((state) => state.route)
  const text = route.page === 'inspector' ? route.query.text : ''
  const { typed, settle, type, enter } = useTypedSearch(text, (next) => search({ text: next }))
  const recent = useRecentQueries((state) => state.kept)
  const reading = useQueryReading(text, null)
  const matches = useMatchCount(text.trim())
  useRemembered()
  return (
    <>
      <search className={styles['query']}>
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
            <div className={styles['beside']}>
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
            </div>
          }
        />
      </search>
      <Refused />
    </>
  )
}

function MatchCount({ matches }: { matches: Matches | null }) {
  const behind = useInspector(({ list }) => (list.status === 'ready' ? list.notYetSearchable : 0))
  return (
    <span className={styles['count']} role="status">
      {matches !== null && (
        <span title={matches.isExact ? undefined : 'Counting was ended before all were looked at.'}>
          {matches.isExact
            ? formatCount(matches.count, 'match', 'matches')
            : `${formatNumber(matches.count)} or more matches`}
        </span>
      )}
      {behind > 0 && (
        <span className={styles['hint']}>
          {formatCount(behind, 'new capture')} not searchable yet
        </span>
      )}
    </span>
  )
}

/** The list goes on showing what it found before. */
function Refused() {
  const refusal = useInspector((state) => state.refusal)
  const shown = useInspector((state) => state.query.text)
  const [told, tell] = useState<Refusal | null>(null)
  useEffect(() => {
    if (refusal === null) return
    const timer = setTimeout(() => tell(refusal), writingMs)
    return () => clearTimeout(timer)
  }, [refusal])
  if (refusal === null || told !== refusal) return null
  return (
    <p className={classes(warning['bar'])} role="status">
      {shown === '' ? 'The list still shows all captures' : `The list still shows “${shown}”`}: what
      is asked for cannot be read.
    </p>
  )
}

function useRemembered(): void {
  const text = useInspector((state) => (state.list.status === 'ready' ? state.query.text : ''))
  useEffect(() => {
    if (text === '') return
    const timer = setTimeout(() => rememberQuery(text), lookedMs)
    return () => clearTimeout(timer)
  }, [text])
}
