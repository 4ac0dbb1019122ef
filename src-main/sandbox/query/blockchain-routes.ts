import type { TupleItem } from '@ton/core'
import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { z } from 'zod'
import type { Block, ExecutedTransaction } from '../chain/chain.ts'
import type { Chain } from '../chain/create-chain.ts'
import { EmulatorRefusal } from '../chain/emulator.ts'
import { jsonResponse } from '../http.ts'
import { serializeRawAccount } from './account-routes.ts'
import { codeHashOf } from './accounts.ts'
import { serializeConfig, serializeRawConfig } from './config-json.ts'
import {
  accountParameter,
  accountsBody,
  hashParameter,
  int64Query,
  limitQuery,
  notFound,
  orderQuery,
  pathParameter,
  readAccounts,
  readBody,
  refusal,
  shorten,
} from './request.ts'
import type { QueryDeps, Route } from './routes.ts'
import {
  decodeMethodResult,
  readTextArgument,
  readTypedArgument,
  serializeStackItem,
  typedArgument,
} from './stack.ts'
import { serializeBlockId, serializeTransaction, shard, workchainOf } from './transaction-json.ts'

export function blockchainRoutes({ chain, book }: QueryDeps): Route[] {
  function answerTransaction(executed: ExecutedTransaction): Response {
    return jsonResponse(serializeTransaction(executed, book))
  }

  function answerTransactions(list: readonly ExecutedTransaction[]): Response {
    return jsonResponse({ transactions: list.map((each) => serializeTransaction(each, book)) })
  }

  function getTransaction(context: Context): Response {
    const hash = hashParameter(context, 'transaction_id')
    const direct = chain.transaction(hash)
    if (direct !== null) return answerTransaction(direct)
    const [first, second] = chain.transactionsByMessage(hash)
    if (first === undefined) throw notFound()
    if (second !== undefined) throw refusal('too many entities', 500)
    return answerTransaction(first)
  }

  function getTransactionByMessage(context: Context): Response {
    const [first, second] = chain.transactionsByMessage(hashParameter(context, 'msg_id'))
    if (first === undefined) throw notFound('transaction not found')
    if (second !== undefined) throw notFound('more than one transaction with messages hash')
    return answerTransaction(first)
  }

  function getHistory(context: Context): Response {
    const account = accountParameter(context)
    const beforeLt = int64Query(context, 'before_lt') ?? 0n
    const query = {
      afterLt: int64Query(context, 'after_lt') ?? 0n,
      limit: limitQuery(context, { most: 1_000, preset: 100 }),
      order: orderQuery(context),
    }
    // 0 means no bound, as on the service.
    const bounds = beforeLt === 0n ? {} : { beforeLt }
    return answerTransactions(chain.history(account, { ...query, ...bounds }))
  }

  function findBlock(context: Context) {
    const text = pathParameter(context, 'block_id')
    const match = blockId.exec(text)
    if (match === null) {
      throw refusal(`can't decode block ID ${shorten(text)}: (workchain,shard,seqno) is expected`)
    }
    const workchain = Number(match[1])
    const block = workchain === 0 || workchain === -1 ? chain.block(Number(match[3])) : null
    if (block === null) throw notFound()
    return { block, workchain }
  }

  function getBlock(context: Context): Response {
    const { block, workchain } = findBlock(context)
    return jsonResponse(serializeBlock(chain, block, workchain))
  }

  function getBlockTransactions(context: Context): Response {
    const { block, workchain } = findBlock(context)
    return answerTransactions(transactionsOf(chain, workchain, block.seqno))
  }

  function findMasterchainBlock(context: Context): Block {
    const text = pathParameter(context, 'masterchain_seqno')
    if (!/^\d{1,10}$/.test(text)) throw refusal(`can't parse masterchain seqno ${shorten(text)}`)
    const block = chain.block(Number(text))
    if (block === null) throw notFound()
    return block
  }

  function getShards(context: Context): Response {
    const block = findMasterchainBlock(context)
    const last_known_block = serializeBlock(chain, block, 0)
    const last_known_block_id = serializeBlockId(0, block.seqno)
    return jsonResponse({ shards: [{ last_known_block_id, last_known_block }] })
  }

  function getMasterchainBlocks(context: Context): Response {
    const block = findMasterchainBlock(context)
    return jsonResponse({ blocks: [-1, 0].map((each) => serializeBlock(chain, block, each)) })
  }

  function getMasterchainTransactions(context: Context): Response {
    const { seqno } = findMasterchainBlock(context)
    return answerTransactions([-1, 0].flatMap((each) => transactionsOf(chain, each, seqno)))
  }

  function getRawAccount(context: Context): Response {
    const account = accountParameter(context)
    const state = chain.account(account)
    if (state === null) throw notFound()
    return jsonResponse(serializeRawAccount(account, state))
  }

  async function getRawAccounts(context: Context): Promise<Response> {
    const { account_ids } = await readBody(context, accountsBody)
    const accounts = readAccounts(account_ids)
    return jsonResponse({
      accounts: accounts.map((address) => serializeRawAccount(address, chain.account(address))),
    })
  }

  return [
    { path: '/blockchain/transactions/:transaction_id', get: getTransaction },
    { path: '/blockchain/messages/:msg_id/transaction', get: getTransactionByMessage },
    { path: '/blockchain/config', get: () => jsonResponse(serializeConfig(chain.config())) },
    { path: '/blockchain/config/raw', get: () => jsonResponse(serializeRawConfig(chain.config())) },
    {
      path: '/blockchain/masterchain-head',
      get: () => jsonResponse(serializeBlock(chain, chain.head(), -1)),
    },
    { path: '/blockchain/masterchain/:masterchain_seqno/shards', get: getShards },
    { path: '/blockchain/masterchain/:masterchain_seqno/blocks', get: getMasterchainBlocks },
    {
      path: '/blockchain/masterchain/:masterchain_seqno/transactions',
      get: getMasterchainTransactions,
    },
    { path: '/blockchain/blocks/:block_id', get: getBlock },
    { path: '/blockchain/blocks/:block_id/transactions', get: getBlockTransactions },
    { path: '/blockchain/accounts/_bulk', post: getRawAccounts },
    { path: '/blockchain/accounts/:account_id', get: getRawAccount },
    { path: '/blockchain/accounts/:account_id/transactions', get: getHistory },
  ]
}

