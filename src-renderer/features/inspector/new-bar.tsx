import { formatCount, formatNumber } from '../../format.ts'
import { NewsBar } from '../../ui/news-bar.tsx'
import { showNew } from './inspector-commands.ts'
import { useInspector } from './inspector.ts'
import { isScan } from './list/list-loading.ts'

/** New captures gather here while the list is being read, so that it does not jump. */
export function NewBar() {
  const waiting = useInspector(({ list }) => (list.status === 'ready' ? list.waiting : null))
  const query = useInspector((state) => state.query)
  if (waiting === null || waiting.count === 0) return null
  const number = `${formatNumber(waiting.count)}${waiting.atLeast ? '+' : ''}`
  return (
    <NewsBar onShow={showNew}>
      {isScan(query)
        ? `${formatCount(waiting.count, 'capture')} arrived since: search again`
        : `${number} new`}
    </NewsBar>
  )
}
