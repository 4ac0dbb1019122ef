import type { Handlers } from '../../src-preload/contract/routes.ts'
import { createAccount } from './account.ts'
import { createBlocks } from './blocks.ts'
import { cellHandlers } from './cell-tree.ts'
import type { ExplorerContext } from './chain-access.ts'
import { createChainConfig } from './chain-config.ts'
import { createHistory } from './history.ts'
import { createTraceJettons } from './jetton-wallets.ts'
import { createLabelHandlers } from './labels.ts'
import { createMessages } from './messages.ts'
import { createSearch } from './search.ts'
import { type StoredChain, createStoredChain } from './stored-chain.ts'
import { createTransactions } from './transactions.ts'

type ExplorerRoute = Extract<
  keyof Handlers,
  `${'account' | 'block' | 'cell' | 'chain' | 'label' | 'message' | 'search' | 'transaction'}.${string}`
>

export function registerExplorer(context: ExplorerContext): {
  readonly handlers: Pick<Handlers, ExplorerRoute>
  readonly stored: StoredChain
} {
  const stored = createStoredChain(context.database, context.now)
  const jettons = createTraceJettons()
  const account = createAccount(context)
  const handlers = {
    ...createTransactions(context, stored, jettons),
    ...createMessages(context, jettons),
    ...createBlocks(context),
    ...createChainConfig(context),
    ...cellHandlers,
    ...createLabelHandlers(context),
    'search.find': createSearch(context, stored),
    'account.get': account.get,
    'account.history': createHistory(context, stored, account.knownAsset),
  }
  return { handlers, stored }
}
