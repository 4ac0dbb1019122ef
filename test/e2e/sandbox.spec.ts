/** Tests the sandbox beside the app: its page, and the first three steps of a new user. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type Tondesk, expect, test } from './fixture.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { frame, openPage } from './pages/frame.ts'
import { overview } from './pages/overview.ts'
import { firstSteps, openSandbox, sandbox } from './pages/sandbox.ts'
import { setupGuide } from './pages/setup.ts'

test.use({ withSandbox: true })
// Each test starts its own sandbox, which takes longer.
test.slow()

/** Returns the sandbox's stored keys, which the window must never have. */
function keysOf({ dataDirectory }: Tondesk): Record<string, string> {
  const text = readFileSync(join(dataDirectory, 'sandbox', 'keys.json'), 'utf8')
  return JSON.parse(text) as Record<string, string>
}

test('three steps lead a new user to a capture with the right token', async ({ tondesk }) => {
  const { page } = tondesk
  await openPage(page, 'overview')
  const steps = firstSteps(page)
  // Each step waits for the previous one.
  await expect(steps.sendPayment).toBeDisabled()
  await steps.takeAll()
  await steps.firstWebhookArrived.waitFor()
  await steps.openCapture()
  const capture = captureDetail(page, 1)
  await capture.openTab('details')
  await expect(capture.token).toHaveText(capture.text.rightToken)
  // Completed steps are no longer shown.
  await openPage(page, 'overview')
  await expect(overview(page).latestPayments).toBeVisible()
  await expect(steps.steps).toBeHidden()
  // The next goal is the setup guide for a real network.
  await steps.connectRealGateway()
  await expect(setupGuide(page).chooseGateway).toBeVisible()
})

test('a payment is sent by keyboard, balances are updated, and remain after the sandbox is stopped and started', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const { text, sending: send, wallet, ...controls } = sandbox(page)
  const merchant = wallet('merchant')
  await openSandbox(page)
  await expect(merchant).toContainText('10 000.000000000')
  // The second wallet pays: `j` moves to it, Enter selects it.
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.keyboard.press('s')
  await expect(send.from).toHaveText(/wallet-2/)
  await expect(send.to).toBeFocused()
  await send.amount.fill('12.5')
  await send.chooseCurrency('USDT')
  await send.comment.fill('order-7')
  await page.keyboard.press('Enter')
  await expect(send.sent('12.5 USDT')).toBeVisible()
  await expect(merchant).toContainText('10 012.500000')
  await expect(wallet('wallet-2')).toContainText('9 987.500000')

  await send.amount.fill('a lot')
  await page.keyboard.press('Enter')
  await expect(send.error).toHaveText(text.isNoAmount('a lot'))
  await send.amount.fill('1')
  await send.to.fill('nobody at all')
  await page.keyboard.press('Enter')
  await expect(send.error).toContainText('nobody at all')

  // An open page shows that the sandbox is stopped, and continues after its start.
  await controls.stop()
  await expect(controls.isStopped).toBeVisible()
  await expect(frame(page).header).toContainText(text.stopped)
  await controls.start()
  await expect(merchant).toContainText('10 012.500000')
})

