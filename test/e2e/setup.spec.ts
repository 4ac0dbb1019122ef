/** Tests the way from a gateway’s key to its first delivery, as a new user would follow the window. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGatewayProxy } from '../fixtures/gateway-proxy.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { sandboxClient } from '../fixtures/sandbox.ts'
import { playNgrokAgent, playServer, tunnelTo } from '../fixtures/tunnel.ts'
import { expectAccessible } from './axe.ts'
import { expect, freePort, startSandboxProcess, test } from './fixture.ts'
import { accountEvent, postDelivery } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { openPage } from './pages/frame.ts'
import { setupGuide } from './pages/setup.ts'
import { repeatUntil } from '../deadlines.ts'

/**
 * Starts a sandbox that replaces the public service, behind a proxy that refuses requests as a test
 * sets it.
 */
async function startStandIn(newSandbox: () => Promise<string>) {
  await using resources = new AsyncDisposableStack()
  const home = resources.use(temporaryDirectory())
  cpSync(await newSandbox(), home.path, { recursive: true })
  const gatewayProcess = await startSandboxProcess(home.path)
  resources.defer(() => gatewayProcess.end())
  const { ready } = gatewayProcess
  const gateway = resources.use(await startGatewayProxy(new URL(ready.webhooksUrl).origin))
  const { control } = sandboxClient(ready)
  await control('PUT', '/policy', { retryDelaysMs: [500] })
  const kept = resources.move()
  return {
    ready,
    gateway,
    control,
    directory: home.path,
    wallet: ready.wallets[0]?.address ?? '',
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Starts the guide's receiver for Node.js, as its first lines describe. */
async function startBackend(directory: string, code: string, token: string) {
  const file = join(directory, 'receiver.mjs')
  writeFileSync(file, code)
  const env = { ...process.env, WEBHOOK_TOKEN: token, PORT: '0' }
  const child = spawn(process.execPath, [file], {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return {
    // The host differs from that of the stand-in for the public URL, to which Tondesk sends no test
    // event.
    url: `http://localhost:${/\d+/.exec(line)?.[0] ?? ''}/`,
    async [Symbol.asyncDispose]() {
      child.kill()
      await exit
    },
  }
}

test('the setup guide leads a new user from a key to the first delivery, with the refusals of each step', async ({
  tondesk,
  newSandbox,
}) => {
  const { page, receiverUrl } = tondesk
  const look = expectAccessible(tondesk)
  await using standIn = await startStandIn(newSandbox)
  const { ready, gateway, control, wallet } = standIn
  await using tunnel = await playServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  )
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
  await guide.replaceKey()
  await guide.enterKey(ready.apiKey)
  await expect(guide.step('key')).toContainText(text.done)
  await expect(guide.plan).toContainText('0 delivered')

  await guide.next('tunnel')
  await guide.publicUrl.fill(`http://127.0.0.1:${tunnel.port}`)
  await guide.saveAndCheck()
  await expect(guide.tunnelProblem).toContainText(text.anotherService)
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

  // The user leaves the guide, and later continues at the first open step.
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
  await expect(guide.step('code')).toContainText(text.optional)
  await guide.backendUrl.fill(`http://localhost:${await freePort()}/`)
  await guide.sendTestEvent()
  await expect(guide.backendResult).toContainText(text.noListener)
  await expect(guide.step('code')).toContainText(text.failed)
  await look('Setup, backend not started')
  await guide.copyCode()
  const code = await tondesk.readClipboard()
  await guide.copyToken()
  await expect.poll(() => tondesk.readClipboard()).not.toBe(code)
  await using backend = await startBackend(standIn.directory, code, await tondesk.readClipboard())
  await guide.backendUrl.fill(backend.url)
  await guide.sendTestEvent()
  await expect(guide.backendResult).toContainText(text.acceptedEvent)
  await expect(guide.step('code')).toContainText(text.done)
  await look('Setup, backend')

  await guide.next('delivery')
  await expect(guide.nothingYet).toBeVisible()
  tunnel.handle = (_request, response) => response.writeHead(502).end()
  await control('POST', '/send', { from: 'wallet-2', to: wallet, amount: '1000000000' })
  await repeatUntil(async (timeout) => {
    await guide.loadAgain()
    await expect(guide.triedAndFailed).toBeVisible({ timeout })
  })
  tunnel.handle = toReceiver
  await expect(guide.arrived).toContainText('account_tx')
  await expect(guide.step('delivery')).toContainText(text.done)
  await look('Setup, first delivery')
  await guide.openCapture()
  const capture = captureDetail(page)
  await capture.openTab('details')
  await expect(capture.token).toHaveText(capture.text.rightToken)
})

test(
  'each step of the setup guide reports its other failures, and a delivery arrives without the optional steps',
  { tag: '@long' },
  async ({ tondesk, newSandbox }) => {
    // The step waits until the sender gives up on a backend that does not respond.
    test.slow()
    const { page, receiverUrl } = tondesk
    await using standIn = await startStandIn(newSandbox)
    const { ready, gateway, control, wallet } = standIn
    const guide = setupGuide(page)
    const { text, adding } = guide

    await guide.open()
    await guide.add()
    await adding.name.fill('Ours')
    for (const url of [adding.queryUrl, adding.webhooksUrl, adding.invoicesUrl]) {
      await url.fill(gateway.origin)
    }
    await adding.save()

    await guide.waitForKeychain()
    gateway.judge = ({ path }) =>
      path === '/webhooks' ? { status: 403, body: { error: 'not in your plan' } } : 'pass'
    await guide.enterKey(ready.apiKey)
    await expect(guide.checks.nth(1)).toContainText(text.notAllowed)
    await expect(guide.step('key')).toContainText(text.failed)
    gateway.judge = () => 'pass'
    await guide.testAgain()
    await expect(guide.step('key')).toContainText(text.done)

    // The gateway is on this computer, so the step is optional. A running tunnel is found.
    await guide.next('tunnel')
    await expect(guide.gatewayIsLocal).toBeVisible()
    await expect(guide.noTunnelFound).toBeVisible()
    const port = Number(new URL(receiverUrl).port)
    await using tunnel = await playServer(tunnelTo(() => port))
    const url = `http://127.0.0.1:${tunnel.port}`
    {
      await using agent = await playNgrokAgent(() => [{ url, port }])
      expect(agent.port).toBeGreaterThan(0)
      await guide.useTunnel(url)
      await expect(guide.tunnelCheck).toContainText(text.reachesReceiver)
    }
    await expect(guide.step('tunnel')).toContainText(text.done)

    await guide.next('webhook')
    gateway.judge = ({ method }) =>
      method === 'POST' ? { status: 403, body: { error: 'the plan has one webhook' } } : 'pass'
    await guide.createWebhook()
    await expect(guide.webhookError).toContainText('the plan has one webhook')
    await expect(guide.step('webhook')).toContainText(text.toDo)
    gateway.judge = () => 'pass'
    await guide.createWebhook()
    await expect(guide.step('webhook')).toContainText(text.done)

    await guide.next('accounts')
    gateway.judge = ({ path }) =>
      path.endsWith('/account-tx/subscribe')
        ? { status: 400, body: { error: 'the plan allows 0 subscribed accounts' } }
        : 'pass'
    await guide.addresses.fill(wallet)
    await guide.subscribe.click()
    await expect(guide.subscribed).toContainText(text.limit)
    await expect(guide.step('accounts')).toContainText(text.toDo)
    gateway.judge = () => 'pass'
    await guide.addresses.fill(wallet)
    await guide.subscribe.click()
    await expect(guide.step('accounts')).toContainText(text.done)

    await guide.next('invoices')
    await expect(guide.step('invoices')).toContainText(text.optional)

    await guide.next('code')
    await guide.chooseLanguage('Python')
    await guide.copyCode()
    expect(await tondesk.readClipboard()).toContain('hmac.compare_digest')
    await guide.backendUrl.fill('localhost:3000')
    await guide.sendTestEvent()
    await expect(guide.backendError).toContainText(text.invalidUrl)
    // The receiver would store a forged delivery, so its own URL is refused.
    await guide.backendUrl.fill(receiverUrl.replace('127.0.0.1', 'localhost'))
    await guide.sendTestEvent()
    await expect(guide.backendError).toContainText(text.ofTondesk)

    let response: { status: number; headers?: Record<string, string> } | null = { status: 401 }
    await using backend = await playServer((_request, answer) => {
      if (response !== null) answer.writeHead(response.status, response.headers).end()
    })
    await guide.backendUrl.fill(`http://localhost:${backend.port}/`)
    const outcomes = [
      [{ status: 401 }, text.rejectedByBackend],
      [{ status: 500 }, text.failedCode],
      [{ status: 302, headers: { location: 'https://elsewhere.example/' } }, text.redirect],
      [{ status: 404 }, text.wrongPath],
      [{ status: 204 }, text.only200],
      // The backend sends no response until the sender gives up, as a gateway would.
      [null, text.tooSlow],
    ] as const
    for (const [next, problem] of outcomes) {
      response = next
      await guide.sendTestEvent()
      await expect(guide.backendResult).toContainText(problem)
      await expect(guide.step('code')).toContainText(text.failed)
    }

    // The failing backend does not delay the first delivery; a delivery with a wrong token does not
    // count.
    await openPage(page, 'inspector')
    await guide.open()
    await expect(guide.nothingYet).toBeVisible()
    expect(await postDelivery(receiverUrl, accountEvent(1))).toBe(200)
    await expect(guide.step('delivery')).toContainText(text.toDo)
    await control('POST', '/send', { from: 'wallet-2', to: wallet, amount: '1000000000' })
    await expect(guide.arrived).toContainText('account_tx')
    await expect(guide.step('delivery')).toContainText(text.done)
  },
)
