import type { EventName, Events } from '../../src-preload/contract/routes.ts'
import { type EventHub, createEventHub } from '../bridge/events.ts'

type InternalEvents = {
  /** The database's file was found damaged, so the next start rescues what can be read. */
  'database.damaged': { readonly message: string }
  'database.damageSuspected': { readonly message: string }
  /** Captures cannot be written (why; for good when the writer has ended), or can again (null). */
  'captures.writable': { readonly problem: string | null; readonly forGood: boolean }
  /** Captures were stored that nobody delivered: imported, rebuilt or of a test. */
  'captures.put': Readonly<Record<string, never>>
  'window.served': { readonly port: number }
}

type AllEvents = Events & InternalEvents

/** The hub that transports listen to, and subscriptions of features to single events. */
export type AppEvents = EventHub & {
  /** Listeners of `on` have run when it returns. */
  emit<N extends keyof InternalEvents>(name: N, payload: InternalEvents[N]): void
  /** Features subscribe while the app starts, and until it ends: a feature that has stopped ignores events. */
  on<N extends keyof AllEvents>(name: N, listener: (payload: AllEvents[N]) => void): void
}

const internalNames: Readonly<Record<keyof InternalEvents, true>> = {
  'database.damaged': true,
  'database.damageSuspected': true,
  'captures.writable': true,
  'captures.put': true,
  'window.served': true,
}

export function createAppEvents(): AppEvents {
  const hub = createEventHub()
  const listeners = new Map<keyof AllEvents, ((payload: never) => void)[]>()

  function isInternal(name: keyof AllEvents): name is keyof InternalEvents {
    return name in internalNames
  }

  return {
    subscribe: (listener) => hub.subscribe(listener),
    flush: () => hub.flush(),
    emit(name: keyof AllEvents, payload: AllEvents[keyof AllEvents]) {
      for (const listener of listeners.get(name) ?? []) listener(payload as never)
      if (!isInternal(name)) hub.emit(name, payload as Events[EventName])
    },
    on(name, listener) {
      const others = listeners.get(name) ?? []
      listeners.set(name, [...others, listener])
    },
  }
}
