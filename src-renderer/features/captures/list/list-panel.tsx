import { formatCount } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { queryTerm } from '../../../components/query-term.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { compareCaptures } from '../../../components/delivery/comparable.ts'
import { FirstCapture } from '../../../components/start/first-capture.tsx'
import { openReplay } from '../../../components/delivery/replays.tsx'
import { deleteCaptures, escape, search, togglePin } from '../inspector-commands.ts'
import { type ReadyList, everything, isScan } from '../inspector-state.ts'
import { loading, useInspector } from '../inspector.ts'
import { setNetworkByHand } from '../meaning/network-by-hand.ts'
import { NetworkMenu } from '../meaning/network-menu.tsx'
import { CaptureList } from './capture-list.tsx'
import { countRows } from './capture-pages.ts'
import { invalid, isEverything } from './list-loading.ts'
import { countMarked } from './row-words.ts'
import styles from './list.module.css'

/** The list in whichever of its states it is. */
export function ListPanel() {
  const list = useInspector((state) => state.list)
  switch (list.status) {
    case 'loading':
      return <Skeleton rows={12} label="Loading captures" />
    case 'failed':
      return list.error.code === invalid ? (
        <EmptyState title="This query cannot be read" detail={list.error.message}>
          <Button onClick={() => search(everything)}>Show all captures</Button>
        </EmptyState>
      ) : (
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
  if (isEmpty && isEverything(query)) return <FirstCapture />
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
  const isSlow = isScan(list)
  const inside = isPlainWords(query.text) ? queryTerm('contains', query.text.trim()) : null
  return (
    <EmptyState
      title={`No capture matches “${query.text}”`}
      detail={
        isSlow
          ? 'All history was looked at, capture by capture.'
          : `${formatCount(total, 'capture')} were looked through. Words are found by their beginnings.${behind(list)}`
      }
    >
      {inside !== null && (
        <Button kind="main" onClick={() => search({ text: inside })}>
          Look inside words (slow)
        </Button>
      )}
      <Button onClick={() => search(everything)}>Show all captures</Button>
    </EmptyState>
  )
}

/** Free words alone, which could stand inside of others. */
function isPlainWords(text: string): boolean {
  return !/[":-]/.test(text)
}

function behind({ notYetSearchable }: ReadyList): string {
  if (notYetSearchable === 0) return ''
  return ` ${formatCount(notYetSearchable, 'new capture')} are not searchable yet.`
}

/** What can be done with several captures at once. */
function BulkBar() {
  const marked = useInspector((state) => state.marked)
  const [a, b] = marked
  if (marked.size === 0) return null
  return (
    <div className={styles['bulk']} role="toolbar" aria-label="Selected captures">
      <b>{countMarked(marked.size)}</b>
      <Button icon="play" onClick={() => openReplay({ kind: 'captures', ids: [...marked] })}>
        Replay…
      </Button>
      {a !== undefined && b !== undefined && marked.size === 2 && (
        <Button onClick={() => compareCaptures([a, b])}>Compare</Button>
      )}
      <Button icon="pin" onClick={() => void togglePin()}>
        Pin
      </Button>
      <NetworkMenu
        label="Network"
        current={undefined}
        onChoose={(network) => void setNetworkByHand([...marked], network)}
      />
      <Button icon="trash" kind="danger" onClick={() => void deleteCaptures()}>
        Delete
      </Button>
      <Button kind="quiet" onClick={escape}>
        Clear selection
      </Button>
    </div>
  )
}
