import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { InvoicesClient } from '../gateway/invoices.ts'
import type { AccountRecords } from './store/chain-accounts.ts'
import type { Labels } from './store/labels.ts'
import { createAccount } from './account.ts'
import { createBlocks } from './blocks.ts'
import { cellHandlers } from './cell-tree.ts'
import type { ChainAccess } from './chain-access.ts'
import { createChainConfig } from './chain-config.ts'
import { createHistory } from './history.ts'
import { createJettonWalletBook, createTraceJettons } from './jetton-wallets.ts'
import { createLabelHandlers } from './labels.ts'
import { createMessages } from './messages.ts'
import { createSearch } from './search.ts'
import type { StoredChain } from './stored-chain.ts'
import { createTransactions } from './transactions.ts'

type ExplorerDeps = {
  readonly networks: ChainAccess & {
    invoices(network: NetworkId): Pick<InvoicesClient, 'get'>
  }
  readonly stored: StoredChain
  readonly accounts: AccountRecords
  readonly labels: Labels
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly onLabelsChanged: (network: NetworkId) => void
}

export type ExplorerRoute = Extract<
  keyof Handlers,
  `${'account' | 'block' | 'cell' | 'chain' | 'label' | 'message' | 'search' | 'transaction'}.${string}`
>

/**
 * Routes of transactions, messages, blocks, the configuration, accounts, their history and labels, and
 * the search.
 */
export function createExplorer(deps: ExplorerDeps): Pick<Handlers, ExplorerRoute> {
  const { networks, stored, labels, now } = deps
  const account = createAccount({
    networks,
    label: (network, address) => labels.get(network, address),
    records: deps.accounts,
    now,
  })
  const seen = {
    networks,
    stored,
    jettons: createTraceJettons(),
    labelsOf: (network: NetworkId, addresses: readonly string[]) =>
      labels.namesOf(network, addresses),
    now,
  }
  return {
    ...createTransactions(seen),
    ...createMessages(seen),
    ...createBlocks(seen),
    ...createChainConfig(seen),
    ...cellHandlers,
    ...createLabelHandlers({
      labels,
      info: (network) => networks.info(network),
      now,
      onChanged: deps.onLabelsChanged,
    }),
    'search.find': createSearch({
      networks,
      invoices: (network) => networks.invoices(network),
      labels,
      stored,
    }),
    'account.get': account.get,
    'account.history': createHistory({
      networks,
      stored,
      labelsOf: seen.labelsOf,
      knownAsset: account.knownAsset,
      wallets: createJettonWalletBook(now),
    }),
  }
}
