import type { CaptureRow } from '../../../../src-preload/contract/capture.ts'
import type { ForwardSummary } from '../../../../src-preload/domain/capture-words.ts'
import { formatAsset } from '../../../components/amount.ts'
import { formatCount } from '../../../ui/format.ts'
import { symbolOf } from '../../../components/chain/amount.tsx'
import type { Tone } from '../../../ui/tag.tsx'

type Mark = { readonly tone: Tone; readonly word: string; readonly why: string }

/** What deserves a look in a capture, beside what it says. */
export function marksOf(row: CaptureRow): Mark[] {
  const marks: Mark[] = []
  if (row.origin !== 'received') {
    marks.push({ tone: 'plain', word: row.origin, why: originWords[row.origin] })
  }
  if (row.token === 'wrong') {
    const why = 'Its bearer token is none of the webhook tokens known here.'
    marks.push({ tone: 'warn', word: 'wrong token', why })
  }
  if (row.token === 'missing') {
    const why = 'It came without the bearer token that webhook events carry.'
    marks.push({ tone: 'warn', word: 'missing token', why })
  }
  if (row.duplicateOf !== null) {
    const same = row.kind === 'unknown' ? 'body' : 'event'
    const why = `The same ${same} as capture ${row.duplicateOf}.`
    marks.push({ tone: 'plain', word: 'duplicate', why })
  }
  if (row.outOfOrder) {
    const why = 'An event of this account with a later logical time had arrived before.'
    marks.push({ tone: 'warn', word: 'out of order', why })
  }
  if (row.meaning.success === false) {
    const { exitCode } = row.meaning
    const why = 'Its transaction failed.'
    marks.push({ tone: 'bad', word: exitCode === null ? 'failed' : `exit ${exitCode}`, why })
  }
  if (row.completeness === 'truncated') {
    const why = 'Longer than the limit: only its beginning was kept.'
    marks.push({ tone: 'bad', word: 'truncated', why })
  }
  if (row.completeness === 'partial') {
    const why = 'Broken off or too slow: what had arrived was kept.'
    marks.push({ tone: 'bad', word: 'partial', why })
  }
  return marks
}

export const forwardWords: Readonly<Record<ForwardSummary, Mark>> = {
  waiting: { tone: 'plain', word: 'waiting', why: 'It waits for its target, or for its turn.' },
  failed: { tone: 'bad', word: 'failing', why: 'It was tried in vain, and is tried again.' },
  delivered: { tone: 'ok', word: 'delivered', why: 'Each of its targets has taken it.' },
  dropped: { tone: 'warn', word: 'dropped', why: 'It was given up.' },
}

export const originWords: Readonly<Record<CaptureRow['origin'], string>> = {
  received: 'Delivered to this receiver.',
  rebuilt:
    'Nobody delivered it: it was made here from the chain, for an event that did not arrive.',
  imported: 'Nobody delivered it here: it comes from a file.',
  test: 'The gateway did not deliver it: it was sent from here to try the way.',
}

export function statusTone(status: number): Tone {
  if (status < 200) return 'plain'
  if (status < 400) return 'ok'
  return status < 500 ? 'warn' : 'bad'
}

/**
 * What a capture is, in a line: the head of its detail. A claim of the sender, as all its content.
 * @param account what its account is called
 */
export function titleOf(row: CaptureRow, account: string | null): string {
  const of = (words: string, join: string) =>
    account === null ? words : `${words} ${join} ${account}`
  const { amount } = row.meaning
  if (amount !== null && row.kind !== 'invoice') {
    const moved = `${formatAsset(amount.units, amount.asset)} ${symbolOf(amount.asset)}`
    return amount.direction === 'in' ? of(`${moved} received`, 'by') : of(`${moved} sent`, 'by')
  }
  switch (row.kind) {
    case 'account_tx':
      return of('Transaction', 'of')
    case 'opcode_msg':
      return of('Message by opcode', 'to')
    case 'new_contracts':
      return of('New contract', '')
    case 'mempool_msg':
      return of('Message in the mempool', 'to')
    case 'invoice':
      return row.summary === '' ? 'Invoice' : `Invoice: ${row.summary}`
    case 'unknown':
    case null:
      return `${row.method} ${row.subpath === '' ? '/' : row.subpath}`
  }
}

/** Said for a row by a screen reader where cells alone would not tell. */
export function countMarked(count: number): string {
  return `${formatCount(count, 'capture')} selected`
}
