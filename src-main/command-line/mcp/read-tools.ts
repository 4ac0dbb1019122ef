import { z } from 'zod'
import { historyView } from '../../../src-preload/contract/chain/account.ts'
import { discrepancyKind, invoiceFilter } from '../../../src-preload/contract/invoice.ts'
import type { Incident } from '../../../src-preload/contract/incident.ts'
import { verdict } from '../../../src-preload/contract/missed-events.ts'
import { replayRoutes } from '../../../src-preload/contract/replay.ts'
import { captureId } from '../../../src-preload/contract/route.ts'
import { callClient, sandboxChain } from '../../../src-preload/contract/sandbox.ts'
import { incidentHash } from '../../../src-preload/domain/incident-links.ts'
import { maxCalls } from '../../../src-preload/domain/sandbox-values.ts'
import { collectArrivals } from '../wait.ts'
import { type ToolResult, linkTo, maskText } from './result.ts'
import { type Tool, type ToolRun, beforeCursor, network, pageOf, paged } from './tool.ts'

const id = captureId.optional()
const text = (description: string) => z.string().max(200).optional().describe(description)
const sandboxNetwork = sandboxChain.shape.network.default('mainnet')
const { left, right } = replayRoutes['replay.compare'].input.partial().shape

/** At most this many bytes of a body are masked and shown; the app shows the rest. */
const maxBodyBytes = 256 * 1024
const pieceLength = 2000

async function readBody(
  { session }: ToolRun,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolResult> {
  const requested = { id: given['id'] as number, form: 'decoded', limit: maxBodyBytes } as const
  const { base64, totalBytes, decodeProblem } = await session.call('capture.body', requested)
  // The whole text is masked before it is divided, because a secret may cross a border of two pieces.
  const body = maskText(Buffer.from(base64, 'base64').toString('utf8'))
  const pieces = Array.from({ length: Math.ceil(body.length / pieceLength) }, (_, index) =>
    body.slice(index * pieceLength, (index + 1) * pieceLength),
  )
  const shownBytes = Math.min(totalBytes, maxBodyBytes)
  const link = linkTo(`inspector/${requested.id}`, null)
  return pageOf(pieces, given, { link, totalBytes, shownBytes, decodeProblem })
}

const waiting = z.object({
  query: z.string().max(2000).default(''),
  count: z.int().min(1).max(20).default(1),
  afterId: z.int().nonnegative().optional(),
  timeoutSeconds: z.int().min(1).max(50).default(25),
})

async function waitForArrivals({ session, signal }: ToolRun, given: unknown): Promise<ToolResult> {
  const { query, count, afterId, timeoutSeconds } = waiting.parse(given)
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)])
  const { status, problem } = await session.call('receiver.state')
  const items: unknown[] = []
  const order = { filter: query, count, ...(afterId !== undefined && { after: afterId }) }
  const found = await collectArrivals(session, order, over, (row) => {
    items.push({ link: linkTo(`inspector/${row.id}`, null), ...row })
  })
  const { newestId } = await session.call('capture.counts')
  return { facts: { isComplete: found >= count, newestId, receiver: { status, problem } }, items }
}

