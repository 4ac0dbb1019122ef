import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { Row, TransactionAnswer } from '../gateway/query-answers.ts'
import { requireAddress, type LabelsOf, accountsOf, createNaming } from './addresses.ts'
import { type ChainAccess, isNotFound, offlineReason } from './chain-access.ts'
import { checkTransaction } from './check-transaction.ts'
import {
  readHistoryFilter,
  type HistoryEntry,
  type TransactionSource,
  readHistory,
} from './read-history.ts'
import {
  type ReadTransaction,
  historyRow,
  isFirst,
  jettonWalletsIn,
  namedIn,
  opcodesIn,
  readTransaction,
} from './history-row.ts'
import type { AssetOf } from './read-trace.ts'
import type { JettonWalletBook } from './jetton-wallets.ts'
import type { StoredChain } from './stored-chain.ts'

type HistoryDeps = {
  readonly networks: ChainAccess
  readonly stored: Pick<StoredChain, 'put' | 'ofAccount'>
  readonly labelsOf: (network: string, addresses: readonly string[]) => ReturnType<LabelsOf>
  /** The assets of the account's jetton wallets, as last stored. */
  readonly knownAsset: (network: string, address: string) => AssetOf
  readonly wallets: JettonWalletBook
}

export function createHistory(deps: HistoryDeps): Handlers['account.history'] {
  const { networks, stored, wallets } = deps

  return async function history({ network, address: text, filter, ...page }) {
    // A test-only address is accepted: the same account may exist on this network.
    const address = requireAddress(text, true)
    const request = { ...page, filter: readHistoryFilter(filter) }
    const signal = networks.interest(network)

    function toEntries(read: readonly ReadTransaction[], assetOf: AssetOf): HistoryEntry[] {
      const name = createNaming(
        read.flatMap(({ transaction }) => [...accountsOf(transaction)]),
        read.flatMap(namedIn),
        (addresses) => deps.labelsOf(network, addresses),
      )
      return read.map((each) => ({
        row: historyRow(each, { name, assetOf }),
        opcodes: opcodesIn(each),
        isFirst: isFirst(each),
      }))
    }

    async function fetchPage() {
      const query = networks.query(network)
      const source: TransactionSource = async ({ before, after, limit }) => {
        const rows = await query.accountTransactionRows(
          address,
          {
            limit,
            ...(before !== null && { beforeLt: before }),
            ...(after !== null && { afterLt: after, sortOrder: 'asc' }),
          },
          { signal },
        )
        const checked: Row<TransactionAnswer>[] = []
        for (const row of rows) {
          checked.push(checkRow(row))
          if (checked.length % checkedAtOnce === 0) await yieldToEventLoop()
        }
        stored.put(
          network,
          checked.flatMap((row) => ('value' in row ? [row.value] : [])),
        )
        return checked
      }
      return readHistory(request, source, async (transactions) => {
        const read = transactions.map(readTransaction)
        const named = new Set(read.flatMap(jettonWalletsIn))
        const assetOf = await wallets.ownedBy({ network, address }, named, { query, signal })
        return toEntries(read, assetOf)
      })
    }

    function readStored() {
      const assetOf = deps.knownAsset(network, address)
      const source = sourceOf((page) =>
        stored.ofAccount(network, address, page).map(({ transaction }) => ({ value: transaction })),
      )
      return readHistory(request, source, (transactions) =>
        Promise.resolve(toEntries(transactions.map(readTransaction), assetOf)),
      )
    }

    try {
      const part = await fetchPage()
      return { network, ...part, rows: [...part.rows], unread: [...part.unread], offline: null }
    } catch (error) {
      signal.throwIfAborted()
      if (isNotFound(error)) return { network, ...nothing, rows: [], unread: [] }
      const offline = offlineReason(error)
      if (offline === null) throw error
      if (stored.ofAccount(network, address, { beforeLt: null, limit: 1 }).length === 0) throw error
      const part = await readStored()
      return { network, ...part, rows: [...part.rows], unread: [...part.unread], offline }
    }
  }
}

/** Some gateways respond 404 for an account without transactions. */
const nothing = { older: null, newer: null, scanned: 0, isBeginning: true, offline: null }

/** A page may have 200 transactions, and each check takes up to a millisecond. */
const checkedAtOnce = 20

/** A transaction that contradicts its raw data is not shown in the history. */
function checkRow(row: Row<TransactionAnswer>): Row<TransactionAnswer> {
  if ('unread' in row) return row
  const { transaction, problem } = checkTransaction(row.value)
  if (problem === null) return { value: transaction }
  const { hash, lt } = transaction
  return { unread: { lt, why: `${hash} (it is not as the chain has it: ${problem})` } }
}

/** The store is read downward only, so an upward page is filtered from the newest transactions. */
function sourceOf(
  read: (page: {
    readonly beforeLt: string | null
    readonly limit: number
  }) => readonly { readonly value: TransactionAnswer }[],
): TransactionSource {
  return ({ before, after, limit }) => {
    if (after === null) return Promise.resolve(read({ beforeLt: before, limit }))
    const newer = read({ beforeLt: null, limit: maxUpward }).filter(
      ({ value }) => BigInt(value.lt) > BigInt(after),
    )
    return Promise.resolve(newer.reverse().slice(0, limit))
  }
}

const maxUpward = 1_000
