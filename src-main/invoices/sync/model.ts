/** Pure rules for the sync of a network's invoices: which reading is wished, and what follows from it. */
import type { Condition } from '../../../src-preload/contract/incident.ts'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Attempt } from './schedule.ts'

type Wish = 'scheduled' | 'recent' | 'full'

type NetworkSync = {
  readonly last: Attempt | null
  /** Identifies how the network can be queried, without the token itself. A change makes the list due. */
  readonly access: string
  readonly problem: string | null
  readonly unread: readonly string[]
  readonly wish: Wish
  readonly reading: { readonly wish: Wish; readonly progress: InvoiceSync['reading'] } | null
  /** After the user stopped the full reading, it continues on request or the next day. */
  readonly fullNotBefore: number
}

const idle: NetworkSync = {
  last: null,
  access: '',
  problem: null,
  unread: [],
  wish: 'scheduled',
  reading: null,
  fullNotBefore: 0,
}

export type SyncStates = ReturnType<typeof createSyncStates>

export function createSyncStates() {
  const states = new Map<NetworkId, NetworkSync>()
  const of = (network: NetworkId): NetworkSync => states.get(network) ?? idle
  return {
    of,
    update(network: NetworkId, step: (sync: NetworkSync) => NetworkSync): void {
      states.set(network, step(of(network)))
    },
    forget: (network: NetworkId) => void states.delete(network),
  }
}

/** While all invoices are read, the wish to read all of them is one for the newest only. */
export function addWish(sync: NetworkSync, wish: 'recent' | 'full'): NetworkSync {
  const isFull = sync.wish === 'full' || (wish === 'full' && sync.reading?.wish !== 'full')
  return { ...sync, wish: isFull ? 'full' : 'recent', fullNotBefore: 0 }
}

export function beginReading(sync: NetworkSync, access: string): NetworkSync {
  return { ...sync, access, wish: 'scheduled', reading: { wish: sync.wish, progress: null } }
}

export function setProgress(sync: NetworkSync, progress: InvoiceSync['reading']): NetworkSync {
  return { ...sync, reading: sync.reading && { ...sync.reading, progress } }
}

/** @param problem null: the sync works */
export function conditionOf(name: string, problem: string | null): Condition | null {
  if (problem === null) return null
  return {
    kind: 'failing',
    level: 'warning',
    title: `Invoices of ${name} are not synced`,
    cause: `${problem} Payments and changes of invoices are not shown until the sync works.`,
    nextStep: 'Check the access in Invoices › Access. Tondesk retries automatically.',
  }
}
