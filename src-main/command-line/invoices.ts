import { describeMoney, moneyOf } from '../../src-preload/contract/invoice-money.ts'
import type { Invoice, InvoiceDetail, InvoiceSync } from '../../src-preload/contract/invoice.ts'
import type { Discrepancy } from '../../src-preload/contract/discrepancy.ts'
import type { Output } from '../../src-preload/contract/routes.ts'
import { currencyName, formatMoney } from '../../src-preload/domain/amount.ts'
import { createZoneTimes } from '../exports/zone-times.ts'
import { type CommandBody, exitCodes } from './command.ts'
import { joinSentence } from './watch-job.ts'
import { type InvoicesWork, cancel, create, exportInvoices, someLeft } from './invoices-jobs.ts'
import {
  type RequestedInvoices,
  invoicesOptions,
  readCreate,
  readExport,
  readInvoices,
  readReference,
} from './invoices-options.ts'
import { type NetworkRun, onNetwork } from './session.ts'
import { factLines, sanitize, writeEvent } from './terminal.ts'

export const invoiceCommands: CommandBody = {
  options: invoicesOptions,
  detail: [
    'An ACTION is one of\n  export        write the invoices of the local ledger, or a reconciliation report, to a file\n  list          list the invoices that match the filter, newest first\n  show ID       show one invoice with its history and the next action\n  set-order ID  set your own order reference of an invoice to --order TEXT; an empty TEXT removes it\n  create        create one invoice (--amount) or several (--file); prints ids and links\n  cancel ID…    cancel pending invoices; with --filter, all that match\n  reconcile     compare gateway and chain, and list the differences',
    'export, list, show and set-order use local data only and need no network. export writes FILE and\nFILE.manifest.json with row count, totals and SHA-256. If the export fails, neither file is written.',
    'The filter is --from, --to, --by, --status, --currency, --overpaid, --attention and --text. Days\nare in the time zone --zone; --to 2026-01-31 includes that day.',
    'create stores a draft before it contacts the gateway. After an interruption, --draft ID continues the\ndraft, and no invoice is created twice. cancel and create --file ask for confirmation without --yes.',
  ],
  exits: {
    3: 'create, cancel: done, but some requests were rejected or are unclear; reconcile: differences found',
  },
  async run(invocation) {
    const requested = readInvoices(invocation)
    const { action } = requested
    // Invalid options are refused before the app is reached.
    if (action === 'export') readExport(invocation, requested)
    if (action === 'create') readCreate(invocation)
    if (action === 'set-order') readReference(invocation)
    const isStored = stored.includes(action)
    const work = async (run: NetworkRun) => {
      const { network, dataDirectory } = run
      await writeEvent(run, { event: 'ready', network: network.id, dataDirectory })
      return works[action](run, requested)
    }
    return onNetwork(invocation, requested.network, 'Run the command again.', work, isStored)
  },
}

/** These actions use only the local ledger. */
const stored: readonly RequestedInvoices['action'][] = ['export', 'list', 'show', 'set-order']

const pageRows = 500

const list: InvoicesWork = async (run, requested) => {
  const { session, network, terminal, stop } = run
  const { filter, limit, zone } = requested
  const times = createZoneTimes(zone)
  const max = limit === 0 ? Infinity : limit
  let shown = 0
  let all: number
  let after: string | null = null
  do {
    const page: Output<'invoice.page'> = await session.call('invoice.page', {
      network: network.id,
      filter,
      from: { after },
      limit: Math.min(pageRows, Math.max(1, max - shown)),
    })
    all = page.total
    after = page.after
    for (const invoice of page.invoices) {
      const line = describe(invoice, (ms) => times.print(ms))
      await writeEvent(run, { event: 'invoice', ...invoice }, line)
    }
    shown += page.invoices.length
  } while (after !== null && shown < max && !stop.aborted)
  if (shown < all) terminal.note(`${shown} of ${all} invoices are shown. Use --limit to show more.`)
  return exitCodes.ok
}

function describe(invoice: Invoice, moment: (ms: number) => string): string {
  const { id, status, isConfirmed, currency, amount, received, matters, description } = invoice
  const { excess, uncounted } = moneyOf(invoice)
  const isExact = status === 'paid' && received === amount && uncounted.length === 0
  const hasCome = received !== null && received !== '0'
  return joinSentence(
    [
      moment(invoice.createdAt),
      sanitize(id).padEnd(10),
      (isConfirmed ? sanitize(status) : `(${sanitize(status)})`).padEnd(9),
      formatMoney(amount, currency).padStart(16),
      !isExact && (hasCome || excess > 0n || uncounted.length > 0) && describeMoney(invoice),
      matters.length > 0 && `! ${matters.join(', ')}`,
      description !== '' && sanitize(description),
      invoice.orderReference !== '' && sanitize(invoice.orderReference),
    ],
    '  ',
  )
}

const show: InvoicesWork = async (run, { ids, zone }) => {
  const [id = ''] = ids
  const times = createZoneTimes(zone)
  const found = await run.session.call('invoice.get', { network: run.network.id, id })
  const lines = describeWhole(found, (ms) => times.print(ms))
  await writeEvent(run, { event: 'invoice', ...found }, lines.join('\n'))
  return exitCodes.ok
}

const setOrder: InvoicesWork = async (run, requested) => {
  const [id = ''] = requested.ids
  const reference = readReference(run)
  await run.session.call('invoice.setOrder', { network: run.network.id, id, reference })
  return show(run, requested)
}

