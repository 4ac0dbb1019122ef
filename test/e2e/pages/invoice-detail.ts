/** Drives the open invoice beside the list. */
import type { Page } from '@playwright/test'
import { copy } from './frame.ts'

const text = {
  paidByComment: 'comment',
  writtenByYou: 'you',
  askForTheRest: (amount: string) => `Ask the payer for another ${amount}.`,
  pleasePay: (amount: string) => `Please pay ${amount}`,
  returnAmount: (amount: string) => `Refund ${amount}.`,
  nothingPaid: /nothing was paid|no payment/i,
}

/** The payment link as a QR code. */
export const paymentLinkName = (id: string) => `Payment link of invoice ${id}`

export function invoiceDetail(page: Page) {
  const open = page.getByRole('region', { name: /^Invoice [0-9a-f]+$/ })
  const nextStep = open.getByRole('region', { name: 'What to do next' })
  return {
    text,
    open,
    title: open.getByRole('heading', { level: 2 }),
    nextStep,
    cancelButton: nextStep.getByRole('button', { name: 'Cancel invoice…' }),
    refundButton: nextStep.getByRole('button', { name: 'Prepare refund…' }),
    qrCode: (id: string) => open.getByRole('img', { name: paymentLinkName(id) }),
    due: open.locator('dt:text-is("Due") + dd'),
    paidOverpaid: open.getByText('paid, overpaid', { exact: true }),
    confirmed: open.getByText('confirmed', { exact: true }),
    /** The reason why a payment is linked to this invoice. */
    paymentReasons: open.getByRole('list', { name: /^Why the payment matches/ }),
    uncountedPayments: open.getByRole('list', { name: 'Payments not counted toward this invoice' }),
    payments: open.getByRole('region', { name: 'Payments' }),
    historyEntry: (words: string) => open.getByRole('listitem').filter({ hasText: words }),
    copyPaymentLink: () => copy(open, 'payment link'),
    copyTextToSend: () => copy(open, 'text for the payer'),
    addNote: async (note: string) => {
      await open.getByRole('textbox', { name: 'Note' }).fill(note)
      await open.getByRole('button', { name: 'Add the note' }).click()
    },
    markHandled: () => nextStep.getByRole('button', { name: 'Mark as handled' }).click(),
  }
}
