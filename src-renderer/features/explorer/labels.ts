/** Texts of the explorer, and what its fields accept. */
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
  if (row.operation !== null) return withSource(row.operation, row.operationSource)
  if (row.opcode !== null) return row.opcode
  if (row.direction === 'other') return row.outMessages === 0 ? 'no message' : 'several messages'
  return row.change === null ? 'message' : 'transfer'
}

export function isFiltered(filter: HistoryFilter): boolean {
  return Object.values(filter).some((value) => value !== null)
}

/** Fills a link template such as `https://…/{hash}`. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : encodeURIComponent(value)
  })
}
