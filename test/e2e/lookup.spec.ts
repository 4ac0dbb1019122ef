/** Tests bulk lookups and the address book, from the pasted list to the exported file. */
import { friendlyAddress } from '../../src-renderer/components/friendly-address.ts'
import { connectRequests } from './send-request.ts'
import { expect, test } from './fixture.ts'
import { saveFile } from './saved.ts'
import { addressBook, lookup } from './pages/lookups.ts'
import { addressList } from './pages/address-list.ts'
import { openPage } from './pages/frame.ts'
import { openSandbox, sandbox } from './pages/sandbox.ts'

const absent = `0:${'ab'.repeat(32)}`
const other = `0:${'cd'.repeat(32)}`

function friendly(raw: string, testOnly = false): string {
  const text = friendlyAddress(raw, { bounceable: true, testOnly })
  if (text === null) throw new Error(`${raw} is no address.`)
  return text
}

/** Returns the address with another last character, so that its checksum is wrong. */
function mistyped(address: string): string {
  return address.slice(0, -1) + (address.endsWith('A') ? 'B' : 'A')
}

/** Returns the cells of a CSV file, with line breaks in cells removed. */
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

  test('a lookup shows a jetton’s balances as a column with a total, and explains why an address is no jetton', async ({
    tondesk,
  }) => {
    const { page } = tondesk
    const accounts = lookup(page)
    const addresses = addressList(page)
    await openSandbox(page)
    await accounts.openNew()
    await addresses.tryWithWallets()
    await expect(addresses.field).toHaveValue(/^0:/)
    const [wallet = ''] = (await addresses.field.inputValue()).split('\n')
    await accounts.jetton.fill(wallet)
    await accounts.jetton.press('Enter')
    await expect(accounts.noJetton).toBeVisible()
    const { jettons } = await (
      await connectRequests(tondesk)
    )('account.get', {
      network: 'sandbox',
      address: wallet,
    })
    const { jetton, symbol } = jettons?.[0]?.asset ?? { jetton: '', symbol: '' }
    await accounts.jetton.fill(jetton ?? '')
    await accounts.jetton.press('Enter')
    await expect(accounts.chosenJetton).toHaveText(`${symbol} ×`)
    await accounts.start()
    await accounts.isDone.waitFor()
    await expect(accounts.amounts(symbol)).toBeVisible()
    await expect(accounts.rows.first()).toContainText('10')
    await expect(accounts.total(symbol)).toBeVisible()
  })

  test('a mixed list of addresses is checked, looked up, sorted, exported, and compared with the result before', async ({
    tondesk,
  }) => {
    test.slow()
    const { page } = tondesk
    const accounts = lookup(page)
    const { field, lines, ...addresses } = addressList(page)
    await openSandbox(page)
    await accounts.openNew()
    await addresses.tryWithWallets()
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
    await expect(addresses.chip('valid')).toHaveText(/3$/)
    await expect(addresses.chip('duplicate')).toHaveText(/1$/)
    await expect(addresses.chip('wrongNetwork')).toHaveText(/1$/)
    // The list shows the account’s name for each form in which the address was entered.
    await expect(lines.first()).toContainText('wallet-1')
    await addresses.chip('invalid').click()
    await expect(lines).toHaveCount(2)
    await expect(lines.first()).toContainText('4')
    await expect(lines.first()).toContainText(accounts.text.checksum)

    // The entered text is still there when the user returns.
    await openPage(page, 'overview')
    await accounts.openNew()
    await accounts.name.fill('Payouts')
    await page.keyboard.press('Control+Enter')
    await accounts.title('Payouts').waitFor()
    await accounts.isDone.waitFor()
    await expect(accounts.rows).toHaveCount(7)
    await expect(accounts.rows.nth(0)).toContainText('10 000.000000000')
    await expect(accounts.rows.nth(6)).toContainText(accounts.text.noSuchAccount)

    // The list shows the smallest balances first, and only accounts with a result; the file has the
    // same rows in the same order.
    await accounts.sortByBalance()
    await accounts.showAnswered()
    await expect(accounts.rows).toHaveCount(3)
    await expect(accounts.rows.first()).toContainText(accounts.text.noSuchAccount)
    const csv = readCsv(await saveFile(tondesk, () => page.keyboard.press('e')))
    const [head = [], ...records] = csv
    const column = (name: string) => records.map((record) => record[head.indexOf(name)])
    expect(column('line')).toEqual(['8', '2', '6'])
    expect(column('address')).toEqual([absent, first, second])
    expect(column('balance_nanoton')).toEqual(['0', '10000000000000', '10000000000000'])
    await accounts.showAll()

    // The cursor is on a row, so Enter opens its account.
    await accounts.rows.first().click()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/#\/explorer\/account\//)
    await page.goBack()

    await openPage(page, 'sandbox')
    await page.keyboard.press('f')
    const { faucet } = sandbox(page)
    await faucet.to.fill(absent)
    await faucet.amount.fill('1.5')
    await faucet.give()
    await expect(faucet.given('1.5 TON')).toBeVisible()
    await openPage(page, 'accounts')
    await accounts.lookUpAgain('Payouts')
    await accounts.showChanged()
    await expect(accounts.rows).toHaveCount(1)
    await expect(accounts.rows.first()).toContainText(accounts.text.balanceRose(1))
  })
})

test('labels are imported and exported as CSV, changed and deleted, and a deletion can be undone', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openPage(page, 'accounts')
  const book = addressBook(page)
  const { form, entries } = book
  await book.show()
  await book.isEmpty.waitFor()
  const csv = ['name,address,note', `Shop,${absent},"=1+1, tills"`, 'Nobody,EQnone,'].join('\n')
  await book.importCsv('names.csv', csv)
  const { report, problem, close } = book.importReport('names.csv')
  await expect(report).toContainText(book.text.nameAdded)
  await expect(problem('EQnone')).toContainText('3')
  await close()

  await page.keyboard.press('a')
  await form.address.fill(mistyped(friendly(other)))
  await form.name.fill('Cold storage')
  await page.keyboard.press('Enter')
  await expect(form.error).toContainText(book.text.checksum)
  await form.address.fill(friendly(other))
  await page.keyboard.press('Enter')
  await expect(form.form).toBeHidden()
  await expect(entries).toHaveCount(2)

  await book.search.fill(other)
  await expect(entries).toHaveCount(1)
  await book.entry('Cold storage').click()
  await page.keyboard.press('Delete')
  await expect(entries).toHaveCount(0)
  await book.undoRemoval()
  await expect(entries).toHaveCount(1)
  await book.search.fill('')
  await expect(entries).toHaveCount(2)

  await book.leaveFields()
  const written = readCsv(await saveFile(tondesk, () => page.keyboard.press('e')))
  expect(written).toContainEqual([friendly(other), 'Cold storage', ''])
  // The text is escaped, so that no spreadsheet executes it.
  expect(written).toContainEqual([friendly(absent), 'Shop', expect.stringMatching(/^'=1\+1/)])
})
