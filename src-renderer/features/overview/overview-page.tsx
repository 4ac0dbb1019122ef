import { memo, useState } from 'react'
import { useCurrentNetwork } from '../../app/networks.ts'
import { useData } from '../../app/bridge.ts'
import { captureHref } from '../../app/route.ts'
import { FirstCapture } from '../../components/start/first-capture.tsx'
import { SandboxStepsPanel } from '../../components/start/sandbox-steps.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Columns, Note, Row } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { CaptureChart, CaptureFigures, LatestCaptures, useLiveCaptures } from './captures.tsx'
import { InvoicesPanel } from './invoices-panel.tsx'
import { ReceiverPanel } from './receiver-panel.tsx'
import { WebhooksPanel } from './webhooks-panel.tsx'

export function OverviewPage() {
  useLiveCaptures()
  return (
    <Page title="Overview">
      <Loaded query={useData('capture.counts')} of="the captures" rows={8}>
        {({ total, newestId }) => <Content total={total} newestId={newestId} />}
      </Loaded>
    </Page>
  )
}

function Content({ total, newestId }: { total: number; newestId: number | null }) {
  /** The page was shown while there were no captures: then the first one is announced. */
  const [sawEmpty, setSawEmpty] = useState(total === 0)
  const [firstId, setFirstId] = useState<number | null>(null)
  const network = useCurrentNetwork()
  if (total === 0) {
    if (!sawEmpty) setSawEmpty(true)
    return (
      <>
        {network !== null && (
          <>
            <WebhooksPanel key={`webhooks ${network.id}`} network={network} onlyTrouble />
            <InvoicesPanel key={`invoices ${network.id}`} network={network} onlyIfAny />
          </>
        )}
        <FirstCapture />
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
      <CaptureFigures />
      <Panels />
    </>
  )
}

/** The counts change ten times a second under load; these panels render for their own data only. */
const Panels = memo(function Panels() {
  const network = useCurrentNetwork()
  return (
    <>
      <Columns least={340} gap="none" wideFirst>
        <CaptureChart />
        <div>
          <ReceiverPanel />
          {network !== null && (
            <>
              <WebhooksPanel key={`webhooks ${network.id}`} network={network} />
              <InvoicesPanel key={`invoices ${network.id}`} network={network} />
            </>
          )}
        </div>
      </Columns>
      <LatestCaptures />
    </>
  )
})

function Arrived({ id, onClose }: { id: number; onClose: () => void }) {
  return (
    <Note tone="ok">
      <Row role="status">
        <Icon name="check" />
        Your first webhook has arrived and is stored. <a href={captureHref(id)}>Open it</a>
        <Row last>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </Row>
      </Row>
    </Note>
  )
}
