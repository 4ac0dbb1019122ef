/** Drives invoices and payments that need attention, refunds, and payments linked by hand. */
import type { Page } from '@playwright/test'
import { copy } from './frame.ts'

const text = {
  /** The text of the invoices’ entry in the navigation. */
  needsAttention: 'needs attention',
  returnAmount: (amount: string) => `Refund ${amount}`,
  refundSeen: 'refund seen',
  matchesNoInvoice: 'matches no invoice',
  isExactly: (amount: string) => `The amount is exactly ${amount}`,
  cannotBePaidIn: (currency: string) => `cannot be paid in ${currency}`,
}

export function attention(page: Page) {
  const nextStep = page.getByRole('region', { name: 'What to do next' })
  const refund = page.getByRole('dialog', { name: 'Prepare a refund' })
  const rows = page.getByRole('grid', { name: 'Discrepancies' }).locator('[data-index]')
  const candidate = (description: string) =>
    page.getByRole('listitem').filter({ hasText: description })
  return {
    text,
    rows,
    row: (words: string) => rows.filter({ hasText: words }),
    isEmpty: page.getByRole('heading', { name: 'Nothing needs attention' }),
    /** The open entry beside the list. */
    open: page.getByRole('region', { name: 'Discrepancy' }),
    refundSentBack: page.getByText(/sent back/),
    show: () => page.getByRole('link', { name: 'Needs attention', exact: true }).click(),
    markHandled: () => nextStep.getByRole('button', { name: 'Mark as handled' }).click(),
    undoHandled: () =>
      page
        .getByRole('dialog', { name: '1 discrepancy marked as handled' })
        .getByRole('button', { name: 'Undo' })
        .click(),
    saveNote: async (note: string) => {
      await page.getByRole('textbox', { name: 'Note' }).fill(note)
      await page.keyboard.press('Enter')
    },
    prepareRefund: () => nextStep.getByRole('button', { name: 'Prepare refund…' }).click(),
    refund: {
      amount: refund.getByRole('textbox', { name: 'Amount' }),
      recipient: refund.getByRole('textbox', { name: 'To' }),
      /** The link with its QR code and text, which is hidden while a field is invalid. */
      disabledParts: refund.locator('[inert]'),
      send: refund.getByRole('button', { name: /^Send from/ }),
      sent: refund.getByRole('button', { name: 'Sent' }),
      copyLink: () => copy(refund, 'refund link'),
      showSignedMessage: () => refund.getByText('Use a wallet that signs a BOC').click(),
      copyMessage: () => copy(refund, 'message as BOC'),
    },
    /** A candidate invoice for a payment without a comment. */
    candidate,
    linkTo: (description: string) =>
      candidate(description).getByRole('button', { name: 'Link payment to this invoice' }).click(),
    payment: (invoice: string) =>
      page
        .getByRole('grid', { name: 'Payments' })
        .locator('[data-index]')
        .filter({ hasText: invoice }),
  }
}
