import type { HistoryRow } from '../../../src-preload/contract/chain/account.ts'
import type {
  RawCheck,
  TransactionResult,
} from '../../../src-preload/contract/chain/transaction.ts'
import { chainCodes, gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type {
  TraceNodeResponse,
  TransactionResponse as FetchedTransaction,
} from '../../gateway/query-responses.ts'
import type { AbortableRequest, QueryClient } from '../../gateway/query.ts'
import { readHash } from '../../ton/hash.ts'
import { type LabelsOf, accountsOf, nameMentioned } from '../../chain/addresses.ts'
import { type ExplorerContext, isAmbiguous, isNotFound, offlineReason } from '../../chain/access.ts'
import {
  type CheckedTransaction,
  checkTransaction,
  checkTransactions,
} from '../../chain/check-transaction.ts'
import type { Dictionaries } from '../contracts/dictionaries.ts'
import { historyRow, jettonWalletsIn, readTransaction } from '../../chain/history-row.ts'
import { type ReadNode, readTrace } from '../../chain/read-trace.ts'
import {
  type StoredChain,
  type StoredTrace,
  type StoredTransaction,
  normalHash,
} from './stored-chain.ts'
import { type TraceJettons, jettonWalletsOf } from '../../chain/jetton-wallets.ts'
import { isComplete, showTrace } from './trace-view.ts'
import { showTransaction } from './transaction-view.ts'

type Found = Pick<TransactionResult, 'traceProblem' | 'check' | 'fetchedAt'> & {
  readonly transaction: FetchedTransaction
  readonly trace: (StoredTrace & { readonly read: readonly ReadNode[] }) | null
}

type TransactionRead = {
  readonly answer: TransactionResult
  readonly line: HistoryRow
  /** False if the moved jettons are unknown; the row then shows only TON. */
  readonly isSure: boolean
}

type Sources = {
  readonly context: ExplorerContext
  readonly stored: StoredChain
  readonly jettons: TraceJettons
  readonly dictionaries: Pick<Dictionaries, 'annotate'>
}

export function createTransactionReader(sources: Sources) {
  const { context, stored, jettons } = sources
  /** Transactions whose jettons are being fetched. */
  const filling = new Map<string, Promise<Found>>()

  function startFill(network: NetworkId, hash: string, found: Found, asking: AbortableRequest) {
    const key = `${network} ${hash}`
    const filled = fill(sources, network, found, asking).finally(() => {
      if (filling.get(key) === filled) filling.delete(key)
    })
    // If there is no second request, no caller waits for the promise and the trace stays unchanged.
    filled.catch(() => undefined)
    filling.set(key, filled)
  }

  async function fetchFound(
    network: NetworkId,
    hash: string,
    asking: AbortableRequest,
  ): Promise<Found> {
    const fetched = await fetchWithTrace(context.access.query(network), hash, asking)
    const { traceProblem } = fetched
    if (fetched.nodes === null) {
      const { transaction, check, isRight } = checkOne(fetched.transaction)
      if (isRight) stored.put(network, [transaction])
      return { transaction, trace: null, traceProblem, check, fetchedAt: context.now() }
    }
    const { nodes, transaction, check } = await checkNodes(fetched.nodes, fetched.transaction)
    const read = readTrace(nodes)
    const found = { transaction, traceProblem, check, fetchedAt: context.now() }
    return withJettons(stored, network, found, { nodes, read }, jettons.known(network, read))
  }

  return {
    /** Reads only the store; null if the transaction or its trace is missing. */
    kept(network: NetworkId, id: string): TransactionRead | null {
      const hash = readHash(id)
      const kept = hash === null ? null : stored.find(network, hash)
      const found = kept === null ? null : fromStore(stored, network, kept)
      return found?.trace ? show(sources, network, found) : null
    },
    /**
     * Fetches from the gateway, unless the stored transaction is final and `refresh` is false. Stores
     * only responses that agree with their own raw data.
     * @throws AppError CHAIN_BAD_HASH, CHAIN_NOT_FOUND, CHAIN_AMBIGUOUS, CHAIN_WRONG_ANSWER, the query
     * client's errors if nothing is stored, or the signal's reason
     */
    async read(
      network: NetworkId,
      id: string,
      {
        refresh = false,
        partial = false,
        ...asking
      }: AbortableRequest & Partial<Record<'refresh' | 'partial', boolean | undefined>>,
    ): Promise<TransactionRead> {
      const hash = readHash(id)
      if (hash === null) throw badHash(id)
      const underWay = refresh || partial ? undefined : filling.get(`${network} ${hash}`)
      if (underWay !== undefined) return show(sources, network, await underWay)
      const kept = stored.find(network, hash)
      // Nothing is final on the sandbox, because its chain can be reverted. Parsing a long trace takes time.
      const canBeFinal = !refresh && context.access.info(network).kind !== 'sandbox'
      const found = kept !== null && canBeFinal ? fromStore(stored, network, kept) : null
      if (found !== null && isSettled(found)) return show(sources, network, found)
      try {
        const fetched = await fetchFound(network, hash, asking)
        const isPartial = partial && fetched.trace !== null && !hasJettons(fetched.trace)
        if (!isPartial) {
          return show(sources, network, await fill(sources, network, fetched, asking))
        }
        startFill(network, hash, fetched, asking)
        return show(sources, network, fetched, { isPartial })
      } catch (error) {
        const offline = offlineReason(error)
        if (offline === null || kept === null) throw error
        return show(sources, network, found ?? fromStore(stored, network, kept), { offline })
      }
    },
  }
}

/** Stores the trace, unless it contradicts the chain. */
function withJettons(
  stored: StoredChain,
  network: NetworkId,
  found: Omit<Found, 'trace'>,
  { nodes, read }: Pick<NonNullable<Found['trace']>, 'nodes' | 'read'>,
  { assets, isSure }: { readonly assets: StoredTrace['jettons']; readonly isSure: boolean },
): Found {
  const trace = { nodes, jettons: assets, isComplete: isSure && isComplete(read) }
  if (found.check.state !== 'differs') stored.putTrace(network, trace)
  return { ...found, trace: { ...trace, read } }
}

/** Fetches the jettons that are missing in the trace. */
async function fill(
  { context, stored, jettons }: Sources,
  network: NetworkId,
  found: Found,
  queryOptions: AbortableRequest,
): Promise<Found> {
  if (found.trace === null || hasJettons(found.trace)) return found
  const query = context.access.query(network)
  const { nodes, read } = found.trace
  const root = nodes[0]?.transaction.hash ?? found.transaction.hash
  const assets = await jettons.find(network, read, {
    query,
    asking: queryOptions,
    actions: async () => (await query.event(root, queryOptions)).actions,
  })
  return withJettons(stored, network, found, { nodes, read }, assets)
}

function fromStore(
  stored: StoredChain,
  network: NetworkId,
  { traceRoot, fetchedAt, ...seen }: StoredTransaction,
): Found {
  const kept = traceRoot === null ? null : stored.trace(network, traceRoot)
  // The other transactions of the trace were verified before they were stored.
  const { transaction, check } = checkOne(seen.transaction)
  const trace = kept && { ...kept, read: readTrace(kept.nodes) }
  const traceProblem =
    trace === null ? 'The trace of this transaction is not stored on this computer.' : null
  return { transaction, trace, traceProblem, check, fetchedAt }
}

function checkOne(response: FetchedTransaction) {
  const checked = checkTransaction(response)
  const { transaction, problem } = checked
  return { transaction, check: checkOf([checked], checked), isRight: problem === null }
}

function isSettled({ trace, check }: Found): boolean {
  // Traces stored by older versions lack the wallets that the gateway did not know.
  return trace?.isComplete === true && check.state !== 'differs' && hasJettons(trace)
}

function show(
  { context, dictionaries }: Sources,
  network: NetworkId,
  found: Found,
  {
    offline = null,
    isPartial = false,
  }: Partial<Pick<TransactionResult, 'offline' | 'isPartial'>> = {},
): TransactionRead {
  const { transaction, trace, traceProblem, check, fetchedAt } = found
  const labelsOf: LabelsOf = (addresses) => context.labelsOf(network, addresses)
  const assetOf = (wallet: string) => trace?.jettons.get(wallet)
  const shown = trace && showTrace(trace.read, { assetOf, labelsOf })
  const name = shown?.name ?? nameMentioned(context, network, [...accountsOf(transaction)])
  const node = trace?.nodes.find((each) => each.transaction.hash === transaction.hash)
  const response = dictionaries.annotate(network, {
    network,
    transaction: showTransaction(transaction, name, assetOf, node?.interfaces),
    trace: shown?.trace ?? null,
    traceProblem,
    isPartial,
    check,
    fetchedAt,
    offline,
  })
  const read = readTransaction(transaction)
  const isSure =
    trace === null
      ? jettonWalletsIn(read).length === 0
      : trace.isComplete || !isComplete(trace.read)
  return { answer: response, line: historyRow(read, { name, assetOf }), isSure }
}

const hasJettons = ({ read, jettons }: NonNullable<Found['trace']>): boolean =>
  [...jettonWalletsOf(read)].every((wallet) => jettons.has(wallet))

/** @param own the requested transaction, whose problem is reported before others */
function checkOf(
  all: readonly CheckedTransaction[],
  own: CheckedTransaction | undefined,
): RawCheck {
  const differs = (problem: string): RawCheck => ({ state: 'differs', problem })
  if (own && own.problem !== null) {
    return differs(`This transaction differs from the chain: ${own.problem}.`)
  }
  const [first, ...others] = all.filter(({ problem }) => problem !== null)
  if (first !== undefined) {
    const wrong =
      others.length === 0
        ? 'One transaction of the trace differs'
        : `${others.length + 1} transactions of the trace differ`
    const hash = first.transaction.hash.slice(0, 8)
    return differs(`${wrong} from the chain. In transaction ${hash}…, ${first.problem}.`)
  }
  return { state: own?.isChecked === true ? 'agrees' : 'unchecked', problem: null }
}

/** Emulated transactions have no raw data to compare with. */
async function checkNodes(nodes: readonly TraceNodeResponse[], transaction: FetchedTransaction) {
  const stated = nodes.filter(({ emulated }) => !emulated).map((node) => node.transaction)
  const all = await checkTransactions(stated)
  const checked = new Map(all.map((each, index) => [stated[index], each.transaction]))
  const own = all.find((each) => each.transaction.hash === transaction.hash)
  return {
    nodes: nodes.map((node) => ({
      ...node,
      transaction: checked.get(node.transaction) ?? node.transaction,
    })),
    transaction: own?.transaction ?? transaction,
    check: checkOf(all, own),
  }
}

/** The trace contains the transaction, so the transaction is fetched alone only if the trace is unavailable. */
async function fetchWithTrace(query: QueryClient, hash: string, queryOptions: AbortableRequest) {
  const trace = await tryTrace(query, hash, queryOptions)
  if (typeof trace !== 'string') {
    const transaction = pick(
      trace.map((node) => node.transaction),
      hash,
    )
    if (transaction !== undefined) return { transaction, nodes: trace, traceProblem: null }
  }
  const transaction = await fetchTransaction(query, hash, queryOptions)
  if (pick([transaction], hash) === undefined) throw unexpectedResponse(hash, transaction.hash)
  // The gateway may find a trace only by the transaction's own hash.
  const again =
    transaction.hash === hash ? trace : await tryTrace(query, transaction.hash, queryOptions)
  if (typeof again === 'string') return { transaction, nodes: null, traceProblem: again }
  if (again.some((node) => node.transaction.hash === transaction.hash)) {
    return { transaction, nodes: again, traceProblem: null }
  }
  const traceProblem =
    'The gateway returned a trace without this transaction, so the trace is not shown. Try again, or use another gateway.'
  return { transaction, nodes: null, traceProblem }
}

const unexpectedResponse = (fetched: string, received: string): AppError =>
  new AppError(
    chainCodes.wrongAnswer,
    `The gateway returned transaction ${received.slice(0, 8)}… instead of transaction ${fetched.slice(0, 8)}…, so nothing is shown. Try again, or check the gateway’s URL: a cache between Tondesk and the gateway may be mixing up responses.`,
  )

const traceCodes: ReadonlySet<string> = new Set([
  gatewayCodes.refused,
  gatewayCodes.failed,
  gatewayCodes.badAnswer,
])

async function tryTrace(
  query: QueryClient,
  hash: string,
  queryOptions: AbortableRequest,
): Promise<TraceNodeResponse[] | string> {
  try {
    return await query.trace(hash, queryOptions)
  } catch (error) {
    queryOptions.signal.throwIfAborted()
    if (isNotFound(error)) return 'The gateway has no trace of this transaction.'
    if (error instanceof AppError && traceCodes.has(error.code)) return error.message
    throw error
  }
}

function pick(
  transactions: readonly FetchedTransaction[],
  hash: string,
): FetchedTransaction | undefined {
  return (
    transactions.find((each) => each.hash === hash) ??
    transactions.find(({ in_msg }) => in_msg?.hash === hash) ??
    transactions.find(({ out_msgs }) => out_msgs.some((message) => message.hash === hash)) ??
    transactions.find(({ in_msg }) => in_msg && normalHash(in_msg) === hash)
  )
}

async function fetchTransaction(
  query: QueryClient,
  hash: string,
  queryOptions: AbortableRequest,
): Promise<FetchedTransaction> {
  try {
    return await query.transaction(hash, queryOptions)
  } catch (error) {
    if (isNotFound(error)) {
      throw new AppError(
        chainCodes.notFound,
        'No transaction or message on this network has this hash. Check the network. A new message may take a few seconds to appear.',
        { cause: error },
      )
    }
    if (isAmbiguous(error)) {
      throw new AppError(
        chainCodes.ambiguous,
        'This message hash matches several transactions, so Tondesk cannot tell which one to open. Open the receiving account and choose the transaction from its history.',
        { cause: error },
      )
    }
    throw error
  }
}

const badHash = (text: string): AppError =>
  new AppError(
    chainCodes.badHash,
    `“${text.slice(0, 80)}” is not a hash: enter 64 hexadecimal digits or 43 characters of base64.`,
  )
