/** Caches the addresses that invoices name, because every written or displayed invoice needs its own. */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceAccount, InvoiceAccounts } from '../store/invoice-accounts.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import { readAddress } from '../../ton/address.ts'

/** History is read from this long before an invoice's creation, because clocks may differ. */
export const marginMs = 3_600_000
/** Addresses are watched for this long after an invoice ends; deliveries report later payments. */
const followedMs = 24 * 3_600_000

export type AccountBook = ReturnType<typeof createAccountBook>

const maxCached = 20_000

export function createAccountBook(accounts: InvoiceAccounts) {
  const cache = new Map<string, InvoiceAccount | null>()
  const keyOf = (network: NetworkId, account: string) => `${network} ${account}`

  function of(network: NetworkId, account: string): InvoiceAccount | null {
    const key = keyOf(network, account)
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const read = accounts.get(network, account)
    if (cache.size >= maxCached) cache.clear()
    cache.set(key, read)
    return read
  }

  return {
    of,
    /** @returns whether this invoice made an address shared that only one invoice had before */
    note(invoice: StoredInvoice): boolean {
      const { network, payTo, status, createdAt, expiresAt, changedAt } = invoice
      // Text that is not an address has no transactions.
      if (readAddress(payTo) === null) return false
      const before = of(network, payTo)
      const ended = status === 'pending' ? expiresAt : changedAt
      const isChanged = accounts.note({
        network,
        account: payTo,
        invoice: invoice.key,
        since: createdAt - marginMs,
        activeUntil: Math.max(ended, expiresAt) + followedMs,
        usdtMaster: invoice.currency === 'USDT' ? masterIn(invoice.paymentLink) : null,
      })
      if (!isChanged) return false
      cache.delete(keyOf(network, payTo))
      return before?.isShared === false && of(network, payTo)?.isShared === true
    },
    /**
     * False until the invoice's address was read; before that, `received` has no meaning. Usually
     * reads only the cache.
     */
    isRead: (invoice: Pick<StoredInvoice, 'network' | 'payTo' | 'createdAt'>): boolean => {
      const { readFrom = null, readTo = null } = of(invoice.network, invoice.payTo) ?? {}
      if (readFrom === null || readTo === null) return false
      return readFrom <= invoice.createdAt && readTo >= invoice.createdAt
    },
    changed: (network: NetworkId, account: string) => void cache.delete(keyOf(network, account)),
    forget: () => cache.clear(),
  }
}

/** Returns the raw address in the link's `jetton` parameter (gateway-facts 3.7). */
function masterIn(paymentLink: string): string | null {
  if (!URL.canParse(paymentLink)) return null
  const text = new URL(paymentLink).searchParams.get('jetton')
  return text === null ? null : (readAddress(text)?.raw ?? null)
}
