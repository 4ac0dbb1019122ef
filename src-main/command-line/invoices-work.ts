import type { Network } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Invocation, usageError } from './command.ts'
import type { AskedInvoices } from './invoices-options.ts'
import type { Session } from './session.ts'

/** What an action of `tondesk invoices` does, once what was typed is understood. */
export type InvoicesWork = (
  session: Session,
  network: Network,
  asked: AskedInvoices,
  invocation: Invocation,
) => Promise<number>

/** Done, and some of it was refused, is unclear, or does not agree. */
export const someLeft = 3

/** @throws AppError when the answer is no; USAGE where nobody can be asked */
export async function confirm(
  question: string,
  { yes, action }: AskedInvoices,
  { terminal }: Invocation,
): Promise<void> {
  if (yes) return
  const answer = await terminal.ask(question)
  if (answer === null) {
    throw usageError(`Nobody can be asked here: \`tondesk invoices ${action}\` needs --yes.`)
  }
  if (!answer) throw new AppError('NOT_CONFIRMED', 'Nothing was done.')
}
