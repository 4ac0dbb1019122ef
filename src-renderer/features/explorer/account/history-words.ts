import type { HistoryFilter, HistoryRow } from '../../../../src-preload/contract/chain.ts'

/** What an account's transaction was, in a word; nothing where its comment alone says it. */
export function meaningOf(row: HistoryRow): string {
  if (row.operation === 'text_comment' && row.comment !== null) return ''
  if (row.operation !== null) return row.operation
  if (row.opcode !== null) return row.opcode
  if (row.direction === 'other') return row.outMessages === 0 ? 'no message' : 'several messages'
  return row.change === null ? 'message' : 'transfer'
}

export const directionWords: Record<HistoryRow['direction'], string> = {
  in: 'In',
  out: 'Out',
  other: 'Other',
}

/** Whether a filter lets something through only. */
export function isFiltered(filter: HistoryFilter): boolean {
  return Object.values(filter).some((value) => value !== null)
}

/** `0x` and up to eight digits, or a decimal number of 32 bits; null when it is neither. */
export function readOpcode(text: string): string | null {
  const plain = text.trim().toLowerCase()
  if (/^0x[0-9a-f]{1,8}$/.test(plain)) return `0x${plain.slice(2).padStart(8, '0')}`
  if (!/^\d{1,10}$/.test(plain)) return null
  const value = Number(plain)
  return value < 2 ** 32 ? `0x${value.toString(16).padStart(8, '0')}` : null
}

/** A day as a date field has it, at its local beginning or its end; null when it is none. */
export function readDay(text: string, edge: 'begin' | 'end'): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const at = new Date(`${text}T${edge === 'begin' ? '00:00:00.000' : '23:59:59.999'}`).getTime()
  return Number.isNaN(at) || at < 0 ? null : at
}

/** The local day of a moment, as a date field has it. */
export function printDay(at: number | null): string {
  if (at === null) return ''
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
