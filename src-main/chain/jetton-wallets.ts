import type { Asset } from '../../src-preload/contract/chain/references.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { LimitedMap } from '../../src-preload/domain/limited-map.ts'
import type { AbortableRequest, QueryOptions, QueryClient } from '../gateway/query.ts'
import {
  type AssetOf,
  type ReadNode,
  jettonsIn,
  messagesOf,
  orderedJettons,
  ordersIn,
} from './read-trace.ts'
import { readOrder } from '../ton/wallet.ts'
import type { ActionResponse } from '../gateway/event-responses.ts'
import type { JettonBalanceResponse, JettonPreview, Row } from '../gateway/query-responses.ts'
import { isRefusal, unlessRefused } from './access.ts'

type AccountWallets = {
  /** The pending request for the account's list of jettons; null before the request and after it failed. */
  listing: Promise<void> | null
  /** Wallets by address. The asset is null for a wallet of another owner. Times are Unix milliseconds. */
  readonly checked: Map<string, { readonly asset: Asset | null; readonly until: number }>
}

type AccountKey = { readonly network: string; readonly address: string }

const maxAccounts = 200
/** Maximum number of wallets that are verified one by one for a page; each takes two requests. */
const maxUnknown = 5
const retryMs = 30_000

export type JettonWalletBook = ReturnType<typeof createJettonWalletBook>

/** A jetton wallet never changes its owner or jetton, so results stay valid while the app runs. */
export function createJettonWalletBook(now: () => number) {
  const accounts = new LimitedMap<string, AccountWallets>(maxAccounts)

  function entryOf({ network, address }: AccountKey): AccountWallets {
    const key = `${network} ${address}`
    const entry: AccountWallets = accounts.get(key) ?? { listing: null, checked: new Map() }
    // The account that was used least recently is dropped first.
    accounts.set(key, entry)
    return entry
  }

  async function list(
    account: AccountKey,
    request: Promise<readonly Row<JettonBalanceResponse>[]>,
  ) {
    const entry = entryOf(account)
    const listing = request.then((rows) => {
      for (const row of rows) {
        if (!('value' in row)) continue
        const { wallet_address: wallet, jetton } = row.value
        entry.checked.set(wallet.address, { asset: assetOfJetton(jetton), until: Infinity })
      }
    })
    entry.listing = listing
    try {
      await listing
    } catch (error) {
      if (entry.listing === listing) entry.listing = null
      throw error
    }
  }

  return {
    /** Uses a list of the account's jettons that the caller has requested, even before it arrives. */
    listed(account: AccountKey, request: Promise<readonly Row<JettonBalanceResponse>[]>): void {
      // The caller of `listed` reports a failure.
      list(account, request).catch(() => undefined)
    },
    /**
     * Returns the assets of wallets that the gateway confirms as the account's own. Unchecked wallets
     * are omitted and checked next time.
     * @throws the signal's reason after an abort
     */
    async ownedBy(
      account: AccountKey,
      wallets: ReadonlySet<string>,
      { query, signal }: { readonly query: QueryClient; readonly signal: AbortSignal },
    ): Promise<AssetOf> {
      const entry = entryOf(account)
      const { checked } = entry
      const missing = () =>
        [...wallets].filter((wallet) => now() >= (checked.get(wallet)?.until ?? 0))
      // The list may omit empty wallets and does not contain wallets created later.
      const check = async (wallet: string) => {
        const verified = await verifyJettonWallet(wallet, query, { signal })
        const asset = verified?.owner === account.address ? verified.asset : null
        checked.set(wallet, { asset, until: verified === undefined ? now() + retryMs : Infinity })
      }
      try {
        if (missing().length > 0) {
          const { address } = account
          await (entry.listing ?? list(account, query.accountJettons(address, { signal })))
        }
        await Promise.all(missing().slice(0, maxUnknown).map(check))
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof AppError)) throw error
      }
      return (wallet) => checked.get(wallet)?.asset ?? null
    },
  }
}

export type TraceJettons = ReturnType<typeof createTraceJettons>

const maxWallets = 20_000
const maxChecked = 3

