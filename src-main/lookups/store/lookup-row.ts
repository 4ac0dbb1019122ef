import type { LookupRow } from '../../../src-preload/contract/lookup.ts'

/** A row as it is kept: whose label it bears is known elsewhere. */
export type StoredRow = Omit<LookupRow, 'label'>

export const rowColumns = `idx, line, text, state, reason, address, status, balance, in_currency,
  wallet_kind, interfaces, last_activity, name, flags, changes, others`

/** @param row read with bigints: a balance may pass 2^53 */
export function toRow(row: Record<string, unknown>): StoredRow {
  const flags = Number(row['flags'])
  const balance = row['balance'] as bigint | null
  const lastActivity = row['last_activity'] as bigint | null
  const changes = row['changes'] as string
  return {
    index: Number(row['idx']),
    line: Number(row['line']),
    text: row['text'] as string,
    state: row['state'] as StoredRow['state'],
    reason: row['reason'] as string | null,
    address: row['address'] as string | null,
    others: JSON.parse(row['others'] as string) as string[],
    status: row['status'] as StoredRow['status'],
    balance: balance?.toString() ?? null,
    inCurrency: row['in_currency'] as string | null,
    walletKind: row['wallet_kind'] as string | null,
    interfaces: JSON.parse(row['interfaces'] as string) as string[],
    lastActivity: lastActivity === null ? null : Number(lastActivity),
    name: row['name'] as string | null,
    isScam: (flags & 1) !== 0,
    isSuspended: (flags & 2) !== 0,
    memoRequired: (flags & 4) !== 0,
    changes: changes === '' ? [] : changes.split('\n'),
  }
}
