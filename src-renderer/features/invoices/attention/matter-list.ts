import { create } from 'zustand'
import type { Matter } from '../../../../src-preload/contract/matter.ts'
import type { MatterKind } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { on, onReconnect, request } from '../../../app/bridge.ts'
import { throttle } from '../../../ui/throttle.ts'
import { type WindowList, createWindowList } from '../../../components/list/windows.ts'

type Shown = {
  readonly kind: MatterKind | null
  readonly handled: boolean
  readonly text: string
}

type ByKind = Output<'matter.page'>['byKind']

/** What is shown of the attention list; it stays while one looks at other pages. */
export const useShown = create<Shown>(() => ({ kind: null, handled: false, text: '' }))

/** Rows in sight, and how many there are of each kind that are open. */
export type MatterList = WindowList<Matter, ByKind>

export function createMatterList(): MatterList {
  return createWindowList<Matter, ByKind>()
}

/** Asks for what is to be shown, from its top. */
export function openMatters(list: MatterList, network: NetworkId, shown: Shown): void {
  list.open(
    async (offset, limit) => {
      const page = await request('matter.page', { network, ...shown, offset, limit })
      return { total: page.total, rows: page.matters, extra: page.byKind }
    },
    { keep: true },
  )
}

/** While much happens the list is looked at anew this often. */
const lookMs = 500

/** Follows what the app learns of them. Returns the way to stop. */
export function followMatters(list: MatterList, network: NetworkId): () => void {
  const look = throttle(() => list.refresh(), lookMs)
  const isOurs = (changed: { readonly network: string }) => {
    if (changed.network === network) look.call()
  }
  const stops = [
    on('matter.changed', isOurs),
    on('invoice.changed', isOurs),
    on('payment.changed', isOurs),
    onReconnect(() => look.call()),
  ]
  return () => {
    for (const stop of stops) stop()
    look.cancel()
  }
}
