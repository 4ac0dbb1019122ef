import { toDecimalText } from '../../src-preload/domain/fiat.ts'
import { unlessRefused } from '../chain/access.ts'
import type { QueryOptions, QueryClient } from '../gateway/query.ts'
import type { AccountResponse } from '../gateway/query-responses.ts'
import { rawAddress, readAddress } from '../ton/address.ts'
import { walletKindOf } from '../ton/wallet.ts'
import type { LookupRow } from '../../src-preload/contract/lookup.ts'
import { formatAmount, tonDecimals } from '../../src-preload/domain/amount.ts'

/** @returns the account as a lookup stores it; null for an invalid balance */
export function toLookedUpAccount(account: AccountResponse, currency: string | null) {
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

export type LookedUpAccount = NonNullable<ReturnType<typeof toLookedUpAccount>>

/**
 * Resolves a .ton name to a raw address; null if the gateway does not know the name.
 * @throws AppError other errors of the query client
 */
export async function resolveName(query: QueryClient, name: string, queryOptions: QueryOptions) {
  const record = await unlessRefused(query.dnsResolve(name, queryOptions))
  return readAddress(record?.wallet?.address ?? '')?.raw ?? null
}

/** Indexes accounts by address; the first account of each address is used. */
export function byAddress(accounts: readonly AccountResponse[]): Map<string, AccountResponse> {
  const found = new Map<string, AccountResponse>()
  for (const account of accounts) {
    const address = rawAddress(account.address)
    if (!found.has(address)) found.set(address, account)
  }
  return found
}

function readCurrency({ currencies_balance }: AccountResponse, currency: string): string | null {
  const found = Object.entries(currencies_balance ?? {}).find(
    ([name]) => name.toLowerCase() === currency.toLowerCase(),
  )
  const value = found?.[1] ?? null
  if (value === null) return null
  const text = typeof value === 'number' ? formatDecimal(value) : value.toString()
  return /^-?\d+(\.\d+)?$/.test(text) ? text : null
}

/** Formats a number without an exponent, with enough digits to identify the float. */
export function formatDecimal(value: number): string {
  if (value === 0) return '0'
  const text = toDecimalText(Math.abs(value))
  // A number outside the range of values that a gateway reports keeps JavaScript's notation.
  if (text === null) return String(value)
  return value < 0 ? `-${text}` : text
}

export function changesBetween(
  before: Omit<LookupRow, 'label'> | undefined,
  after: LookedUpAccount,
): string[] {
  if (before === undefined) return []
  const phrases: string[] = []
  const difference = after.balance - BigInt(before.balance ?? 0)
  if (difference !== 0n) {
    const sign = difference > 0n ? '+' : ''
    phrases.push(`balance ${sign}${formatAmount(difference, tonDecimals)} TON`)
  }
  const compare = (what: string, from: string | null, to: string | null) => {
    if (from !== to) phrases.push(`${what} ${from ?? 'none'} → ${to ?? 'none'}`)
  }
  compare('status', before.status, after.status)
  compare('wallet', before.walletKind, after.walletKind)
  compare('name', before.name, after.name)
  const flag = (from: boolean, to: boolean, on: string, off: string) => {
    if (from !== to) phrases.push(to ? on : off)
  }
  flag(before.isScam, after.isScam, 'now marked as scam', 'no longer marked as scam')
  flag(before.isSuspended, after.isSuspended, 'now suspended', 'no longer suspended')
  flag(before.memoRequired, after.memoRequired, 'now requires a memo', 'no longer requires a memo')
  if (phrases.length === 0 && before.lastActivity !== after.lastActivity) phrases.push('was active')
  return phrases
}
