/** Names of accounts by network and raw address: the user's labels, and what networks have reported. */
import { useEffect } from 'react'
import { create } from 'zustand'
import type { AccountRef } from '../../src-preload/contract/chain/references.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { onReconnect, request } from './bridge.ts'

const pageSize = 500
/** Only this number of labels is loaded from a larger address book. */
const maxLabels = 20_000

type ByAddress<T> = Readonly<Record<NetworkId, ReadonlyMap<string, T>>>
type Reported = Pick<AccountRef, 'address' | 'name' | 'isWallet'>

export const useAccountLabels = create<{
  /** The address books loaded so far. */
  readonly books: ByAddress<string>
  readonly reported: ByAddress<Reported>
}>(() => ({ books: {}, reported: {} }))

const loading = new Set<NetworkId>()
/** Networks whose address book changed while it was being loaded. */
const changed = new Set<NetworkId>()

async function loadBook(network: NetworkId): Promise<void> {
  if (loading.has(network)) return void changed.add(network)
  loading.add(network)
  changed.delete(network)
  const book = new Map<string, string>()
  try {
    for (let offset = 0; offset < maxLabels; offset += pageSize) {
      const { total, labels } = await request('label.list', { network, offset, limit: pageSize })
      for (const { address, name } of labels) book.set(address, name)
      if (offset + labels.length >= total || labels.length === 0) break
    }
    useAccountLabels.setState(({ books }) => ({ books: { ...books, [network]: book } }))
  } catch {
    // Pages show the address until the next attempt, which the next list or reconnection triggers.
  } finally {
    loading.delete(network)
  }
  if (changed.has(network)) void loadBook(network)
}

/** Loads the address book again if it is in use. */
export function reloadLabels(network: NetworkId): void {
  if (loading.has(network) || useAccountLabels.getState().books[network] !== undefined) {
    void loadBook(network)
  }
}

onReconnect(() => Object.keys(useAccountLabels.getState().books).forEach(reloadLabels))

/** Loads the address books of these networks on first use. */
export function useLabelsOf(networks: readonly NetworkId[]): void {
  const key = [...new Set(networks)].toSorted().join(' ')
  useEffect(() => {
    for (const id of key === '' ? [] : key.split(' ')) {
      if (loading.has(id)) continue
      if (useAccountLabels.getState().books[id] === undefined) void loadBook(id)
      if (id === 'sandbox') void loadSandboxWallets()
    }
  }, [key])
}

let sandboxWallets: 'unknown' | 'loading' | 'loaded' = 'unknown'

/** The sandbox names its wallets; lists that have only an address show these names too. */
async function loadSandboxWallets(): Promise<void> {
  if (sandboxWallets !== 'unknown') return
  sandboxWallets = 'loading'
  try {
    const { wallets } = await request('sandbox.chain', { network: 'mainnet' })
    for (const { address, name } of wallets) {
      reportAccount('sandbox', { address, name, isWallet: true })
    }
    sandboxWallets = 'loaded'
  } catch {
    // The sandbox is not running, so the next list tries again.
    sandboxWallets = 'unknown'
  }
}

let unsaved: { readonly network: NetworkId; readonly account: Reported }[] = []

/** Remembers the name and kind of an account for places that have only its address. */
export function reportAccount(network: NetworkId, account: Reported): void {
  if (account.name === null && !account.isWallet) return
  const known = useAccountLabels.getState().reported[network]?.get(account.address)
  const isKnown =
    known !== undefined &&
    (account.name === null || account.name === known.name) &&
    (known.isWallet || !account.isWallet)
  if (isKnown) return
  // A list reports all its rows at once.
  if (unsaved.length === 0) queueMicrotask(saveReported)
  unsaved.push({ network, account })
}

function saveReported(): void {
  const reported: Record<NetworkId, Map<string, Reported>> = {}
  const before = useAccountLabels.getState().reported
  for (const { network, account } of unsaved) {
    const { address, name, isWallet } = account
    const accounts = (reported[network] ??= new Map(before[network]))
    const known = accounts.get(address)
    accounts.set(address, {
      address,
      name: name ?? known?.name ?? null,
      isWallet: isWallet || known?.isWallet === true,
    })
  }
  unsaved = []
  useAccountLabels.setState({ reported: { ...before, ...reported } })
}
