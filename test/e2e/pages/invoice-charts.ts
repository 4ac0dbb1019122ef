/** Drives statistics and charts of invoices, their export, and the reconciliation. */
import type { Page } from '@playwright/test'

const text = {
  overpaid: (amount: string) => `overpaid ${amount}`,
  paidOf: (paid: number, of: number) => `${paid} of ${of} paid`,
  /** The period is the shortest one that covers the invoices: today until now. */
  nothingBefore: /nothing in the (hour|\d+ h) before/,
  invoicesPaid: (count: number) => `${count} invoices paid`,
}

export function invoiceStats(page: Page) {
  const panel = (name: string) => page.getByRole('region', { name, exact: true })
  const timeToPayment = panel('Time to payment')
  const states = panel('Created, paid, expired, cancelled')
  return {
    text,
    showCharts: () => page.getByRole('button', { name: 'Show charts' }).click(),
    ofPeriod: page.getByRole('group', { name: 'Summary of the period' }),
    timeToPayment: {
      panel: timeToPayment,
      /** The only payment in USDT, as a link to its invoice. */
      usdt: timeToPayment.getByRole('link', { name: '1 USDT' }),
    },
    states: {
      /** A number of the current hour, in the chart. */
      figureOfNow: (figure: string) => states.getByRole('link', { name: figure }),
    },
  }
}

export function invoiceExport(page: Page) {
  const form = page.getByRole('form', { name: 'Export invoices' })
  return {
    text: { rows: (count: number) => `${count} rows`, checksum: 'SHA-256' },
    form,
    made: page.getByRole('region', { name: 'Exports' }).getByRole('listitem'),
    leaveOutColumn: async (name: string) => {
      await form.getByRole('button', { name: /^Columns/ }).click()
      await form.getByRole('checkbox', { name }).uncheck()
    },
    exportCsv: () => form.getByRole('button', { name: 'Export CSV' }).click(),
  }
}

/** Drives the comparison of invoices with the chain, for some days. */
export function reconciliation(page: Page) {
  const statement = page.getByRole('group', { name: 'Totals', exact: true })
  const invoices = page.getByRole('grid', { name: 'Invoices against the chain' })
  return {
    text: {
      /** A period that is not over may still get a difference. */
      noDifferenceSoFar: (...amounts: string[]) =>
        new RegExp(
          amounts.map((each) => `${each.replace('.', '\\.')}\\s*no difference so far`).join('\\s*'),
        ),
      moreOnChain: 'more on the chain',
      notPaid: 'underpaid',
    },
    show: () => page.getByRole('link', { name: 'Reconciliation' }).click(),
    paid: statement.getByRole('row', { name: /^Paid/ }),
    received: statement.getByRole('row', { name: /^Received on the chain/ }),
    difference: statement.getByRole('row', { name: /^Difference/ }),
    /** The sentence about the rows, which is only in the printed report. */
    onPaper: page.getByText('The rows are not printed.'),
    firstInvoice: invoices.getByRole('row').nth(1),
    invoicesThatAgree: invoices.getByText('agrees', { exact: true }),
    overpaidInvoices: invoices.getByText('overpaid', { exact: true }),
  }
}
