import { useState } from 'react'
import type { InvoiceSync } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount, formatExact, formatNumber, fromMs } from '../../../ui/format.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { Moment } from '../../../ui/moment.tsx'
import { useResource, valueOf } from '../../../app/resource.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Tag } from '../../../ui/tag.tsx'
import warning from '../../../ui/warning.module.css'
import { Progress } from '../../../ui/progress.tsx'
import { invoiceSyncOf } from '../invoices.ts'
import styles from './list.module.css'

/** Reads the gateway's listing and the chain now; what does not work is told. */
export async function readNow(network: Network, full = false): Promise<void> {
  const sync = await attempt('Could not read the invoices', () =>
    request('invoiceSync.run', { network: network.id, full }),
  )
  if (sync !== undefined) invoiceSyncOf(network.id).set(sync)
}

async function stopReading(network: Network): Promise<void> {
  const sync = await attempt('Could not stop reading', () =>
    request('invoiceSync.stop', { network: network.id }),
  )
  if (sync !== undefined) invoiceSyncOf(network.id).set(sync)
}

/** How well what is shown agrees with the gateway, and the way to have it read. */
export function SyncState({ network }: { network: Network }) {
  const state = useResource(invoiceSyncOf(network.id))
  const [isAsked, setIsAsked] = useState(false)
  const sync = valueOf(state)
  const read = async (full: boolean) => {
    setIsAsked(true)
    await readNow(network, full)
    setIsAsked(false)
  }
  if (state.status === 'failed') {
    return (
      <span className={styles['sync']}>
        <Tag tone="bad" title={state.error.message}>
          state unknown
        </Tag>
      </span>
    )
  }
  if (sync === null) return null
  const isReading = sync.status === 'reading'
  return (
    <span className={styles['sync']}>
      <Words sync={sync} />
      {sync.status !== 'off' && (
        <>
          {isReading ? (
            <Button onClick={() => void stopReading(network)}>Stop</Button>
          ) : (
            <Button icon="refresh" busy={isAsked} onClick={() => void read(false)}>
              Read now <Kbd>r</Kbd>
            </Button>
          )}
          <Menu
            trigger={
              <Button kind="quiet" icon="more" aria-label="More ways to read" title="More" />
            }
            items={[
              {
                label: 'Read all anew',
                icon: 'refresh',
                disabled: isReading || isAsked,
                onSelect: () => void read(true),
              },
            ]}
          />
        </>
      )}
    </span>
  )
}

/** Why what is shown may be old. */
export function SyncProblem({ network }: { network: Network }) {
  const sync = valueOf(useResource(invoiceSyncOf(network.id)))
  // While it is off that stands where the way to access is.
  if (sync === null || sync.status !== 'waiting') return null
  const { problem, chain, lastAt } = sync
  if (problem === null && chain.problem === null) return null
  return (
    <p className={warning['bar']} role="alert">
      {problem === null
        ? `Payments on the chain may be missing: ${chain.problem ?? ''}`
        : `${lastAt === null ? 'The invoices could not be read' : 'What you see may be old'}: ${problem}`}{' '}
      <Button onClick={() => void readNow(network)}>Try again</Button>
    </p>
  )
}

function Words({ sync }: { sync: InvoiceSync }) {
  const { status, problem, reading, lastAt } = sync
  if (status === 'off') {
    return (
      <>
        <Tag tone="warn" title={problem ?? undefined}>
          not followed
        </Tag>
        <span className={styles['words']} title={problem ?? undefined}>
          {problem}
        </span>
        <a href={printRoute({ ...invoicesHome, view: 'access' })}>Access</a>
      </>
    )
  }
  if (status === 'reading') {
    const { read = 0, expected = null } = reading ?? {}
    return (
      <span className={styles['words']} role="status">
        {sync.chain.isReading && reading === null ? (
          'reading the chain'
        ) : (
          <>
            reading {formatNumber(read)}
            {expected !== null && ` of ${formatNumber(expected)}`}
          </>
        )}
        {expected !== null && expected > 0 && (
          <Progress label="Invoices read" done={read} of={expected} />
        )}
      </span>
    )
  }
  return (
    <>
      <span className={styles['words']} title={tooltipOf(sync)}>
        {lastAt === null ? (
          'not read yet'
        ) : problem === null ? (
          <>
            agrees with the gateway, <Moment at={fromMs(lastAt)} />
          </>
        ) : (
          <>
            as of <Moment at={fromMs(lastAt)} />
          </>
        )}
      </span>
      <Rest sync={sync} />
    </>
  )
}

/** What is still open beside that. */
function Rest({ sync: { reportsWaiting, unread } }: { sync: InvoiceSync }) {
  return (
    <>
      {reportsWaiting > 0 && (
        <Tag title="Deliveries tell of them; the gateway is being asked.">
          {formatCount(reportsWaiting, 'report')} to confirm
        </Tag>
      )}
      {unread.length > 0 && (
        <Tag tone="warn" title={unread.join('\n')}>
          {formatCount(unread.length, 'invoice')} not understood
        </Tag>
      )}
    </>
  )
}

function tooltipOf({ lastAt, fullAt, nextAt, problem, chain }: InvoiceSync): string {
  const at = (ms: number) => formatExact(fromMs(ms)).split('\n')[0] ?? ''
  return [
    problem,
    lastAt === null ? null : `Listing read: ${at(lastAt)}`,
    fullAt === null ? null : `All of it read: ${at(fullAt)}`,
    nextAt === null ? null : `Next: ${at(nextAt)}`,
    chain.readTo === null
      ? null
      : `Chain read up to: ${at(chain.readTo)} (${formatCount(chain.addresses, 'address', 'addresses')})`,
  ]
    .filter((line) => line !== null)
    .join('\n')
}
