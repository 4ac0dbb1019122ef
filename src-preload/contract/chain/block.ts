import { z } from 'zod'
import { networkId, onNetwork } from '../network.ts'
import { hash, logicalTime, moment, orNull, takes } from '../route.ts'
import { accountRef, units } from './references.ts'

/** A block's id is like `(-1,8000000000000000,123)`. */
const blockRow = z.object({
  id: z.string(),
  at: moment,
  seqno: z.int(),
  workchain: z.int(),
  shard: z.string(),
  /** Null if the gateway does not report it. */
  transactionCount: z.int().nullable(),
  isKeyBlock: z.boolean(),
})
export type BlockRow = z.infer<typeof blockRow>

const latestBlocks = z.object({
  network: networkId,
  /** Blocks, the newest first; each masterchain block precedes the blocks of its shards. */
  blocks: z.array(blockRow),
  /** Pass this as `before` for older blocks; null at the first block. */
  older: z.int().nullable(),
  /** False if the gateway does not list the blocks of the shards. */
  hasShards: z.boolean(),
})

const blockView = z.object({
  ...blockRow.shape,
  network: networkId,
  rootHash: z.string(),
  fileHash: z.string(),
  transactionCount: z.int(),
  startLt: logicalTime.nullable(),
  endLt: logicalTime.nullable(),
  /**
   * The id of the next block; two ids after a split. The block may not exist yet, or may belong to
   * a merged shard.
   */
  next: z.array(z.string()),
  previous: z.array(z.string()),
  previousKeyBlock: z.string().nullable(),
  /** The masterchain block that the block of a shard refers to. */
  masterReference: z.string().nullable(),
  inMessages: z.int().nullable(),
  outMessages: z.int().nullable(),
  /** Amounts other than zero, in minimal units of the native coin. */
  flow: z.array(z.object({ name: z.string(), units })),
  /** Null for a block of a shard, or if the gateway does not report the shards. */
  shards: z.array(blockRow).nullable(),
  transactions: z.array(
    z.object({
      hash,
      lt: logicalTime,
      account: accountRef,
      success: z.boolean(),
      failure: z.string().nullable(),
      fees: units,
    }),
  ),
  unread: z.array(z.string()),
})
export type BlockView = z.infer<typeof blockView>

export const blockRoutes = {
  /** `limit` counts masterchain blocks, each of which costs a request. */
  'block.latest': takes({
    ...onNetwork,
    before: orNull(z.int().positive()),
    limit: z.int().min(1).max(20).default(5),
  }).returns(latestBlocks),
  'block.get': takes({ ...onNetwork, id: z.string().trim().max(200) }).returns(blockView),
} as const
