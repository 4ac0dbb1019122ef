import { useEffect } from 'react'
import { create } from 'zustand'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { on, onReconnect, request } from './bridge.ts'

const pageSize = 500
/** A larger address book is taken by its first so many names. */
const mostLabels = 20_000

type Book = ReadonlyMap<string, string>

/** The person's own names by raw address, of each network that was asked for. */
export const useAccountLabels = create<{ readonly books: Readonly<Record<NetworkId, Book>> }>(
  () => ({ books: {} }),
)

const loading = new Set<NetworkId>()

async function load(network: NetworkId): Promise<void> {
  if (loading.has(network)) return
  loading.add(network)
  const book = new Map<string, string>()
  try {
    for (let offset = 0; offset < mostLabels; offset += pageSize) {
      const { total, labels } = await request('label.list', { network, offset, limit: pageSize })
      for (const { address, name } of labels) book.set(address, name)
      if (offset + labels.length >= total || labels.length === 0) break
    }
    useAccountLabels.setState(({ books }) => ({ books: { ...books, [network]: book } }))
  } catch {
    // Without a name there is still the address; the next list, or the reconnect, asks again.
  } finally {
    loading.delete(network)
  }
}

/** The person's own name for the account of a capture. */
export function useLabelOf({
  network,
  account,
}: {
  readonly network: NetworkId | null
  readonly account: string | null
}): string | null {
  useLabelsOf(network === null ? [] : [network])
  return useAccountLabels(({ books }) =>
    network === null || account === null ? null : (books[network]?.get(account) ?? null),
  )
}

/** Has the names of these networks at hand, and follows their changes, while a list shows them. */
export function useLabelsOf(networks: readonly NetworkId[]): void {
  const key = [...new Set(networks)].toSorted().join(' ')
  useEffect(() => {
    const ids = key === '' ? [] : key.split(' ')
    for (const id of ids) {
      if (useAccountLabels.getState().books[id] === undefined) void load(id)
    }
    const stops = [
      on('label.changed', ({ network }) => ids.includes(network) && void load(network)),
      onReconnect(() => ids.forEach((id) => void load(id))),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [key])
}
