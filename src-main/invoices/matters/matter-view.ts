import type { Matter } from '../../../src-preload/contract/matter.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredMatter } from '../store/matters.ts'
import type { OutgoingTransfer } from '../store/outgoing-transfers.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { adviseOn, onUncounted, onUnmatched } from '../judge/advise.ts'
import type { LocalJudge } from '../judge/reconciler.ts'
import type { PaymentView } from '../match/payment-view.ts'
import { money } from '../match/words.ts'
import type { UncountedPayments } from '../match/uncounted.ts'
import type { Ledger } from '../parts.ts'

/** Which transfer back to the payer gives a matter's money back, as far as the chain tells. Pure. */

type RefundLook = {
  /** What is to be returned; null where no amount is in question. */
  readonly amount: bigint | null
  /** Told in the comment of what is prepared here: an invoice's id, or how a payment's hash begins. */
  readonly id: string | null
}

/** As `refund.prepare` proposes it. */
const refundOfOne = /^\s*refund of (?:invoice|payment) \S/i

/**
 * One payer may have several matters: what names another one, or is of another amount, is no sign that
 * this one was given back.
 *
 * @param transfers newest first: since the matter came about, to a payer, in its currency
 */
export function findRefund(
  transfers: readonly OutgoingTransfer[],
  { amount, id }: RefundLook,
): OutgoingTransfer | null {
  const named = transfers.find(
    ({ comment }) => id !== null && comment?.toLowerCase().includes(id.toLowerCase()),
  )
  if (named !== undefined) return named
  const unnamed = transfers.filter(({ comment }) => !refundOfOne.test(comment ?? ''))
  return unnamed.find((each) => each.amount === amount) ?? null
}

type MatterViewDeps = {
  readonly store: Pick<InvoiceStore, 'payments' | 'figures' | 'outgoing'>
  readonly ledger: Pick<Ledger, 'view'>
  readonly reconciler: Pick<LocalJudge, 'known'>
  readonly uncounted: Pick<UncountedPayments, 'invoiceOf'>
  readonly view: PaymentView
}

/** What a matter is about: one of the two, and for an invoice its payments, oldest first. */
export type Subject = {
  readonly invoice: StoredInvoice | null
  readonly payment: StoredPayment | null
  readonly payments: readonly StoredPayment[]
  /** The invoice that the payment names, and does not count for. */
  readonly named: StoredInvoice | null
}

export type MatterView = {
  subject(matter: StoredMatter): Subject
  refundOf(matter: StoredMatter, subject: Subject): OutgoingTransfer | null
  all(network: NetworkId, matters: readonly StoredMatter[]): Matter[]
}

export function createMatterView({
  store,
  ledger,
  reconciler,
  uncounted,
  view,
}: MatterViewDeps): MatterView {
  function subject({ network, invoiceKey, paymentKey }: StoredMatter): Subject {
    if (paymentKey !== null) {
      const payment = store.payments.get(network, paymentKey)
      if (payment === null) return { invoice: null, payment, payments: [], named: null }
      const named = uncounted.invoiceOf(payment)
      return { invoice: null, payment, payments: [payment], named }
    }
    const key = invoiceKey ?? 0
    const [invoice] = store.figures.byKeys([key])
    const payments = store.payments.ofInvoice(key)
    return { invoice: invoice ?? null, payment: null, payments, named: null }
  }

  function refundOf(matter: StoredMatter, { invoice, payment, payments }: Subject) {
    const account = invoice?.payTo ?? payment?.account
    const currency = invoice?.currency ?? payment?.currency
    if (account === undefined || currency === undefined) return null
    const paidBy = invoice?.paidBy ?? null
    const payers = new Set([...payments.map(({ payer }) => payer), ...(paidBy ? [paidBy] : [])])
    const transfers = [...payers].flatMap((payer) =>
      store.outgoing.to(matter.network, account, payer, currency, matter.since),
    )
    const amount = returnable(matter, invoice, payments)
    return findRefund(transfers, { amount, id: invoice?.id ?? payment?.hash.slice(0, 8) ?? null })
  }

  function adviceOn({ kind }: StoredMatter, { invoice, payment, payments, named }: Subject) {
    if (invoice !== null) return adviseOn(kind, invoice, payments, reconciler.known(invoice))
    if (payment === null) return onUnmatched('it', [])
    if (named !== null) return onUncounted(payment, named)
    const evidence = payment.evidence.filter(({ fits }) => !fits).map(({ text }) => text)
    return onUnmatched(`the ${money(payment.amount, payment.currency)}`, evidence)
  }

  return {
    subject,
    refundOf,
    all(network, matters) {
      const subjects = matters.map(subject)
      const invoices = ledger.view(
        network,
        subjects.flatMap(({ invoice, named }) => invoice ?? named ?? []),
      )
      const payments = view(
        network,
        subjects.flatMap(({ payment }) => payment ?? []),
      )
      return matters.flatMap((matter, index): Matter[] => {
        const about = subjects[index]
        if (about === undefined) return []
        const { invoice, payment, named } = about
        const currency = invoice?.currency ?? payment?.currency
        // Gone between two reads.
        if (currency === undefined) return []
        const refund = refundOf(matter, about)
        return [
          {
            key: matter.key,
            network,
            kind: matter.kind,
            invoice: invoices.find(({ id }) => id === (invoice ?? named)?.id) ?? null,
            payment: payments.find(({ key }) => key === payment?.key) ?? null,
            amount: matter.amount?.toString() ?? null,
            currency,
            since: matter.since,
            advice: adviceOn(matter, about),
            note: matter.note,
            handledAt: matter.handled?.at ?? null,
            refund:
              refund === null
                ? null
                : {
                    hash: refund.hash,
                    at: refund.at,
                    amount: refund.amount.toString(),
                    currency: refund.currency,
                  },
          },
        ]
      })
    },
  }
}

/** What a transfer back gives back; of what is missing, nothing is to be returned. */
function returnable(
  { kind, amount }: StoredMatter,
  invoice: StoredInvoice | null,
  payments: readonly StoredPayment[],
): bigint | null {
  if (kind === 'gateway-ahead') return null
  if (kind !== 'partial' || invoice?.status !== 'pending') return amount
  return payments.reduce((sum, payment) => sum + payment.amount, 0n)
}
