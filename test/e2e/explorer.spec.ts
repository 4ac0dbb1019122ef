/** Tests the explorer for a new user on the sandbox: search, history, one transaction, sending. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SendMode, beginCell, comment, external, internal, storeMessage, toNano } from '@ton/core'
import { mnemonicToPrivateKey } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'
import { walletNamed } from '../fixtures/chain.ts'
import { connectRequests } from './send-request.ts'
import { findViolations } from './axe.ts'
import { type Tondesk, expect, test } from './fixture.ts'
import { frame, networkMenu, openPage, palette } from './pages/frame.ts'
import { openSandbox, sandbox } from './pages/sandbox.ts'
import { saveFile } from './saved.ts'
import {
  account,
  buildMessage,
  assets,
  blocks,
  chainSearch,
  contract,
  historyExport,
  sendMessage,
  transaction,
  watchedAccounts,
} from './pages/explorer.ts'

test.use({ withSandbox: true })
// Each test starts its own sandbox, which takes longer.
test.slow()

/** Pays the merchant on the Sandbox page, from which the test copies its address. */
async function payMerchant({ page, readClipboard }: Tondesk): Promise<string> {
  await openSandbox(page)
  await page.keyboard.press('s')
  const { sending, copyFriendlyAddress } = sandbox(page)
  await sending.amount.fill('12.5')
  await sending.comment.fill('order-7')
  await sending.send()
  await sending.sent('12.5 TON').waitFor()
  await copyFriendlyAddress('merchant')
  return readClipboard()
}

test('a payment is found by address and by hash, and shown down to its cells', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const { find, isEmpty } = chainSearch(page)
  const { history, ...merchant } = account(page)
  const payment = transaction(page)
  const address = await payMerchant(tondesk)
  await openPage(page, 'transactions')
  await expect(isEmpty).toBeVisible()
  await find(address)
  // The other event minted USDT for the merchant when the sandbox began.
  await expect(history).toHaveCount(2)
  await expect(history.first()).toContainText('+12.500000000 TON')
  await expect(history.first()).toContainText('order-7')
  await expect(history.first()).toContainText('Received from wallet-1')
  // The row has two transactions below it.
  await merchant.expandFirst()
  await expect(history).toHaveCount(4)
  await page.keyboard.press('Home')
  await page.keyboard.press('t')
  await expect(history).toHaveCount(2)

  // From now on every page shows the label.
  await merchant.addLabel()
  await merchant.labelField.fill('Till 1')
  await page.keyboard.press('Enter')
  await expect(merchant.name('Till 1')).toBeVisible()
  await merchant.onlyOutgoing()
  await expect(merchant.noneMatches).toBeVisible()
  await merchant.removeFilters()

  await merchant.showTransactions()
  await expect(history).toHaveCount(1)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const summary = payment.summary('12.5', 'Till 1')
  await expect(summary).toBeVisible()
  await expect(payment.actions).toHaveText(
    /^wallet-1 sent 12\.5 TON to Till 1 with the comment order-7\./,
  )
  await expect(payment.messages).toHaveCount(2)
  await expect(payment.selectedMessage).toContainText(payment.text.thisTransaction)
  await expect(payment.valueFlow).toContainText(/\+12\.\d{9} TON/)

  // The text shows the same tree: its indentation shows which message caused which.
  await payment.showMessagesAsText()
  await expect(payment.messageText).toContainText(
    /^external message to wallet-1; fees .*\n {2}transfer to Till 1; 12\.500000000 TON; .*comment “order-7”; this transaction$/,
  )
  await payment.copyMessageText()
  expect((await tondesk.readClipboard()).split('\n')).toHaveLength(2)
  await payment.showMessagesAsTree()
  await payment.labelAccount('wallet-1', 'Customer 7')
  await expect(payment.payer('Customer 7')).toBeVisible()
  await payment.copyHash()
  const hash = await tondesk.readClipboard()
  expect(hash).toMatch(/^[0-9a-f]{64}$/)

  // A digit selects the tab.
  await page.keyboard.press('2')
  await expect(payment.incomingMessage).toContainText('order-7')
  await payment.openTab('messages')
  await expect(payment.computePhase).toContainText(payment.text.exitCode)
  await payment.openTab('raw')
  await expect(payment.cells.first()).toContainText(payment.text.bits)

  // Another network hides the transaction and offers a link back; that network got no request.
  await networkMenu(page).choose('Testnet')
  await expect(payment.isOnSandbox).toBeVisible()
  await payment.backToItsNetwork()
  await expect(summary).toBeVisible()

  // The transaction is found from any page by its hash in another form.
  await openPage(page, 'overview')
  await page.keyboard.press('ControlOrMeta+k')
  await palette(page).field.fill(Buffer.from(hash, 'hex').toString('base64url'))
  await expect(palette(page).selected).toHaveText(payment.text.transactionResult)
  await page.keyboard.press('Enter')
  await expect(summary).toBeVisible()
})

