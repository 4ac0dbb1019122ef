import { z } from 'zod'
import { type Asset, asset } from '../../../src-preload/contract/chain/references.ts'
import type { Database } from '../../database/database.ts'
import {
  type MessageResponse,
  type TraceNodeResponse,
  type TransactionResponse,
  transactionResponse,
} from '../../gateway/query-responses.ts'
import {
  type TransactionRow,
  type TransactionRecord,
  createChainRecords,
} from '../../chain/store/chain.ts'
import { toAddress } from '../../ton/address.ts'
import { readBoc } from '../../ton/boc.ts'
import { parseJson, formatJson } from '../../ton/lossless-json.ts'
import { accountsOf } from '../../chain/addresses.ts'
import { normalizedMessageHash } from '../../ton/hash.ts'

export type StoredTransaction = Pick<TransactionRow, 'traceRoot' | 'fetchedAt'> & {
  readonly transaction: TransactionResponse
}

export type StoredTrace = {
  readonly nodes: TraceNodeResponse[]
  readonly jettons: ReadonlyMap<string, Asset | null>
  readonly isComplete: boolean
}

export type StoredChain = ReturnType<typeof createStoredChain>

const nodesJson = z.array(
  z.object({
    hash: z.string(),
    parent: z.int().nullable(),
    depth: z.int(),
    interfaces: z.array(z.string()),
  }),
)
const jettonsJson = z.array(z.tuple([z.string(), asset.nullable()]))

/** Rows that cannot be parsed count as missing. */
export function createStoredChain(database: Database, now: () => number) {
  const records = createChainRecords(database)

  const readAnswer = (json: string): TransactionResponse | null =>
    transactionResponse.safeParse(readJson(json)).data ?? null

  function toStored({ answer, traceRoot, fetchedAt }: TransactionRow): StoredTransaction | null {
    const transaction = readAnswer(answer)
    return transaction === null ? null : { transaction, traceRoot, fetchedAt }
  }

  return {
    put(network: string, transactions: readonly TransactionResponse[]): void {
      records.put(network, { transactions: transactions.map(toRecord) }, now())
    },
    putTrace(network: string, { nodes, jettons, isComplete }: StoredTrace): void {
      const happened = withoutEmulated(nodes)
      const [root] = happened
      if (root === undefined) return
      const tree: z.input<typeof nodesJson> = happened.map(
        ({ transaction: { hash }, parent, depth, interfaces }) => ({
          hash,
          parent,
          depth,
          interfaces,
        }),
      )
      const trace = {
        root: root.transaction.hash,
        nodes: JSON.stringify(tree),
        jettons: JSON.stringify([...jettons]),
        isComplete,
      }
      const transactions = happened.map(({ transaction }) => toRecord(transaction))
      records.put(network, { transactions, trace }, now())
    },
    /** @param hash the hash of the transaction or of one of its messages */
    find(network: string, hash: string): StoredTransaction | null {
      const kept = records.find(network, hash)
      return kept === null ? null : toStored(kept)
    },
    trace(network: string, root: string): StoredTrace | null {
      const kept = records.trace(network, root)
      const tree = nodesJson.safeParse(readJson(kept?.nodes ?? '')).data
      if (kept === null || tree === undefined) return null
      const nodes = tree.flatMap(({ hash, ...place }): TraceNodeResponse[] => {
        const transaction = readAnswer(kept.transactions.get(hash) ?? '')
        return transaction === null ? [] : [{ transaction, ...place, emulated: false }]
      })
      // Some transactions of the trace were pruned, so the tree is incomplete.
      if (nodes.length !== tree.length) return null
      const jettons = jettonsJson.safeParse(readJson(kept.jettons)).data ?? []
      return { nodes, jettons: new Map(jettons), isComplete: kept.isComplete }
    },
    ofAccount: (
      network: string,
      account: string,
      page: { beforeLt: string | null; limit: number },
    ) => records.ofAccount(network, account, page).flatMap((kept) => toStored(kept) ?? []),
  }
}

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

const toRecord = (transaction: TransactionResponse): TransactionRecord => ({
  hash: transaction.hash,
  account: transaction.account.address,
  lt: transaction.lt,
  messages: messagesOf(transaction),
  names: [...accountsOf(transaction)].flatMap(({ address, name }) =>
    name ? [{ address, name }] : [],
  ),
  answer: formatJson(transaction),
})

function messagesOf({ in_msg: incoming, out_msgs: outgoing }: TransactionResponse): string[] {
  const outgoingExternal = outgoing.filter(({ msg_type }) => msg_type === 'ext_out_msg')
  const hashes = [...(incoming ? [incoming] : []), ...outgoingExternal].map(({ hash }) => hash)
  const normal = incoming?.msg_type === 'ext_in_msg' ? normalHash(incoming) : null
  return [...new Set(normal === null ? hashes : [...hashes, normal])]
}

export function normalHash({ destination, raw_body }: MessageResponse): string | null {
  const body = readBoc(raw_body)
  if (!destination || body === null) return null
  const dest = toAddress(destination.address)
  return normalizedMessageHash({ info: { type: 'external-in', dest, importFee: 0n }, body })
}

/** Removes emulated nodes. Parents come before children, and children of emulated nodes are emulated too. */
function withoutEmulated(nodes: readonly TraceNodeResponse[]): TraceNodeResponse[] {
  const places = new Map<number, number>()
  const happened: TraceNodeResponse[] = []
  for (const [index, node] of nodes.entries()) {
    if (node.emulated) continue
    places.set(index, happened.length)
    happened.push({
      ...node,
      parent: node.parent === null ? null : (places.get(node.parent) ?? null),
    })
  }
  return happened
}
