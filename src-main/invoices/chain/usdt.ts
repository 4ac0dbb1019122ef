/** Whose word counts when USDT is said to have come: anybody can send a notification. */
import type { NetworkKind } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Asking, QueryClient } from '../../gateway/query.ts'
import type { InvoiceAccount } from '../store/invoice-accounts.ts'
import type { Usdt } from './transfers.ts'

/** Of the main network (gateway-facts 5). */
const mainMaster = '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe'

type Query = Pick<QueryClient, 'accountJetton' | 'accountJettons'>

/**
 * The account's own USDT wallet, as the gateway finds it for owner and master. On other networks than
 * the main one the master is the one that links of USDT invoices name, else the one on the gateway's
 * white list. Null where the account has none.
 * @throws AppError when it could not be asked
 */
export async function findUsdt(
  account: Pick<InvoiceAccount, 'account' | 'usdtMaster' | 'usdtWallet'>,
  known: { readonly kind: NetworkKind; readonly master: string | null },
  query: Query,
  asking: Asking,
): Promise<Usdt | null> {
  const master =
    known.kind === 'mainnet' ? mainMaster : (account.usdtMaster ?? known.master ?? null)
  if (master === null) return findListed(account.account, known.kind, query, asking)
  if (account.usdtWallet !== null) return { wallet: account.usdtWallet, master }
  const found = await orNull(() => query.accountJetton(account.account, master, asking))
  return found === null ? null : { wallet: found.wallet_address.address, master }
}

async function findListed(
  account: string,
  kind: NetworkKind,
  query: Query,
  asking: Asking,
): Promise<Usdt | null> {
  const balances = (await orNull(() => query.accountJettons(account, asking))) ?? []
  const listed = balances
    .flatMap((row) => ('value' in row ? [row.value] : []))
    .find(
      ({ jetton }) =>
        jetton.verification === 'whitelist' &&
        /^USD[T₮]$/u.test(jetton.symbol) &&
        (kind !== 'custom' || jetton.address === mainMaster),
    )
  return listed === undefined
    ? null
    : { wallet: listed.wallet_address.address, master: listed.jetton.address }
}

async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AppError && error.code === gatewayCodes.notFound) return null
    throw error
  }
}
