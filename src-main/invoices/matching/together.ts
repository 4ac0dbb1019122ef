/**
 * An invoice and those for its rest count as one: the amount of the first, the money of all, and the end of
 * the one that is to be paid. Money to several of them is one overpayment. Pure.
 */
import type { Invoice } from '../../../src-preload/contract/invoice.ts'
import { linkForDue } from '../../../src-preload/contract/invoice-money.ts'
import { serializeUnits } from '../../../src-preload/domain/amount.ts'
import type { InvoiceGroup, StoredInvoice } from '../store/invoice-rows.ts'
import type { StoredPayment } from '../store/payments.ts'

/** The invoice that is to be paid, else the one that was paid or the newest, with the amounts of all. */
export function uniteInvoices(group: InvoiceGroup): StoredInvoice {
  const sum = (unitsOf: (each: StoredInvoice) => bigint) =>
    group.reduce((total, each) => total + unitsOf(each), 0n)
  const { amount, createdAt } = group[0]
  const paid = group.findLast(({ status }) => status === 'paid')
  const pending = group.findLast(({ status }) => status === 'pending')
  const last = pending ?? paid ?? group.at(-1) ?? group[0]
  // The gateway counts this much in all; once one is paid, they keep the first one's amount of it.
  const counted = sum((each) => each.overpayment + (each.status === 'paid' ? each.amount : 0n))
  const over = counted - (paid === undefined ? 0n : amount)
  return {
    ...last,
    ...(paid !== undefined && { status: paid.status, changedAt: paid.changedAt }),
    amount,
    createdAt,
    received: sum(({ received }) => received),
    refunded: sum(({ refunded }) => refunded),
    overpayment: over > 0n ? over : 0n,
  }
}

/** The link of the one that is to be paid, with the amount that is due of all. */
export function linkOfGroup(group: InvoiceGroup): string {
  const { id } = uniteInvoices(group)
  const last = group.find((each) => each.id === id) ?? group[0]
  const { status, currency, paymentLink, amount, received, overpayment } = last
  const units = serializeUnits({ amount, received, overpayment })
  return linkForDue(paymentLink, { status, currency, ...units, together: describeGroup(group, id) })
}

/** The payments of all, oldest first. */
export const sortPayments = (payments: readonly StoredPayment[]): StoredPayment[] =>
  payments.toSorted((a, b) => a.at - b.at || (a.lt < b.lt ? -1 : 1))

export function describeGroup(group: InvoiceGroup, id: string): NonNullable<Invoice['together']> {
  const { id: last, status, amount, received, overpayment, refunded } = uniteInvoices(group)
  const others = [...(id === last ? [] : [{ id: last }]), ...group].filter((each) => each.id !== id)
  const units = serializeUnits({ amount, received, overpayment, refunded })
  return { other: others[0]?.id ?? id, isLast: id === last, status, ...units }
}
