import type { InvoiceSync } from '../../src-preload/contract/invoice.ts'
import type { Network } from '../../src-preload/contract/network.ts'
import { exitCodes } from './command.ts'
import { money } from './invoices-list.ts'
import { type InvoicesWork, someLeft } from './invoices-work.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'

const maxShown = 100
/** What two of gateway, chain and deliveries say otherwise. */
const disagreements = ['chain-ahead', 'gateway-ahead', 'reported-differs', 'unmatched'] as const

/** Reads gateway and chain; says what has changed here, and what does not agree now. */
export const reconcile: InvoicesWork = async (session, network, asked, { terminal }) => {
  const { json } = asked
  const changed = new Set<string>()
  const unfollow = await session.on((messages) => {
    for (const { name, payload } of messages) {
      if (name !== 'invoice.changed' || payload.network !== network.id) continue
      for (const id of payload.ids ?? []) changed.add(id)
    }
  })
  let state: InvoiceSync
  const before = await session.call('invoice.counts', { network: network.id })
  try {
    state = await session.call('invoiceSync.run', { network: network.id, full: asked.full })
  } finally {
    unfollow()
  }
  const after = await session.call('invoice.counts', { network: network.id })
  const say = (event: object, text: string) =>
    terminal.print(json ? JSON.stringify(event) : plain(text))

  for (const id of [...changed].slice(0, maxShown)) {
    const { status, amount, currency, overpayment } = await session.call('invoice.get', {
      network: network.id,
      id,
    })
    const over = overpayment === '0' ? '' : `, overpaid ${money(overpayment, currency)}`
    await say(
      { event: 'changed', id, status, amount, currency, overpayment },
      `changed   ${id}  ${status}  ${money(amount, currency)}${over}`,
    )
  }
  const problems = await findProblems(session, network, state)
  for (const { event, text } of problems) await say(event, text)

  const added = after.total - before.total
  const told = { event: 'reconciled', total: after.total, added, changed: changed.size }
  if (json) await terminal.print(JSON.stringify({ ...told, differences: problems.length }))
  terminal.note(
    `${after.total} invoices, ${added} of them new here; ${changed.size} changed; ` +
      (problems.length === 0 ? 'all agrees.' : `${problems.length} do not agree.`),
  )
  return problems.length === 0 ? exitCodes.ok : someLeft
}

type Problem = { readonly event: object; readonly text: string }

async function findProblems(
  session: Session,
  network: Network,
  { unread, problem, chain }: InvoiceSync,
): Promise<Problem[]> {
  const said = [problem, chain.problem].filter((each) => each !== null)
  const sums = await session.call('invoiceStats.gateway', { network: network.id })
  const matters = await Promise.all(
    disagreements.map(async (kind) => {
      const page = { network: network.id, kind, offset: 0, limit: maxShown }
      return (await session.call('matter.page', page)).matters
    }),
  )
  return [
    ...said.map((text) => ({ event: { event: 'problem', text }, text: `problem   ${text}` })),
    ...unread.map((text) => ({ event: { event: 'unread', text }, text: `unread    ${text}` })),
    ...sums
      .filter(({ agrees }) => !agrees)
      .map((each) => ({
        event: { event: 'sum', ...each },
        text: `sum       ${each.currency}: the gateway counts ${each.gateway.total}, the ledger ${each.ledger.total}`,
      })),
    ...matters.flat().map(({ kind, invoice, payment, amount, currency }) => ({
      event: {
        ...{ event: 'difference', kind, invoice: invoice?.id ?? null },
        ...{ transaction: payment?.hash ?? null, amount, currency },
      },
      text: `${kind}  ${invoice?.id ?? payment?.hash ?? ''}${amount === null ? '' : `  ${money(amount, currency)}`}`,
    })),
  ]
}
