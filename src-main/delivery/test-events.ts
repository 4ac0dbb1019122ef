/**
 * Sends a test event to the endpoint of a webhook: on the sandbox through the gateway, elsewhere from
 * this computer through the guarded sender. Its capture is stored as a test, which no count includes.
 * If the URL of the user's backend is set, this computer always sends the event to that URL.
 */
import type { Handlers, Output, Parsed } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { ShownResponse } from '../../src-preload/contract/target.ts'
import type { AppContext } from '../app/context.ts'
import { createGuard, resolveBySystem } from './sender/guard.ts'
import type { OwnAddresses } from '../app/self-addresses.ts'
import { sendOnce } from './sender/sender.ts'
import { resultOf } from './targets/http.ts'
import { sampleEvent } from './tunnels/test-delivery.ts'

/** The limit equals the gateway's own limit for the response to a delivery. */
const timeoutMs = 10_000
const keepBytes = 4096
const testHeader = ['X-Tondesk-Test', '1'] as const
const userAgents = { gateway: 'tondesk-sandbox', direct: 'Tondesk test event' } as const
const body = sampleEvent('account_tx')

type TestHandlers = Pick<Handlers, 'webhook.testEvent' | 'webhook.sendTestEvent'>

export type TestedWebhook = {
  readonly id: string
  readonly endpoint: string
  readonly tokenHint: string | null
  /** True if the webhook's endpoint is this receiver. */
  readonly isHere: boolean
}

export function createTestEvents(
  context: AppContext,
  /** @throws AppError WEBHOOK_UNKNOWN */
  find: (network: NetworkId, id: string) => TestedWebhook,
  own: () => OwnAddresses,
): TestHandlers {
  const { access, receiver } = context
  const isSandbox = (network: NetworkId) => access.info(network).kind === 'sandbox'

  function show(network: NetworkId, id: string): Output<'webhook.testEvent'> {
    const { endpoint, tokenHint } = find(network, id)
    const sender = isSandbox(network) ? 'gateway' : 'direct'
    return {
      sender,
      url: endpoint,
      headers: [
        ['Content-Type', 'application/json'],
        ['User-Agent', userAgents[sender]],
        [...testHeader],
        ['Authorization', `Bearer …${tokenHint ?? ''}`],
      ],
      body,
    }
  }

  /** @param isOwn true if the endpoint is this receiver, which other requests must not reach */
  async function sendDirectly(
    url: string,
    headers: readonly (readonly [string, string])[],
    isOwn: boolean,
  ): Promise<ShownResponse> {
    const places = isOwn ? () => ({ ports: [], publicUrls: [] }) : own
    const guardFor = (isConfirmed: () => boolean) =>
      createGuard({ resolve: resolveBySystem, own: places, isConfirmed })
    const { kind, problem } = await guardFor(() => false).verdict(url)
    if (kind === 'refused') return { ...unsent, problem }
    // The user confirmed this URL for this one request.
    const guard = guardFor(() => kind === 'public')
    const request = { method: 'POST', headers, body: Buffer.from(body) }
    const sent = await sendOnce(guard, request, url, { timeoutMs, keepBytes })
    const { outcome, detail } = resultOf(sent)
    const { at, headers: received, body: bytes, ...shown } = detail
    return {
      ...shown,
      isDelivered: outcome === 'delivered',
      headers: received.map(([name, value]) => [name, value]),
      body: Buffer.from(bytes).toString('base64'),
    }
  }

  async function send(
    { network, id, url }: Parsed<'webhook.sendTestEvent'>,
    marks: Readonly<Record<string, string>>,
  ) {
    const { endpoint, isHere } = find(network, id)
    if (url === null && isSandbox(network)) {
      const requested = { network: 'mainnet' as const, webhookId: Number(id), headers: marks, body }
      return context.request('sandbox.testWebhook', requested)
    }
    const { token } = await context.request('webhook.revealToken', { network, id })
    const headers = [
      ['Content-Type', 'application/json'],
      ['User-Agent', userAgents.direct],
      ...Object.entries(marks),
      ['Authorization', `Bearer ${token}`],
    ] as const
    return sendDirectly(url ?? endpoint, headers, url === null && isHere)
  }

  return {
    'webhook.testEvent': ({ network, id }) => show(network, id),
    async 'webhook.sendTestEvent'(event) {
      const marks = Object.fromEntries([testHeader])
      if (event.url !== null || !find(event.network, event.id).isHere) {
        return { response: await send(event, marks), capture: null }
      }
      const probe = await receiver.expectProbe('test', true)
      try {
        const response = await send(event, { ...marks, [probe.header[0]]: probe.header[1] })
        return { response, capture: (await probe.arrived())?.capture ?? null }
      } finally {
        await probe.arrived()
      }
    },
  }
}

const unsent = {
  isDelivered: false,
  status: null,
  durationUs: 0,
  headers: [],
  body: '',
  bodyBytes: 0,
  isCut: false,
}
