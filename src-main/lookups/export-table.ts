import type { LookupRow } from '../../src-preload/contract/lookup.ts'
import { formatFriendly } from '../ton/address.ts'
import { formatAmount, tonDecimals } from '../../src-preload/domain/amount.ts'

/** A row with what a table shows beside it. */
export type ExportRow = LookupRow & {
  /** As a wallet shows it; bounceable where a contract lives there. */
  readonly friendly: string | null
  /** Exact, with a decimal point. */
  readonly balanceTon: string | null
}

export function toExportRow(row: LookupRow, testOnly: boolean): ExportRow {
  const bounceable = row.status === 'active' && row.walletKind === null
  return {
    ...row,
    friendly: row.address === null ? null : formatFriendly(row.address, { bounceable, testOnly }),
    balanceTon: row.balance === null ? null : formatAmount(BigInt(row.balance), tonDecimals),
  }
}

/** @param columns names of the list's other columns */
export function headings(currency: string | null, columns: readonly string[]): string[] {
  return [
    'line',
    'given',
    'state',
    'reason',
    'address',
    'friendly',
    'label',
    'status',
    'balance_ton',
    'balance_nanoton',
    ...(currency === null ? [] : [`balance_${currency}`]),
    'wallet',
    'interfaces',
    'last_activity',
    'name',
    'flags',
    'changes',
    ...columns.map((name) => `given_${name}`),
  ]
}

/** A cell is text, or a figure in decimals. */
export type Cell = { readonly text: string } | { readonly figure: string } | null

export function cells(row: ExportRow, currency: string | null, columns: readonly string[]): Cell[] {
  const text = (value: string | null): Cell => (value === null ? null : { text: value })
  const figure = (value: string | null): Cell => (value === null ? null : { figure: value })
  const { lastActivity } = row
  return [
    figure(row.line.toString()),
    text(row.text),
    text(row.state),
    text(row.reason),
    text(row.address),
    text(row.friendly),
    text(row.label),
    text(row.status),
    figure(row.balanceTon),
    figure(row.balance),
    ...(currency === null ? [] : [figure(row.inCurrency)]),
    text(row.walletKind),
    text(row.interfaces.join(' ')),
    text(lastActivity === null ? null : new Date(lastActivity).toISOString()),
    text(row.name),
    text(flagsOf(row)),
    text(row.changes.join('; ')),
    ...columns.map((_, index) => text(row.others[index] ?? null)),
  ]
}

function flagsOf({ isScam, isSuspended, memoRequired }: LookupRow): string {
  const flags = [isScam && 'scam', isSuspended && 'suspended', memoRequired && 'memo required']
  return flags.filter((flag) => flag !== false).join(', ')
}
