import { formatCount, formatExact, formatMoment } from '../../../ui/format.ts'
import { useNow } from '../../../ui/moment.tsx'
import { Button } from '../../../ui/button.tsx'
import grid from '../../../ui/grid.module.css'
import { type ReadyList, isScan } from '../inspector-state.ts'
import { loading } from '../inspector.ts'
import { mostRows } from './list-loading.ts'

/** What stands under the last row: how a scan goes, or why nothing more comes. */
export function ListFoot({ list, count }: { list: ReadyList; count: number }) {
  const now = useNow()
  const { tail, scannedBack, nextBefore } = list
  if (tail.status === 'failed') {
    return (
      <div className={grid['foot']} role="alert">
        Older captures could not be fetched: {tail.error.message}
        <Button onClick={() => void loading.resumeTail()}>Try again</Button>
      </div>
    )
  }
  if (!isScan(list)) return null
  const back =
    scannedBack === null ? null : (
      <span title={formatExact(scannedBack)}>back to {formatMoment(scannedBack, now)}</span>
    )
  if (nextBefore === null) {
    return <div className={grid['foot']}>All history was looked at: {found(count)}.</div>
  }
  if (tail.status === 'full') {
    return (
      <div className={grid['foot']}>
        The newest {formatCount(mostRows, 'match', 'matches')} are shown. Make the query narrower to
        see others.
      </div>
    )
  }
  return (
    <div className={grid['foot']} role="status">
      {tail.status === 'loading' ? 'Looking' : 'Looked'} {back}: {found(count)}
      {tail.status === 'loading' ? (
        <Button icon="stop" onClick={() => loading.stopScan()}>
          Stop
        </Button>
      ) : (
        <Button onClick={() => void loading.resumeTail()}>Look further back</Button>
      )}
    </div>
  )
}

function found(count: number): string {
  return formatCount(count, 'match', 'matches')
}
