/** Bulk lookup and the address book, from what is pasted to what is exported. */
import type { Locator, Page } from '@playwright/test'
import { friendlyAddress } from '../../src-renderer/friendly-address.ts'
import { findings } from './axe.ts'
import { expect, test } from './fixture.ts'
import { saved } from './saved.ts'
import { openPage } from './pages/frame.ts'

const absent = `0:${'ab'.repeat(32)}`
const other = `0:${'cd'.repeat(32)}`

function friendly(raw: string, testOnly = false): string {
  const text = friendlyAddress(raw, { bounceable: true, testOnly })
  if (text === null) throw new Error(`${raw} is no address.`)
  return text
}

/** With its last character changed, so that its checksum is wrong. */
function mistyped(address: string): string {
  return address.slice(0, -1) + (address.endsWith('A') ? 'B' : 'A')
}

async function openNew(page: Page): Promise<Locator> {
  await openPage(page, 'accounts')
  await page.keyboard.press('n')
  const field = page.getByRole('textbox', { name: 'Addresses' })
  await field.waitFor()
  return field
}

const chip = (page: Page, group: string, name: RegExp) =>
  page.getByRole('group', { name: group }).getByRole('button', { name })

const rowsOf = (page: Page) =>
  page.getByRole('grid', { name: 'Accounts looked up' }).locator('[data-index]')

/** Cells of a CSV none of whose cells holds a line end. */
function readCsv(text: string): string[][] {
  const lines = text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
  return lines.map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
    ),
  )
}