export const readTools: readonly Tool[] = [
  {
    name: 'captures_read',
    isOpen: true,
    fields: {
      id: id.describe('show, body, explain, timeline: the capture'),
      query: z.string().max(2000).default('').describe('search: an empty query finds all'),
      left: left.describe('compare'),
      right: right.describe('compare'),
      ...paged,
    },
    actions: {
      search: {
        route: 'capture.list',
        input: (given) => ({ query: { text: given['query'] }, ...beforeCursor(given) }),
        items: 'rows',
        paging: 'nextBefore',
        itemLink: 'inspector/{id}',
      },
      show: {
        route: 'capture.get',
        input: () => ({ reveal: false }),
        link: 'inspector/{id}',
      },
      body: readBody,
      explain: { route: 'explanation.get', link: 'inspector/{id}' },
      timeline: { route: 'explanation.timeline', items: '', link: 'inspector/{id}' },
      compare: { route: 'replay.compare', items: 'body' },
    },
  },
  {
    name: 'deliveries_read',
    isOpen: true,
    fields: {
      id: id.describe('forwards_of, replays_of: the capture; replay: the job'),
      rule: z.int().positive().optional(),
      state: z.enum(['waiting', 'delivered', 'dropped']).optional(),
      webhook: text('failures, explain_failure: id of the webhook'),
      account: text('explain_failure: raw address'),
      hours: z.int().min(1).max(720).default(24).describe('failures: length of the period'),
      network,
      ...paged,
    },
    actions: {
      forwards_of: { route: 'forward.ofCapture', items: '', link: 'inspector/{id}' },
      replays_of: { route: 'replay.ofCapture', items: '', link: 'inspector/{id}' },
      forwards: {
        route: 'forward.list',
        input: beforeCursor,
        items: 'deliveries',
        paging: 'nextBefore',
        itemLink: 'inspector/{capture}',
      },
      replay: {
        route: 'replay.sendings',
        input: ({ cursor = '-1' }) => ({ after: Number(cursor) }),
        items: 'sendings',
        paging: 'nextAfter',
        link: 'inspector/replays/{id}',
      },
      rules: { route: 'forwardRule.list', items: '', itemLink: 'inspector/forwarding/{id}' },
      webhooks: { route: 'webhook.list', items: 'webhooks', itemLink: 'webhooks/{id}/deliveries' },
      health: { route: 'webhook.health', items: 'webhooks', itemLink: 'webhooks/{webhook}' },
      failures: {
        route: 'failure.errors',
        input: ({ hours }) => ({ from: Date.now() - Number(hours) * 3_600_000, to: Date.now() }),
        items: 'groups',
        link: 'webhooks/{webhook}/failures',
      },
      explain_failure: { route: 'failure.explain', link: 'webhooks/{webhook}/accounts/{account}' },
    },
  },
  {
    name: 'missed_read',
    fields: {
      id: id.describe('events: the check'),
      verdict: verdict.optional(),
      network,
      ...paged,
    },
    actions: {
      checks: {
        route: 'job.list',
        input: () => ({ kind: 'missedEvents' }),
        items: '',
        itemLink: 'webhooks/{webhook}/missed',
      },
      events: {
        route: 'missedEvents.events',
        input: (given) => ({ filter: { verdict: given['verdict'] } }),
        items: 'events',
        paging: 'offset',
        itemLink: 'explorer/tx/{txHash}',
      },
    },
  },
  {
    name: 'transactions_read',
    isOpen: true,
    fields: { id: z.string().max(100), network },
    actions: { read: { route: 'transaction.get', link: 'explorer/tx/{id}' } },
  },
  {
    name: 'accounts_read',
    isOpen: true,
    fields: {
      address: z.string().max(100).describe('any form of the address'),
      view: historyView.optional(),
      network,
      ...paged,
    },
    actions: {
      show: { route: 'account.get', items: 'jettons', link: 'explorer/account/{address}' },
      history: {
        route: 'account.history',
        input: ({ cursor = null }) => ({ before: cursor }),
        items: 'rows',
        paging: 'older',
        itemLink: 'explorer/tx/{hash}',
      },
    },
  },
  {
    name: 'invoices_read',
    fields: {
      id: text('show: the invoice'),
      statuses: invoiceFilter.shape.statuses.describe('list'),
      text: z.string().max(200).default('').describe('list, attention: part of an id, comment, …'),
      kind: discrepancyKind.optional().describe('attention: only this kind'),
      network,
      ...paged,
    },
    actions: {
      list: {
        route: 'invoice.page',
        input: ({ statuses, text: part, cursor = null }) => ({
          filter: { statuses, text: part },
          from: { after: cursor },
        }),
        items: 'invoices',
        paging: 'after',
        itemLink: 'invoices/of/{id}',
      },
      counts: { route: 'invoice.counts', link: 'invoices' },
      show: { route: 'invoice.get', link: 'invoices/of/{id}' },
      attention: {
        route: 'discrepancy.page',
        items: 'matters',
        paging: 'offset',
        itemLink: 'invoices/attention/{key}',
      },
    },
  },
  {
    name: 'incidents_read',
    fields: { state: z.enum(['open', 'closed']).default('open'), network, ...paged },
    actions: {
      read: {
        route: 'incident.list',
        input: ({ state }) => ({ open: state === 'open' }),
        items: 'incidents',
        paging: 'offset',
        itemLink: (incident) => incidentHash(incident as Incident).replace(/^#\/|\?.*$/g, ''),
      },
    },
  },
  {
    name: 'calls_read',
    needsApp: true,
    fields: { client: callClient.default('others'), network: sandboxNetwork, ...paged },
    actions: {
      read: {
        route: 'sandbox.calls',
        input: () => ({ limit: maxCalls }),
        items: 'calls',
        link: 'sandbox/calls',
      },
    },
  },
  {
    name: 'sandbox_read',
    needsApp: true,
    fields: { network: sandboxNetwork, ...paged },
    actions: {
      state: { route: 'sandbox.state', link: 'sandbox' },
      chain: { route: 'sandbox.chain', link: 'sandbox' },
      queue: { route: 'sandbox.queue', items: 'deliveries', paging: 'offset', link: 'sandbox' },
      invoices: { route: 'sandbox.invoices', items: '', link: 'sandbox' },
    },
  },
  {
    name: 'wait_for',
    needsApp: true,
    fields: waiting.shape,
    actions: { wait: waitForArrivals },
  },
]
