import type { InvoiceJob } from '../../../../src-preload/contract/invoice-job.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { saveExport } from '../../../components/files/save-export.ts'
import { countSettled, sayCounts, titleOf } from './job-words.ts'
import { followJob, invoiceJobsOf } from './jobs.ts'

export async function pauseJob(job: InvoiceJob): Promise<void> {
  await ask(job, 'Could not pause it', 'invoiceJob.pause', 'paused')
}

export async function resumeJob(job: InvoiceJob): Promise<void> {
  const next = await ask(job, 'Could not resume it', 'invoiceJob.resume', 'goes on')
  if (next !== undefined) await followJob(next)
}

export async function cancelJob(job: InvoiceJob): Promise<void> {
  const left = job.total - countSettled(job)
  const what = job.kind === 'issue' ? 'issued' : 'cancelled'
  const yes = await confirm({
    title: `Stop “${titleOf(job)}” for good?`,
    detail: `${sayCounts(job)}: that stays. ${formatCount(left, 'invoice')} will not be ${what}; to go on later, pause it instead.`,
    action: 'Stop the job',
    destructive: true,
  })
  if (yes) await ask(job, 'Could not stop it', 'invoiceJob.cancel', 'stopped')
}

export async function removeJob(job: InvoiceJob): Promise<void> {
  const yes = await confirm({
    title: `Remove the report of “${titleOf(job)}”?`,
    detail: 'Its invoices stay as they are, here and at the gateway.',
    action: 'Remove the report',
    destructive: true,
  })
  if (!yes) return
  const { id } = job
  const done = await attempt('Could not remove it', () => request('invoiceJob.remove', { id }))
  if (done === undefined) return
  void invoiceJobsOf(job.network).reload()
  showToast({ title: `“${titleOf(job)}” removed` })
}

/** Id, link, amount and description of those it has issued, for a mailing or one's own books. */
export function exportLinks({ id }: InvoiceJob): void {
  void saveExport('CSV', () => request('invoiceIssue.export', { id }))
}

async function ask(
  job: InvoiceJob,
  failure: string,
  route: 'invoiceJob.pause' | 'invoiceJob.resume' | 'invoiceJob.cancel',
  said: string,
): Promise<InvoiceJob | undefined> {
  const next = await attempt(failure, () => request(route, { id: job.id }))
  if (next === undefined) return undefined
  await invoiceJobsOf(job.network).reload()
  announce(`${titleOf(job)} ${said}`)
  return next
}
