import { useRef, useState } from 'react'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { appInfo } from '../../app/app-info.ts'
import { ExchangeActions } from './exchange/exchange-actions.tsx'
import { importFile } from './exchange/imports.ts'
import { DropZone } from '../../components/files/drop-zone.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { ReplayStrip } from '../../components/delivery/replays.tsx'
import { InspectorViews } from '../../components/delivery/inspector-views.tsx'
import { ClearDialog } from './clear-dialog.tsx'
import { DetailPanel } from './detail/detail-panel.tsx'
import { Histogram } from './histogram/histogram.tsx'
import { openRow, search } from './inspector-commands.ts'
import { openId } from './inspector-state.ts'
import { useInspector } from './inspector.ts'
import { ListPanel } from './list/list-panel.tsx'
import { NewBar } from './new-bar.tsx'
import type { QueryFieldHandle } from '../../components/query/query-field.tsx'
import { offeredExports } from './offered-exports.ts'
import { QueryBar } from './query-bar.tsx'
import { useInspectorKeys } from './use-inspector-keys.ts'
import { useInspectorRoute } from './use-inspector-route.ts'
import styles from './page.module.css'

/** What was received: the list, and beside it the capture that is open. */
export function InspectorPage() {
  const counts = useInspector((state) => state.counts)
  const isOpen = useInspector((state) => state.detail.status !== 'closed')
  const field = useRef<QueryFieldHandle>(null)
  const [clearing, setClearing] = useState(false)
  const [noteOf, setNoteOf] = useState<number | null>(null)
  const shell = valueOf(useResource(appInfo))?.platform === 'win32' ? 'powershell' : 'posix'

  useInspectorRoute()
  useInspectorKeys(field, shell, () => {
    const id = useInspector.getState().cursor ?? openId(useInspector.getState().detail)
    if (id === null) return
    openRow(id)
    setNoteOf(id)
  })

  return (
    <Page
      title="Inspector"
      scroll={false}
      beside={<InspectorViews />}
      actions={
        counts !== null && (
          <>
            <span className={styles['count']}>
              {formatCount(counts.total, 'capture')}
              {counts.others > 0 && `, ${formatNumber(counts.others)} made here`}
            </span>
            <ExchangeActions
              offered={offeredExports}
              onShow={() => search({ text: 'origin:imported' })}
            />
            <Button disabled={counts.total + counts.others === 0} onClick={() => setClearing(true)}>
              Clear all…
            </Button>
            <ClearDialog counts={counts} open={clearing} onClose={() => setClearing(false)} />
          </>
        )
      }
    >
      <div className={styles['page']}>
        <div>
          <ReplayStrip />
          <QueryBar field={field} />
          <Histogram />
          <NewBar />
        </div>
        <DropZone
          hint="Drop a HAR or JSON Lines file to import its captures"
          className={styles['split']}
          onFile={(file) => void importFile({ name: file.name, blob: file })}
        >
          <ListSplitter
            left={<ListPanel />}
            right={isOpen ? <DetailPanel shell={shell} noteOf={noteOf} onNote={setNoteOf} /> : null}
          />
        </DropZone>
      </div>
    </Page>
  )
}
