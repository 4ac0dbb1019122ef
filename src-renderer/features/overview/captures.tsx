/** The latest captures of a network. */
import { useEffect } from 'react'
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { createReloader, on, useData } from '../../app/bridge.ts'
import { captureHref, queryHref } from '../../app/route.ts'
import { renameCoin } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { Amount } from '../../components/chain/chain-text.tsx'
import { useAccountName } from '../../components/chain/account-link.tsx'
import { Hint, Tag, Section } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Table } from '../../ui/table.tsx'

/** The query of a network's latest captures. */
export const latestCaptures = (network: NetworkId) => ({
  query: { text: `network:${network}` },
  limit: 6,
})

const { call: noteCaptures, cancel } = createReloader(['capture.list', 'receiver.state'])

/** Keeps the latest rows and the receiver's own count up to date while the page is open. */
export function useLiveCaptures(): void {
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

export function LatestCaptures({ network: { id, name } }: { network: Network }) {
  return (
    <Section
      title="Latest captures"
      level={2}
      end={<a href={queryHref(latestCaptures(id).query.text)}>All captures</a>}
    >
      <Loaded query={useData('capture.list', latestCaptures(id))} of="the latest captures">
        {({ rows }) =>
          rows.length === 0 ? (
            <Hint>
              No captures of {name} yet.{' '}
              <a href={queryHref('')}>Show the captures of all networks</a>
            </Hint>
          ) : (
            <Captures rows={rows} />
          )
        }
      </Loaded>
    </Section>
  )
}

function Captures({ rows }: { rows: readonly CaptureRow[] }) {
  return (
    <Table
      label="Latest captures"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Time',
          width: 104,
          look: 'dim',
          cell: ({ receivedAt }) => <Moment at={receivedAt} />,
        },
        {
          name: 'Event',
          width: 150,
          cell: ({ id, kind, method }) => <a href={captureHref(id)}>{kind ?? method}</a>,
        },
        {
          name: 'Account',
          grow: 1,
          width: 110,
          look: 'mono',
          title: ({ account }) => account ?? undefined,
          cell: (row) => <Account row={row} />,
        },
        {
          name: 'Content',
          grow: 2,
          width: 110,
          look: 'dim',
          cell: (row) => <CaptureContent row={row} />,
        },
        { name: 'Response', cell: ({ status }) => <Status status={status} /> },
      ]}
    />
  )
}

function Account({ row }: { row: CaptureRow }) {
  return <UntrustedText text={useAccountName(row) ?? ''} />
}

function Status({ status }: { status: number | null }) {
  if (status === null) return <Tag tone="warn">none</Tag>
  const tone = status < 300 ? 'ok' : status < 500 ? 'warn' : 'bad'
  return <Tag tone={tone}>{status}</Tag>
}

/** The amount that moved and its comment, where the transaction is known. */
function CaptureContent({ row: { kind, summary, meaning, message } }: { row: CaptureRow }) {
  const { amount, comment } = meaning
  if (amount === null) return <>{(kind === 'invoice' ? renameCoin(summary) : summary) || message}</>
  const { direction, units, asset } = amount
  return (
    <>
      <Amount units={direction === 'out' ? `-${units}` : units} asset={asset} signed />{' '}
      <UntrustedText text={comment ?? message} />
    </>
  )
}
