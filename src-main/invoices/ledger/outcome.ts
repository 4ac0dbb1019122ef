/** What a delivery's word is worth beside the gateway's. Pure. */
import type { ReportOutcome, StoredReport } from '../store/invoice-reports.ts'
import { type Observed, rankOf } from './compare.ts'

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
