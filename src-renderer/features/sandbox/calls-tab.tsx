import { useState } from 'react'
import type { SandboxCall, SandboxChain } from '../../../src-preload/contract/sandbox.ts'
import { request, useDataBy } from '../../app/bridge.ts'
import { Switch } from '../../ui/form.tsx'
import { formatDuration, formatSecond, fromMs, shorten } from '../../ui/format.ts'
import { Hint, Section, Stack, Tag } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { type TableColumn, Table } from '../../ui/table.tsx'

/** The newest calls, loaded every second while the tab is open. */
export function CallsTab({ chain: { network } }: { chain: SandboxChain }) {
  const [withOwn, setWithOwn] = useState(false)
  const input = { network, limit: 200, ...(!withOwn && { client: 'others' as const }) }
  const load = () => request('sandbox.calls', input)
  const query = useDataBy('sandbox.calls', input, load, { everyMs: 1000 })
  return (
    <Section
      title="Calls"
      detail="Requests of your backend to the URLs on the Connect tab, newest first, also those that failed."
    >
      <Stack>
        <Switch label="Show Tondesk’s own requests" checked={withOwn} onChange={setWithOwn} />
        <Loaded query={query} of="the calls" rows={5}>
          {({ calls }) =>
            calls.length === 0 ? (
              <Hint>No requests yet. Use a URL of the Connect tab in your backend.</Hint>
            ) : (
              <Table
                label="Calls"
                scroll
                rows={calls}
                keyOf={({ number }) => number}
                columns={columns}
              />
            )
          }
        </Loaded>
      </Stack>
    </Section>
  )
}

const columns: readonly TableColumn<SandboxCall>[] = [
  { name: 'Time', look: 'dim', cell: ({ at }) => formatSecond(fromMs(at)) },
  { name: 'Status', cell: Status },
  {
    name: 'Request',
    look: 'mono',
    grow: 1,
    width: 200,
    title: ({ path, body, shape }) => `${path}\n${body ?? shape ?? ''}`,
    cell: ({ method, path }) => `${method} ${path}`,
  },
  { name: 'Duration', look: 'number', cell: ({ durationMs: ms }) => formatDuration(fromMs(ms)) },
  { name: 'Delivery', cell: ({ delivery }) => delivery && `${delivery.eventType} ${delivery.id}?` },
  { name: 'Client', look: 'dim', cell: ({ client }) => shorten(client, 20) },
]

function Status({ status }: SandboxCall) {
  if (status === null) return <Tag tone="warn">aborted</Tag>
  return <Tag tone={status < 400 ? 'ok' : 'bad'}>{status}</Tag>
}
