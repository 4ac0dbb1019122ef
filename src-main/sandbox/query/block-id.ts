/**
 * A height of the sandbox is one masterchain block and one of the basechain, both of its number; each
 * holds the transactions of its workchain's accounts.
 */
export type BlockId = { readonly workchain: number; readonly seqno: number }

const shard = '8000000000000000'
const form =
  /^\(?(-?\d{1,10}),([0-9a-fA-F]{1,16}),(\d{1,10})(?:,[0-9a-fA-F]{64},[0-9a-fA-F]{64})?\)?$/

/** `(workchain,shard,seqno)` */
export function serializeBlockId({ workchain, seqno }: BlockId): string {
  return `(${workchain},${shard},${seqno})`
}

/** @returns null for what is no block id; its shard is not looked at, there is but one */
export function readBlockId(text: string): BlockId | null {
  const match = form.exec(text)
  return match === null ? null : { workchain: Number(match[1]), seqno: Number(match[3]) }
}

export function workchainOf(account: string): number {
  return Number(account.slice(0, account.indexOf(':')))
}
