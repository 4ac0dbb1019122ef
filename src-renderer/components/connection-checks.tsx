/** Shows the result of a connection test: the response of each API of a network. */
import type { NetworkCheck } from '../../src-preload/contract/network.ts'
import { type Tone, Tag } from '../ui/layout.tsx'
import { Table, column } from '../ui/table.tsx'

const apis: Readonly<Record<NetworkCheck['root'], string>> = {
  query: 'Query API',
  webhooks: 'Webhooks API',
  invoices: 'Invoices API',
}

export const checkTexts: Readonly<Record<NetworkCheck['outcome'], readonly [Tone, string]>> = {
  ok: ['ok', 'OK'],
  'no-key': ['warn', 'no key'],
  'wrong-key': ['bad', 'wrong key'],
  'no-capability': ['bad', 'not allowed'],
  limited: ['warn', 'rate limited'],
  unreachable: ['bad', 'unreachable'],
  unexpected: ['bad', 'unexpected response'],
  absent: ['plain', 'none'],
}

export function ConnectionChecks({
  label,
  checks,
}: {
  label: string
  checks: readonly NetworkCheck[]
}) {
  return (
    <Table<NetworkCheck>
      label={label}
      rows={checks}
      keyOf={({ root }) => root}
      columns={[
        column('API', {}, ({ root }) => apis[root]),
        column('Result', {}, ({ outcome }) => (
          <Tag tone={checkTexts[outcome][0]}>{checkTexts[outcome][1]}</Tag>
        )),
        column('Detail', { wraps: true }, describeCheck),
      ]}
    />
  )
}

/** Describes all results in one line, for screen readers. */
export function describeChecks(checks: readonly NetworkCheck[]): string {
  return checks.map(({ root, outcome }) => `${apis[root]}: ${checkTexts[outcome][1]}`).join('. ')
}

function describeCheck({ outcome, message, milliseconds }: NetworkCheck): string {
  return outcome === 'ok' && milliseconds !== null ? `${milliseconds} ms` : message
}
