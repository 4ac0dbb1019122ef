/** The chain as a newcomer meets it on the sandbox: search, history, one transaction, sending. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { SendMode, beginCell, comment, external, internal, storeMessage, toNano } from '@ton/core'
import { mnemonicToPrivateKey } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'
import { findings } from './axe.ts'
import { type Tondesk, expect, test } from './fixture.ts'
import { copy, openPage } from './pages/frame.ts'

test.use({ withSandbox: true })
// Each starts a TVM of its own.
test.slow()

function wallets(page: Page): Locator {
  return page.getByRole('region', { name: 'Wallets', exact: true })
}

async function openSandbox(page: Page): Promise<void> {
  await openPage(page, 'sandbox')
  await wallets(page)
    .getByRole('row', { name: /merchant/ })
    .waitFor()
}

/** The merchant is paid from the Sandbox page; its address is what a person copies there. */
async function payMerchant({ page, readClipboard }: Tondesk): Promise<string> {
  await openSandbox(page)
  await page.keyboard.press('s')
  const send = page.getByRole('form', { name: 'Send a payment' })
  await send.getByRole('textbox', { name: 'Amount' }).fill('12.5')
  await send.getByRole('textbox', { name: 'Comment' }).fill('order-7')
  await send.getByRole('button', { name: 'Send' }).click()
  await send.getByText('12.5 TON sent').waitFor()
  await wallets(page).getByRole('button', { name: 'Actions of merchant' }).click()
  await page.getByRole('menuitem', { name: 'Copy the friendly address' }).click()
  await page.getByText('Address copied').first().waitFor()
  return readClipboard()
}

async function find(page: Page, text: string): Promise<void> {
  const field = page.getByRole('searchbox', { name: 'Search the chain' })
  await field.fill(text)
  await field.press('Enter')
  // It is left when something was found, and emptied.
  await expect(field).toHaveValue('')
}

function history(page: Page): Locator {
  return page.getByRole('grid', { name: 'Transactions' }).locator('[data-hash]')
}

async function chooseNetwork(page: Page, from: string, to: RegExp): Promise<void> {
  await page
    .getByRole('banner')
    .getByRole('button', { name: new RegExp(`Network: ${from}`) })
    .click()
  await page.getByRole('menuitemcheckbox', { name: to }).click()
}

test('a payment is found by address and by hash, and read to its last cell', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const address = await payMerchant(tondesk)
  await openPage(page, 'transactions')
  await expect(page.getByRole('heading', { name: 'Look something up on the chain' })).toBeVisible()
  await find(page, address)
  await expect(history(page)).toHaveCount(1)
  await expect(history(page)).toContainText('+12.500000000 TON')
  await expect(history(page)).toContainText('order-7')

  // A name of one's own, from here on everywhere.
  await page.getByRole('button', { name: 'Give it a label' }).click()
  await page.getByRole('textbox', { name: 'Label' }).fill('Till 1')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 2, name: 'Till 1' })).toBeVisible()
  await page.getByRole('button', { name: 'out', exact: true }).click()
  await expect(page.getByText('Nothing passes these filters')).toBeVisible()
  await page.getByRole('button', { name: 'No filters' }).click()

  await history(page).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const sentence = page.getByText(/sent 12\.500000000 TON to Till 1/)
  await expect(sentence).toBeVisible()
  const tree = page.getByRole('tree', { name: 'Messages' })
  await expect(tree.getByRole('treeitem')).toHaveCount(2)
  await expect(tree.getByRole('treeitem', { selected: true })).toContainText('this one')
  await expect(page.getByRole('region', { name: 'Value flow' })).toContainText(/\+12\.\d{9} TON/)
  await page.getByRole('button', { name: /^Copy hash/ }).click()
  await page.getByRole('button', { name: /^Copied/ }).waitFor()
  const hash = await tondesk.readClipboard()
  expect(hash).toMatch(/^[0-9a-f]{64}$/)

  await page.getByRole('tab', { name: /^Messages/ }).click()
  await expect(page.getByRole('region', { name: 'Message: In' })).toContainText('order-7')
  await page.getByRole('tab', { name: 'Phases and fees' }).click()
  await expect(page.getByRole('region', { name: 'Compute phase' })).toContainText('Exit code')
  await page.getByRole('tab', { name: 'Raw' }).click()
  await expect(
    page.getByRole('list', { name: 'Cells' }).getByRole('listitem').first(),
  ).toContainText(/\d+ bits/)

  // Another network leads away from it, and back; that network was asked nothing.
  await chooseNetwork(page, 'Sandbox', /Testnet/)
  await expect(page.getByText('The transaction is on Sandbox; this is Testnet.')).toBeVisible()
  await page.getByRole('link', { name: 'Back to it' }).click()
  await page.getByRole('button', { name: 'Switch to Sandbox' }).click()
  await expect(sentence).toBeVisible()

  // From anywhere, by its hash in another form.
  await openPage(page, 'overview')
  await page.keyboard.press('ControlOrMeta+k')
  await page
    .getByRole('combobox', { name: 'Search or run a command' })
    .fill(Buffer.from(hash, 'hex').toString('base64url'))
  await expect(page.getByRole('option', { selected: true })).toHaveText(/^Transaction/)
  await page.keyboard.press('Enter')
  await expect(sentence).toBeVisible()
})

