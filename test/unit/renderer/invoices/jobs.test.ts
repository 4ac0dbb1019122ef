import { expect, test, vi } from 'vitest'
import type { InvoiceJob } from '../../../../src-preload/contract/invoice-job.ts'
import { isJobListed } from '../../../../src-renderer/features/invoices/jobs/jobs-view.tsx'

// The address form is read from the storage while modules load.
vi.hoisted(() => vi.stubGlobal('window', { localStorage: { getItem: () => null } }))

const job: InvoiceJob = {
  id: 1,
  state: 'done',
  problem: null,
  rate: null,
  secondsLeft: null,
  network: 'sandbox',
  kind: 'issue',
  createdAt: 1,
  finishedAt: 2,
  total: 1,
  done: 1,
  failed: 0,
  unclear: 0,
}

test('a job of one invoice is listed only while it runs, or if it failed or has an unknown outcome', () => {
  expect(isJobListed(job)).toBe(false)
  expect(isJobListed({ ...job, total: 2, done: 2 })).toBe(true)
  expect(isJobListed({ ...job, state: 'running', done: 0 })).toBe(true)
  expect(isJobListed({ ...job, failed: 1 })).toBe(true)
  expect(isJobListed({ ...job, unclear: 1 })).toBe(true)
})
