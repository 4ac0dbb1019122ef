import type { Incident } from '../../src-preload/contract/incident.ts'
import type { EventName, Events } from '../../src-preload/contract/routes.ts'
import { type EventHub, createEventHub } from '../bridge/events.ts'

type InternalEvents = {
  'database.damaged': { readonly message: string }
  'database.damageSuspected': { readonly message: string }
  /** `problem` is null when captures can be written again; `forGood` is true if the writer has ended. */
  'captures.writable': { readonly problem: string | null; readonly forGood: boolean }
  /** Emitted for stored captures that are not deliveries: imported, rebuilt and test captures. */
  'captures.put': Readonly<Record<string, never>>
  /**
   * Each event is emitted once for an incident, also across restarts; `incident.grown` each time
   * the incident grows.
   */
  'incident.opened': Incident
  'incident.grown': Incident
  'incident.closed': Incident
  'window.served': { readonly port: number }
}

type AllEvents = Events & InternalEvents

export type AppEvents = EventHub & {
  /** All listeners of `on` have run when `emit` returns. */
  emit<N extends keyof InternalEvents>(name: N, payload: InternalEvents[N]): void
  /** Features subscribe at the start and never unsubscribe, so a stopped feature must ignore events. */
  on<N extends keyof AllEvents>(name: N, listener: (payload: AllEvents[N]) => void): void
}

const internalNames: Readonly<Record<keyof InternalEvents, true>> = {
  'database.damaged': true,
  'database.damageSuspected': true,
  'captures.writable': true,
  'captures.put': true,
  'incident.opened': true,
  'incident.grown': true,
  'incident.closed': true,
  'window.served': true,
}

export function createAppEvents(): AppEvents {
  const hub = createEventHub()
  const listeners = new Map<keyof AllEvents, ((payload: never) => void)[]>()

  const isInternal = (name: keyof AllEvents): name is keyof InternalEvents =>
    Object.hasOwn(internalNames, name)

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
