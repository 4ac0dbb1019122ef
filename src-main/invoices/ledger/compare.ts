/** Decides whether a response or a delivery changes an invoice, and how. Pure. */
import type { StoredInvoice } from '../store/invoice-rows.ts'
import type { ReportOutcome, StoredReport } from '../store/invoice-reports.ts'

export type Observed = Pick<StoredInvoice, 'status' | 'overpayment' | 'changedAt'>

export type Change =
  | { readonly kind: 'created' }
  | { readonly kind: 'status'; readonly from: string; readonly to: string }
  | { readonly kind: 'overpayment'; readonly from: bigint; readonly to: bigint }

/** A status only advances: pending, then undocumented ones, then final ones. */
function rankOf(status: string): number {
  if (status === 'pending') return 0
  return status === 'paid' || status === 'cancelled' || status === 'expired' ? 2 : 1
}

/**
 * Gateway times have whole seconds, so two states may share one, and an overpayment grows without changing
 * the time. Then the response to a request that came after `known` was written (`isAskedSince`) counts as
 * newer.
 */
export function isOlder(told: Observed, known: Observed, isAskedSince: boolean): boolean {
  if (told.changedAt !== known.changedAt) return told.changedAt < known.changedAt
  if (isAskedSince) return false
  const [toldRank, knownRank] = [rankOf(told.status), rankOf(known.status)]
  if (toldRank !== knownRank) return toldRank < knownRank
  return told.status === known.status && told.overpayment < known.overpayment
}

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

function isBefore({ status, changedAt }: Word, known: Observed): boolean {
  if (changedAt !== null && changedAt !== known.changedAt) return changedAt < known.changedAt
  return rankOf(status) < rankOf(known.status)
}

function agrees({ status, overpayment }: Word, known: Observed): boolean {
  // A gateway may report overpayments elsewhere, so a missing one is no difference.
  return status === known.status && (overpayment === null || overpayment <= known.overpayment)
}

/** Whether the gateway has already confirmed the whole claim: a repeat or a late delivery. */
export function isNoNews(word: Word, known: Observed): boolean {
  if (isBefore(word, known)) return true
  const isLater = word.changedAt !== null && word.changedAt > known.changedAt
  return !isLater && agrees(word, known)
}

export function outcomeOf(word: Word, known: Observed): ReportOutcome {
  if (agrees(word, known)) return 'confirmed'
  return isBefore(word, known) ? 'stale' : 'differs'
}
