import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { InvoicesClient } from '../gateway/invoices.ts'
import type { AccountRecords } from './store/chain-accounts.ts'
import type { Labels } from './store/labels.ts'
import { createAccount } from './account.ts'
import { cellHandlers } from './cell-tree.ts'
import { type ChainAccess, isNotFound } from './chain-access.ts'
import { createChainConfig } from './chain-config.ts'
import { createHistory } from './history.ts'
import { createJettonWalletBook, createTraceJettons } from './jetton-wallets.ts'
import { createLabelHandlers } from './labels.ts'
import { createMessages } from './messages.ts'
import { createSearch } from './search.ts'
import type { StoredChain } from './stored-chain.ts'
import { createTransactions } from './transactions.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import type { BlockAnswer } from '../gateway/query-answers.ts'
import { type LabelsOf, createNaming } from './addresses.ts'
import { failureOf } from './failure.ts'

type BlockDeps = {
  readonly networks: ChainAccess
  readonly labelsOf: (network: string, addresses: readonly string[]) => ReturnType<LabelsOf>
}

/** The gateway's form; parentheses, spaces and the hashes of the long form are optional. */
const idForm =
  /^\(?\s*(-?\d{1,10})\s*,\s*(?:0x)?([0-9a-f]{1,16})\s*,\s*(\d{1,10})\s*(?:,[^)]*)?\)?$/i

function createBlocks({ networks, labelsOf }: BlockDeps): Pick<Handlers, 'block.get'> {
  return {
    async 'block.get'({ network, id: text }) {
      const id = readBlockId(text)
      const query = networks.query(network)
      const asking = { signal: networks.interest(network) }
      try {
        const [block, rows] = await Promise.all([
          query.block(id, asking),
          query.blockTransactions(id, asking),
        ])
        const transactions = rows.flatMap((row) => ('value' in row ? [row.value] : []))
        const accounts = transactions.map(({ account }) => account)
        const name = createNaming(accounts, [], (addresses) => labelsOf(network, addresses))
        return {
          network,
          id: formatBlockId(block),
          at: block.gen_utime * 1000,
          seqno: block.seqno,
          workchain: block.workchain_id,
          shard: block.shard,
          rootHash: block.root_hash,
          transactionCount: block.tx_quantity ?? rows.length,
          previous: block.prev_refs,
          transactions: transactions.map((transaction) => {
            const { hash, lt, account, total_fees } = transaction
            const failure = failureOf(transaction)
            return {
              hash,
              lt,
              account: name(account),
              success: failure === null,
              failure,
              fees: total_fees,
            }
          }),
          unread: rows.flatMap((row) => ('unread' in row ? [row.unread.why] : [])),
        }
      } catch (error) {
        if (!isNotFound(error)) throw error
        throw notFound(`This network has no block ${id} that the gateway knows of.`)
      }
    },
  }
}

/** @throws AppError */
function readBlockId(text: string): string {
  const match = idForm.exec(text.trim())
  if (match === null) {
    throw notFound('A block is named by (workchain,shard,number), such as (-1,8000000000000000,1).')
  }
  const [, workchain = '', shard = '', seqno = ''] = match
  return `(${workchain},${shard.toLowerCase()},${seqno})`
}

function formatBlockId({ workchain_id, shard, seqno }: BlockAnswer): string {
  return `(${workchain_id},${shard},${seqno})`
}

function notFound(message: string): AppError {
  return new AppError(chainCodes.notFound, message)
}

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
