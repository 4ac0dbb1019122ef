import { type Cell, CellType } from '@ton/core'
import type { CellNode } from '../../src-preload/contract/chain/transaction.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { formatCell, BocError, parseBoc, readBytes } from '../ton/boc.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'

const maxShown = 2_000

export const cellHandlers: Pick<Handlers, 'cell.tree'> = {
  'cell.tree'({ boc }) {
    const root = requireBoc(boc)
    const hex = formatCell(root)
    return {
      cells: treeOf(root),
      total: countTree(root),
      hex,
      base64: Buffer.from(hex, 'hex').toString('base64'),
    }
  },
}

const kinds = {
  [CellType.Ordinary]: 'ordinary',
  [CellType.PrunedBranch]: 'pruned',
  [CellType.Library]: 'library',
  [CellType.MerkleProof]: 'merkle_proof',
  [CellType.MerkleUpdate]: 'merkle_update',
} as const

function treeOf(root: Cell): CellNode[] {
  const shown: CellNode[] = []
  const waiting = [{ cell: root, depth: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { cell, depth } = next
    shown.push({
      depth,
      bits: cell.bits.length,
      data: cell.bits.toString(),
      kind: kinds[cell.type],
      hash: cell.hash().toString('hex'),
    })
    if (shown.length === maxShown) break
    for (const child of cell.refs.toReversed()) waiting.push({ cell: child, depth: depth + 1 })
  }
  return shown
}

/** Shared children make the tree exponentially large, so the size of each cell is computed once. */
function countTree(root: Cell): number {
  const sizes = new Map<Cell, number>()
  const waiting = [root]
  for (let cell = waiting.at(-1); cell !== undefined; cell = waiting.at(-1)) {
    const unknown = cell.refs.filter((child) => !sizes.has(child))
    if (unknown.length > 0) {
      waiting.push(...unknown)
      continue
    }
    const below = cell.refs.reduce((sum, child) => sum + (sizes.get(child) ?? 0), 1)
    sizes.set(cell, Math.min(below, Number.MAX_SAFE_INTEGER))
    waiting.pop()
  }
  return sizes.get(root) ?? 1
}

/**
 * Accepts hexadecimal, base64 and base64url, with white space and without padding.
 * @throws AppError CHAIN_BAD_BOC
 */
export function requireBoc(text: string): Cell {
  const plain = text.replaceAll(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
  const padded = plain.padEnd(Math.ceil(plain.length / 4) * 4, '=')
  const bytes = readBytes(plain) ?? readBytes(padded)
  if (bytes === null) {
    throw badBoc('Not a BOC: enter hexadecimal digits, base64 or base64url.')
  }
  try {
    return parseBoc(bytes)
  } catch (error) {
    if (error instanceof BocError) throw badBoc(`Not a valid BOC: ${error.message}.`)
    throw error
  }
}

export function badBoc(message: string): AppError {
  return new AppError(chainCodes.badBoc, message)
}