export function createTraceJettons() {
  const remembered = new LimitedMap<string, Asset | null>(maxWallets)

  function remember(network: string, assets: Iterable<readonly [string, Asset | null]>): void {
    for (const [wallet, asset] of assets) remembered.set(`${network} ${wallet}`, asset)
  }

  /**
   * Uses only stored results.
   * @returns assets: null marks a contract that is no jetton wallet; isSure: false if a wallet is unknown
   */
  function known(network: string, nodes: readonly ReadNode[]) {
    const wallets = [...jettonWalletsOf(nodes)]
    const assets = new Map<string, Asset | null>()
    for (const wallet of wallets) {
      const asset = remembered.get(`${network} ${wallet}`)
      if (asset !== undefined) assets.set(wallet, asset)
    }
    for (const { from, to } of receiversIn(nodes)) {
      const asset = assets.get(from)
      if (asset && !assets.has(to)) assets.set(to, asset)
    }
    const missing = wallets.filter((wallet) => !assets.has(wallet))
    return { assets, missing, isSure: missing.length === 0 }
  }

  /**
   * Verifies a wallet. `cancel` withdraws the first request unless it was sent, because another response
   * made it needless.
   */
  function startCheck(network: string, wallet: string, { query, asking }: TraceRequest) {
    const needless = new AbortController()
    const signal = AbortSignal.any([asking.signal, needless.signal])
    let isSent = false
    const onSend = () => {
      isSent = true
    }
    const check = async () => {
      const isKnown = () => remembered.has(`${network} ${wallet}`)
      const verified = await verifyJettonWallet(
        wallet,
        query,
        { ...asking, signal, onSend },
        isKnown,
      )
      if (verified !== undefined) remember(network, [[wallet, verified?.asset ?? null]])
    }
    const done = check().catch((error: unknown) => {
      asking.signal.throwIfAborted()
      // The trace is shown without this jetton; the next call tries again.
      if (!(error instanceof AppError) && !needless.signal.aborted) throw error
    })
    return { done, cancel: () => !isSent && needless.abort() }
  }

  return {
    known,
    /**
     * Fetches what `known` lacks. The actions and the first wallets are requested together; a request that
     * still waits in the queue is withdrawn when the actions contain its result.
     * @throws the signal's reason after an abort
     */
    async find(network: string, nodes: readonly ReadNode[], request: TraceRequest) {
      const checks = new Map<string, ReturnType<typeof startCheck>>()
      const startChecks = () => {
        for (const wallet of firstOf(nodes, known(network, nodes).missing)) {
          if (checks.size >= maxChecked || checks.has(wallet)) continue
          checks.set(wallet, startCheck(network, wallet, request))
        }
        return Promise.all([...checks.values()].map(({ done }) => done))
      }
      const readActions = async () => {
        try {
          const actions = await unlessRefused(request.actions())
          remember(network, assetsInActions(actions ?? []))
        } catch (error) {
          request.asking.signal.throwIfAborted()
          if (!(error instanceof AppError)) throw error
        }
        const { missing } = known(network, nodes)
        for (const [wallet, { cancel }] of checks) if (!missing.includes(wallet)) cancel()
      }
      if (!known(network, nodes).isSure) await Promise.all([readActions(), startChecks()])
      // Each round may reveal more: a wallet after the first ones, or the receiver of a contract
      // that is no jetton wallet.
      for (let size = -1; size < checks.size;) {
        size = checks.size
        await startChecks()
      }
      const { assets, isSure } = known(network, nodes)
      remember(network, assets)
      return { assets, isSure }
    },
  }
}

type TraceRequest = {
  readonly query: Pick<QueryClient, 'jettonWalletData' | 'accountJetton'>
  readonly actions: () => Promise<readonly ActionResponse[]>
  readonly asking: AbortableRequest
}

export const jettonWalletsOf = (nodes: readonly ReadNode[]): ReadonlySet<string> =>
  new Set([
    ...nodes.flatMap(messagesOf).flatMap((each) => jettonsIn(each)?.wallet ?? []),
    ...nodes.flatMap(orderedWallets),
  ])

/** The jetton wallets that an order of a wallet names, even if they sent nothing. */
function orderedWallets({ message, interfaces }: ReadNode): string[] {
  const orders = message && ordersIn(message.answer, interfaces)?.orders
  return (orders ?? []).flatMap((each) => orderedJettons(readOrder(each.message))?.wallet ?? [])
}

/** A jetton wallet sends only to wallets of its own jetton. */
const receiversIn = (nodes: readonly ReadNode[]) =>
  nodes.flatMap(({ message, parent, transaction }) => {
    if (message?.body?.name !== 'jetton_internal_transfer') return []
    if (parent?.message?.body?.name !== 'jetton_transfer') return []
    return [{ from: parent.transaction.account.address, to: transaction.account.address }]
  })

/** Selects the wallets that no other wallet in the list identifies. */
function firstOf(nodes: readonly ReadNode[], wallets: readonly string[]): string[] {
  const isMissing = new Set(wallets)
  const later = new Set<string>()
  for (const { from, to } of receiversIn(nodes)) {
    // Two wallets may have sent to each other, so one of them must be verified.
    if (from !== to && isMissing.has(from) && !later.has(from)) later.add(to)
  }
  return wallets.filter((wallet) => !later.has(wallet))
}

const assetsInActions = (actions: readonly ActionResponse[]): [wallet: string, asset: Asset][] =>
  actions.flatMap(({ known }) => {
    if (known === null || !('jetton' in known.details)) return []
    const { details } = known
    const asset = assetOfJetton(details.jetton)
    const wallets = [
      'senders_wallet' in details ? details.senders_wallet : null,
      'recipients_wallet' in details ? details.recipients_wallet : null,
    ]
    return wallets.flatMap((wallet): [string, Asset][] => (wallet ? [[wallet, asset]] : []))
  })

/**
 * A contract may lie about its owner and jetton, so the gateway must find the same wallet for that
 * owner and jetton.
 * @returns null for another contract; undefined if the gateway has not indexed the wallet, or if
 * the request became needless
 * @throws AppError if a request fails
 */
export async function verifyJettonWallet(
  address: string,
  query: Pick<QueryClient, 'jettonWalletData' | 'accountJetton'>,
  queryOptions: QueryOptions,
  isNeedless: () => boolean = () => false,
) {
  try {
    const data = await query.jettonWalletData(address, queryOptions)
    if (data === null) return null
    if (isNeedless()) return undefined
    const { owner } = data
    const { wallet_address, jetton } = await query.accountJetton(owner, data.jetton, queryOptions)
    return wallet_address.address === address ? { owner, asset: assetOfJetton(jetton) } : null
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) return undefined
    throw error
  }
}

export const assetOfJetton = ({ address, symbol, decimals, scaled_ui }: JettonPreview): Asset => ({
  jetton: address,
  symbol,
  decimals,
  ...(scaled_ui && { scale: scaled_ui }),
})
