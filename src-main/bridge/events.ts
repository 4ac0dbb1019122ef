import type { EventMessage, EventName, Events } from '../../src-preload/contract/routes.ts'

export type EventHub = {
  emit<N extends EventName>(name: N, payload: Events[N]): void
  /** Messages come in batches, at most ten a second. Returns the way to stop. */
  subscribe(listener: (messages: readonly EventMessage[]) => void): () => void
  /** Hands over what is waiting, now. */
  flush(): void
}

/** Of these only the newest of a batch matters: each tells the whole state. */
const wholeState: ReadonlySet<EventName> = new Set<EventName>([
  'capture.added',
  'capture.classified',
  'receiver.changed',
  'receiver.refused',
  'sandbox.changed',
  'notice.changed',
  'settings.changed',
  'secrets.changed',
  'webhookToken.changed',
])

const batchMs = 100

/**
 * The first message after a quiet time goes out at once; what follows within 100 ms goes together.
 * So a single webhook is seen without delay, and a thousand a second cost ten messages.
 */
export function createEventHub(): EventHub {
  const listeners = new Set<(messages: readonly EventMessage[]) => void>()
  let waiting: EventMessage[] = []
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    if (waiting.length === 0) return
    const messages = waiting
    waiting = []
    for (const listener of listeners) listener(messages)
  }

  function endOfBatch(): void {
    timer = undefined
    if (waiting.length === 0) return
    flush()
    startBatch()
  }

  function startBatch(): void {
    timer = setTimeout(endOfBatch, batchMs)
    timer.unref()
  }

  return {
    emit(name, payload) {
      if (listeners.size === 0) return
      if (wholeState.has(name)) waiting = waiting.filter((message) => message.name !== name)
      // A name and its own payload; the pairing is what `emit`'s type has just checked.
      waiting.push({ name, payload } as EventMessage)
      if (timer !== undefined) return
      startBatch()
      queueMicrotask(flush)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    flush,
  }
}
