import type { Message } from '@ton/core'
import { beginCell } from '@ton/core'

/**
 * TEP-467: an external message may be written in several ways on its way; this hash is the same for
 * all of them. Null for other kinds.
 */
export function normalizedHash({ info, body }: Message): string | null {
  if (info.type !== 'external-in') return null
  return beginCell()
    .storeUint(0b10, 2)
    .storeAddress(null)
    .storeAddress(info.dest)
    .storeCoins(0)
    .storeBit(false)
    .storeBit(true)
    .storeRef(body)
    .endCell()
    .hash()
    .toString('hex')
}
