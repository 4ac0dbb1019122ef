import { readAddress } from '../ton/address.ts'
import type { AccountAnswer } from '../gateway/query-answers.ts'
import type { LookupAnswer } from './store/lookup-lines.ts'
import { walletKindOf } from '../ton/wallet.ts'

/** An account of the gateway's answer as a lookup keeps it; null where its balance can be none. */
export function toLookupAnswer(
  account: AccountAnswer,
  currency: string | null,
): LookupAnswer | null {
  const balance = BigInt(account.balance)
  if (BigInt.asIntN(64, balance) !== balance) return null
  return {
    status: account.status,
    balance,
    inCurrency: currency === null ? null : readCurrency(account, currency),
    walletKind: walletKindOf(account.interfaces),
    interfaces: account.interfaces,
    lastActivity: account.last_activity === 0 ? null : account.last_activity * 1000,
    name: account.name ?? null,
    isScam: account.is_scam,
    isSuspended: account.is_suspended,
    memoRequired: account.memo_required,
  }
}

/** Accounts by raw address, the first of each. */
export function byAddress(accounts: readonly AccountAnswer[]): Map<string, AccountAnswer> {
  const found = new Map<string, AccountAnswer>()
  for (const account of accounts) {
    const address = readAddress(account.address)?.raw ?? account.address
    if (!found.has(address)) found.set(address, account)
  }
  return found
}

function readCurrency({ currencies_balance }: AccountAnswer, currency: string): string | null {
  const found = Object.entries(currencies_balance ?? {}).find(
    ([name]) => name.toLowerCase() === currency.toLowerCase(),
  )
  const value = found?.[1] ?? null
  if (value === null) return null
  const text = typeof value === 'number' ? formatDecimal(value) : value.toString()
  return /^-?\d+(\.\d+)?$/.test(text) ? text : null
}

/** Without an exponent; all the digits that tell a float from its neighbours. */
export function formatDecimal(value: number): string {
  const [mantissa = '', exponent] = value.toString().split('e')
  if (exponent === undefined) return mantissa
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const sign = value < 0 ? '-' : ''
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0')
}
