import { endJob } from './invoices-jobs.ts'
import { type InvoicesWork, confirm } from './invoices-work.ts'

/** Those named, or the pending ones of the filter. */
export const cancel: InvoicesWork = async (session, network, asked, invocation) => {
  const { ids, filter } = asked
  const byFilter = ids.length === 0
  const count = byFilter ? await countPending() : ids.length
  invocation.terminal.note(`${count} ${count === 1 ? 'invoice' : 'invoices'} to cancel.`)
  await confirm('A cancelled invoice stays cancelled. Cancel?', asked, invocation)
  const job = await session.call('invoiceCancel.start', {
    network: network.id,
    invoices: byFilter ? { filter } : { ids: [...ids] },
  })
  const wayOn = 'Run it again: what is cancelled is left out.'
  return endJob(session, job, wayOn, asked.json, invocation)

  async function countPending(): Promise<number> {
    const pending = { ...filter, statuses: ['pending'] }
    const page = { network: network.id, filter: pending, offset: 0, limit: 1 }
    return (await session.call('invoice.page', page)).total
  }
}
