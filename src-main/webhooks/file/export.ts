import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { AppError, webhookCodes } from '../../../src-preload/domain/app-error.ts'
import { pagesOf } from '../../database/pages.ts'
import { withLabels } from '../base-room.ts'
import type { Room, WebhookRoom } from '../room.ts'
import { isSameEndpoint } from '../../app/self-addresses.ts'
import { unknownWebhook } from '../store/webhooks.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import { readOpcodes } from '../webhooks.ts'
import type { SubscriptionsFormat } from '../../../src-preload/contract/subscription.ts'
import { type Rows, formatCsv } from '../../exports/table.ts'
import { csvColumns, csvNone, yamlVersion as version } from './collect.ts'

export type ActualWebhook = Pick<Webhook, 'id' | 'endpoint' | 'newContracts' | 'mempool'> & {
  readonly opcodes: readonly string[]
  /** Returns raw addresses in ascending order after `account`, one page. */
  readonly accountsAfter: (account: string, limit: number) => readonly string[]
}

/** The id is set if several webhooks have the same endpoint. */
export type SerializedWebhook = Pick<Webhook, 'endpoint' | 'newContracts' | 'mempool'> & {
  readonly id: string | null
  readonly opcodes: readonly string[]
  readonly accounts: AsyncIterable<
    readonly { readonly address: string; readonly label: string | null }[]
  >
}

export function formatFile(
  format: SubscriptionsFormat,
  network: string,
  webhooks: AsyncIterable<SerializedWebhook>,
): AsyncIterable<string> {
  return format === 'yaml' ? formatYaml(network, webhooks) : formatRows(webhooks)
}

async function* formatYaml(network: string, webhooks: AsyncIterable<SerializedWebhook>) {
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

function formatRows(webhooks: AsyncIterable<SerializedWebhook>): AsyncIterable<string> {
  const columns = csvColumns.map((name, index) => ({
    name,
    kind: 'text' as const,
    value: (row: CsvRow) => row[index] ?? null,
  }))
  return formatCsv(columns, csvRows(webhooks))
}

async function* csvRows(webhooks: AsyncIterable<SerializedWebhook>): Rows<CsvRow> {
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

const accountsAtOnce = 1000

export function createExport(room: WebhookRoom) {
  const { access, book } = room

  async function* accountsOf(network: NetworkId, { accountsAfter }: ActualWebhook) {
    for await (const page of pagesOf<string>((last = '') => accountsAfter(last, accountsAtOnce))) {
      const accounts = page.map((account) => ({ account }))
      yield withLabels(room, network, accounts).map(({ account: address, label }) => ({
        address,
        label,
      }))
    }
  }

  async function* write(network: NetworkId, chosen: readonly Webhook[], all: readonly Webhook[]) {
    const queryOptions = { signal: access.interest(network) }
    for (const webhook of chosen) {
      const whole = { accounts: true, opcodes: true }
      const actual = await readActual(network, webhook, whole, room, queryOptions)
      const { id, endpoint } = actual
      const isOneOfSeveral = all.some(
        (other) => other.id !== id && isSameEndpoint(other.endpoint, endpoint),
      )
      const accounts = accountsOf(network, actual)
      yield { ...actual, id: isOneOfSeveral ? id : null, accounts }
    }
  }

  return {
    async 'subscription.export'({ network, webhooks, format }) {
      const { id, kind, name } = access.info(network)
      const all = await book.readAnew(network, { signal: access.interest(network) })
      const chosen = webhooks === null ? all.toReversed() : webhooks.map((one) => pick(all, one))
      if (chosen.length === 0) {
        const message = 'There is no webhook on this network whose subscriptions could be exported.'
        throw new AppError(webhookCodes.unknown, message)
      }
      const day = new Date(room.now()).toISOString().slice(0, 10)
      // The id of a custom network exists only on this computer, so its name is written.
      const called = kind === 'custom' ? name : id
      return room.files.make(
        `subscriptions ${called.replace(/[^\w-]+/g, '_')} ${day}.${format}`,
        formatFile(format, called, write(network, chosen, all)),
      )
    },
  } satisfies Partial<Handlers>
}

function pick(all: readonly Webhook[], id: string): Webhook {
  const found = all.find((webhook) => webhook.id === id)
  if (found === undefined) throw unknownWebhook(id)
  return found
}

export async function readActual(
  network: NetworkId,
  webhook: Webhook,
  only: { readonly accounts: boolean; readonly opcodes: boolean },
  { access, mirror }: Room<'access' | 'mirror'>,
  queryOptions: QueryOptions & { readonly signal: AbortSignal },
): Promise<ActualWebhook> {
  const { id, endpoint, newContracts, mempool } = webhook
  const read = only.opcodes ? await readOpcodes(access.webhooks(network), id, queryOptions) : []
  const opcodes = read.map(({ opcode }) => opcode)
  if (only.accounts) await mirror.read(network, id, queryOptions.signal)
  return {
    id,
    endpoint,
    newContracts,
    mempool,
    opcodes,
    accountsAfter: (account, limit) => mirror.accounts(network, id, account, limit),
  }
}
