import type { InvoiceJob, InvoiceJobItem } from '../../../../src-preload/contract/invoice-job.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import type { Tone } from '../../../ui/tag.tsx'
import { sayOutcome } from '../../../components/jobs/job-state.ts'

type ItemState = InvoiceJobItem['state']

/** By what was asked: an invoice is issued, or cancelled. */
const doneWords: Record<InvoiceJob['kind'], string> = {
  issue: 'issued',
  cancel: 'cancelled',
}

export function itemWord(kind: InvoiceJob['kind'], state: ItemState): string {
  switch (state) {
    case 'waiting':
      return 'waiting'
    case 'asked':
      return 'being asked'
    case 'done':
      return doneWords[kind]
    case 'failed':
      return kind === 'issue' ? 'not issued' : 'not cancelled'
    case 'unclear':
      return 'unclear'
  }
}

export const itemTones: Record<ItemState, Tone> = {
  waiting: 'plain',
  asked: 'plain',
  done: 'ok',
  failed: 'bad',
  unclear: 'warn',
}

/** `Issue 498 invoices`. */
export function titleOf({ kind, total }: Pick<InvoiceJob, 'kind' | 'total'>): string {
  return `${kind === 'issue' ? 'Issue' : 'Cancel'} ${formatCount(total, 'invoice')}`
}

/** Those of which one knows by now how they went, or that it cannot be told. */
export function countSettled({ done, failed, unclear }: InvoiceJob): number {
  return done + failed + unclear
}

/** How they went, as far as it is known: `480 issued, 5 not issued, 1 unclear`. */
export function sayCounts(job: InvoiceJob): string {
  const { kind, done, failed, unclear, total } = job
  const left = total - countSettled(job)
  const isOver = job.state === 'cancelled'
  const parts = [
    `${formatNumber(done)} ${doneWords[kind]}`,
    failed > 0 && `${formatNumber(failed)} ${itemWord(kind, 'failed')}`,
    unclear > 0 && `${formatNumber(unclear)} unclear`,
    isOver && left > 0 && `${formatNumber(left)} left out`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** What is to be told of a job that has come to an end or a stop; null while it runs. */
export function outcomeOf(job: InvoiceJob): string | null {
  return sayOutcome(job, sayCounts(job))
}

/** What can be done about those that are unclear; null where there is none. */
export function sayUnclear({ kind, unclear }: InvoiceJob): string | null {
  if (unclear === 0) return null
  return kind === 'issue'
    ? 'Of the unclear ones it cannot be told whether the gateway made them. None is asked for again by itself: look at each, and say what it is.'
    : 'Of the unclear ones it cannot be told whether the gateway cancelled them: the next reading of its list will show.'
}

/** And about those that did not work, once it is over. */
export function sayFailed({ kind, failed, state }: InvoiceJob): string | null {
  if (failed === 0 || (state !== 'done' && state !== 'cancelled')) return null
  return kind === 'issue'
    ? 'Those that were not issued do not exist at the gateway: mend what is said of them in the file and issue these lines again.'
    : 'Those that were not cancelled are as the gateway has them now: one that was paid or has expired can no longer be cancelled.'
}