type Signer = { readonly sign: (words: string) => Promise<string>; readonly origin: string }

/** A wallet outside of the app: it holds the words and asks the gateway for its seqno itself. */
async function signerOf({ page, readClipboard }: Tondesk, to: string): Promise<Signer> {
  await openSandbox(page)
  await page.getByRole('tab', { name: 'Connect' }).click()
  await copy(page.getByRole('tabpanel', { name: 'Connect' }), 'query API URL')
  const origin = await readClipboard()
  await wallets(page).getByRole('button', { name: 'Actions of wallet-2', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Show recovery words…' }).click()
  const words = page.getByRole('dialog').getByRole('listitem')
  await expect(words).toHaveCount(24)
  const mnemonic = (await words.allTextContents()).map((word) => word.replaceAll(/[^a-z]/g, ''))
  await page.keyboard.press('Escape')
  const keys = await mnemonicToPrivateKey(mnemonic)
  const wallet = WalletContractV4.create({ workchain: 0, publicKey: keys.publicKey })
  const sign = async (said: string) => {
    const asked = await fetch(`${origin}/v2/wallet/${wallet.address.toRawString()}/seqno`)
    const { seqno } = (await asked.json()) as { seqno: number }
    const body = wallet.createTransfer({
      seqno,
      secretKey: keys.secretKey,
      sendMode: SendMode.PAY_GAS_SEPARATELY,
      timeout: Math.floor(Date.now() / 1000) + 600,
      messages: [internal({ to, value: toNano('0.5'), body: comment(said), bounce: false })],
    })
    const message = external({ to: wallet.address, body })
    return beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
  }
  return { sign, origin }
}

test('a message signed elsewhere is seen, sent on confirmation, followed; the history is live', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const address = await payMerchant(tondesk)
  const { sign, origin } = await signerOf(tondesk, address)
  await openPage(page, 'transactions')
  await find(page, address)
  await expect(history(page)).toHaveCount(1)

  const keys = JSON.parse(
    readFileSync(join(tondesk.dataDirectory, 'sandbox', 'keys.json'), 'utf8'),
  ) as Record<string, string>
  const sent = await fetch(`${origin}/v2/blockchain/message`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys['apiKey'] ?? ''}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ boc: await sign('by a backend') }),
  })
  expect(sent.status).toBe(200)
  // Nobody has touched the page.
  await expect(history(page)).toHaveCount(2)
  await expect(history(page).first()).toContainText('by a backend')

  await page.getByRole('button', { name: 'Send a message' }).click()
  const form = page.getByRole('form', { name: 'Send a message' })
  const field = form.getByRole('textbox', { name: /^Signed external message/ })
  const send = form.getByRole('button', { name: 'Send…' })
  await field.fill(await sign('by hand'))
  await expect(send).toBeDisabled()
  await form.getByRole('button', { name: 'Emulate' }).click()
  const emulation = page.getByRole('region', { name: 'Emulation' })
  await expect(emulation).toContainText('0.500000000 TON')
  await expect(emulation.getByRole('region', { name: 'Consequences' })).toContainText(/ left/)

  // What was typed and seen is still there after a look elsewhere.
  await openPage(page, 'overview')
  await page.goBack()
  await expect(emulation).toBeVisible()
  await send.click()
  const question = page.getByRole('alertdialog', { name: 'Send this message on Sandbox?' })
  await expect(question).toContainText('play money')
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await question.getByRole('button', { name: 'Send on Sandbox' }).click()
  await expect(page.getByText('It is on the chain.')).toBeVisible()
  await page.getByRole('link', { name: 'Open its transaction' }).click()
  await expect(page.getByText(/by hand/).first()).toBeVisible()
})

test('axe finds nothing serious on its pages, in both themes', async ({ tondesk }) => {
  const { page } = tondesk
  const address = await payMerchant(tondesk)
  const { sign } = await signerOf(tondesk, address)
  // Else messages would fade out while a page is being looked at.
  await page.reload()
  await openPage(page, 'transactions')
  expect.soft(await findings(page), 'Home').toEqual([])
  await find(page, address)
  await history(page).waitFor()
  await page.getByRole('button', { name: 'Give it a label' }).click()
  expect.soft(await findings(page), 'Account').toEqual([])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await history(page).first().click()
  await page.getByRole('tree').waitFor()
  expect.soft(await findings(page), 'Transaction').toEqual([])
  for (const tab of ['Messages', 'Phases and fees', 'Raw']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click()
    expect.soft(await findings(page), tab).toEqual([])
  }
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByRole('link', { name: /^\(0,/ }).click()
  await page.getByRole('list', { name: 'Transactions of the block' }).waitFor()
  expect.soft(await findings(page), 'Block').toEqual([])
  await page.getByRole('button', { name: 'Configuration' }).click()
  await page.getByRole('region', { name: 'Parameters', exact: true }).waitFor()
  expect.soft(await findings(page), 'Configuration').toEqual([])
  await page.getByRole('button', { name: 'Send a message' }).click()
  await page.getByRole('textbox', { name: /^Signed/ }).fill(await sign('seen only'))
  await page.getByRole('button', { name: 'Emulate' }).click()
  await page.getByRole('region', { name: 'Emulation' }).waitFor()
  expect.soft(await findings(page), 'Emulation').toEqual([])
})