test('the latest blocks are updated, and a block links to its shards, neighbours and transactions', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const { latest, ...view } = blocks(page)
  await openPage(page, 'transactions')
  await view.show()
  const before = await latest.first().textContent()
  await payMerchant(tondesk)
  await openPage(page, 'transactions')
  await view.show()
  await expect(latest.first()).not.toHaveText(before ?? '')
  const seqno = Number(
    /masterchain\s*(\d+?)\s*8000000000000000/.exec((await latest.first().textContent()) ?? '')?.[1],
  )
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const id = (workchain: number, number: number) => `(${workchain},8000000000000000,${number})`
  await expect(view.heading(id(-1, seqno))).toBeVisible()
  // The keys work once the block is loaded.
  await frame(page).settled()
  await page.keyboard.press('p')
  await expect(view.heading(id(-1, seqno - 1))).toBeVisible()
  await page.keyboard.press('n')
  await view.openFromDetails(id(0, seqno))
  await expect(view.heading(id(0, seqno))).toBeVisible()
  await expect(view.collectedFees).toBeVisible()
})

test('an account shows its value, and a jetton its holders', async ({ tondesk }) => {
  const { page, readClipboard } = tondesk
  const { value, jettons, openJetton, jettonFacts, holders } = assets(page)
  await openSandbox(page)
  await sandbox(page).copyFriendlyAddress('wallet-1')
  const address = await readClipboard()
  await openPage(page, 'transactions')
  await chainSearch(page).find(address)
  await expect(value).toContainText(/≈ [\d\s]+\.\d\d USD/)
  await expect(value).toContainText('3 USD per TON')
  await expect(jettons).toContainText(/≈ 10\s000\.00 USD/)
  await openJetton('USDT')
  await expect(jettonFacts).toContainText(/Supply.*USDT/)
  expect(await findViolations(page)).toEqual([])
  await expect(holders.first()).toContainText(/10\s000\.000000/)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(value).toBeVisible()
})

test('the get methods and the code of a contract are shown', async ({ tondesk }) => {
  const { page } = tondesk
  const address = await payMerchant(tondesk)
  await openPage(page, 'transactions')
  await chainSearch(page).find(address)
  const { chooseKnown, method, values, failure, cells, ...merchant } = contract(page)
  await merchant.open()
  await chooseKnown('seqno')
  await method.focus()
  await merchant.run()
  await expect(values).toHaveText([/number\s*0/])
  await method.fill('get_nothing')
  await merchant.addArgument('0x10')
  await merchant.run()
  await expect(failure).toContainText('the contract has no get method of this name')

  // A digit selects the tab, unless a field has the focus.
  await merchant.focusTabs()
  await page.keyboard.press('2')
  await merchant.showCells()
  await expect(cells.first()).toContainText(transaction(page).text.bits)

  // The user’s dictionary gives names to the method’s arguments.
  const { importProblem, dictionaries } = merchant
  await merchant.openTab('Dictionary')
  await merchant.importDictionary('{"types":')
  await expect(importProblem).toContainText('not valid JSON')
  // A file of 50 MB would block the window if it were read at once.
  const file = join(tondesk.dataDirectory, 'large.abi')
  writeFileSync(file, ' '.repeat(50_000_000))
  await merchant.openDictionaryFile(file)
  await expect(merchant.tooLarge('large.abi')).toBeVisible()
  const amount = { name: 'amount', type: { kind: 'simple', type: 'int', format: 257 } }
  const price = { name: 'get_price', arguments: [amount], returnType: amount.type }
  await merchant.importDictionary(JSON.stringify({ name: 'Till', types: [], getters: [price] }))
  await expect(dictionaries).toContainText(['Name', 'Till'])
  await merchant.openTab('Get methods')
  await chooseKnown('get_price')
  await expect(merchant.argumentNames).toHaveText(['amount: int as 257'])
})

