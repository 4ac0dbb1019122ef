/** Texts of the explorer, and what its fields accept. */
import type { HistoryFilter, HistoryRow } from '../../../src-preload/contract/chain/account.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

const types: Readonly<Record<string, string>> = lookupTable({
  TransOrd: 'ordinary',
  TransTickTock: 'tick-tock',
  TransSplitPrepare: 'split prepare',
  TransSplitInstall: 'split install',
  TransMergePrepare: 'merge prepare',
  TransMergeInstall: 'merge install',
  TransStorage: 'storage',
})

/** A transaction type of the gateway; an unknown one is shown as it is. */
export function describeType(type: string): string {
  return types[type] ?? type
}

/** `active`, or `uninit → active` if the transaction changed the state. */
export function describeState(before: string, after: string): string {
  return before === after ? after : `${before} → ${after}`
}

/** The gateway's `acst_unchanged` as `unchanged`. */
export function describeChange(change: string): string {
  return change.replace(/^acst_/, '')
}

/** The operation of a history row; empty where the comment says it already. */
export function describeOperation(row: HistoryRow): string {
  if (row.operation === 'text_comment' && row.comment !== null) return ''
  if (row.operation !== null) return row.operation
  if (row.opcode !== null) return row.opcode
  if (row.direction === 'other') return row.outMessages === 0 ? 'no message' : 'several messages'
  return row.change === null ? 'message' : 'transfer'
}

export function isFiltered(filter: HistoryFilter): boolean {
  return Object.values(filter).some((value) => value !== null)
}

/** Parses `0x` and up to eight digits, or a decimal number of 32 bits. Null for anything else. */
export function parseOpcode(text: string): string | null {
  const plain = text.trim().toLowerCase()
  if (/^0x[0-9a-f]{1,8}$/.test(plain)) return `0x${plain.slice(2).padStart(8, '0')}`
  if (!/^\d{1,10}$/.test(plain)) return null
  const value = Number(plain)
  return value < 2 ** 32 ? `0x${value.toString(16).padStart(8, '0')}` : null
}

/** Fills a link template such as `https://…/{hash}`. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : encodeURIComponent(value)
  })
}
