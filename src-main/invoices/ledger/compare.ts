/** Whether an answer is news, and what of it. Pure. */
import type { StoredInvoice } from '../store/stored-invoice.ts'
import type { ReportOutcome, StoredReport } from '../store/invoice-reports.ts'

export type Observed = Pick<StoredInvoice, 'status' | 'overpayment' | 'changedAt'>

export type Change =
  | { readonly kind: 'created' }
  | { readonly kind: 'status'; readonly from: string; readonly to: string }
  | { readonly kind: 'overpayment'; readonly from: bigint; readonly to: bigint }

/** States only go on: from pending, over what is not documented, to what ends an invoice. */
function rankOf(status: string): number {
  if (status === 'pending') return 0
  return status === 'paid' || status === 'cancelled' || status === 'expired' ? 2 : 1
}

/**
 * Moments of the gateway are seconds, so that two states may have one; and an overpayment grows
 * without moving the moment.
 * @param isAskedSince the gateway was asked after `known` had been written: it is the later word
 */
export function isOlder(told: Observed, known: Observed, isAskedSince: boolean): boolean {
  if (told.changedAt !== known.changedAt) return told.changedAt < known.changedAt
  if (isAskedSince) return false
  const [toldRank, knownRank] = [rankOf(told.status), rankOf(known.status)]
  if (toldRank !== knownRank) return toldRank < knownRank
  return told.status === known.status && told.overpayment < known.overpayment
}

/** @param known null for one that is new here */
export function changesBetween(known: Observed | null, told: Observed): Change[] {
  const changes: Change[] = known === null ? [{ kind: 'created' }] : []
  const from = known ?? { status: 'pending', overpayment: 0n }
  if (told.status !== from.status) {
    changes.push({ kind: 'status', from: from.status, to: told.status })
  }
  if (told.overpayment !== from.overpayment) {
    changes.push({ kind: 'overpayment', from: from.overpayment, to: told.overpayment })
  }
  return changes
}

type Word = Pick<StoredReport, 'status' | 'changedAt' | 'overpayment'>

/** Told before what is known came about; where it does not say when, by its state alone. */
function isBefore({ status, changedAt }: Word, known: Observed): boolean {
  if (changedAt !== null && changedAt !== known.changedAt) return changedAt < known.changedAt
  return rankOf(status) < rankOf(known.status)
}

function agrees({ status, overpayment }: Word, known: Observed): boolean {
  // One without an overpayment may be of a gateway that tells it elsewhere.
  return status === known.status && (overpayment === null || overpayment <= known.overpayment)
}

/** Nothing that the gateway has not confirmed already: a repeat, or one that comes late. */
export function isNoNews(word: Word, known: Observed): boolean {
  if (isBefore(word, known)) return true
  const isLater = word.changedAt !== null && word.changedAt > known.changedAt
  return !isLater && agrees(word, known)
}

/** @param known as the gateway says after the delivery came */
export function outcomeOf(word: Word, known: Observed): ReportOutcome {
  if (agrees(word, known)) return 'confirmed'
  return isBefore(word, known) ? 'stale' : 'differs'
}
