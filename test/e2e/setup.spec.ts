/** From a gateway's key to its first delivery, as a new user goes who follows only the window. */
import { cpSync } from 'node:fs'
import { startGatewayProxy } from '../fixtures/gateway-proxy.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { asking } from '../fixtures/sandbox.ts'
import { playServer, tunnelTo } from '../fixtures/tunnel.ts'
import { looking } from './axe.ts'
import { expect, startSandboxProcess, test } from './fixture.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { openPage } from './pages/frame.ts'
import { setupGuide } from './pages/setup.ts'

test('a new user gets from a key to the first delivery in the guide, past what each step refuses', async ({
  tondesk,
  newSandbox,
}) => {
  const { page, receiverUrl } = tondesk
  const look = looking(tondesk)
  using home = temporaryDirectory()
  cpSync(await newSandbox(), home.path, { recursive: true })
  // The whole documented service stands in for the public one, behind a proxy that refuses what a test wants.
  const gatewayProcess = await startSandboxProcess(home.path)
  const { ready } = gatewayProcess
  try {
    await using gateway = await startGatewayProxy(new URL(ready.webhooksUrl).origin)
    await using tunnel = await playServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
    )
    const { control } = asking(ready)
    await control('PUT', '/policy', { retryDelaysMs: [500] })
    const wallet = ready.wallets[0]?.address ?? ''
    const guide = setupGuide(page)
    const { text, adding } = guide

    await guide.open()
    await guide.add()
    await adding.name.fill('Ours')
    await adding.queryUrl.fill('http://gateway.example.com')
    await adding.webhooksUrl.fill(gateway.origin)
    await adding.invoicesUrl.fill(gateway.origin)
    await adding.save()
    await expect(adding.error).toContainText(text.httpOnlyLocal)
    await adding.queryUrl.fill(gateway.origin)
    await page.keyboard.press('Enter')

    await expect(guide.step('key')).toContainText(text.toDo)
    await guide.waitForKeychain()
    await guide.enterKey('a-key-of-another-network')
    await expect(guide.checks.first()).toContainText(text.wrongKey)
    await expect(guide.step('key')).toContainText(text.failed)
    await look('Setup, wrong key')
    gateway.judge = ({ path }) =>
      path === '/webhooks' ? { status: 403, body: { error: 'not in your plan' } } : 'pass'
    await guide.replaceKey()
    await guide.enterKey(ready.apiKey)
    await expect(guide.checks.nth(1)).toContainText(text.notAllowed)
    gateway.judge = () => 'pass'
    await guide.testAgain()
    await expect(guide.step('key')).toContainText(text.done)
    await expect(guide.plan).toContainText('0 delivered')

    await guide.next('tunnel')
    await guide.publicUrl.fill(`http://127.0.0.1:${tunnel.port}`)
    await guide.saveAndCheck()
    await expect(guide.tunnelCheck).toContainText(text.anotherService)
    await expect(guide.step('tunnel')).toContainText(text.failed)
    const toReceiver = tunnelTo(() => Number(new URL(receiverUrl).port))
    tunnel.handle = toReceiver
    await guide.checkAgain()
    await expect(guide.step('tunnel')).toContainText(text.done)
    await look('Setup, tunnel')

    await guide.next('webhook')
    await expect(guide.endpoint).toHaveValue(new RegExp(`:${tunnel.port}/hook/`))
    gateway.judge = ({ method }) =>
      method === 'POST' ? { status: 400, body: { error: 'the endpoint is refused' } } : 'pass'
    await guide.createWebhook()
    await expect(guide.webhookError).toContainText('the endpoint is refused')
    gateway.judge = () => 'pass'
    await guide.createWebhook()
    await expect(guide.step('webhook')).toContainText(text.done)
    await expect(guide.webhookHere).toContainText(/token ….{4} stored/)

    // The guide is left, and resumed at the first step that is not done.
    await openPage(page, 'inspector')
    await guide.open()
    await expect(guide.step('accounts')).toContainText(text.toDo)
    await guide.addresses.fill('EQnonsense')
    await expect(guide.invalidLines).toBeVisible()
    await expect(guide.subscribe).toBeDisabled()
    await guide.addresses.fill(wallet)
    await guide.subscribe.click()
    await expect(guide.step('accounts')).toContainText(text.done)

    await guide.next('invoices')
    await guide.addToken('a-token-of-another-shop')
    await expect(guide.tokenStep).toContainText(text.rejectedToken)
    await guide.replaceToken(ready.invoicesToken)
    await expect(guide.tokenStep).not.toContainText(text.rejectedToken)
    await expect(guide.tokenStep).toContainText(text.done)
    await look('Setup, invoice access')

    await guide.next('code')
    await guide.chooseLanguage('Python')
    await guide.copyCode()
    expect(await tondesk.readClipboard()).toContain('hmac.compare_digest')

    await guide.next('delivery')
    await expect(guide.nothingYet).toBeVisible()
    tunnel.handle = (_request, response) => response.writeHead(502).end()
    await control('POST', '/send', { from: 'wallet-2', to: wallet, amount: '1000000000' })
    await expect(async () => {
      await guide.loadAgain()
      await expect(guide.triedAndFailed).toBeVisible({ timeout: 500 })
    }).toPass()
    tunnel.handle = toReceiver
    await expect(guide.arrived).toContainText('account_tx')
    await expect(guide.step('delivery')).toContainText(text.done)
    await look('Setup, first delivery')
    await guide.openCapture()
    const capture = captureDetail(page)
    await capture.openTab('details')
    await expect(capture.token).toHaveText(capture.text.rightToken)
  } finally {
    await gatewayProcess.end()
  }
})