test('a wallet’s order is shown with the messages that it could not send', async ({ tondesk }) => {
  const { page } = tondesk
  const ask = await connectRequests(tondesk)
  const network = 'sandbox'
  await openPage(page, 'transactions')
  const payer = walletNamed('wallet-1')
  const wallet = WalletContractV4.create({ workchain: 0, publicKey: payer.publicKey })
  const order = (name: string, value: string, body: string) =>
    internal({ to: walletNamed(name).address, value: toNano(value), bounce: false, body })
  const body = wallet.createTransfer({
    seqno: 0,
    secretKey: payer.secretKey,
    sendMode: SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
    messages: [order('wallet-2', '100000', 'rent'), order('wallet-3', '0.5', 'tip')],
  })
  const message = external({ to: payer.address, body })
  const boc = beginCell().store(storeMessage(message)).endCell().toBoc().toString('hex')
  const { messageHash } = await ask('message.send', { network, boc })
  await page.evaluate((id) => (location.hash = `#/transactions/tx/${id}`), messageHash)
  const { unsentOrders, walletOrder } = transaction(page)
  await expect(unsentOrders).toContainText(/100\s000 TON to wallet-2, but/)
  await expect(walletOrder).toContainText('Mode 3: ignores errors of this message')
  await expect(walletOrder).toContainText('“tip”')
  expect(await findViolations(page)).toEqual([])
})

test('a message is built, emulated and passed to a wallet as a link', async ({ tondesk }) => {
  const { page, readClipboard } = tondesk
  const merchant = await payMerchant(tondesk)
  await sandbox(page).copyFriendlyAddress('wallet-1')
  const from = await readClipboard()
  await openPage(page, 'transactions')
  const building = buildMessage(page)
  await building.show()
  await building.from.fill(from)
  await building.to.fill(merchant)
  await building.amount.fill('much')
  await building.submit()
  await expect(building.problem).toContainText('is not an amount')
  await building.amount.fill('0.75')
  await building.comment.fill('rent')
  await building.submit()
  await expect(building.handover).toContainText('amount=750000000&text=rent')
  await expect(sendMessage(page).emulation).toContainText('0.750000000')
  await building.showQrCode()
  await expect(building.qrCode).toBeVisible()
})

test('a message of an imported dictionary is entered field by field, and emulated with an assumed balance', async ({
  tondesk,
}) => {
  const { page, readClipboard } = tondesk
  const merchant = await payMerchant(tondesk)
  await sandbox(page).copyFriendlyAddress('wallet-1')
  const from = await readClipboard()
  await openPage(page, 'transactions')
  await chainSearch(page).find(merchant)
  const { open, openTab, importDictionary, dictionaries } = contract(page)
  await open()
  await openTab('Dictionary')
  const typed = (name: string, type: string, more: object = {}) => ({
    name,
    type: { kind: 'simple', type, ...more },
  })
  const order = {
    name: 'Order',
    header: 0x11223344,
    fields: [
      typed('price', 'uint', { format: 'coins' }),
      typed('table', 'uint', { format: 8, optional: true }),
      typed('isGift', 'bool'),
    ],
  }
  await importDictionary(JSON.stringify({ name: 'Till', types: [order], getters: [] }))
  await expect(dictionaries).toContainText(['Name', 'Till'])

  await openPage(page, 'transactions')
  const building = buildMessage(page)
  await building.show()
  await building.from.fill(from)
  await building.to.fill(merchant)
  await building.amount.fill('20000')
  // Only the messages for the receiver’s code are offered, and the name of the dictionary is not shown.
  await building.chooseMessage('Order')
  await building.entry('price: coins').fill('1.5 TON')
  await building.choose('table: optional', 'given')
  await building.choose('isGift: bool', 'true')
  await building.entry('table: uint8').fill('300')
  await building.submit()
  await expect(building.problem).toHaveText('Enter a number from 0 to 255.')
  await building.entry('table: uint8').fill('7')
  await building.assumeBalance('1000000')
  await building.submit()
  const body = beginCell()
    .storeUint(0x11223344, 32)
    .storeCoins(toNano('1.5'))
    .storeBit(1)
    .storeUint(7, 8)
    .storeBit(1)
    .endCell()
  const { handover } = building
  await expect(handover).toContainText(`bin=${body.toBoc().toString('base64url')}`)
  // The wallet has 10,000 coins, so it could not send this amount without the assumed balance.
  await expect(sendMessage(page).emulation).toContainText('20 000.000000000')
})

type Signer = { readonly sign: (words: string) => Promise<string>; readonly origin: string }

