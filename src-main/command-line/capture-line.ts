import type { CaptureRow } from '../../src-preload/contract/index.ts'
import { plain } from './terminal.ts'

/** One delivery on one line: time, kind, account, status answered, bytes, and what is odd about it. */
export function captureLine(row: CaptureRow): string {
  const odd = [
    row.completeness === 'complete' ? null : row.completeness,
    row.token === 'wrong' || row.token === 'missing' ? `token ${row.token}` : null,
    row.duplicateOf === null ? null : `duplicate of ${row.duplicateOf}`,
    row.outOfOrder ? 'out of order' : null,
  ]
  return [
    localTime(row.receivedAt),
    (row.kind ?? 'unclassified').padEnd(13),
    shortAccount(row.account).padEnd(13),
    String(row.status ?? '-').padStart(3),
    `${row.bodyBytes} B`.padStart(9),
    odd.filter((word) => word !== null).join(', '),
  ]
    .join('  ')
    .trimEnd()
}

function localTime(microseconds: number): string {
  const date = new Date(Math.floor(microseconds / 1000))
  const two = (value: number) => String(value).padStart(2, '0')
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** The sender's own text, so nothing in it may reach the terminal as a command. */
function shortAccount(account: string | null): string {
  if (account === null) return '-'
  const shown = plain(account)
  return shown.length <= 13 ? shown : `${shown.slice(0, 6)}…${shown.slice(-6)}`
}
