/** Drives bulk lookups and the address book. */
import { type Page, expect } from '@playwright/test'
import { addressList } from './address-list.ts'
import { openPage } from './frame.ts'

const text = {
  checksum: 'checksum',
  noSuchAccount: 'nonexist',
  balanceRose: (units: number) => new RegExp(`balance \\+${units}\\.\\d+ TON`),
}

export function lookup(page: Page) {
  const rows = page.getByRole('grid', { name: 'Results' }).locator('[data-index]')
  const balance = page.getByRole('columnheader', { name: /^Balance/ })
  const isDone = page.getByText('done', { exact: true })
  return {
    text,
    rows,
    balance,
    isDone,
    name: page.getByRole('textbox', { name: 'Name' }),
    jetton: page.getByRole('textbox', { name: 'Jettons' }),
    noJetton: page.getByText(/has no jetton at this address/),
    total: (symbol: string) => page.getByText(new RegExp(`\\d ${symbol}$`)).first(),
    chosenJetton: page.getByRole('button', { name: /×$/ }),
    amounts: (symbol: string) => page.getByRole('columnheader', { name: symbol }),
    title: (name: string) => page.getByRole('heading', { name }),
    openNew: async () => {
      await openPage(page, 'accounts')
      await page.keyboard.press('n')
      await addressList(page).field.waitFor()
    },
    start: () => page.getByRole('button', { name: /^Look up/ }).click(),
    sortByBalance: async () => {
      await balance.getByRole('button').click()
      await balance.getByRole('button').click()
      await expect(balance).toHaveAttribute('aria-sort', 'ascending')
    },
    showAnswered: () =>
      page
        .getByRole('group', { name: 'Lookup result' })
        .getByRole('button', { name: /^Looked up/ })
        .click(),
    showAll: () => page.getByRole('button', { name: 'Remove filters' }).click(),
    showChanged: () => page.getByRole('button', { name: 'Changed', exact: true }).click(),
    lookUpAgain: async (name: string) => {
      await page.getByRole('button', { name: `Actions of ${name}` }).click()
      await page.getByRole('menuitem', { name: 'Look up again' }).click()
      await page.getByText(/compared with/).waitFor()
      await isDone.waitFor()
    },
  }
}

export function addressBook(page: Page) {
  const grid = page.getByRole('grid', { name: 'Labels' })
  const entries = grid.locator('[data-index]')
  const form = page.getByRole('dialog', { name: 'Add a label' })
  return {
    text: { ...text, nameAdded: '1 label added' },
    grid,
    entries,
    isEmpty: page.getByRole('heading', { name: /^No labels on/ }),
    search: page.getByRole('searchbox', { name: 'Search the address book' }),
    entry: (name: string) => entries.getByText(name),
    form: {
      form,
      address: form.getByRole('textbox', { name: 'Address' }),
      name: form.getByRole('textbox', { name: 'Label' }),
      error: form.getByRole('alert'),
    },
    show: () => page.getByRole('link', { name: 'Address book' }).click(),
    importCsv: (name: string, csv: string) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(csv) }),
    importReport: (name: string) => {
      const report = page.getByRole('dialog', { name: `“${name}” imported` })
      return {
        report,
        problem: (words: string) => report.getByRole('row', { name: new RegExp(words) }),
        close: () => report.getByRole('button', { name: 'Close' }).click(),
      }
    },
    undoRemoval: () => page.getByRole('button', { name: 'Undo' }).click(),
    /** Takes the focus from every field, so that keys apply to the page. */
    leaveFields: () => page.getByRole('heading', { level: 1 }).click(),
  }
}
