import type { BlockRow } from '../../../src-preload/contract/chain/block.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../../src-preload/domain/error-codes.ts'
import { type BlockResponse, readableRows, unreadReasons } from '../../gateway/query-responses.ts'
import type { AbortableRequest, QueryClient } from '../../gateway/query.ts'
import { nameMentioned } from '../../chain/addresses.ts'
import { type ExplorerContext, isNotFound } from '../../chain/access.ts'
import { feesOf } from '../../chain/history-row.ts'
import { failureOf } from '../../chain/failure.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

/** The gateway's form of a block id; parentheses, spaces and the hashes of the long form are optional. */
const idForm =
  /^\(?\s*(-?\d{1,10})\s*,\s*(?:0x)?([0-9a-f]{1,16})\s*,\s*(\d{1,10})\s*(?:,[^)]*)?\)?$/i

export function createBlocks(
  context: ExplorerContext,
): Pick<Handlers, 'block.get' | 'block.latest'> {
  const { access } = context
  return {
    async 'block.get'({ network, id: text }) {
      const { id, workchain, seqno } = readBlockId(text)
      const query = access.query(network)
      const queryOptions = { signal: access.interest(network) }
      try {
        const [block, rows, shards] = await Promise.all([
          query.block(id, queryOptions),
          query.blockTransactions(id, queryOptions),
          workchain === -1
            ? orNone(query.masterchainShards(seqno, queryOptions), queryOptions)
            : null,
        ])
        const transactions = readableRows(rows)
        const accounts = transactions.map(({ account }) => account)
        const name = nameMentioned(context, network, accounts)
        const keyBlock = block.prev_key_block_seqno ?? 0
        return {
          network,
          ...showRow(block),
          rootHash: block.root_hash,
          fileHash: block.file_hash,
          transactionCount: block.tx_quantity ?? rows.length,
          startLt: block.start_lt ?? null,
          endLt: block.end_lt ?? null,
          next: nextOf(block),
          previous: block.prev_refs,
          previousKeyBlock: keyBlock === 0 ? null : masterchainId(keyBlock),
          masterReference: block.master_ref ?? null,
          inMessages: block.in_msg_descr_length ?? null,
          outMessages: block.out_msg_descr_length ?? null,
          flow: flowOf(block),
          shards: shards && shards.map(showRow),
          transactions: transactions.map((transaction) => {
            const { hash, lt, account } = transaction
            const fees = feesOf(transaction).toString()
            const failure = failureOf(transaction)
            return { hash, lt, account: name(account), success: failure === null, failure, fees }
          }),
          unread: unreadReasons(rows),
        }
      } catch (error) {
        if (!isNotFound(error)) throw error
        throw notFound(
          `The gateway has no block ${id} of this network. A new block may take a few seconds to appear, and after a split or a merge the next block has another shard.`,
        )
      }
    },
    async 'block.latest'({ network, before, limit }) {
      const query = access.query(network)
      const queryOptions = { signal: access.interest(network) }
      const head = before === null ? await query.masterchainHead(queryOptions) : null
      const newest = head?.seqno ?? (before ?? 1) - 1
      const seqnos = Array.from({ length: limit }, (_, index) => newest - index)
      const rounds = await fetchRounds(
        query,
        seqnos.filter((seqno) => seqno > 0),
        queryOptions,
      )
      const blocks = new Map<string, BlockRow>()
      for (const block of [...(head === null ? [] : [head]), ...rounds.blocks]) {
        blocks.set(idOf(block), showRow(block))
      }
      const last = seqnos.at(-1) ?? 0
      return {
        network,
        blocks: [...blocks.values()],
        older: last > 1 ? last : null,
        hasShards: rounds.hasShards,
      }
    },
  }
}

/**
 * Reads the blocks of several masterchain numbers. If a gateway does not list shards, each
 * masterchain block is requested separately.
 */
async function fetchRounds(
  query: QueryClient,
  seqnos: readonly number[],
  queryOptions: AbortableRequest,
): Promise<{ readonly blocks: BlockResponse[]; readonly hasShards: boolean }> {
  const [first, ...others] = seqnos
  if (first === undefined) return { blocks: [], hasShards: true }
  const found = await orNone(query.masterchainBlocks(first, queryOptions), queryOptions)
  if (found === null) {
    const alone = seqnos.map((seqno) => query.block(masterchainId(seqno), queryOptions))
    return { blocks: await Promise.all(alone), hasShards: false }
  }
  const rest = await Promise.all(
    others.map((seqno) => query.masterchainBlocks(seqno, queryOptions)),
  )
  const blocks = [found, ...rest].flatMap((round) =>
    round.toSorted((a, b) => a.workchain_id - b.workchain_id || b.seqno - a.seqno),
  )
  return { blocks, hasShards: true }
}

/** Null if the gateway does not serve the request; the rest of the page is shown without it. */
async function orNone<T>(request: Promise<T>, { signal }: AbortableRequest): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof AppError) return null
    throw error
  }
}

const showRow = (block: BlockResponse): BlockRow => ({
  id: idOf(block),
  at: block.gen_utime * 1000,
  seqno: block.seqno,
  workchain: block.workchain_id,
  shard: block.shard,
  transactionCount: block.tx_quantity ?? null,
  isKeyBlock: block.key_block,
})

const idOf = ({ workchain_id, shard, seqno }: BlockResponse): string =>
  `(${workchain_id},${shard},${seqno})`

const masterchainId = (seqno: number): string => `(-1,8000000000000000,${seqno})`

/** The lowest set bit of a shard's number ends its prefix; a split appends 0 or 1. */
function nextOf(block: BlockResponse): string[] {
  const { workchain_id, shard, seqno, before_split: isBeforeSplit } = block
  const next = (prefix: string) => `(${workchain_id},${prefix},${seqno + 1})`
  const number = /^[0-9a-f]{16}$/i.test(shard) ? BigInt(`0x${shard}`) : 0n
  const half = (number & -number) >> 1n
  if (!isBeforeSplit || half === 0n) return [next(shard)]
  return [number - half, number + half].map((each) => next(each.toString(16).padStart(16, '0')))
}

const flowNames: Readonly<Record<string, string>> = lookupTable({
  from_prev_blk: 'From the previous block',
  to_next_blk: 'To the next block',
  imported: 'Imported',
  exported: 'Exported',
  fees_collected: 'Fees collected',
  fees_imported: 'Fees imported',
  burned: 'Burned',
  recovered: 'Recovered',
  created: 'Created',
  minted: 'Minted',
})

const flowOf = ({ value_flow: flow }: BlockResponse) =>
  Object.entries(flowNames).flatMap(([field, name]) => {
    const units = flow?.[field]?.grams ?? '0'
    return units === '0' ? [] : [{ name, units }]
  })

function readBlockId(text: string) {
  const match = idForm.exec(text.trim())
  if (match === null) {
    throw notFound('Enter a block as (workchain,shard,number), such as (-1,8000000000000000,1).')
  }
  const [, workchain = '', shard = '', seqno = ''] = match
  const id = `(${workchain},${shard.toLowerCase()},${seqno})`
  return { id, workchain: Number(workchain), seqno: Number(seqno) }
}

const notFound = (message: string): AppError => new AppError(chainCodes.notFound, message)
