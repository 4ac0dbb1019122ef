import type { Slice } from '@ton/core'

/** Long enough for any message a network accepts. */
const maxCells = 1024

/** Bytes from here to the end, going on in the last reference of each cell. @returns null when bits are left over */
export function readSnakeBytes(slice: Slice): Buffer | null {
  const parts: Buffer[] = []
  let current = slice
  for (let cells = 0; cells < maxCells; cells += 1) {
    if (current.remainingBits % 8 !== 0) return null
    parts.push(current.loadBuffer(current.remainingBits / 8))
    if (current.remainingRefs === 0) return Buffer.concat(parts)
    current = current.loadRef().beginParse()
  }
  return null
}
