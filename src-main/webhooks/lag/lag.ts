import type { Lag } from '../../../src-preload/contract/subscription.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { Room } from '../room.ts'
import type { SubscribedAccount } from '../store/subscriptions.ts'
import { type AcceptedBulk, type Head, readHeads } from '../../chain/heads.ts'

type OnChain = { readonly lt: bigint; readonly at: number }

type Undelivered = {
  readonly transactions: number
  readonly more: boolean
  readonly oldestAt: number | null
  readonly newestAt: number | null
}

/** A block that is further ahead of this computer's clock comes from a chain with its own clock. */
const skewMs = 60_000

/**
 * The logical time up to which everything was delivered, inclusive. Null if nothing was delivered
 * or failed, because the chain does not show when the account was subscribed.
 */
export function deliveredTo(account: SubscribedAccount): bigint | null {
  if (account.lastDeliveredLt > 0n) return account.lastDeliveredLt
  return account.isFailing && account.failedLt !== null ? account.failedLt - 1n : null
}

/**
 * Transactions that were undelivered when the subscription was read; later ones may have been
 * delivered meanwhile.
 * @param isFull true if more transactions may follow the page
 */
export function undeliveredOf(
  page: readonly OnChain[],
  { account, readAt, isFull }: { account: SubscribedAccount; readAt: number; isFull: boolean },
): Undelivered {
  const base = deliveredTo(account) ?? 0n
  const isOwnClock = (page.at(-1)?.at ?? 0) <= readAt + skewMs
  const known = page.filter(
    ({ lt, at }) =>
      lt > base &&
      (!isOwnClock || at <= readAt || (account.failedLt !== null && lt <= account.failedLt)),
  )
  return {
    transactions: known.length,
    more: isFull && known.length === page.length,
    oldestAt: known[0]?.at ?? null,
    newestAt: known.at(-1)?.at ?? null,
  }
}

export function lagOf(undelivered: Undelivered, now: number): Lag {
  const { transactions, more, oldestAt, newestAt } = undelivered
  // The chain's clock may be ahead of this computer's.
  const milliseconds = oldestAt === null ? 0 : Math.max(now, newestAt ?? 0) - oldestAt
  return { transactions, more, milliseconds: Math.max(0, milliseconds), readAt: now }
}

export function lagInTime(account: SubscribedAccount, lastActivityAt: number, now: number): Lag {
  const isTold = account.isFailing && lastActivityAt > 0
  const milliseconds = isTold ? Math.max(0, now - lastActivityAt) : null
  return { transactions: null, more: false, milliseconds, readAt: now }
}

/** Maximum number of requests per round, so that a large set does not fill the gateway's queue. */
const chunksARound = 10
const countsARound = 20
const countedTo = 250
const maxCounted = 20_000

type Counted = Undelivered & { readonly base: bigint; readonly newest: bigint }

