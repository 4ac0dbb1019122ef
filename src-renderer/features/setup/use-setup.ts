import { useEffect, useRef } from 'react'
import { create } from 'zustand'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { ShownResponse } from '../../../src-preload/contract/target.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { on, peek, reload, request, useData, useDataBy, useDataOf } from '../../app/bridge.ts'
import { refreshWebhooks } from '../../app/webhooks.ts'
import { checkTunnel } from '../../components/delivery/tunnel.tsx'
import { throttle } from '../../ui/throttle.ts'
import { readSetupSteps, offersInvoices, webhookHere } from './setup-state.ts'

export type StepProps = { readonly network: Network; readonly setup: ReturnType<typeof useSetup> }

type BackendTest = {
  /** The webhook whose token was sent. */
  readonly webhook: Pick<Webhook, 'network' | 'id'>
  readonly url: string
  readonly response: ShownResponse
}

/** The last test event that was sent to the user's backend since the window was opened. */
export const useBackendTest = create<{ readonly last: BackendTest | null }>(() => ({ last: null }))

/** Returns the facts about the setup of a network. They are loaded again when the guide is opened. */
export function useSetup(network: Network) {
  const { id, secrets } = network
  const test = useConnectionTest(network)
  const tunnel = useData('tunnel.state').data
  const list = useData('webhook.list', { network: id }).data
  const access = useDataOf(
    'invoiceAccess.read',
    offersInvoices(network) ? { network: id } : null,
  ).data
  const rules = useData('forwardRule.list').data
  const deliveries = { query: { text: `network:${id} token:right origin:received` }, limit: 1 }
  const latest = useData('capture.list', deliveries).data?.rows[0]
  const isLoaded = peek('capture.list', deliveries) !== undefined
  const { last } = useBackendTest()
  useFreshFacts(network)
  const webhook = webhookHere({ network, webhooks: list?.webhooks })
  const isTested = last?.webhook.network === id && last.webhook.id === webhook?.id
  const backend = isTested ? last : null
  const facts = {
    network,
    checks: test.checks,
    tunnel,
    webhooks: list?.webhooks,
    access,
    rules,
    backend: backend?.response ?? null,
    delivery: isLoaded ? (latest ?? null) : undefined,
  }
  return {
    test,
    tunnel,
    webhooksProblem: secrets.api === null ? null : (list?.problem ?? null),
    webhook,
    backend,
    delivery: facts.delivery,
    steps: readSetupSteps(facts),
  }
}

/** Tests the APIs when the guide is opened, and again after a key or a URL has changed. */
function useConnectionTest({ id, urls, secrets }: Network) {
  const of = JSON.stringify([urls, secrets.api?.addedAt, secrets.invoices?.addedAt])
  const query = useDataBy('network.test', { id, of }, () => request('network.test', { id }))
  const { data, isPlaceholderData, isFetching, error, refetch } = query
  const isOld = useRef(data !== undefined && !isFetching)
  useEffect(() => {
    if (isOld.current) void refetch()
    isOld.current = false
  }, [refetch])
  return {
    checks: isPlaceholderData ? undefined : data,
    isRunning: isFetching,
    error,
    again: () => void refetch(),
  }
}

function useFreshFacts({ id, secrets }: Network): void {
  const hasKey = secrets.api !== null
  const addedAt = secrets.api?.addedAt
  useEffect(() => {
    if (hasKey) void refreshWebhooks(id)
  }, [id, hasKey, addedAt])
  const { publicUrl = null, check = null } = useData('tunnel.state').data ?? {}
  const isListening = useData('receiver.state').data?.status === 'listening'
  useEffect(() => {
    if (publicUrl !== null && check === null && isListening) void checkTunnel()
    // A check that has ended is not repeated here.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a new URL or a started receiver begins a check
  }, [publicUrl, isListening])
  useEffect(() => {
    const { call, cancel } = throttle(() => reload('capture.list'), 500)
    const stops = [on('capture.added', call), on('capture.classified', call), cancel]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
}
