import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { AppContext } from '../app/context.ts'
import { transactionAnswer } from '../gateway/query-answers.ts'
import { type ExplorerRoute, createExplorer } from './explorer.ts'
import { createChainRecords } from './store/chain.ts'
import { createAccountRecords } from './store/chain-accounts.ts'
import { type StoredChain, createStoredChain } from './stored-chain.ts'

/** @returns with what was read of the chains, which the explanation of captures reads too */
export function registerExplorer({ access, database, events, labels, now }: AppContext): {
  readonly handlers: Pick<Handlers, ExplorerRoute>
  readonly stored: StoredChain
} {
  const stored = createStoredChain({
    records: createChainRecords(database),
    read: (json) => transactionAnswer.parse(json),
    now,
  })
  const handlers = createExplorer({
    networks: access,
    stored,
    accounts: createAccountRecords(database),
    labels,
    now,
    onLabelsChanged: (network) => events.emit('label.changed', { network }),
  })
  return { handlers, stored }
}
