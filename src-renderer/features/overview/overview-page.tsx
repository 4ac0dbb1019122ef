import { type ReactNode, memo, useEffect, useState } from 'react'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { createReloader, on, useData, useDataOf } from '../../app/bridge.ts'
import { useCurrentNetwork } from '../../app/networks.ts'
import { captureHref } from '../../app/route.ts'
import { OfNetwork } from '../../components/network-tag.tsx'
import { FirstCapture } from '../../components/start/first-capture.tsx'
import { SetupLink } from '../../components/start/setup-link.tsx'
import { SandboxStepsPanel } from '../../components/start/sandbox-steps.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Columns, Dot, Note, Row, Text, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { HealthStats, hasInvoiceAccess, useCaptureCounts, useHealth } from './health-stats.tsx'
import { type Statement, describeArrival, describeFailures, describeNeeds } from './health.ts'
import { Inbox, useInbox } from './inbox.tsx'
import { LatestPayments } from './panels.tsx'

/** The query of a network's latest capture. */
const latestCapture = (network: NetworkId) => ({
  query: { text: `network:${network}` },
  limit: 1,
})

const { call: noteCaptures, cancel } = createReloader(['capture.list', 'receiver.state'])

/** Keeps the latest capture up to date while the page is open. */
function useLiveCaptures(): void {
  useEffect(() => {
    noteCaptures()
    const stops = [
      on('capture.added', noteCaptures),
      on('capture.changed', noteCaptures),
      on('capture.classified', noteCaptures),
      cancel,
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
}

export function OverviewPage() {
  const network = useCurrentNetwork()
  useLiveCaptures()
  return (
    <Page title="Overview">
      <SetupLink />
      <Loaded query={useData('capture.counts')} of="the captures" rows={8}>
        {({ total, newestId }) =>
          network !== null && (
            <OfNetwork network={network}>
              <Content key={network.id} network={network} total={total} newestId={newestId} />
            </OfNetwork>
          )
        }
      </Loaded>
    </Page>
  )
}

function Content({
  network,
  total,
  newestId,
}: {
  network: Network
  total: number
  newestId: number | null
}) {
  /** The page was displayed while there were no captures, so the first one is announced. */
  const [sawEmpty, setSawEmpty] = useState(total === 0)
  const [firstId, setFirstId] = useState<number | null>(null)
  if (total === 0) {
    if (!sawEmpty) setSawEmpty(true)
    return (
      <>
        <BeforeCaptures network={network} />
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
      <Filled key={coinName()} network={network} />
    </>
  )
}

/** Shown until the first capture: items that need the user, and invoices if there are any. */
function BeforeCaptures({ network }: { network: Network }) {
  const inbox = useInbox(network)
  const input = hasInvoiceAccess(network) ? { network: network.id } : null
  const invoices = useDataOf('invoice.counts', input).data?.total ?? 0
  return (
    <>
      {inbox.count > 0 && <Inbox inbox={inbox} />}
      {invoices > 0 && <LatestPayments network={network} />}
    </>
  )
}

/**
 * The counts change ten times a second under load, so these parts are rendered only if their own
 * data changes.
 */
const Filled = memo(function Filled({ network }: { network: Network }) {
  const parts = useHealth(network)
  const counts = useCaptureCounts(network)
  const inbox = useInbox(network)
  return (
    <>
      <Row as="section" wrap gap="xl" pad="l" line="below" aria-label="Summary">
        <Answer of={describeArrival(parts, counts.data?.received.total)}>
          <LatestArrival network={network} />
        </Answer>
        <Answer of={describeFailures(parts)} />
        <Answer of={describeNeeds(inbox.count)} />
      </Row>
      <HealthStats network={network} parts={parts} counts={counts} />
      <Columns least={340} gap="none" wideFirst>
        <Inbox inbox={inbox} />
        <LatestPayments network={network} />
      </Columns>
    </>
  )
})

function Answer({ of: { tone, text }, children }: { of: Statement; children?: ReactNode }) {
  return (
    <Row gap="s">
      <Dot tone={tone} />
      <Text strong tone={tone === 'ok' || tone === 'faint' ? undefined : tone}>
        {text}
      </Text>
      {children}
    </Row>
  )
}

function LatestArrival({ network }: { network: Network }) {
  const [latest] = useData('capture.list', latestCapture(network.id)).data?.rows ?? []
  if (latest === undefined) return null
  return (
    <Small>
      The latest arrived{' '}
      <a href={captureHref(latest.id)}>
        <Moment at={latest.receivedAt} />
      </a>
      .
    </Small>
  )
}

function Arrived({ id, onClose }: { id: number; onClose: () => void }) {
  return (
    <Note tone="ok">
      <Row role="status">
        <Icon name="check" />
        Your first webhook has arrived and is stored. <a href={captureHref(id)}>Open the capture</a>
        <Row last>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </Row>
      </Row>
    </Note>
  )
}
