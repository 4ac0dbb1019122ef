import type { NetworkName } from '../chain/chain.ts'
import type { SandboxClock } from '../clock.ts'
import type { Networks } from './control-api.ts'

const pollMs = 250
const heartbeatMs = 15_000
const unreadLimit = 1000
const encoder = new TextEncoder()

/**
 * Sends server-sent events: the current heads, then each change. With a real clock, the passing of
 * time alone is not a change.
 */
export function createEvents(networks: Networks, clock: SandboxClock) {
  const listeners = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let sent = new Map<NetworkName, string>()
  let timer: NodeJS.Timeout | undefined
  let quietMs = 0

  const heads = () =>
    Object.values(networks).map(({ chain, queue }) => ({
      network: chain.network,
      seqno: chain.head().seqno,
      ...queue.count(),
      now: clock.now(),
    }))

  function isNews({ now, ...head }: ReturnType<typeof heads>[number]): boolean {
    const key = JSON.stringify(clock.mode === 'real' ? head : { ...head, now })
    if (sent.get(head.network) === key) return false
    sent.set(head.network, key)
    return true
  }

  function poll(): void {
    const fresh = heads().filter(isNews)
    quietMs = fresh.length > 0 ? 0 : quietMs + pollMs
    for (const head of fresh) send(format(head))
    if (quietMs >= heartbeatMs) {
      quietMs = 0
      send(': still here\n\n')
    }
  }

  function send(text: string): void {
    const bytes = encoder.encode(text)
    for (const listener of listeners) {
      listener.enqueue(bytes)
      // A listener that does not read is closed before its queue fills the memory.
      if ((listener.desiredSize ?? 0) < -unreadLimit) {
        leave(listener)
        listener.close()
      }
    }
  }

  function leave(listener: ReadableStreamDefaultController<Uint8Array>): void {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    sent = new Map()
  }

  return {
    open(): Response {
      let own: ReadableStreamDefaultController<Uint8Array> | undefined
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          own = controller
          // Pending changes go to the other listeners first, so that this one does not get them
          // twice.
          if (listeners.size === 0) timer = setInterval(poll, pollMs)
          poll()
          for (const head of heads()) controller.enqueue(encoder.encode(format(head)))
          listeners.add(controller)
        },
        cancel() {
          if (own !== undefined) leave(own)
        },
      })
      return new Response(body, {
        headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
      })
    },
    close(): void {
      for (const listener of listeners) {
        leave(listener)
        listener.close()
      }
    },
  }
}

const format = (head: object): string => `event: changed\ndata: ${JSON.stringify(head)}\n\n`
