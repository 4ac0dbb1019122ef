import type { TupleItem } from '@ton/core'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Block, ExecutedTransaction } from '../chain/chain.ts'
import type { Chain } from '../chain/create-chain.ts'
import { EmulatorRefusal } from '../chain/emulator.ts'
import type { Routes } from '../http.ts'
import { serializeRawAccount } from './account-routes.ts'
import { codeHashOf } from './accounts.ts'
import { serializeConfig, serializeRawConfig } from './config-json.ts'
import type { QueryDeps } from './jettons.ts'
import { type QueryRequest, notFound, refusal, shorten } from './request.ts'
import {
  decodeMethodResult,
  readTextArgument,
  readTypedArgument,
  serializeStackItem,
  typedArgument,
} from './stack.ts'
import { serializeBlockId, serializeTransaction, shard, workchainOf } from './transaction-json.ts'

export function transactionRoutes({ chain, book }: QueryDeps): Routes<QueryRequest> {
  return {
    '/blockchain/transactions/:transaction_id'(request) {
      const hash = request.hash('transaction_id')
      const direct = chain.transaction(hash)
      if (direct !== null) return serializeTransaction(direct, book)
      const [first, second] = chain.transactionsByMessage(hash)
      if (first === undefined) throw notFound()
      if (second !== undefined) throw refusal('too many entities', 500)
      return serializeTransaction(first, book)
    },
    '/blockchain/messages/:msg_id/transaction'(request) {
      const [first, second] = chain.transactionsByMessage(request.hash('msg_id'))
      if (first === undefined) throw notFound('transaction not found')
      if (second !== undefined) throw notFound('more than one transaction with messages hash')
      return serializeTransaction(first, book)
    },
    '/blockchain/accounts/_bulk': {
      POST: async (request) => ({
        accounts: (await request.accounts()).map((address) =>
          serializeRawAccount(address, chain.account(address)),
        ),
      }),
    },
    '/blockchain/accounts/:account_id'(request) {
      const account = request.account()
      const state = chain.account(account)
      if (state === null) throw notFound()
      return serializeRawAccount(account, state)
    },
    '/blockchain/accounts/:account_id/transactions'(request) {
      const account = request.account()
      // 0 means no bound, as on the service.
      const beforeLt = request.int64('before_lt') || undefined
      const afterLt = request.int64('after_lt') ?? 0n
      const limit = request.limit(1_000, 100)
      const order = request.order()
      const list = chain.history(account, { beforeLt, afterLt, limit, order })
      return { transactions: list.map((each) => serializeTransaction(each, book)) }
    },
  }
}

export function blockRoutes({ chain, book }: QueryDeps): Routes<QueryRequest> {
  function findBlock(request: QueryRequest) {
    const text = request.parameter('block_id')
    const match = blockId.exec(text)
    if (match === null) {
      throw refusal(`can't decode block ID ${shorten(text)}: (workchain,shard,seqno) is expected`)
    }
    const workchain = Number(match[1])
    const block = workchain === 0 || workchain === -1 ? chain.block(Number(match[3])) : null
    if (block === null) throw notFound()
    return { block, workchain }
  }

  function findMasterchainBlock(request: QueryRequest): Block {
    const text = request.parameter('masterchain_seqno')
    if (!/^\d{1,10}$/.test(text)) throw refusal(`can't parse masterchain seqno ${shorten(text)}`)
    const block = chain.block(Number(text))
    if (block === null) throw notFound()
    return block
  }

  const serializeTransactions = ({ seqno }: Block, workchains: readonly number[]) => ({
    transactions: workchains
      .flatMap((workchain) => transactionsOf(chain, workchain, seqno))
      .map((each) => serializeTransaction(each, book)),
  })

  return {
    '/blockchain/config': () => serializeConfig(chain.config()),
    '/blockchain/config/raw': () => serializeRawConfig(chain.config()),
    '/blockchain/masterchain-head': () => serializeBlock(chain, chain.head(), -1),
    '/blockchain/masterchain/:masterchain_seqno/shards'(request) {
      const block = findMasterchainBlock(request)
      const last_known_block = serializeBlock(chain, block, 0)
      const last_known_block_id = serializeBlockId(0, block.seqno)
      return { shards: [{ last_known_block_id, last_known_block }] }
    },
    '/blockchain/masterchain/:masterchain_seqno/blocks'(request) {
      const block = findMasterchainBlock(request)
      return { blocks: [-1, 0].map((each) => serializeBlock(chain, block, each)) }
    },
    '/blockchain/masterchain/:masterchain_seqno/transactions': (request) =>
      serializeTransactions(findMasterchainBlock(request), [-1, 0]),
    '/blockchain/blocks/:block_id'(request) {
      const { block, workchain } = findBlock(request)
      return serializeBlock(chain, block, workchain)
    },
    '/blockchain/blocks/:block_id/transactions'(request) {
      const { block, workchain } = findBlock(request)
      return serializeTransactions(block, [workchain])
    },
  }
}

