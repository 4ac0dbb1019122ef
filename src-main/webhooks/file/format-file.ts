import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import type { SubscriptionsFormat } from '../../../src-preload/contract/subscription.ts'
import { type Rows, formatCsv } from '../../exports/table.ts'
import { csvColumns, csvNone, yamlVersion as version } from './collect.ts'

/** The id is set where several webhooks share the endpoint. */
export type PrintedWebhook = Pick<Webhook, 'endpoint' | 'newContracts' | 'mempool'> & {
  readonly id: string | null
  readonly opcodes: readonly string[]
  readonly accounts: AsyncIterable<
    readonly { readonly address: string; readonly label: string | null }[]
  >
}

export function formatFile(
  format: SubscriptionsFormat,
  network: string,
  webhooks: AsyncIterable<PrintedWebhook>,
): AsyncIterable<string> {
  return format === 'yaml' ? formatYaml(network, webhooks) : formatRows(webhooks)
}

async function* formatYaml(
  network: string,
  webhooks: AsyncIterable<PrintedWebhook>,
): AsyncGenerator<string> {
  yield `version: ${version}\nnetwork: ${quote(network)}\nwebhooks:\n`
  for await (const { endpoint, id, newContracts, mempool, opcodes, accounts } of webhooks) {
    yield `  - endpoint: ${quote(endpoint)}\n`
    if (id !== null) yield `    id: ${quote(id)}\n`
    if (newContracts !== null) yield `    new_contracts: ${newContracts}\n`
    if (mempool !== null) yield `    mempool: ${mempool}\n`
    yield opcodes.length === 0 ? '    opcodes: []\n' : '    opcodes:\n'
    for (const opcode of opcodes) yield `      - ${quote(opcode)}\n`
    let isEmpty = true
    for await (const page of accounts) {
      if (page.length === 0) continue
      const lines = page.map(
        ({ address, label }) =>
          `      - ${label === null ? quote(address) : `{ address: ${quote(address)}, label: ${quote(label)} }`}\n`,
      )
      yield `${isEmpty ? '    accounts:\n' : ''}${lines.join('')}`
      isEmpty = false
    }
    if (isEmpty) yield '    accounts: []\n'
  }
}

// Characters that JSON leaves unescaped, but YAML forbids or treats as a line break.
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** A JSON string is a valid double-quoted YAML string. */
function quote(text: string): string {
  const escape = (each: string) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(unprintable, escape)
}

type CsvRow = readonly (string | null)[]

function formatRows(webhooks: AsyncIterable<PrintedWebhook>): AsyncIterable<string> {
  const columns = csvColumns.map((name, index) => ({
    ...{ name, kind: 'text' as const },
    value: (row: CsvRow) => row[index] ?? null,
  }))
  return formatCsv(columns, csvRows(webhooks))
}

async function* csvRows(webhooks: AsyncIterable<PrintedWebhook>): Rows<CsvRow> {
  for await (const { endpoint, id, newContracts, mempool, opcodes, accounts } of webhooks) {
    const row = (kind: string, value: string, label: string | null = null): CsvRow => [
      ...[endpoint, kind, value, label, id],
    ]
    yield [
      ...(newContracts === null ? [] : [row('new_contracts', String(newContracts))]),
      ...(mempool === null ? [] : [row('mempool', String(mempool))]),
      ...(opcodes.length === 0 ? [csvNone] : opcodes).map((opcode) => row('opcode', opcode)),
    ]
    let isEmpty = true
    for await (const page of accounts) {
      if (page.length === 0) continue
      isEmpty = false
      yield page.map(({ address, label }) => row('account', address, label))
    }
    if (isEmpty) yield [row('account', csvNone)]
  }
}
