import type { LookupRow } from '../../src-preload/contract/lookup.ts'
import { formatAmount, tonDecimals } from '../../src-preload/domain/amount.ts'

type Compared = Pick<
  LookupRow,
  'status' | 'walletKind' | 'lastActivity' | 'name' | 'isScam' | 'isSuspended' | 'memoRequired'
> & { readonly balance: bigint }

/** What is different since an earlier lookup, one phrase each. */
export function changesBetween(before: Compared, after: Compared): string[] {
  const phrases: string[] = []
  const difference = after.balance - before.balance
  if (difference !== 0n) {
    const sign = difference > 0n ? '+' : ''
    phrases.push(`balance ${sign}${formatAmount(difference, tonDecimals)} TON`)
  }
  const told = (what: string, from: string | null, to: string | null) => {
    if (from !== to) phrases.push(`${what} ${from ?? 'none'} → ${to ?? 'none'}`)
  }
  told('status', before.status, after.status)
  told('wallet', before.walletKind, after.walletKind)
  told('name', before.name, after.name)
  const flag = (from: boolean, to: boolean, on: string, off: string) => {
    if (from !== to) phrases.push(to ? on : off)
  }
  flag(before.isScam, after.isScam, 'now marked as scam', 'no longer marked as scam')
  flag(before.isSuspended, after.isSuspended, 'now suspended', 'no longer suspended')
  flag(before.memoRequired, after.memoRequired, 'now requires a memo', 'no longer requires a memo')
  if (phrases.length === 0 && before.lastActivity !== after.lastActivity) phrases.push('was active')
  return phrases
}
