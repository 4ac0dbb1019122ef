import { formatCount } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { FirstStep } from '../../overview/first-step.tsx'
import { deleteCaptures, escape, search, togglePin } from '../inspector-commands.ts'
import type { ReadyList } from '../inspector-state.ts'
import { everything } from '../inspector-state.ts'
import { loading, useInspector } from '../inspector.ts'
import { CaptureList } from './capture-list.tsx'
import { countRows } from './capture-pages.ts'
import { isEverything, isScan } from './list-loading.ts'
import { countMarked } from './row-words.ts'
import styles from './list.module.css'

/** The list in whichever of its states it is. */
export function ListPanel() {
  const list = useInspector((state) => state.list)
  switch (list.status) {
    case 'loading':
      return <Skeleton rows={12} label="Loading captures" />
    case 'failed':
      return (
        <FailedState
          what="The captures could not be read"
          why={list.error.message}
          onRetry={() => void loading.openQuery(useInspector.getState().query)}
        />
      )
    case 'ready':
      return <ReadyPanel list={list} />
  }
}

function ReadyPanel({ list }: { list: ReadyList }) {
  const query = useInspector((state) => state.query)
  const isEmpty = countRows(list.pages) === 0 && list.nextBefore === null
  if (isEmpty && isEverything(query)) return <FirstStep />
  if (isEmpty) return <NothingFound list={list} />
  return (
    <div className={styles['area']}>
      <BulkBar />
      <CaptureList list={list} />
    </div>
  )
}

function NothingFound({ list }: { list: ReadyList }) {
  const query = useInspector((state) => state.query)
  const total = useInspector((state) => state.counts?.total ?? 0)
  if (query.text === '') {
    return (
      <EmptyState
        title="Nothing is pinned"
        detail="Pin a capture with p: it stays here, and retention never deletes it."
      >
        <Button onClick={() => search(everything)}>Show all captures</Button>
      </EmptyState>
    )
  }
  const scope = query.pinnedOnly ? 'No pinned capture' : 'No capture'
  return (
    <EmptyState
      title={`${scope} matches “${query.text}”`}
      detail={
        isScan(query)
          ? 'All history was looked at, inside words too.'
          : `Words and their beginnings were looked up in ${formatCount(total, 'capture')}.${behind(list)}`
      }
    >
      {!isScan(query) && (
        <Button kind="main" onClick={() => search({ ...query, mode: 'inside' })}>
          Look inside words (slow)
        </Button>
      )}
      {query.pinnedOnly && (
        <Button onClick={() => search({ ...query, pinnedOnly: false })}>
          Look in all captures
        </Button>
      )}
      <Button onClick={() => search(everything)}>Clear the search</Button>
    </EmptyState>
  )
}

function behind({ notYetSearchable }: ReadyList): string {
  if (notYetSearchable === 0) return ''
  return ` ${formatCount(notYetSearchable, 'new capture')} are not searchable yet.`
}

/** What can be done with several captures at once. */
function BulkBar() {
  const marked = useInspector((state) => state.marked)
  if (marked.size === 0) return null
  return (
    <div className={styles['bulk']} role="toolbar" aria-label="Selected captures">
      <b>{countMarked(marked.size)}</b>
      <Button icon="pin" onClick={() => void togglePin()}>
        Pin
      </Button>
      <Button icon="trash" kind="danger" onClick={() => void deleteCaptures()}>
        Delete
      </Button>
      <Button kind="quiet" onClick={escape}>
        Clear selection
      </Button>
    </div>
  )
}
