import {
  type AccountView,
  type JettonBalance,
  accountView,
} from '../../../src-preload/contract/chain/account.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  type JettonBalanceResponse,
  readableRows,
  unreadReasons,
} from '../../gateway/query-responses.ts'
import { createAccountRecords } from '../../chain/store/chain.ts'
import { formatFriendly } from '../../ton/address.ts'
import { requireAddress } from '../../chain/addresses.ts'
import {
  type ExplorerContext,
  explainNotFound,
  offlineReason,
  shownCurrency,
} from '../../chain/access.ts'
import { type AssetOf, extraBalances } from '../../chain/read-trace.ts'
import { type JettonWalletBook, assetOfJetton } from '../../chain/jetton-wallets.ts'
import { walletKindOf } from '../../ton/wallet.ts'

export function createAccount(context: ExplorerContext, wallets: JettonWalletBook) {
  const { access, database, labels, now } = context
  const records = createAccountRecords(database)

  async function fetchView(
    network: string,
    address: string,
    signal: AbortSignal,
  ): Promise<AccountView> {
    const query = access.query(network)
    const currency = shownCurrency(context)
    const requested = query.accountJettons(address, { signal, currency })
    // The list is shared with the history of the account, which is loaded at the same time.
    wallets.listed({ network, address }, requested)
    const [account, jettons] = await Promise.all([
      query.account(address, { signal }),
      requested.catch((error: unknown) => {
        if (error instanceof AppError && !signal.aborted) return null
        throw error
      }),
    ])
    const { testOnly } = access.info(network)
    const { address: raw, interfaces } = account
    return {
      network,
      fetchedAt: now(),
      account: {
        address: raw,
        name: account.name ?? null,
        label: null,
        isScam: account.is_scam,
        isWallet: account.is_wallet,
      },
      forms: {
        raw,
        bounceable: formatFriendly(raw, { bounceable: true, testOnly }),
        nonBounceable: formatFriendly(raw, { bounceable: false, testOnly }),
      },
      status: account.status,
      balance: account.balance,
      lastActivity: account.last_activity === 0 ? null : account.last_activity * 1000,
      walletKind: walletKindOf(interfaces),
      interfaces,
      getMethods: account.get_methods,
      isSuspended: account.is_suspended,
      memoRequired: account.memo_required,
      extra: extraBalances(account.extra_balance),
      jettons: jettons && readableRows(jettons).map((each) => toBalance(each, currency)),
      currency,
      unreadJettons: unreadReasons(jettons ?? []),
      note: '',
      offline: null,
    }
  }

  function find(network: string, address: string): AccountView | null {
    const response = records.find(network, address)
    if (response === null) return null
    return accountView.safeParse(JSON.parse(response)).data ?? null
  }

  function withLabel(view: AccountView): AccountView {
    const label = labels.get(view.network, view.account.address)
    const account = { ...view.account, label: label?.name ?? null }
    return { ...view, account, note: label?.note ?? '' }
  }

  const get: Handlers['account.get'] = async ({ network, address: text }) => {
    // A test-only address is accepted, because the same account may exist on this network.
    const address = requireAddress(text, true)
    const signal = access.interest(network)
    try {
      const view = await fetchView(network, address, signal)
      records.put(network, { address, answer: JSON.stringify(view) }, now())
      return withLabel(view)
    } catch (error) {
      signal.throwIfAborted()
      const offline = offlineReason(error)
      const stored = offline === null ? null : find(network, address)
      if (stored === null) throw explainNotFound(context, network, error)
      return withLabel({ ...stored, offline })
    }
  }

  function knownAsset(network: string, address: string): AssetOf {
    const jettons = find(network, address)?.jettons ?? []
    const assets = new Map(jettons.map(({ walletAddress, asset }) => [walletAddress, asset]))
    return (wallet) => assets.get(wallet) ?? null
  }
  return { get, knownAsset }
}

function toBalance(response: JettonBalanceResponse, currency: string): JettonBalance {
  const { balance, wallet_address, jetton, lock, price } = response
  return {
    asset: assetOfJetton(jetton),
    name: jetton.name,
    balance,
    walletAddress: wallet_address.address,
    verification: jetton.verification,
    lock: lock ? { units: lock.amount, until: lock.till * 1000 } : null,
    price: price?.prices.get(currency) ?? null,
  }
}
