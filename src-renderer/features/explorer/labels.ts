/** The texts of the explorer, and the values that its fields accept. */
import type { HistoryFilter, HistoryRow } from '../../../src-preload/contract/chain/account.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'
import { withSource } from '../../components/trace/tree-text.ts'

const types: Readonly<Record<string, string>> = lookupTable({
  TransOrd: 'ordinary',
  TransTickTock: 'tick-tock',
  TransSplitPrepare: 'split prepare',
  TransSplitInstall: 'split install',
  TransMergePrepare: 'merge prepare',
  TransMergeInstall: 'merge install',
  TransStorage: 'storage',
})

/** Describes a transaction type of the gateway; an unknown type stays unchanged. */
export const describeType = (type: string): string => types[type] ?? type

/** Describes the state of an account: `active`, or `uninit → active` if the transaction changed it. */
export function describeState(before: string, after: string): string {
  return before === after ? after : `${before} → ${after}`
}

/** Shortens a value of the gateway: `acst_unchanged` becomes `unchanged`. */
export const describeChange = (change: string): string => change.replace(/^acst_/, '')

/** Describes the operation of a history row; empty if the comment already says the same. */
export function describeOperation(row: HistoryRow): string {
  if (row.operation === 'text_comment' && row.comment !== null) return ''
  if (row.operation !== null) return withSource(row.operation, row.operationSource)
  if (row.opcode !== null) return row.opcode
  if (row.direction === 'other') return row.outMessages === 0 ? 'no message' : 'several messages'
  return row.change === null ? 'message' : 'transfer'
}

export function isFiltered(filter: HistoryFilter): boolean {
  return Object.values(filter).some((value) => value !== null)
}

/** Inserts values into a link template such as `https://…/{hash}`. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : encodeURIComponent(value)
  })
}
