import type { Handlers, NetworkId, TransactionAnswer } from '../../src-preload/contract/index.ts'
import { AppError, chainCodes, gatewayCodes } from '../../src-preload/contract/index.ts'
import type {
  TraceNodeAnswer,
  TransactionAnswer as FetchedTransaction,
} from '../gateway/query-answers.ts'
import type { QueryClient } from '../gateway/query.ts'
import { readHash } from '../ton/hash.ts'
import type { LabelsOf } from './account-refs.ts'
import { accountsOf, createNaming } from './account-refs.ts'
import type { ChainAccess } from './chain-access.ts'
import { offlineReason } from './offline.ts'
import type { ReadNode } from './read-trace.ts'
import { readTrace } from './read-trace.ts'
import type { StoredChain, StoredTrace, StoredTransaction } from './stored-chain.ts'
import { normalHash } from './stored-chain.ts'
import type { TraceJettons } from './trace-jettons.ts'
import { isComplete, showTrace } from './trace-view.ts'
import { showTransaction } from './transaction-view.ts'

export type TransactionDeps = {
  readonly networks: ChainAccess
  readonly stored: StoredChain
  readonly jettons: TraceJettons
  readonly labelsOf: (network: NetworkId, addresses: readonly string[]) => ReturnType<LabelsOf>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A transaction with the trace it belongs to, before it is shown. */
type Found = {
  readonly transaction: FetchedTransaction
  readonly trace: (StoredTrace & { readonly read: readonly ReadNode[] }) | null
  readonly traceProblem: string | null
  readonly fetchedAt: number
}

export function createTransactions(deps: TransactionDeps): Pick<Handlers, 'transaction.get'> {
  const { networks, stored, jettons, now } = deps

  async function fetch(network: NetworkId, hash: string): Promise<Found> {
    const query = networks.query(network)
    const signal = networks.interest(network)
    const { transaction, nodes, traceProblem } = await ask(query, hash, signal)
    if (nodes === null) {
      stored.put(network, [transaction])
      return { transaction, trace: null, traceProblem, fetchedAt: now() }
    }
    const read = readTrace(nodes)
    const root = nodes[0]?.transaction.hash ?? transaction.hash
    const { assets, isSure } = await jettons.find(network, read, {
      query,
      signal,
      actions: async () => (await query.event(root, { signal })).actions,
    })
    const trace = { nodes, jettons: assets, isComplete: isSure && isComplete(read) }
    stored.putTrace(network, trace)
    return { transaction, trace: { ...trace, read }, traceProblem, fetchedAt: now() }
  }

  function fromStore(network: NetworkId, seen: StoredTransaction): Found {
    const { transaction, traceRoot, fetchedAt } = seen
    const kept = traceRoot === null ? null : stored.trace(network, traceRoot)
    const trace = kept && { ...kept, read: readTrace(kept.nodes) }
    const traceProblem =
      trace === null ? 'Of its trace nothing is stored on this computer yet.' : null
    return { transaction, trace, traceProblem, fetchedAt }
  }

  /** Nothing can change any more, but on the sandbox, whose chain can be taken back. */
  function isSettled(network: NetworkId, found: Found): boolean {
    return found.trace?.isComplete === true && networks.info(network).kind !== 'sandbox'
  }

  function show(network: NetworkId, found: Found, offline: string | null): TransactionAnswer {
    const { transaction, trace, traceProblem, fetchedAt } = found
    const labelsOf: LabelsOf = (addresses) => deps.labelsOf(network, addresses)
    const shown =
      trace === null
        ? null
        : showTrace(trace.read, {
            assetOf: (wallet) => trace.jettons.get(wallet) ?? null,
            labelsOf,
          })
    const name = shown?.name ?? createNaming(accountsOf(transaction), [], labelsOf)
    const node = trace?.nodes.find((each) => each.transaction.hash === transaction.hash)
    return {
      network,
      transaction: showTransaction(transaction, name, node?.interfaces),
      trace: shown?.trace ?? null,
      traceProblem,
      fetchedAt,
      offline,
    }
  }

  return {
    async 'transaction.get'({ network, id }) {
      const hash = readHash(id)
      if (hash === null) throw badHash(id)
      const kept = stored.find(network, hash)
      const known = kept === null ? null : fromStore(network, kept)
      if (known !== null && isSettled(network, known)) return show(network, known, null)
      try {
        return show(network, await fetch(network, hash), null)
      } catch (error) {
        const reason = offlineReason(error)
        if (reason === null || known === null) throw error
        return show(network, known, reason)
      }
    },
  }
}

type Asked = {
  readonly transaction: FetchedTransaction
  readonly nodes: TraceNodeAnswer[] | null
  readonly traceProblem: string | null
}

/** The trace alone has all that is wanted; only where it cannot be had is the transaction asked for. */
async function ask(query: QueryClient, hash: string, signal: AbortSignal): Promise<Asked> {
  const trace = await tryTrace(query, hash, signal)
  if (typeof trace !== 'string') {
    const transaction = pick(trace, hash)
    if (transaction !== null) return { transaction, nodes: trace, traceProblem: null }
  }
  const transaction = await askTransaction(query, hash, signal)
  // By a message's hash there may be no trace where there is one by the transaction's.
  const again = transaction.hash === hash ? trace : await tryTrace(query, transaction.hash, signal)
  return typeof again === 'string'
    ? { transaction, nodes: null, traceProblem: again }
    : { transaction, nodes: again, traceProblem: null }
}

/** The trace, or why it cannot be had. @throws where nothing else could be asked either */
async function tryTrace(
  query: QueryClient,
  hash: string,
  signal: AbortSignal,
): Promise<TraceNodeAnswer[] | string> {
  try {
    return await query.trace(hash, { signal })
  } catch (error) {
    signal.throwIfAborted()
    const { code, message } = error instanceof AppError ? error : { code: '', message: '' }
    if (code === gatewayCodes.notFound) return 'The gateway has no trace of this transaction.'
    const isOfTrace: readonly string[] = [
      gatewayCodes.refused,
      gatewayCodes.failed,
      gatewayCodes.badAnswer,
    ]
    if (isOfTrace.includes(code)) return message
    throw error
  }
}

/** The transaction with this hash, else the one that a message of this hash has caused. */
function pick(nodes: readonly TraceNodeAnswer[], hash: string): FetchedTransaction | null {
  const transactions = nodes.map(({ transaction }) => transaction)
  return (
    transactions.find((each) => each.hash === hash) ??
    transactions.find(({ in_msg }) => in_msg?.hash === hash) ??
    transactions.find(({ out_msgs }) => out_msgs.some((message) => message.hash === hash)) ??
    transactions.find(({ in_msg }) => in_msg && normalHash(in_msg) === hash) ??
    null
  )
}

async function askTransaction(
  query: QueryClient,
  hash: string,
  signal: AbortSignal,
): Promise<FetchedTransaction> {
  try {
    return await query.transaction(hash, { signal })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === gatewayCodes.notFound) {
      throw new AppError(
        chainCodes.notFound,
        'No transaction of this network has this hash, and no message either. Is it of another ' +
          'network? What was sent a moment ago may take a few seconds to be found.',
        { cause: error },
      )
    }
    if (error.message.includes('too many entities')) {
      throw new AppError(
        chainCodes.ambiguous,
        'Several transactions received a message with this hash, and the gateway does not say ' +
          'which is meant. Open the account that received it and choose one from its history.',
        { cause: error },
      )
    }
    throw error
  }
}

function badHash(text: string): AppError {
  return new AppError(
    chainCodes.badHash,
    `“${text.slice(0, 80)}” is no hash: 64 hexadecimal digits or 43 characters of base64 are expected.`,
  )
}
