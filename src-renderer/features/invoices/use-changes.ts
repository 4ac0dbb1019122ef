import { useEffect } from 'react'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { on, onReconnect } from '../../app/bridge.ts'

type Change = 'invoice.changed' | 'discrepancy.changed' | 'payment.changed'

/** Keeps a list up to date: it listens to these events of a network and to the return of the connection. */
export function useChanges(
  network: NetworkId,
  list: { readonly note: (ids?: readonly string[]) => void },
  ...names: readonly Change[]
): void {
  const key = names.join()
  useEffect(() => {
    const stops: (() => void)[] = (key.split(',') as Change[]).map((name) =>
      on(name, (changed) => {
        if (changed.network !== network) return
        list.note('ids' in changed ? (changed.ids ?? []) : [])
      }),
    )
    stops.push(onReconnect(() => list.note()))
    return () => {
      for (const stop of stops) stop()
    }
  }, [network, list, key])
}
