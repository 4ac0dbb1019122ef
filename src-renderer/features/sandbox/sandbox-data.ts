import { useEffect } from 'react'
import type {
  SandboxChain,
  SandboxInvoice,
  SandboxInvoicesApp,
  SandboxNetwork,
  SandboxQueue,
} from '../../../src-preload/contract/sandbox.ts'
import { on, request } from '../../app/bridge.ts'
import { type Loadable, createResource, useResource } from '../../app/resource.ts'
import { useRoute } from '../../app/route.ts'
import { throttle } from '../../ui/throttle.ts'

type NetworkQueue = SandboxQueue & { readonly network: SandboxNetwork }

/** What the queue's table shows at most; the rest is counted. */
const queueShown = 100

export function currentNetwork(): SandboxNetwork {
  const { route } = useRoute.getState()
  return route.page === 'sandbox' ? route.network : 'mainnet'
}

export const chain = createResource<SandboxChain>(() =>
  request('sandbox.chain', { network: currentNetwork() }),
)

export const queue = createResource<NetworkQueue>(async () => {
  const network = currentNetwork()
  return { network, ...(await request('sandbox.queue', { network, limit: queueShown })) }
})

export const invoices = createResource<SandboxInvoice[]>(() => request('sandbox.invoices'))

export const invoicesApp = createResource<SandboxInvoicesApp>(() => request('sandbox.invoicesApp'))

/** After something was done: everything it may have changed. */
export async function refresh(): Promise<void> {
  await Promise.all([chain.reload(), queue.reload()])
}

/** What is there of another network is as good as nothing. */
export function ofNetwork<T extends { readonly network: SandboxNetwork }>(
  state: Loadable<T>,
  network: SandboxNetwork,
): Loadable<T> {
  return state.status === 'ready' && state.value.network !== network ? { status: 'loading' } : state
}

export function useChain(network: SandboxNetwork): Loadable<SandboxChain> {
  return ofNetwork(useResource(chain), network)
}

/** Under activity it moves several times a second; the slower it answers, the less it is asked. */
const leastMs = 500
const mostMs = 5000
const shares = 10

/** Keeps chain and queue current while the page is open and the sandbox runs. */
export function useLiveSandbox(network: SandboxNetwork, isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return
    let tookMs = 0
    const look = async () => {
      const began = performance.now()
      await refresh()
      tookMs = performance.now() - began
    }
    const looks = throttle(
      () => void look(),
      () => Math.min(mostMs, Math.max(leastMs, tookMs * shares)),
    )
    looks.call()
    const stop = on('sandbox.changed', looks.call)
    return () => {
      stop()
      looks.cancel()
    }
  }, [network, isRunning])
}
