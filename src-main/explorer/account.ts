import {
  type AccountView,
  type JettonBalance,
  accountView,
} from '../../src-preload/contract/chain.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { AccountAnswer, JettonBalanceAnswer, Row } from '../gateway/query-answers.ts'
import { createAccountRecords } from './store/chain.ts'
import { formatFriendly } from '../ton/address.ts'
import { requireAddress } from './addresses.ts'
import { type ExplorerContext, isNotFound, offlineReason } from './chain-access.ts'
import { type AssetOf, assetOfExtra } from './read-trace.ts'
import { assetOfJetton } from './jetton-wallets.ts'
import { walletKindOf } from '../ton/wallet.ts'

type Account = {
  readonly get: Handlers['account.get']
  readonly knownAsset: (network: string, address: string) => AssetOf
}

export function createAccount({ access, database, labels, now }: ExplorerContext): Account {
  const records = createAccountRecords(database)

  async function fetchView(
    network: string,
    address: string,
    signal: AbortSignal,
  ): Promise<AccountView> {
    const query = access.query(network)
    const [account, jettons] = await Promise.all([
      query.account(address, { signal }),
      query.accountJettons(address, { signal, currency: 'usd' }).catch((error: unknown) => {
        if (error instanceof AppError && !signal.aborted) return null
        throw error
      }),
    ])
    const { testOnly } = access.info(network)
    return { ...toView(account, jettons, testOnly), network, fetchedAt: now() }
  }

  function find(network: string, address: string): AccountView | null {
    const answer = records.find(network, address)
    if (answer === null) return null
    const parsed = accountView.safeParse(JSON.parse(answer))
    return parsed.success ? parsed.data : null
  }

  function withLabel(view: AccountView): AccountView {
    const label = labels.get(view.network, view.account.address)
    const account = { ...view.account, label: label?.name ?? null }
    return { ...view, account, note: label?.note ?? '' }
  }

  return {
    async get({ network, address: text }) {
      // A test-only address is accepted: the same account may exist on this network.
      const address = requireAddress(text, true)
      const signal = access.interest(network)
      try {
        const view = await fetchView(network, address, signal)
        records.put(network, { address, answer: JSON.stringify(view) }, now())
        return withLabel(view)
      } catch (error) {
        signal.throwIfAborted()
        if (isNotFound(error)) throw accountNotFound(access.info(network).name, error)
        const offline = offlineReason(error)
        const stored = offline === null ? null : find(network, address)
        if (stored === null) throw error
        return withLabel({ ...stored, offline })
      }
    },
    knownAsset(network, address) {
      const jettons = find(network, address)?.jettons ?? []
      const assets = new Map(jettons.map(({ walletAddress, asset }) => [walletAddress, asset]))
      return (wallet) => assets.get(wallet) ?? null
    },
  }
}

type Fetched = Omit<AccountView, 'network' | 'fetchedAt'>

function toView(
  account: AccountAnswer,
  jettons: readonly Row<JettonBalanceAnswer>[] | null,
  testOnly: boolean,
): Fetched {
  const { address, interfaces } = account
  return {
    account: {
      address,
      name: account.name ?? null,
      label: null,
      isScam: account.is_scam,
      isWallet: account.is_wallet,
    },
    forms: {
      raw: address,
      bounceable: formatFriendly(address, { bounceable: true, testOnly }),
      nonBounceable: formatFriendly(address, { bounceable: false, testOnly }),
    },
    status: account.status,
    balance: account.balance,
    lastActivity: account.last_activity === 0 ? null : account.last_activity * 1000,
    walletKind: walletKindOf(interfaces),
    interfaces,
    getMethods: account.get_methods,
    isSuspended: account.is_suspended,
    memoRequired: account.memo_required,
    extra: account.extra_balance.map((each) => ({
      asset: assetOfExtra(each),
      units: each.amount,
    })),
    jettons: jettons && jettons.flatMap((row) => ('value' in row ? [toBalance(row.value)] : [])),
    unreadJettons: (jettons ?? []).flatMap((row) => ('unread' in row ? [row.unread.why] : [])),
    note: '',
    offline: null,
  }
}

function toBalance(answer: JettonBalanceAnswer): JettonBalance {
  const { balance, wallet_address, jetton, lock, price } = answer
  return {
    asset: assetOfJetton(jetton),
    name: jetton.name,
    balance,
    walletAddress: wallet_address.address,
    verification: jetton.verification,
    lock: lock ? { units: lock.amount, until: lock.till * 1000 } : null,
    priceUsd: price?.prices?.['USD'] ?? null,
  }
}

function accountNotFound(network: string, cause: unknown): AppError {
  return new AppError(
    chainCodes.notFound,
    `${network} knows no such account. If it is of another network, choose that one.`,
    { cause },
  )
}
