import type { CaptureRow, MovedAmount } from '../../src-preload/contract/capture.ts'
import type { ShownResponse } from '../../src-preload/contract/target.ts'
import { isMoved } from '../../src-preload/contract/invoice-money.ts'
import { assetName } from '../../src-preload/contract/chain/references.ts'
import { formatAssetAmount } from '../../src-preload/domain/amount.ts'
import { sanitize } from './terminal.ts'

export function captureLine(row: CaptureRow, arrow = '->'): string {
  const { amount, invoice } = row.meaning
  const more = [
    row.origin === 'received' ? null : row.origin,
    row.completeness === 'complete' ? null : row.completeness,
    row.token === 'wrong' || row.token === 'missing' ? `token ${row.token}` : null,
    row.duplicateOf === null ? null : `duplicate of ${row.duplicateOf}`,
    row.outOfOrder ? 'out of order' : null,
    amount === null ? null : formatMoved(amount, isMoved(row)),
    invoice === null ? null : `invoice ${sanitize(invoice)}`,
  ]
  return [
    dayBefore(row.receivedAt) + localTime(row.receivedAt),
    arrow,
    `#${row.id}`.padEnd(7),
    (row.kind ?? 'unclassified').padEnd(13),
    shortAccount(row.account).padEnd(13),
    String(row.status ?? '-').padStart(3),
    `${row.bodyBytes} B`.padStart(9),
    more.filter((word) => word !== null).join(', '),
  ]
    .join('  ')
    .trimEnd()
}

/** The day as a prefix; empty on the current day. */
function dayBefore(microseconds: number): string {
  const date = new Date(Math.floor(microseconds / 1000))
  if (date.toDateString() === new Date().toDateString()) return ''
  const [month, day] = [date.getMonth() + 1, date.getDate()]
  return `${date.getFullYear()}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')} `
}

export function localTime(microseconds: number): string {
  const date = new Date(Math.floor(microseconds / 1000))
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** @param isSigned false for a requested amount */
export function formatMoved({ units, asset, direction }: MovedAmount, isSigned = true): string {
  const sign = !isSigned ? '' : direction === 'in' ? '+' : '-'
  return `${sign}${formatAssetAmount(BigInt(units), asset)} ${sanitize(assetName(asset))}`
}

/** The name comes from the sender, so control characters must not reach the terminal. */
function shortAccount(account: string | null): string {
  if (account === null) return '-'
  const shown = sanitize(account)
  return shown.length <= 13 ? shown : `${shown.slice(0, 6)}…${shown.slice(-6)}`
}

type Attempt = {
  readonly at: number
  readonly capture: number
  readonly target: string
  readonly answer: Pick<ShownResponse, 'isDelivered' | 'status' | 'durationUs' | 'problem'>
}

export function attemptLine(
  { at, capture, target, answer }: Attempt,
  notes: readonly (string | null)[],
): string {
  const { isDelivered, status, durationUs, problem } = answer
  const without = isDelivered ? 'delivered' : 'no response'
  return [
    localTime(at),
    '<-',
    `#${capture}`.padEnd(7),
    sanitize(target),
    status === null ? without : String(status),
    `${(durationUs / 1000).toFixed(1)} ms`,
    [problem && sanitize(problem), ...notes].filter((word) => word !== null).join(', '),
  ]
    .join('  ')
    .trimEnd()
}