const argumentsBody = z.object({ args: z.array(typedArgument).default([]) })

export function methodRoutes({ chain }: QueryDeps): Routes<QueryRequest> {
  async function execute(
    request: QueryRequest,
    readStack: () => TupleItem[] | Promise<TupleItem[]>,
  ) {
    const account = request.account()
    if (codeHashOf(chain.account(account)) === null) throw notFound()
    const stack = await readStack()
    const method = request.parameter('method_name')
    const result = await chain.runMethod(account, method, stack).catch((error: unknown) => {
      throw error instanceof EmulatorRefusal ? refusal(error.message, 500) : error
    })
    if (result === null) throw notFound()
    const isSuccess = result.exitCode === 0 || result.exitCode === 1
    const decoded = isSuccess ? decodeMethodResult(method, result.stack) : null
    return {
      success: isSuccess,
      exit_code: result.exitCode,
      stack: result.stack.map(serializeStackItem),
      decoded: decoded ?? undefined,
    }
  }

  return {
    '/blockchain/accounts/:account_id/methods/:method_name': {
      GET: (request) =>
        execute(request, () =>
          request
            .texts('args')
            .map(
              (text) =>
                readTextArgument(text) ??
                refuseArgument(`can't parse arg '${shorten(text)}' as any TVMStackValue`),
            ),
        ),
      POST: (request) =>
        execute(request, async () =>
          (await request.body(argumentsBody)).args.map(
            (argument) =>
              readTypedArgument(argument) ??
              refuseArgument(
                `can't parse arg '${shorten(argument.value)}': it is no ${argument.type}`,
              ),
          ),
        ),
    },
  }
}

function refuseArgument(message: string): never {
  throw refusal(message)
}

const blockId =
  /^\(?(-?\d{1,10}),([0-9a-fA-F]{1,16}),(\d{1,10})(?:,[0-9a-fA-F]{64},[0-9a-fA-F]{64})?\)?$/

const transactionsOf = (chain: Chain, workchain: number, seqno: number): ExecutedTransaction[] =>
  chain
    .blockTransactions(seqno)
    .filter(({ account }) => workchainOf(account) === workchain)
    .toSorted((a, b) => (a.lt < b.lt ? -1 : Number(a.lt > b.lt)))

/** Serializes a BlockchainBlock of the service; fields that the sandbox does not use are zero. */
function serializeBlock(chain: Chain, block: Block, workchain: number) {
  const { seqno } = block
  const transactions = transactionsOf(chain, workchain, seqno)
  const fees = transactions.reduce((sum, each) => sum + each.transaction.totalFees.coins, 0n)
  const hashes = hashesOf(block, workchain)
  const isMaster = workchain === -1
  return {
    tx_quantity: transactions.length,
    value_flow: serializeValueFlow(fees),
    workchain_id: workchain,
    shard,
    seqno,
    ...hashes,
    global_id: chain.globalId,
    version: 0,
    after_merge: false,
    before_split: false,
    after_split: false,
    want_split: false,
    want_merge: true,
    key_block: isMaster && seqno === 0,
    gen_utime: block.utime,
    start_lt: block.startLt,
    end_lt: block.endLt,
    vert_seqno: 0,
    gen_catchain_seqno: 0,
    min_ref_mc_seqno: Math.max(0, seqno - 1),
    prev_key_block_seqno: 0,
    master_ref: isMaster || seqno === 0 ? undefined : serializeBlockId(-1, seqno - 1),
    prev_refs: seqno === 0 ? [] : [serializeBlockId(workchain, seqno - 1)],
    in_msg_descr_length: transactions.length,
    out_msg_descr_length: transactions.reduce(
      (sum, each) => sum + each.transaction.outMessagesCount,
      0,
    ),
    rand_seed: derive(hashes.root_hash, 'seed'),
    created_by: '0'.repeat(64),
  }
}

/** The chain stores only the masterchain block's hashes; those of the other block are derived. */
function hashesOf({ rootHash, fileHash }: Block, workchain: number) {
  if (workchain === -1) return { root_hash: rootHash, file_hash: fileHash }
  return { root_hash: derive(rootHash, 'base'), file_hash: derive(fileHash, 'base') }
}

const derive = (hash: string, purpose: string): string =>
  createHash('sha256').update(`${hash}:${purpose}`).digest('hex')

const nothing = { grams: 0, other: [] }

const serializeValueFlow = (fees: bigint) => ({
  from_prev_blk: nothing,
  to_next_blk: nothing,
  imported: nothing,
  exported: nothing,
  fees_collected: { grams: fees, other: [] },
  fees_imported: nothing,
  recovered: nothing,
  created: nothing,
  minted: nothing,
})
