import { createHash } from 'node:crypto'
import type { StoredBlock } from '../store/chain-blocks.ts'
import type { NetworkName } from './chain.ts'

/** Blocks begin at multiples of it, as on the real chain. */
const ltAlign = 1_000_000n

/** What a block has before anything is executed in it. */
export type BlockBeginning = {
  readonly seqno: number
  readonly utime: number
  readonly startLt: bigint
  readonly firstTransaction: number
  /** Root hash of the block before; for the first, what stands for it. */
  readonly previous: string
}

/** The seed and the network decide the logical times of all that follows, and so all hashes. */
export function beginFirstBlock(network: NetworkName, seed: string, utime: number): BlockBeginning {
  const previous = digest('seed', network, seed)
  // Of the size that logical times have on the real chain by now.
  const startLt = (40_000_000n + BigInt(`0x${previous.slice(0, 6)}`)) * ltAlign
  return { seqno: 1, utime, startLt, firstTransaction: 1, previous }
}

export function beginBlock(previous: StoredBlock, utime: number): BlockBeginning {
  return {
    seqno: previous.seqno + 1,
    utime: Math.max(utime, previous.utime),
    startLt: (previous.endLt / ltAlign + 1n) * ltAlign,
    firstTransaction: previous.firstTransaction + previous.transactionCount,
    previous: previous.rootHash,
  }
}

export function randomSeedOf({ previous, seqno }: BlockBeginning): Buffer {
  return Buffer.from(digest('random', previous, seqno), 'hex')
}

/** @param transactions their hashes, in the order of execution */
export function endBlock(
  { previous, ...beginning }: BlockBeginning,
  endLt: bigint,
  transactions: readonly string[],
): StoredBlock {
  const { seqno, utime, startLt } = beginning
  const rootHash = digest('block', previous, seqno, utime, startLt, endLt, ...transactions)
  return {
    ...beginning,
    endLt,
    transactionCount: transactions.length,
    rootHash,
    fileHash: digest('file', rootHash),
  }
}

function digest(...parts: readonly (string | number | bigint)[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}
