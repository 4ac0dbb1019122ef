import { formatCount, formatNumber } from '../../ui/format.ts'
import { NewsBar } from '../../ui/news-bar.tsx'
import { showNew } from './inspector-commands.ts'
import { isScan } from './inspector-state.ts'
import { useInspector } from './inspector.ts'

/** New captures gather here while the list is being read, so that it does not jump. */
export function NewBar() {
  const waiting = useInspector(({ list }) => (list.status === 'ready' ? list.waiting : null))
  const isSlow = useInspector(({ list }) => list.status === 'ready' && isScan(list))
  if (waiting === null || waiting.count === 0) return null
  const number = `${formatNumber(waiting.count)}${waiting.atLeast ? '+' : ''}`
  return (
    <NewsBar onShow={showNew}>
      {isSlow
        ? `${formatCount(waiting.count, 'capture')} arrived since: search again`
        : `${number} new`}
    </NewsBar>
  )
}
