/** Results of the get methods everyone knows, with names for their parts. */
import type { TupleItem } from '@ton/core'
import { formatCell } from '../../ton/boc.ts'
import { addressOf, cellOf, intOf } from './stack.ts'

/** `decoded` of the service. @returns null for other methods, and for other stacks than theirs */
export function decodeMethodResult(method: string, stack: readonly TupleItem[]): object | null {
  const decode = decoders[method]
  return Object.hasOwn(decoders, method) && decode !== undefined ? decode(stack) : null
}

type Decoder = (stack: readonly TupleItem[]) => object | null

const decoders: Readonly<Record<string, Decoder>> = {
  seqno: ([seqno]) => complete({ state: numberOf(seqno) }),
  get_public_key: ([key]) => complete({ public_key: intOf(key)?.toString() }),
  get_subwallet_id: ([id]) => complete({ subwallet_id: numberOf(id) }),
  get_wallet_address: ([wallet]) => complete({ jetton_wallet_address: addressOf(wallet) }),
  get_wallet_data: ([balance, owner, jetton, code]) =>
    complete({
      balance: intOf(balance)?.toString(),
      owner: addressOf(owner),
      jetton: addressOf(jetton),
      jetton_wallet_code: printed(code),
    }),
  get_jetton_data: ([supply, mintable, admin, content, code]) => {
    const parts = complete({
      total_supply: intOf(supply)?.toString(),
      mintable: intOf(mintable),
      jetton_content: printed(content),
      jetton_wallet_code: printed(code),
    })
    if (parts === null) return null
    return { ...parts, mintable: intOf(mintable) !== 0n, admin_address: addressOf(admin) ?? '' }
  },
}

function complete(parts: Record<string, unknown>): object | null {
  return Object.values(parts).some((part) => part === null || part === undefined) ? null : parts
}

function numberOf(item: TupleItem | undefined): number | null {
  const value = intOf(item)
  return value === null ? null : Number(value)
}

function printed(item: TupleItem | undefined): string | null {
  const cell = cellOf(item)
  return cell === null ? null : formatCell(cell)
}
