import type { EventMessage, EventName, Events } from '../../src-preload/contract/routes.ts'

export type EventHub = ReturnType<typeof createEventHub>

/** Each of these events contains the whole state, so a batch keeps only the newest. */
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
 * The first message after a quiet time is sent at once; those of the next 100 ms follow together. A
 * single webhook is thus shown without delay, and a thousand a second cost ten messages.
 */
export function createEventHub() {
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
    emit<N extends EventName>(name: N, payload: Events[N]): void {
      if (listeners.size === 0) return
      if (wholeState.has(name)) waiting = waiting.filter((message) => message.name !== name)
      // The type of `emit` guarantees that name and payload match.
      waiting.push({ name, payload } as EventMessage)
      if (timer !== undefined) return
      startBatch()
      queueMicrotask(flush)
    },
    /** Messages come in batches, at most ten a second. @returns a function that unsubscribes */
    subscribe(listener: (messages: readonly EventMessage[]) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    flush,
  }
}
