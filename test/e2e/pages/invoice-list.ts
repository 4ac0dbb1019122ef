/** Drives the list of invoices with its filters, saved views and cancelling. */
import type { Locator, Page } from '@playwright/test'
import { question } from './frame.ts'
import { savedViews } from './views.ts'

const text = {
  pending: 'pending',
  cancelled: 'cancelled',
  expired: 'expired',
  overpaid: 'overpaid',
  expiresSoon: /expires in \d+ min/,
  receivedNotCounted: (amount: string) => `${amount} received, not counted`,
}

export function invoiceList(page: Page) {
  const rows = page.getByRole('grid', { name: 'Invoices', exact: true }).locator('[data-index]')
  const openFilter = async (name: string) => {
    await page
      .getByRole('group', { name: 'Filters' })
      .getByRole('button', { name: 'Filter ▾' })
      .click()
    await page.getByRole('dialog', { name: 'Filter' }).getByRole('button', { name }).click()
  }
  const row = (words: string) => rows.filter({ hasText: words })
  return {
    text,
    rows,
    row,
    ids: rows.locator('a[href*="/of/"]'),
    idOf: (of: Locator) => of.getByRole('link').first().innerText(),
    checkboxOf: (of: Locator) => of.getByRole('checkbox'),
    /** The descriptions of the samples. */
    sampleOfTon: 'coffee and cake',
    sampleOfUsdt: 'two coffees',
    isEmpty: page.getByRole('heading', { name: 'No invoices yet' }),
    noneMatches: page.getByRole('heading', { name: 'No invoice matches the filters' }),
    agreesWithGateway: page.getByText(/^Synced/),
    views: savedViews(page),
    cancelQuestion: question(page, /^Cancel invoice/),
    createSamples: () => page.getByRole('button', { name: 'Create two sample invoices' }).click(),
    filterPaid: async () => {
      await openFilter('State')
      await page.getByRole('checkbox', { name: /^paid/ }).check()
      await page.keyboard.press('Escape')
    },
    filterAmountFrom: async (amount: string) => {
      await openFilter('Amount')
      await page.getByRole('textbox', { name: 'At least' }).fill(amount)
      await page.keyboard.press('Enter')
    },
    clearFilters: () => page.getByRole('button', { name: 'Clear all filters' }).click(),
    cancelSelected: () => page.getByRole('button', { name: 'Cancel selected invoices…' }).click(),
    openAttention: () => page.getByRole('link', { name: 'Needs attention', exact: true }).click(),
    openPayments: () => page.getByRole('link', { name: 'Payments', exact: true }).click(),
  }
}