test.describe('with the sandbox', () => {
  test.use({ withSandbox: true })

  test('a mixed list is understood, looked up, sorted, exported, and shows what changed since', async ({
    tondesk,
  }) => {
    test.slow()
    const { page } = tondesk
    await openPage(page, 'sandbox')
    await page
      .getByRole('row', { name: /merchant/ })
      .first()
      .waitFor()
    const field = await openNew(page)
    await page.getByRole('button', { name: 'Try it with the sandbox’s wallets' }).click()
    await expect(field).toHaveValue(/^0:/)
    const wallets = (await field.inputValue()).split('\n')
    const [first = '', second = ''] = wallets
    await field.fill(
      [
        'wallet;note',
        `${first};=1+1`,
        `${friendly(first)};the same in another form`,
        `${mistyped(friendly(second))};mistyped`,
        `${friendly(second, true)};of a test network`,
        `${friendly(second)};`,
        'hello;',
        `${absent};`,
      ].join('\r\n'),
    )
    await expect(chip(page, 'Lines shown', /^Valid/)).toHaveText(/3$/)
    await expect(chip(page, 'Lines shown', /^Duplicate/)).toHaveText(/1$/)
    await expect(chip(page, 'Lines shown', /^Wrong network/)).toHaveText(/1$/)
    await chip(page, 'Lines shown', /^Invalid/).click()
    const lines = page.getByRole('grid', { name: 'Lines' }).locator('[data-index]')
    await expect(lines).toHaveCount(2)
    await expect(lines.first()).toContainText('4')
    await expect(lines.first()).toContainText('checksum')

    // What was typed is still there when one comes back.
    await openPage(page, 'overview')
    await openNew(page)
    await page.getByRole('textbox', { name: 'Name' }).fill('Payouts')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Payouts' }).waitFor()
    await page.getByText('done', { exact: true }).waitFor()
    await expect(rowsOf(page)).toHaveCount(7)
    await expect(rowsOf(page).nth(0)).toContainText('10 000.000000000')
    await expect(rowsOf(page).nth(6)).toContainText('nonexist')

    // Smallest first, and only those that were answered: the file has the same in the same order.
    const balance = page.getByRole('columnheader', { name: /^Balance/ })
    await balance.getByRole('button').click()
    await balance.getByRole('button').click()
    await expect(balance).toHaveAttribute('aria-sort', 'ascending')
    await chip(page, 'Rows shown', /^Answered/).click()
    await expect(rowsOf(page)).toHaveCount(3)
    await expect(rowsOf(page).first()).toContainText('nonexist')
    const csv = readCsv(await saved(tondesk, () => page.keyboard.press('e')))
    const [head = [], ...records] = csv
    const column = (name: string) => records.map((record) => record[head.indexOf(name)])
    expect(column('line')).toEqual(['8', '2', '6'])
    expect(column('address')).toEqual([absent, first, second])
    expect(column('balance_nanoton')).toEqual(['0', '10000000000000', '10000000000000'])
    await page.getByRole('button', { name: 'Show all' }).click()

    // The cursor stands on a row: Enter opens its account.
    await rowsOf(page).first().click()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/#\/transactions\/account\//)
    await page.goBack()

    await openPage(page, 'sandbox')
    await page.keyboard.press('f')
    const faucet = page.getByRole('form', { name: 'Faucet' })
    await faucet.getByRole('combobox', { name: 'To' }).fill(absent)
    await faucet.getByRole('textbox', { name: 'Amount' }).fill('1.5')
    await faucet.getByRole('button', { name: 'Give' }).click()
    await expect(faucet.getByText('1.5 TON from the faucet')).toBeVisible()
    await openPage(page, 'accounts')
    await page.getByRole('button', { name: 'Actions of Payouts' }).click()
    await page.getByRole('menuitem', { name: 'Look up again' }).click()
    await page.getByText(/compared to/).waitFor()
    await page.getByText('done', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Changed', exact: true }).click()
    await expect(rowsOf(page)).toHaveCount(1)
    await expect(rowsOf(page).first()).toContainText(/balance \+1\.\d+ TON/)
  })
})

test('names come in and go out as CSV, are changed and removed, and a removal is undone', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openPage(page, 'accounts')
  await page.getByRole('link', { name: 'Address book' }).click()
  await page.getByRole('heading', { name: /^No names yet/ }).waitFor()
  const csv = ['name,address,note', `Shop,${absent},"=1+1, tills"`, 'Nobody,EQnone,'].join('\n')
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'names.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  const report = page.getByRole('dialog', { name: '“names.csv” imported' })
  await expect(report).toContainText('1 name added')
  await expect(report.getByRole('row', { name: /EQnone/ })).toContainText('3')
  await report.getByRole('button', { name: 'Close' }).click()

  await page.keyboard.press('a')
  const form = page.getByRole('dialog', { name: 'Add a name' })
  await form.getByRole('textbox', { name: 'Address' }).fill(mistyped(friendly(other)))
  await form.getByRole('textbox', { name: 'Name' }).fill('Cold storage')
  await page.keyboard.press('Enter')
  await expect(form.getByRole('alert')).toContainText('checksum')
  await form.getByRole('textbox', { name: 'Address' }).fill(friendly(other))
  await page.keyboard.press('Enter')
  await expect(form).toBeHidden()
  const book = page.getByRole('grid', { name: 'Address book' }).locator('[data-index]')
  await expect(book).toHaveCount(2)

  await page.getByRole('searchbox', { name: 'Search the address book' }).fill(other)
  await expect(book).toHaveCount(1)
  await book.getByText('Cold storage').click()
  await page.keyboard.press('Delete')
  await expect(book).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(book).toHaveCount(1)
  await page.getByRole('searchbox', { name: 'Search the address book' }).fill('')
  await expect(book).toHaveCount(2)

  await page.getByRole('heading', { level: 1 }).click()
  const written = readCsv(await saved(tondesk, () => page.keyboard.press('e')))
  expect(written).toContainEqual([friendly(other), 'Cold storage', ''])
  // Guarded, so that no spreadsheet reckons with it.
  expect(written).toContainEqual([friendly(absent), 'Shop', expect.stringMatching(/^'=1\+1/)])
})

test('axe finds nothing serious on the accounts page, in both themes', async ({ tondesk }) => {
  test.slow()
  const { page } = tondesk
  const look = async (what: string) => {
    expect.soft(await findings(page), what).toEqual([])
  }
  await openPage(page, 'accounts')
  await page.getByRole('heading', { name: 'Look up many accounts at once' }).waitFor()
  await look('No lookups')
  const field = await openNew(page)
  await field.fill([absent, absent, friendly(other, true), 'hello'].join('\n'))
  await page.getByRole('grid', { name: 'Lines' }).waitFor()
  await look('A new lookup')
  await page.getByRole('button', { name: /^Look up/ }).click()
  await rowsOf(page).first().waitFor()
  await rowsOf(page).first().click()
  await look('A lookup')
  await page.getByRole('link', { name: 'Lookups', exact: true }).click()
  await page.getByRole('link', { name: /^Lookup 1/ }).waitFor()
  await look('Lookups')
  await page.getByRole('link', { name: 'Address book' }).click()
  await page.keyboard.press('a')
  await look('A name')
  await page.getByRole('textbox', { name: 'Address' }).fill(absent)
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop')
  await page.keyboard.press('Enter')
  await page.getByRole('grid', { name: 'Address book' }).waitFor()
  await look('Address book')
})