function describeWhole(invoice: InvoiceDetail, moment: (ms: number) => string): string[] {
  const { currency, payer, payerLabel, advice } = invoice
  const { due } = moneyOf(invoice)
  const paymentLine = (name: string, payment: InvoiceDetail['payments'][number]) =>
    `${name.padEnd(12)} ${moment(payment.at)}  ${formatMoney(payment.amount, payment.currency)}  ${payment.hash}`
  const facts: readonly (readonly [string, string | null])[] = [
    ['id', invoice.id],
    ['status', invoice.isConfirmed ? invoice.status : `${invoice.status}, not confirmed`],
    ['reported', invoice.reported?.status ?? null],
    ['amount', formatMoney(invoice.amount, currency)],
    ['received', describeMoney(invoice)],
    ['due', due === 0n ? null : formatMoney(String(due), currency)],
    ['description', invoice.description === '' ? null : invoice.description],
    ['order', invoice.orderReference === '' ? null : invoice.orderReference],
    ['payer', payer === null ? null : joinSentence([payerLabel, payer], ' ')],
    ['pay to', invoice.payTo],
    ['link', invoice.paymentLink],
    ['created', moment(invoice.createdAt)],
    ['expires', moment(invoice.expiresAt)],
    ['changed', moment(invoice.changedAt)],
    ['attention', invoice.matters.length === 0 ? null : invoice.matters.join(', ')],
    ['next', `${advice.title} ${advice.text}`],
  ]
  return [
    ...factLines(facts, 12),
    ...invoice.payments.map((payment) => paymentLine('payment', payment)),
    ...invoice.unlinked.map(
      (payment) =>
        paymentLine('not counted', payment) +
        (payment.names === null ? '  may be for this invoice' : ''),
    ),
    ...invoice.events.map(
      (event) => `${'event'.padEnd(12)} ${moment(event.at)}  ${sanitize(event.text)}`,
    ),
  ]
}

const maxShown = 100
const disagreements = ['chain-ahead', 'gateway-ahead', 'reported-differs', 'unmatched'] as const

const reconcile: InvoicesWork = async (run) => {
  const { session, options, terminal } = run
  const network = run.network.id
  const changed = new Set<string>()
  const unfollow = await session.on((messages) => {
    for (const { name, payload } of messages) {
      if (name !== 'invoice.changed' || payload.network !== network) continue
      for (const id of payload.ids ?? []) changed.add(id)
    }
  })
  const before = await session.call('invoice.counts', { network })
  const request = { network, full: options['full'] === true }
  const state = await session.call('invoiceSync.run', request).finally(unfollow)
  const after = await session.call('invoice.counts', { network })

  for (const id of [...changed].slice(0, maxShown)) {
    const invoice = await session.call('invoice.get', { network, id })
    const { status, amount, currency, overpayment } = invoice
    const over = overpayment === '0' ? '' : `, overpaid ${formatMoney(overpayment, currency)}`
    const line = `changed   ${id}  ${status}  ${formatMoney(amount, currency)}${over}`
    const event = { event: 'changed', id, status, amount, currency, overpayment }
    await writeEvent(run, event, sanitize(line))
  }
  const problems = await findProblems(run, state)
  for (const { event, text } of problems) await writeEvent(run, event, sanitize(text))

  const added = after.total - before.total
  const reconciled = { event: 'reconciled', total: after.total, added, changed: changed.size }
  await writeEvent(run, { ...reconciled, differences: problems.length })
  terminal.note(
    `${after.total} invoices, ${added} of them new; ${changed.size} changed; ` +
      (problems.length === 0 ? 'no differences.' : `${problems.length} with differences.`),
  )
  return problems.length === 0 ? exitCodes.ok : someLeft
}

async function findProblems(
  { session, network }: NetworkRun,
  { unread, problem, chain }: InvoiceSync,
) {
  const stated = [problem, chain.problem].filter((each) => each !== null)
  const sums = await session.call('invoiceStats.gateway', { network: network.id })
  const matters = await Promise.all(
    disagreements.map(async (kind) => {
      const page = { network: network.id, kind, offset: 0, limit: maxShown }
      return (await session.call('discrepancy.page', page)).matters
    }),
  )
  return [
    ...stated.map((text) => ({ event: { event: 'problem', text }, text: `problem   ${text}` })),
    ...unread.map((text) => ({ event: { event: 'unread', text }, text: `unread    ${text}` })),
    ...sums
      .filter(({ agrees }) => !agrees)
      .map((each) => ({
        event: { event: 'sum', ...each },
        text: `sum       the ${currencyName(each.currency)} totals differ: ${each.gateway.total} invoices and ${formatMoney(each.gateway.paidAmount, each.currency)} paid at the gateway, ${each.ledger.total} invoices and ${formatMoney(each.ledger.paidAmount, each.currency)} paid in the local ledger`,
      })),
    ...matters.flat().map(({ kind, invoice, payment, amount, currency }) => ({
      event: {
        event: 'difference',
        kind,
        invoice: invoice?.id ?? null,
        transaction: payment?.hash ?? null,
        amount,
        currency,
      },
      text: `${wordOf(kind, payment)}  ${invoice?.id ?? payment?.hash ?? ''}${amount === null ? '' : `  ${formatMoney(amount, currency)}`}`,
    })),
  ]
}

/** A payment that names an invoice but does not count is labelled as in the window. */
function wordOf(kind: Discrepancy['kind'], payment: Discrepancy['payment']): string {
  return payment === null || payment.uncounted === null ? kind : `wrong-${payment.uncounted}`
}

const works: Readonly<Record<RequestedInvoices['action'], InvoicesWork>> = {
  export: exportInvoices,
  list,
  show,
  'set-order': setOrder,
  create,
  cancel,
  reconcile,
}
