/** Drives new invoices: one from the dialog, many from a file, and the jobs that issue them. */
import type { Page } from '@playwright/test'
import { copy, question } from './frame.ts'
import { paymentLinkName } from './invoice-detail.ts'

const text = {
  usdtDecimals: (given: number) => `USDT has 6 decimal places, but this amount has ${given}.`,
  tonDecimals: 'TON has 9 decimal places',
  until: /Until \d{4}-\d\d-\d\d/,
  pleasePay: (amount: string) => `Please pay ${amount}`,
  onSandbox: 'This is the sandbox',
  leftOut: (lines: number) => `${lines} lines are skipped`,
  issued: (count: number) => `${count} issued`,
}

/** The dialog for a new invoice, and the dialog that shares the invoice. */
export function newInvoice(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'New invoice' })
  const created = page.getByRole('dialog', { name: /^Invoice [0-9a-f]+ created$/ })
  return {
    text,
    dialog,
    amount: dialog.getByLabel('Amount'),
    cancel: dialog.getByRole('button', { name: 'Cancel', exact: true }),
    discardQuestion: question(page, 'Discard'),
    reading: (amount: string) => dialog.getByRole('button', { name: amount }),
    description: dialog.getByLabel('Description'),
    error: dialog.getByRole('alert'),
    chooseCurrency: async (currency: string) => {
      await dialog.getByRole('combobox', { name: 'Currency' }).click()
      await page.getByRole('option', { name: currency }).click()
    },
    chooseSevenDays: () => dialog.getByRole('button', { name: '7 d' }).click(),
    createTwice: () => dialog.getByRole('button', { name: 'Create invoice' }).dblclick(),
    lookForLostAnswer: () => dialog.getByRole('button', { name: 'Check again' }).click(),
    created: {
      dialog: created,
      qrCode: (id: string) => created.getByRole('img', { name: paymentLinkName(id) }),
      qrCodeTitle: (id: string) => `<title>${paymentLinkName(id)}</title>`,
      shareText: created.getByLabel('Text to share'),
      copyPaymentLink: () => copy(created, 'payment link'),
      copyShareText: () => copy(created, 'text for the payer'),
      saveQrCode: () => created.getByRole('button', { name: 'Save QR code as SVG' }).click(),
      openInvoice: () => created.getByRole('button', { name: 'Show the invoice' }).click(),
    },
  }
}

/** The invoices that were read from a file, before they are issued. */
export function issuingFromFile(page: Page) {
  const lines = page.getByRole('grid', { name: 'Lines' })
  const unfinished = page.getByRole('list', { name: 'Unfinished drafts' })
  return {
    text,
    dropZone: page.getByRole('region', { name: 'New invoices from a file' }),
    fileProblem: page.getByRole('form', { name: 'CSV lines' }).getByRole('alert'),
    fileName: (name: string) => page.getByRole('heading', { name }),
    lines: lines.locator('[data-index]'),
    line: (index: number) => lines.locator(`[data-index="${index}"]`),
    /** The total of the lines in one currency. */
    sum: (count: number, amount: string) =>
      page.getByText(`${count} invoice${count === 1 ? '' : 's'}, ${amount}`),
    unfinished: unfinished.getByRole('listitem'),
    showAllLines: () => page.getByRole('button', { name: /^All/ }).click(),
    chooseDefaultCurrency: async (currency: string) => {
      await page.getByRole('combobox', { name: 'Default currency' }).click()
      await page.getByRole('option', { name: currency }).click()
    },
    openUnfinished: (lineCount: number) =>
      unfinished.getByRole('link', { name: `${lineCount} lines` }).click(),
    issue: (count: number) =>
      page.getByRole('button', { name: `Issue ${count} invoices…` }).click(),
    issueQuestion: question(page, /^Issue \d+ invoices$/),
  }
}

/** The job that issues the invoices of a file. */
export function issuingJob(page: Page, count: number) {
  const title = `Issue ${count} invoices`
  const endMessage = page.getByRole('dialog', { name: title })
  const items = page.getByRole('grid', { name: 'Invoices of this job' })
  return {
    endMessage,
    openFromMessage: () => endMessage.getByRole('button', { name: 'Open' }).click(),
    item: (index: number) => items.locator(`[data-index="${index}"]`),
    saveLinks: () => page.getByRole('button', { name: 'Save payment links' }).click(),
    entry: page.getByRole('link', { name: title }),
  }
}