/** Starts the user’s own backend, which fails until the test repairs it. */
async function ownBackend(): Promise<{ url: string; mend(): void } & AsyncDisposable> {
  let status = 500
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/hook`,
    mend: () => void (status = 200),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Creates a webhook as any client of the service would, and subscribes the merchant. */
async function watchMerchant(tondesk: Tondesk, endpoint: string): Promise<void> {
  const { page } = tondesk
  const { connect, copyRawAddress, openTab } = sandbox(page)
  await openTab('connect')
  await connect.copyWebhooksUrl()
  const origin = await tondesk.readClipboard()
  const headers = {
    authorization: `Bearer ${keysOf(tondesk)['apiKey'] ?? ''}`,
    'content-type': 'application/json',
  }
  const ask = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(origin + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.status, path).toBe(200)
    return (await answer.json()) as Record<string, unknown>
  }
  await copyRawAddress('merchant')
  const account = await tondesk.readClipboard()
  const { webhook_id: id } = await ask('/webhooks', { endpoint })
  await ask(`/webhooks/${String(id)}/account-tx/subscribe`, { accounts: [{ account_id: account }] })
}

test('a failed delivery waits in the queue, and a virtual clock triggers its next attempt', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const { text, calls, clock, deliveries, sending, openTab } = sandbox(page)
  await using backend = await ownBackend()
  await openSandbox(page)
  await watchMerchant(tondesk, backend.url)
  // The requests of this test, which are not Tondesk’s own.
  await openTab('calls')
  await expect(calls).toContainText('POST /webhooks/')
  await expect(calls).not.toContainText('GET')
  await openTab('control')
  await clock.stopTime()

  await page.keyboard.press('s')
  await sending.send()
  const { queue, waiting } = deliveries
  await expect(waiting).toContainText('merchant')
  await expect(waiting).toContainText(text.waitsSeconds(5))
  await expect(waiting).toContainText('500')

  await openTab('control')
  await clock.advanceToNextDue()
  await expect(waiting).toContainText(text.waitsSeconds(15))
  backend.mend()
  await clock.advanceToNextDue()
  await expect(queue).toContainText(text.nothingWaits)
})

test('an invoice is created, paid in part and then completely', async ({ tondesk }) => {
  const { page } = tondesk
  await openSandbox(page)
  const { creating, paying, invoiceAccess, openTab } = sandbox(page)
  await page.keyboard.press('p')
  await creating.amount.fill('20')
  await creating.description.fill('order-4711')
  await creating.create()
  await expect(creating.isPending).toBeVisible()
  await paying.chooseHow('tooLittle')
  await paying.amount.fill('5')
  await paying.pay()
  await expect(paying.isPending).toBeVisible()
  await paying.chooseHow('theRest')
  await paying.pay()
  await expect(paying.isPaid).toBeVisible()

  await openTab('invoices')
  await invoiceAccess.withdraw()
  await expect(invoiceAccess.isWithdrawn).toBeVisible()
  await page.keyboard.press('p')
  await expect(invoiceAccess.isNotGranted).toBeVisible()
})

test('a revert to a snapshot and a reset of the sandbox need a confirmation', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openSandbox(page)
  const { snapshots, faucet, openAction, openTab, wallet } = sandbox(page)
  await openTab('control')
  await snapshots.take('before')
  await openTab('act')
  await openAction('faucet')
  await faucet.give()
  const merchant = wallet('merchant')
  await expect(merchant).toContainText(/10\s099\.99/)

  const { revertQuestion, resetQuestion } = snapshots
  await openTab('control')
  await snapshots.revert('before')
  await expect(revertQuestion.cancel).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(merchant).toContainText(/10\s099\.99/)
  await snapshots.revert('before')
  await revertQuestion.confirm.click()
  await expect(merchant).toContainText('10 000.000000000')
  await snapshots.reset()
  await expect(resetQuestion.cancel).toBeFocused()
  await resetQuestion.confirm.click()
  await expect(snapshots.isAsNew).toBeVisible()
})

test(
  'recovery words are shown only on request, and the page never shows a key',
  { tag: '@every-host' },
  async ({ tondesk }) => {
    const { page } = tondesk
    await openSandbox(page)
    const { text, connect, openTab, recoveryWordAnywhere, recoveryWords, showRecoveryWords } =
      sandbox(page)
    await openTab('connect')
    await connect.copyQueryUrl()
    const origin = await tondesk.readClipboard()
    expect((await fetch(`${origin}/v2/status`)).status).toBe(200)
    const keys = keysOf(tondesk)
    await expect(connect.panel).toContainText(text.keyFile)
    await connect.copyEnvironment.click()
    // In browser mode the page itself has to write the clipboard.
    if (tondesk.host === 'browser') await connect.confirm.click()
    await expect(connect.copied).toBeVisible()
    const copied = tondesk.running.standIn
      ? (await tondesk.running.standIn.ask('report')).written
      : await tondesk.readClipboard()
    expect(copied).toContain(`TON_API_KEY=${keys['apiKey'] ?? ''}`)

    await showRecoveryWords('wallet-1')
    const { dialog, words } = recoveryWords('wallet-1')
    await expect(words).toHaveCount(24)
    await expect(dialog).toContainText(text.playKeys)
    const [first = ''] = await words.allTextContents()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(recoveryWordAnywhere(first)).toHaveCount(0)
    const held = await page.evaluate(() => {
      const stored = [localStorage, sessionStorage].map((storage) => Object.entries(storage))
      return document.documentElement.outerHTML + JSON.stringify(stored)
    })
    for (const key of Object.values(keys)) expect(held).not.toContain(key)
  },
)
