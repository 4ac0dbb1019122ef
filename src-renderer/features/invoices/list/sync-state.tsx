import type { InvoiceSync } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { attempt, request, put, useData } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { routeHref } from '../../../app/route.ts'
import { Cause } from '../../../components/cause.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { ActionButton, Button, Menu, IconButton } from '../../../ui/button.tsx'
import { formatAbsolute, formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { Kbd, Tag, Text, Row } from '../../../ui/layout.tsx'
import { Moment } from '../../../ui/time.tsx'
import { Progress } from '../../../ui/loaded.tsx'

/** Reads the gateway's list of invoices and the chain now. */
export async function readNow(network: NetworkId, full = false): Promise<void> {
  const sync = await attempt('Could not sync the invoices', () =>
    request('invoiceSync.run', { network, full }),
  )
  if (sync !== undefined) put('invoiceSync.state', { network }, sync)
}

async function stopReading(network: NetworkId): Promise<void> {
  const sync = await attempt('Could not stop the sync', () =>
    request('invoiceSync.stop', { network }),
  )
  if (sync !== undefined) put('invoiceSync.state', { network }, sync)
}

/** Shows when the list was last in sync with the gateway, and the buttons that sync it. */
export function SyncState() {
  const { id: network } = useShownNetwork()
  const { data: sync, error } = useData('invoiceSync.state', { network })
  if (sync === undefined) {
    return error === null ? null : (
      <Row last>
        <Tag tone="bad" title={error.message}>
          sync state unknown
        </Tag>
      </Row>
    )
  }
  const isReading = sync.status === 'reading'
  return (
    <Row last>
      <SyncSummary sync={sync} />
      {sync.status !== 'off' && (
        <>
          {isReading ? (
            <Button onClick={() => void stopReading(network)}>Stop the sync</Button>
          ) : (
            <ActionButton icon="refresh" action={() => readNow(network)}>
              Sync now <Kbd>r</Kbd>
            </ActionButton>
          )}
          <Menu
            trigger={<IconButton icon="more" label="More actions for the sync" title="More" />}
            items={[
              {
                label: 'Sync all invoices again',
                icon: 'refresh',
                disabled: isReading,
                onSelect: () => void readNow(network, true),
              },
            ]}
          />
        </>
      )}
    </Row>
  )
}

/** Explains why the list may be out of date. */
export function SyncProblem() {
  const { id: network } = useShownNetwork()
  const { data: sync } = useData('invoiceSync.state', { network })
  // If invoices are switched off, the empty list already explains how to set them up.
  if (sync?.status !== 'waiting') return null
  const { problem, chain, lastAt, nextAt } = sync
  if (problem === null && chain.problem === null) return null
  const what =
    problem === null
      ? `Payments may be missing: ${chain.problem ?? ''}`
      : `${lastAt === null ? 'Could not load the invoices' : 'The list may be out of date'}: ${problem}`
  return (
    <Cause
      level={2}
      sentence={<span role="alert">{what}</span>}
      action={<Button onClick={() => void readNow(network)}>Try again</Button>}
      pairs={[
        [
          'Last sync',
          lastAt === null ? 'none yet' : <Moment at={fromMs(lastAt)} absolute="minute" />,
        ],
        [
          'Next attempt',
          nextAt === null ? (
            'none until you try again'
          ) : (
            <Moment at={fromMs(nextAt)} absolute="second" />
          ),
        ],
      ]}
    />
  )
}

function SyncSummary({ sync }: { sync: InvoiceSync }) {
  const { status, problem, reading, lastAt, chain, reportsWaiting, unread } = sync
  if (status === 'off') {
    return (
      <>
        <Tag tone="warn">not set up</Tag>
        <Text size="s" tone="dim" over="cut" title={problem ?? undefined}>
          {problem}
        </Text>
        <a href={routeHref({ ...invoicesHome, view: 'setup' })}>Set up invoices</a>
      </>
    )
  }
  if (status === 'reading') {
    const { read = 0, expected = null } = reading ?? {}
    const of = expected === null ? '' : ` of ${formatNumber(expected)}`
    return (
      <>
        <Text size="s" tone="dim" over="nowrap" role="status">
          {chain.isReading && reading === null
            ? 'Reading the chain'
            : `Loading ${formatNumber(read)}${of}`}
        </Text>
        {expected !== null && expected > 0 && (
          <Progress label="Invoices loaded" done={read} of={expected} />
        )}
      </>
    )
  }
  return (
    <>
      <Text size="s" tone="dim" over="nowrap" title={describeSync(sync)}>
        {lastAt === null ? (
          'Not synced yet'
        ) : (
          <>
            Synced <Moment at={fromMs(lastAt)} />
          </>
        )}
      </Text>
      {reportsWaiting > 0 && (
        <Tag title="Anyone can send a delivery to the receiver, so Tondesk asks the gateway to confirm each invoice change that a delivery reports.">
          {formatCount(reportsWaiting, 'report')} to confirm
        </Tag>
      )}
      {unread.length > 0 && (
        <Tag tone="warn" title={unread.join('\n')}>
          {formatCount(unread.length, 'unreadable invoice')}
        </Tag>
      )}
    </>
  )
}

function describeSync({ lastAt, fullAt, nextAt, problem, chain }: InvoiceSync): string {
  const at = (ms: number) => formatAbsolute(fromMs(ms), fromMs(Date.now()), true)
  const lines = [
    problem,
    lastAt !== null && `Last sync: ${at(lastAt)}`,
    fullAt !== null && `Last full sync: ${at(fullAt)}`,
    nextAt !== null && `Next sync: ${at(nextAt)}`,
    chain.readTo !== null &&
      `Chain read up to ${at(chain.readTo)} (${formatCount(chain.addresses, 'address', 'addresses')})`,
  ]
  return lines.filter(Boolean).join('\n')
}
