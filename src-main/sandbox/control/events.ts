import type { NetworkName } from '../chain/chain.ts'

type Head = {
  readonly network: NetworkName
  readonly seqno: number
  readonly waiting: number
  readonly failing: number
  readonly now: number
}

type Events = {
  /** Server-sent events: the current heads, then each change. */
  open(): Response
  close(): void
}

const lookMs = 250
const heartbeatMs = 15_000
const unreadLimit = 1000
const encoder = new TextEncoder()

/** Under a real clock, time alone passing is no change. */
export function createEvents(deps: {
  readonly heads: () => readonly Head[]
  readonly hasRealClock: () => boolean
}): Events {
  const listeners = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let told = new Map<NetworkName, string>()
  let timer: NodeJS.Timeout | undefined
  let quietMs = 0

  function isNews(head: Head): boolean {
    const { now, ...rest } = head
    const key = JSON.stringify(deps.hasRealClock() ? rest : { ...rest, now })
    if (told.get(head.network) === key) return false
    told.set(head.network, key)
    return true
  }

  function look(): void {
    const fresh = deps.heads().filter(isNews)
    quietMs = fresh.length > 0 ? 0 : quietMs + lookMs
    for (const head of fresh) send(print(head))
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
    told = new Map()
  }

  return {
    open() {
      let own: ReadableStreamDefaultController<Uint8Array> | undefined
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          own = controller
          // Pending changes go to the other listeners first, so that this one does not get them
          // twice.
          if (listeners.size === 0) timer = setInterval(look, lookMs)
          look()
          for (const head of deps.heads()) controller.enqueue(encoder.encode(print(head)))
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
    close() {
      for (const listener of listeners) {
        leave(listener)
        listener.close()
      }
    },
  }
}

function print(head: Head): string {
  return `event: changed\ndata: ${JSON.stringify(head)}\n\n`
}
