import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { SearchTarget } from '../../../../src-preload/contract/chain.ts'
import { emptyFilter } from '../../../app/chain-route.ts'
import { invoiceRoute } from '../../../app/invoices-route.ts'
import type { Route } from '../../../app/route.ts'
import type { IconName } from '../../../ui/icons.tsx'

/** Where something found is shown. */
export function routeOf(target: SearchTarget, network: NetworkId): Route {
  switch (target.kind) {
    case 'transaction':
      return { page: 'transactions', network, view: 'tx', hash: target.hash }
    case 'account':
      return {
        page: 'transactions',
        network,
        view: 'account',
        address: target.address,
        filter: emptyFilter,
      }
    case 'block':
      return { page: 'transactions', network, view: 'block', id: target.id }
    case 'invoice':
      return { ...invoiceRoute(target.id), network }
  }
}

export const targetIcons: Record<SearchTarget['kind'], IconName> = {
  transaction: 'transactions',
  account: 'accounts',
  block: 'sandbox',
  invoice: 'invoices',
}

export const targetWords: Record<SearchTarget['kind'], string> = {
  transaction: 'Transaction',
  account: 'Account',
  block: 'Block',
  invoice: 'Invoice',
}

/**
 * Whether a text may be something of the chain: worth a question while it is being typed. A word
 * may be an account's name too; that is asked for on Enter only.
 */
export function looksLikeChain(text: string): boolean {
  const plain = text.trim()
  if (/\s/.test(plain)) return false
  return (
    /^(0x)?[0-9a-f]{64}$/i.test(plain) ||
    /^-?\d+:[0-9a-f]{64}$/i.test(plain) ||
    /^[A-Za-z0-9+/_-]{43}=?$/.test(plain) ||
    /^[A-Za-z0-9+/_-]{48}$/.test(plain) ||
    /^\(?-?\d+,[0-9a-f]{1,16},\d+\)?/i.test(plain) ||
    /^[a-z0-9-]+(\.[a-z0-9-]+)*\.(ton|t\.me)$/i.test(plain) ||
    /^https?:\/\/\S+$/i.test(plain)
  )
}