export function createLag({
  access,
  book,
  mirror,
  now,
}: Room<'access' | 'book' | 'mirror' | 'now'>) {
  const places = new Map<NetworkId, { readonly webhook: string; readonly after: string }>()
  const acceptedOf = new Map<NetworkId, AcceptedBulk>()
  /** Counts of undelivered transactions, cached until one end of the count moves. */
  const counts = new LimitedMap<string, Counted>(maxCounted)

  function counted(key: string, account: SubscribedAccount, newest: bigint): Counted | null {
    const known = counts.get(key)
    return known?.base === deliveredTo(account) && known.newest === newest ? known : null
  }

  async function count(
    network: NetworkId,
    key: string,
    { account, newest, readAt }: { account: SubscribedAccount; newest: bigint; readAt: number },
    queryOptions: QueryOptions,
  ): Promise<Undelivered> {
    const base = deliveredTo(account) ?? 0n
    const requested = { afterLt: base.toString(), limit: countedTo, sortOrder: 'asc' } as const
    const page = await access
      .query(network)
      .accountTransactions(account.account, requested, queryOptions)
    const undelivered = undeliveredOf(
      page.map(({ lt, utime }) => ({ lt: BigInt(lt), at: utime * 1000 })),
      { account, readAt, isFull: page.length >= countedTo },
    )
    // A page that contains transactions from after the reading of the subscription must be counted again.
    if (undelivered.transactions === page.length) counts.set(key, { ...undelivered, base, newest })
    return undelivered
  }

  function* chunks(network: NetworkId, accepted: AcceptedBulk) {
    const place = places.get(network)
    const webhooks = book.known(network).map(({ id }) => id)
    const begin = Math.max(0, place === undefined ? 0 : webhooks.indexOf(place.webhook))
    const rotated = [...webhooks.slice(begin), ...webhooks.slice(0, begin)]
    for (const [index, webhook] of rotated.entries()) {
      let after: string | undefined = webhook === place?.webhook ? place.after : ''
      while (after !== undefined) {
        const size = accepted.chunk
        const accounts = mirror.page(network, webhook, after, size)
        if (accounts.length > 0) yield { webhook, accounts }
        after = accounts.length < size ? undefined : accounts.at(-1)?.account
      }
      const next = rotated[(index + 1) % rotated.length] ?? webhook
      places.set(network, { webhook: next, after: '' })
    }
  }

  async function read(network: NetworkId, signal: AbortSignal): Promise<void> {
    const client = access.query(network)
    const queryOptions: QueryOptions = { signal, priority: 'job', owner: 'lag' }
    const accepted = acceptedOf.get(network) ?? { chunk: 100, hasLogicalTimes: true }
    acceptedOf.set(network, accepted)
    let chunksLeft = chunksARound
    let countsLeft = countsARound
    const begun = now()

    for (const { webhook, accounts } of chunks(network, accepted)) {
      const readAt = book.find(network, webhook).subscriptionsReadAt ?? begun
      const addresses = accounts.map(({ account }) => account)
      const heads = await readHeads(client, addresses, queryOptions, accepted)
      const lags = new Map<string, Lag>()
      let last: string | null = null
      try {
        for (const account of accounts) {
          const head = heads.get(account.account)
          let lag = head === undefined ? null : withoutCounting(account, head, now())
          if (lag === null && head !== undefined && 'lt' in head) {
            const newest = head.lt
            const key = `${network}/${webhook}/${account.account}`
            const known = counted(key, account, newest)
            if (known === null && countsLeft === 0) return
            // The position moves first, so that an account with unreadable transactions is skipped next time.
            last = account.account
            if (known === null) countsLeft -= 1
            const what = { account, newest, readAt }
            lag = lagOf(known ?? (await count(network, key, what, queryOptions)), now())
          }
          if (lag !== null) lags.set(account.account, lag)
          last = account.account
        }
      } finally {
        if (last !== null) places.set(network, { webhook, after: last })
        if (lags.size > 0) mirror.saveLags(network, webhook, lags)
      }
      chunksLeft -= 1
      if (chunksLeft === 0) return
    }
  }

  return {
    /** Continues where the last round ended. Accounts that the gateway refuses wait for a later round. */
    async read(network: NetworkId, signal: AbortSignal): Promise<void> {
      try {
        await read(network, signal)
      } catch (error) {
        signal.throwIfAborted()
        // The stored lag stays, with the time of its reading; the sampler reports the gateway's problem.
        if (!(error instanceof AppError)) throw error
      }
    },
    forget(network: NetworkId): void {
      places.delete(network)
      acceptedOf.delete(network)
      for (const key of counts.keys()) if (key.startsWith(`${network}/`)) counts.delete(key)
    },
  }
}

function withoutCounting(account: SubscribedAccount, head: Head, now: number): Lag | null {
  if (!('lt' in head)) return lagInTime(account, head.lastActivityAt, now)
  const base = deliveredTo(account)
  if (base === null) return { transactions: null, more: false, milliseconds: null, readAt: now }
  if (head.lt > base) return null
  return { transactions: 0, more: false, milliseconds: 0, readAt: now }
}