const argumentsBody = z.object({ args: z.array(typedArgument).default([]) })

export function methodRoutes({ chain }: QueryDeps): Route[] {
  async function execute(context: Context, readStack: () => TupleItem[] | Promise<TupleItem[]>) {
    const account = accountParameter(context)
    if (codeHashOf(chain.account(account)) === null) throw notFound()
    const stack = await readStack()
    const method = pathParameter(context, 'method_name')
    const result = await chain.runMethod(account, method, stack).catch((error: unknown) => {
      throw error instanceof EmulatorRefusal ? refusal(error.message, 500) : error
    })
    if (result === null) throw notFound()
    const isSuccess = result.exitCode === 0 || result.exitCode === 1
    const decoded = isSuccess ? decodeMethodResult(method, result.stack) : null
    return jsonResponse({
      success: isSuccess,
      exit_code: result.exitCode,
      stack: result.stack.map(serializeStackItem),
      decoded: decoded ?? undefined,
    })
  }

  function get(context: Context): Promise<Response> {
    return execute(context, () =>
      (context.req.queries('args') ?? []).map((text) => {
        const item = readTextArgument(text)
        if (item === null) throw refusal(`can't parse arg '${shorten(text)}' as any TVMStackValue`)
        return item
      }),
    )
  }

  function post(context: Context): Promise<Response> {
    return execute(context, async () => {
      const { args } = await readBody(context, argumentsBody)
      return args.map((argument) => {
        const item = readTypedArgument(argument)
        if (item === null) {
          const { type, value } = argument
          throw refusal(`can't parse arg '${shorten(value)}': it is no ${type}`)
        }
        return item
      })
    })
  }

  return [{ path: '/blockchain/accounts/:account_id/methods/:method_name', get, post }]
}

const blockId =
  /^\(?(-?\d{1,10}),([0-9a-fA-F]{1,16}),(\d{1,10})(?:,[0-9a-fA-F]{64},[0-9a-fA-F]{64})?\)?$/

function transactionsOf(chain: Chain, workchain: number, seqno: number): ExecutedTransaction[] {
  return chain
    .blockTransactions(seqno)
    .filter(({ account }) => workchainOf(account) === workchain)
    .toSorted((a, b) => (a.lt < b.lt ? -1 : Number(a.lt > b.lt)))
}

/** BlockchainBlock of the service; fields that the sandbox does not use are zero. */
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

/** The chain stores the masterchain block's hashes; the other block's are derived. */
function hashesOf({ rootHash, fileHash }: Block, workchain: number) {
  if (workchain === -1) return { root_hash: rootHash, file_hash: fileHash }
  return { root_hash: derive(rootHash, 'base'), file_hash: derive(fileHash, 'base') }
}

function derive(hash: string, purpose: string): string {
  return createHash('sha256').update(`${hash}:${purpose}`).digest('hex')
}

const nothing = { grams: 0, other: [] }

function serializeValueFlow(fees: bigint) {
  return {
    from_prev_blk: nothing,
    to_next_blk: nothing,
    imported: nothing,
    exported: nothing,
    fees_collected: { grams: fees, other: [] },
    fees_imported: nothing,
    recovered: nothing,
    created: nothing,
    minted: nothing,
  }
}
