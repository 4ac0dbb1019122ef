import type { InvoiceJob, InvoiceJobItem } from '../../src-preload/contract/invoice-job.ts'
import { type Invocation, exitCodes } from './command.ts'
import { followJob, progressLine } from './follow-job.ts'
import { money } from './invoices-list.ts'
import { someLeft } from './invoices-work.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'

const pageRows = 500

/**
 * Follows a job that issues or cancels to its end, and prints what became of each invoice.
 * @param wayOn how to go on with it, as a sentence
 */
export async function endJob(
  session: Session,
  begun: InvoiceJob,
  wayOn: string,
  json: boolean,
  invocation: Invocation,
): Promise<number> {
  const { id } = begun
  const { terminal } = invocation
  // A command of its own has no start that takes up what was left; where it runs this does nothing.
  if (begun.state !== 'done') await session.call('invoiceJob.resume', { id })
  const job = await followJob<InvoiceJob>(
    session,
    {
      name: `Job ${id}`,
      wayOn,
      get: () => session.call('invoiceJob.get', { id }),
      pause: () => session.call('invoiceJob.pause', { id }),
      seenIn({ name, payload }) {
        if (name === 'invoiceJob.removed' && payload.id === id) return null
        return name === 'invoiceJob.changed'
          ? payload.jobs.find((each) => each.id === id)
          : undefined
      },
      progressOf: (each) => progressLine(each.done + each.failed + each.unclear, each.total, each),
    },
    invocation,
  )
  for await (const item of itemsOf(session, id)) {
    await terminal.print(
      json ? JSON.stringify({ event: 'invoice', job: id, ...item }) : describe(item),
    )
  }
  const { done, failed, unclear } = job
  if (json) await terminal.print(JSON.stringify({ event: 'done', job: id, done, failed, unclear }))
  terminal.note(`Done: ${done}; refused: ${failed}; unclear: ${unclear}.`)
  if (unclear > 0) {
    terminal.note(
      'What is unclear is not asked for again: look for it in the app, or in the console.',
    )
  }
  return failed + unclear === 0 ? exitCodes.ok : someLeft
}

async function* itemsOf(session: Session, id: number): AsyncGenerator<InvoiceJobItem> {
  for (let offset = 0; ; offset += pageRows) {
    const page = { id, offset, limit: pageRows }
    const { items } = await session.call('invoiceJob.items', page)
    yield* items
    if (items.length < pageRows) return
  }
}

function describe(item: InvoiceJobItem): string {
  const { state, invoice, amount, currency, paymentLink, message } = item
  const isDone = state === 'done'
  const parts = [
    plain(invoice ?? '-').padEnd(10),
    money(amount, currency),
    !isDone && state,
    isDone && paymentLink !== null && plain(paymentLink),
    !isDone && message !== null && plain(message),
  ]
  return parts.filter((part) => part !== false).join('  ')
}
