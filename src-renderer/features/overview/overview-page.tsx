import { memo, useState } from 'react'
import { useResource } from '../../app/resource.ts'
import { captureHref } from '../../app/route.ts'
import { IconButton } from '../../ui/button.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { captureCounts } from '../../app/capture-counts.ts'
import { ChartPanel } from './chart-panel.tsx'
import { Figures } from './figures.tsx'
import { FirstStep } from './first-step.tsx'
import { InvoicesPanel } from './invoices-panel.tsx'
import { LatestCaptures } from './latest-captures.tsx'
import { ReceiverPanel } from './receiver-panel.tsx'
import { SandboxStepsPanel } from './sandbox-steps.tsx'
import { WebhooksPanel } from './webhooks-panel.tsx'
import { useLiveOverview } from './use-live-overview.ts'
import styles from './overview.module.css'

export function OverviewPage() {
  useLiveOverview()
  const counts = useResource(captureCounts)
  return (
    <Page title="Overview">
      {(counts.status === 'idle' || counts.status === 'loading') && <Skeleton rows={8} />}
      {counts.status === 'failed' && (
        <FailedState
          what="The captures could not be counted"
          why={counts.error.message}
          onRetry={() => void captureCounts.reload()}
        />
      )}
      {counts.status === 'ready' && (
        <Content total={counts.value.total} newestId={counts.value.newestId} />
      )}
    </Page>
  )
}

function Content({ total, newestId }: { total: number; newestId: number | null }) {
  /** The page was seen empty: then the first arrival is worth a word. */
  const [sawEmpty, setSawEmpty] = useState(total === 0)
  const [firstId, setFirstId] = useState<number | null>(null)
  if (total === 0) {
    if (!sawEmpty) setSawEmpty(true)
    return (
      <>
        <WebhooksPanel isNews />
        <InvoicesPanel isNews />
        <FirstStep />
      </>
    )
  }
  if (sawEmpty && firstId === null && newestId !== null) setFirstId(newestId)
  return (
    <>
      {sawEmpty && firstId !== null && (
        <Arrived
          id={firstId}
          onClose={() => {
            setSawEmpty(false)
            setFirstId(null)
          }}
        />
      )}
      <SandboxStepsPanel />
      <Figures />
      <Panels />
    </>
  )
}

/** The counts change ten times a second under load; what stands here is drawn by its own data only. */
const Panels = memo(function Panels() {
  return (
    <>
      <div className={styles['columns']}>
        <ChartPanel />
        <div className={styles['beside']}>
          <ReceiverPanel />
          <WebhooksPanel />
          <InvoicesPanel />
        </div>
      </div>
      <LatestCaptures />
    </>
  )
})

function Arrived({ id, onClose }: { id: number; onClose: () => void }) {
  return (
    <div className={styles['arrived']} role="status">
      <Icon name="check" />
      Your first webhook has arrived and is on disk.
      <a href={captureHref(id)}>Open it</a>
      <span className={styles['end']}>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </span>
    </div>
  )
}
