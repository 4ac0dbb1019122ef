import { createHash } from 'node:crypto'
import type { Block, Chain, ExecutedTransaction } from '../chain/chain.ts'

/** Each height has one masterchain and one basechain block with the same number. */
export type BlockId = { readonly workchain: number; readonly seqno: number }

const shard = '8000000000000000'
const form =
  /^\(?(-?\d{1,10}),([0-9a-fA-F]{1,16}),(\d{1,10})(?:,[0-9a-fA-F]{64},[0-9a-fA-F]{64})?\)?$/

export function serializeBlockId({ workchain, seqno }: BlockId): string {
  return `(${workchain},${shard},${seqno})`
}

/** @returns null for an invalid id; the shard is ignored */
export function readBlockId(text: string): BlockId | null {
  const match = form.exec(text)
  return match === null ? null : { workchain: Number(match[1]), seqno: Number(match[3]) }
}

export function workchainOf(account: string): number {
  return Number(account.slice(0, account.indexOf(':')))
}

export function transactionsOf(chain: Chain, { workchain, seqno }: BlockId): ExecutedTransaction[] {
  return chain
    .blockTransactions(seqno)
    .filter(({ account }) => workchainOf(account) === workchain)
    .toSorted((a, b) => (a.lt < b.lt ? -1 : Number(a.lt > b.lt)))
}

/** BlockchainBlock of the service; fields without a meaning in the sandbox are zero. */
export function serializeBlock(chain: Chain, block: Block, workchain: number) {
  const { seqno } = block
  const transactions = transactionsOf(chain, { workchain, seqno })
  const fees = transactions.reduce((sum, each) => sum + each.transaction.totalFees.coins, 0n)
  const hashes = hashesOf(block, workchain)
  const isMaster = workchain === -1
  return {
    tx_quantity: transactions.length,
    value_flow: serializeValueFlow(fees),
    workchain_id: workchain,
    shard: '8000000000000000',
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
    ...(isMaster || seqno === 0
      ? {}
      : { master_ref: serializeBlockId({ workchain: -1, seqno: seqno - 1 }) }),
    prev_refs: seqno === 0 ? [] : [serializeBlockId({ workchain, seqno: seqno - 1 })],
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