/** A wallet outside the app: it has the recovery words and requests its seqno from the gateway. */
async function signerOf({ page, readClipboard }: Tondesk, to: string): Promise<Signer> {
  await openSandbox(page)
  const { connect, openTab, recoveryWords, showRecoveryWords } = sandbox(page)
  await openTab('connect')
  await connect.copyQueryUrl()
  const origin = await readClipboard()
  await showRecoveryWords('wallet-2')
  const { words } = recoveryWords('wallet-2')
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

test('a message signed elsewhere is emulated, sent after a confirmation and tracked, and the history is updated', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const address = await payMerchant(tondesk)
  const { find } = chainSearch(page)
  const { history } = account(page)
  const { sign, origin } = await signerOf(tondesk, address)
  await openPage(page, 'transactions')
  await find(address)
  await expect(history).toHaveCount(2)

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
  // The window updates without any input.
  await expect(history).toHaveCount(3)
  await expect(history.first()).toContainText('by a backend')

  const sending = sendMessage(page)
  await sending.show()
  await sending.message.fill(await sign('by hand'))
  await expect(sending.sendButton).toBeDisabled()
  await sending.emulate()
  await expect(sending.emulation).toContainText('0.500000000 TON')
  await expect(sending.consequences).toContainText(sending.text.feesLeft)

  // The entered text and its result are still there after a visit to another page.
  await openPage(page, 'overview')
  await page.goBack()
  await expect(sending.emulation).toBeVisible()
  await sending.sendButton.click()
  const { dialog, cancel, confirm } = sending.sendQuestion
  await expect(dialog).toContainText(sending.text.playMoney)
  await expect(cancel).toBeFocused()
  await confirm.click()
  await expect(sending.isOnChain).toBeVisible()
  await sending.openTransaction()
  await expect(transaction(page).comment('by hand')).toBeVisible()
})

test('an account’s history is exported with compared sums, and the export stays in the list', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const exported = historyExport(page)
  const address = await payMerchant(tondesk)
  await openPage(page, 'transactions')
  await chainSearch(page).find(address)
  await exported.open()
  await exported.start()
  await expect(exported.isDone).toBeVisible()
  await expect(exported.sumsAgree).toBeVisible()
  await expect(exported.balance('TON')).toBeVisible()
  await exported.chooseAsset('USDT')
  await expect(exported.balance('USDT')).toBeVisible()
  const file = await saveFile(tondesk, () => exported.saveAs('hledger journal'))
  expect(file).toContain('12.5 "TON"')
  expect(file).toContain('order-7')
  await openPage(page, 'transactions')
  await chainSearch(page).find(address)
  await exported.open()
  await exported.rowsOf('Events')
  await exported.start()
  await expect(exported.isDone).toBeVisible()
  await expect(exported.sumsAgree).toBeVisible()
  expect(await saveFile(tondesk, () => exported.saveAs('JSON Lines'))).toContain(
    'Received 12.5 TON from ',
  )
  await exported.showAll()
  await expect(exported.list).toContainText('events')
})

test(
  'a watched account refuses an invalid amount, a payment becomes a capture, and the list shows it',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page } = tondesk
    const watched = watchedAccounts(page)
    const address = await payMerchant(tondesk)
    await openPage(page, 'transactions')
    await watched.show()
    await expect(watched.isEmpty).toBeVisible()
    await openPage(page, 'transactions')
    await chainSearch(page).find(address)
    await watched.watch('12.5x')
    await watched.confirm()
    await expect(watched.dialog).toContainText('is not an amount')
    await watched.amount.fill('12.5')
    await watched.confirm()
    await expect(watched.dialog).toBeHidden()
    const ask = await connectRequests(tondesk)
    const payment = { from: 'wallet-1', to: address, amount: '12500000000', comment: '' } as const
    await ask('sandbox.send', { network: 'mainnet', ...payment })
    await openPage(page, 'transactions')
    await watched.show()
    await expect(watched.found('12.5 TON')).toBeVisible()
    await expect(watched.watching).toBeVisible()
    expect(await findViolations(page)).toEqual([])
    await watched.pause()
    await expect(watched.paused).toBeVisible()
    await watched.openCaptures()
    await expect(watched.watchedCapture).toBeVisible()
    await page.goBack()
    await watched.remove()
    await expect(watched.isEmpty).toBeVisible()
    // The row with the pressed button is gone.
    await expect.poll(() => frame(page).hasFocus()).toBe(true)
  },
)
