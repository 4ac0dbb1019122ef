import type { Handlers } from '../../src-preload/contract/routes.ts'
import { createAccount } from './accounts/account.ts'
import { createAssets } from './assets/assets.ts'
import { createBlocks } from './transactions/blocks.ts'
import { cellHandlers } from '../chain/cell-tree.ts'
import type { ExplorerContext } from '../chain/access.ts'
import { createContracts } from './contracts/contracts.ts'
import { createDictionaries } from './contracts/dictionaries.ts'
import { createEvents } from './transactions/events.ts'
import { createHistory } from './accounts/history.ts'
import { createJettonWalletBook, createTraceJettons } from '../chain/jetton-wallets.ts'
import { createLabelHandlers } from './labels/labels.ts'
import { createMessages } from './messages/messages.ts'
import { createSearch } from './search.ts'
import { type PictureRequest, createPictures } from './assets/pictures.ts'
import { createStoredChain } from './transactions/stored-chain.ts'
import { createTransactionReader } from './transactions/transactions.ts'

export function registerExplorer(context: ExplorerContext, getPicture: PictureRequest) {
  const stored = createStoredChain(context.database, context.now)
  const jettons = createTraceJettons()
  const wallets = createJettonWalletBook(context.now)
  const dictionaries = createDictionaries(context)
  const account = createAccount(context, wallets)
  const reader = createTransactionReader({ context, stored, jettons, dictionaries })
  const getTransaction: Handlers['transaction.get'] = async ({ network, id, ...how }) => {
    const signal = context.access.interest(network)
    return (await reader.read(network, id, { signal, ...how })).answer
  }
  const handlers = {
    'transaction.get': getTransaction,
    ...createMessages(context, jettons, dictionaries),
    ...createBlocks(context),
    ...createContracts(context, dictionaries),
    ...dictionaries.handlers,
    ...cellHandlers,
    ...createLabelHandlers(context),
    'search.find': createSearch(context, stored),
    'account.get': account.get,
    ...createAssets(context, createPictures(getPicture, context.now)),
    'account.history': createHistory(
      { context, stored, wallets, dictionaries },
      account.knownAsset,
    ),
    'transaction.event': createEvents(context, reader, dictionaries),
  }
  return {
    handlers,
    operations: dictionaries.operations,
    /** The export has its own reader, so that its jettons do not wait for those of the window. */
    createReader: () =>
      createTransactionReader({ context, stored, jettons: createTraceJettons(), dictionaries }),
  }
}
