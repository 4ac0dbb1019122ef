/**
 * Checks every view of the window with an open detail: no element is outside the window or cut off
 * in four sizes, and axe finds no problem of any severity in either theme.
 */
import { readFileSync } from 'node:fs'
import type { SetupStep } from '../../../src-renderer/app/setup-route.ts'
import { makePng } from '../../fixtures/png.ts'
import { type SendRequest, connectRequests } from '../send-request.ts'
import { findViolations } from '../axe.ts'
import { type Tondesk, expect, freePort, test } from '../fixture.ts'
import { layoutProblems } from '../layout.ts'
import { accountEvent, postDelivery } from '../sender.ts'
import { lookup } from '../pages/lookups.ts'
import { attention } from '../pages/attention.ts'
import { captureDetail } from '../pages/capture-detail.ts'
import { captureList } from '../pages/captures.ts'
import { captureImport } from '../pages/capture-files.ts'
import { frame, networkMenu, notices, openDialog } from '../pages/frame.ts'
import { invoiceList } from '../pages/invoice-list.ts'
import { queryField } from '../pages/query-field.ts'
import { openSandbox, sandbox } from '../pages/sandbox.ts'
import { alertSettings } from '../pages/settings.ts'
import { setupGuide } from '../pages/setup.ts'
import { buildMessage, contract, historyExport, transaction } from '../pages/explorer.ts'
import { webhookDetail } from '../pages/webhooks.ts'

test.use({ withSandbox: true })

const network = 'sandbox'
const chain = 'mainnet'
const usual = { width: 1440, height: 900 }
/** The last size is 1920x1080 with a zoom of 200 %. */
const sizes = [
  usual,
  { width: 1024, height: 640 },
  { width: 1920, height: 1080 },
  { width: 960, height: 540 },
]

type Look = (
  name: string,
  open: string | (() => Promise<unknown>),
  shows?: 'page' | 'dialog',
) => Promise<void>

/**
 * Opens a view by its address or by an action of the user, and checks it. A dialog must have the
 * focus and is closed again.
 */
function viewer({ page }: Tondesk): Look {
  const dialog = openDialog(page)
  // Parts that every page has are reported on the first page only.
  const reported = new Set<string>()
  return async (name, open, shows = 'page') => {
    const problems: string[] = []
    try {
      if (typeof open === 'string') await page.evaluate((hash) => (location.hash = hash), open)
      else await open()
      if (shows === 'dialog') await dialog.dialog.waitFor()
      await expect(frame(page).loading).toHaveCount(0)
      await expect(frame(page).pageTitle).toBeVisible()
    } catch (error) {
      problems.push(String(error))
    }
    // The rules for whole pages give the same result in each tab and dialog.
    const rules = typeof open === 'string' ? 'all' : 'of states'
    problems.push(...(await findViolations(page, rules)))
    for (const size of sizes) {
      if (size !== usual) await page.setViewportSize(size)
      const found = await layoutProblems(page)
      problems.push(...found.map((each) => `${size.width}x${size.height}: ${each}`))
    }
    await page.setViewportSize(usual)
    if (shows === 'dialog') {
      if (!(await dialog.hasFocus())) problems.push('The focus is outside of the dialog.')
      await dialog.close()
    }
    expect
      .soft(
        problems.filter((each) => !reported.has(each)),
        name,
      )
      .toEqual([])
    for (const each of problems) reported.add(each)
  }
}

async function walletsOf(ask: SendRequest): Promise<Record<string, string>> {
  await expect.poll(async () => (await ask('sandbox.state')).status).toBe('running')
  const { wallets } = await ask('sandbox.chain', { network: chain })
  return Object.fromEntries(wallets.map(({ name, address }) => [name, address]))
}

async function makeDraft(
  ask: SendRequest,
  lines: readonly string[],
  of = network,
): Promise<string> {
  const { id } = await ask('lookup.begin', { network: of, replaces: null })
  await ask('lookup.append', { draft: id, piece: { text: lines.join('\n') }, isLast: true })
  return id
}

/** Makes the choice of a user on a computer without a keychain. */
async function keepSecretsInMemory(ask: SendRequest): Promise<void> {
  const isChecked = async () => {
    const { place, problem } = await ask('secrets.state')
    return place !== 'none' || problem?.includes('not checked yet') === false
  }
  await expect.poll(isChecked).toBe(true)
  await ask('secrets.useSessionOnly')
}

async function subscribe(ask: SendRequest, webhook: string, account: string, of = network) {
  const draft = await makeDraft(ask, [account], of)
  const { id } = await ask('subscription.add', { network: of, webhook, draft })
  await expect.poll(async () => (await ask('job.get', { kind: 'change', id })).state).toBe('done')
}

test('views of captures, webhooks and settings have no finding of axe and no cut-off element', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const ask = await connectRequests(tondesk)
  const look = viewer(tondesk)
  await page.setViewportSize(usual)
  const wallets = await walletsOf(ask)

  await look('Overview, empty', '#/overview')
  await look('Inspector, empty', '#/inspector')
  await look('Webhooks, empty', '#/webhooks')
  await look('Forwarding, empty', '#/inspector/forwarding')

  for (const step of ['webhook', 'account', 'payment'] as const)
    await ask('sandbox.doStep', { step })
  const [merchant = '', customer = ''] = [wallets['merchant'], wallets['wallet-2']]
  await ask('label.set', { network, address: merchant, name: 'Shop till' })
  // No program listens at this URL, so each delivery fails, including those of the forwarding rule.
  const down = `http://127.0.0.1:${await freePort()}/hook`
  await ask('settings.change', { monitoring: { failedAttempts: 1 } })
  const failing = await ask('webhook.create', { network, endpoint: down })
  const draft = await makeDraft(ask, [merchant, customer])
  const change = await ask('subscription.add', { network, webhook: failing.id, draft })
  await expect
    .poll(async () => (await ask('job.get', { kind: 'change', id: change.id })).state)
    .toBe('done')
  const rule = await ask('forwardRule.save', { targets: [down] })
  const answer = { kind: 'answer', status: 503 } as const
  await ask('responseRule.save', { filter: 'event:mempool_msg', action: answer, next: 2 })
  for (let order = 1; order <= 12; order += 1) {
    const [to, amount, comment] = [merchant, String(order * 1_250_000_000), `order-47${order}`]
    await ask('sandbox.send', { network: chain, from: 'wallet-1', to, amount, comment })
  }
  await postDelivery(receiverUrl, 'not json \u0000', { 'Content-Type': 'text/plain' })
  await postDelivery(receiverUrl, 'x'.repeat(1024 * 1024 + 1))
  for (const lt of [1, 1, 2]) await postDelivery(receiverUrl, accountEvent(lt))
  const newest = (await ask('capture.list', { limit: 1 })).rows[0]?.id ?? 0
  const findPayment = async () =>
    (await ask('capture.list', { query: { text: 'order-475' }, limit: 1 })).rows[0]?.id ?? 0
  await expect.poll(findPayment).not.toBe(0)
  const payment = await findPayment()
  const replay = await ask('replay.start', {
    subject: { kind: 'captures', ids: [payment, newest] },
    target: down,
  })
  await ask('sampler.run', { network })
  const hour = 3_600_000
  const check = await ask('missedEvents.start', {
    network,
    webhook: failing.id,
    accounts: { all: true },
    from: Date.now() - hour,
  })

  await look('Overview', '#/overview')
  await look('Notices', () => notices(page).button.click())
  await page.keyboard.press('Escape')
  await look('Palette', () => page.keyboard.press('Control+k'))
  await look('Keys', () => page.keyboard.press('?'), 'dialog')
  await look('Inspector', '#/inspector')
  await page.setViewportSize({ width: 1024, height: 640 })
  expect.soft(await captureList(page).rowsInSight(), 'rows at 1024x640').toBeGreaterThanOrEqual(8)
  await look('A capture', `#/inspector/${payment}`)
  const capture = captureDetail(page)
  await page.setViewportSize({ width: 1024, height: 640 })
  expect.soft(await capture.contentHeight(), 'pixels at 1024x640').toBeGreaterThanOrEqual(320)
  await page.setViewportSize(usual)
  for (const tab of ['headers', 'timeline', 'forwards', 'details', 'body'] as const) {
    await look(`A capture, ${tab}`, () => capture.openTab(tab))
  }
  for (const view of ['tree', 'text', 'hex'] as const) {
    await look(`A body as ${view}`, () => capture.showBodyAs(view))
  }
  await look('Captures, export', () => page.keyboard.press('e'), 'dialog')
  await look('Captures, import', () => captureImport(page).show(), 'dialog')
  await look('Replay', () => page.keyboard.press('r'), 'dialog')
  await look('Delete', () => page.keyboard.press('Delete'), 'dialog')
  await look('Captures as a table', () => captureList(page).showArrivalsAsTable.click())
  await look('Nothing found', () => queryField(page).field.fill('nothing-like-it'))

  await look('Forwarding', `#/inspector/forwarding/${rule.id}`)
  await look('A forwarding rule', () => page.keyboard.press('n'), 'dialog')
  await look('Replays', `#/inspector/replays/${replay.id}`)
  await look('Responses', '#/inspector/answers')
  await look('A response rule', () => page.keyboard.press('n'), 'dialog')
  await look('Tunnels', '#/inspector/tunnels')
  const sides = `left=capture-${payment}&right=capture-${newest}`
  await look('Compare', `#/inspector/compare?${sides}`)

  const webhook = `#/webhooks/${failing.id}`
  await look('A webhook', `${webhook}?network=${network}`)
  await look('Move', () => webhookDetail(page).moveButton.click(), 'dialog')
  await look('Delete webhook', () => webhookDetail(page).startDeleting(), 'dialog')
  await look('New webhook', () => page.keyboard.press('n'), 'dialog')
  const account = encodeURIComponent(customer)
  await look('Accounts', `${webhook}/accounts/${account}?network=${network}`)
  await look('Add accounts', `${webhook}/accounts/add?network=${network}`)
  await look('Opcodes', `${webhook}/opcodes?network=${network}`)
  const { id: here = 0 } = (await ask('sandbox.steps')).webhook ?? {}
  await look('Deliveries', `#/webhooks/${here}/deliveries?network=${network}`)
  await look('Deliveries, failed', `${webhook}/deliveries?network=${network}`)
  const { testEvent } = webhookDetail(page)
  await look('A test event', () => testEvent.begin(), 'dialog')
  await look('Failures', `${webhook}/deliveries?network=${network}`)
  await look('An explanation', `${webhook}/deliveries/${account}?network=${network}`)
  await look('Missed', `${webhook}/missed?network=${network}`)
  await look('A check', `${webhook}/missed/${check.id}?network=${network}`)
  await look('Changes', `${webhook}/changes?network=${network}`)
  await look('A change', `${webhook}/changes/${change.id}?network=${network}`)
  await look('Subscriptions file', '#/webhooks/file')
  await look('No such webhook', `#/webhooks/99?network=${network}`)
  await look('A webhook of another network', '#/webhooks/1?network=testnet')
  await look('No such capture', '#/inspector/9999')
  await look('Networks', () => networkMenu(page).button.click())
  await page.keyboard.press('Escape')
  await look('Settings', '#/settings')
  await look('Settings, networks', '#/settings/networks')
})

test('views of the setup guide, alerts and reports have no finding of axe and no cut-off element', async ({
  tondesk,
}) => {
  const { page, dataDirectory, receiverUrl } = tondesk
  const ask = await connectRequests(tondesk)
  const look = viewer(tondesk)
  await page.setViewportSize(usual)
  const { merchant = '' } = await walletsOf(ask)
  await keepSecretsInMemory(ask)
  const down = `http://127.0.0.1:${await freePort()}/hook`

  await look('Setup, choose a gateway', '#/overview/setup')
  const { urls, keysFile } = await ask('sandbox.state')
  const { query = '', webhooks = '', console = '' } = urls ?? {}
  const { apiKey } = JSON.parse(readFileSync(keysFile, 'utf8')) as { apiKey: string }
  const { id: of } = await ask('network.add', {
    name: 'Ours',
    urls: { query, webhooks, testnetWebhooks: null, console },
    testOnly: false,
  })
  await ask('network.select', { id: of })
  const guide = setupGuide(page)
  const step = (name: SetupStep) => `#/overview/setup/${name}?network=${of}`
  await look('Setup, no key', step('key'))
  await ask('network.setSecret', { id: of, slot: 'api', secret: apiKey })
  await expect(guide.plan).toBeVisible()
  await look('Setup, key', step('key'))
  await look('Setup, tunnel', step('tunnel'))
  await look('Setup, no webhook', step('webhook'))
  await look('Setup, no webhook for accounts', step('accounts'))
  const { id: webhook } = await ask('webhook.create', { network: of, endpoint: receiverUrl })
  await look('Setup, webhook', step('webhook'))
  await subscribe(ask, webhook, merchant, of)
  await look('Setup, accounts', step('accounts'))
  await look('Setup, invoice access', step('invoices'))
  await look('Setup, backend', step('code'))
  await look('Setup, backend not started', async () => {
    await guide.backendUrl.fill(down)
    await guide.sendTestEvent()
    await expect(guide.backendResult).toContainText(guide.text.noListener)
  })
  await look('Setup, no delivery', step('delivery'))
  const payment = { network: chain, from: 'wallet-1', to: merchant, amount: '1250000000' } as const
  await ask('sandbox.send', payment)
  await expect(guide.arrived).toBeVisible()
  await look('Setup, first delivery', step('delivery'))

  await ask('network.select', { id: network })

  const which = { id: null, enabled: true, events: ['opened' as const], networks: null }
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  await ask('alert.save', { kind: 'webhook', url: down, secret, ...which })
  await ask('settings.change', {
    reports: { merchantName: 'Shop', reconcileEvery: 'day', reconcileFolder: dataDirectory },
  })
  await ask('report.setLogo', { base64: makePng(300, 80).toString('base64') })
  const alerts = alertSettings(page)
  await look('Settings, alerts', '#/settings/alerts')
  await look('Alerts, a test that fails', async () => {
    await alerts.sendTest()
    await alerts.result('failed').waitFor()
  })
  await look('Alerts, a destination', () => alerts.edit())
  await look('Alerts, a new destination', () => alerts.add())
  await look('Settings, reports', '#/settings/reports')
})

test('views of the chain, invoices and the sandbox have no finding of axe and no cut-off element', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const ask = await connectRequests(tondesk)
  const look = viewer(tondesk)
  await page.setViewportSize(usual)
  const wallets = await walletsOf(ask)
  const merchant = wallets['merchant'] ?? ''

  await look('Invoices, empty', '#/invoices')
  await look('Lookups, empty', '#/accounts')
  await look('Watched accounts, empty', '#/accounts/watched')
  await look('Explorer, home', '#/transactions')
  await look('Jobs, empty', '#/jobs')
  await look('Page not found', '#/nonsense')
  await look('Attention, empty', '#/invoices/attention')

  await ask('invoiceAccess.addWebhook', { network, url: receiverUrl })
  await ask('label.set', { network, address: merchant, name: 'Shop till', note: 'Main till' })
  const sent = await ask('sandbox.send', {
    network: chain,
    from: 'wallet-1',
    to: merchant,
    amount: '12500000000',
    comment: 'order-7',
  })
  const pay = async (amount: string, how: 'exact' | 'under' | 'over' | 'no-comment' | null) => {
    const description = `order-${amount.slice(0, 4)}`
    const form = { amount, currency: 'TON', lifeTimeSeconds: 86_400, description } as const
    const { id } = await ask('sandbox.createInvoice', form)
    if (how !== null) await ask('sandbox.pay', { id, how, from: 'wallet-2' })
    return id
  }
  for (let order = 1; order <= 6; order += 1) await pay(`${order}400000000`, 'exact')
  await pay('7000000000', null)
  await pay('8000000000', 'no-comment')
  const over = await pay('1500000000', 'over')
  const part = await pay('3300000000', 'under')
  await ask('invoiceSync.run', { network, full: true })
  const form = { network, currency: 'TON', lifeTimeSeconds: 86_400 } as const
  const file = (count: number) =>
    Array.from({ length: count }, (_, index) => `order-${index};${index + 1}`).join('\n')
  const { id: issued } = await ask('invoiceIssue.draftFile', {
    ...form,
    text: `description;amount\n${file(3)}`,
  })
  const job = await ask('invoiceIssue.start', { draft: issued })
  const issuing = await ask('invoiceIssue.draftFile', {
    ...form,
    text: `description;amount\n${file(5)}\nbad;1e3`,
  })
  await expect
    .poll(async () => (await ask('job.get', { kind: 'invoiceJob', id: job.id })).state)
    .toBe('done')
  const draft = await makeDraft(ask, [...Object.values(wallets), `0:${'ab'.repeat(32)}`])
  const accounts = await ask('lookup.start', { draft, name: 'Customers' })
  await expect
    .poll(async () => (await ask('job.get', { kind: 'lookup', id: accounts.id })).state)
    .toBe('done')
  const { matters } = await ask('discrepancy.page', { network, offset: 0, limit: 1 })

  const hash = sent.transactions[0]?.hash ?? ''
  const { block } = (await ask('transaction.get', { network, id: hash })).transaction
  await look('A transaction', `#/transactions/tx/${hash}`)
  await look('Messages as text', () => transaction(page).showMessagesAsText())
  for (const tab of ['messages', 'raw'] as const) {
    await look(`A transaction, ${tab}`, () => transaction(page).openTab(tab))
  }
  await look('An account', `#/transactions/account/${merchant}`)
  const { jettons } = await ask('account.get', { network, address: merchant })
  await look('A jetton', `#/transactions/jetton/${jettons?.[0]?.asset.jetton ?? merchant}`)
  await look('No such jetton', `#/transactions/jetton/${merchant}`)
  await look('NFTs of an account', `#/transactions/nfts/${merchant}`)
  await look('No such NFT', `#/transactions/nft/${merchant}`)
  await look('No such NFT collection', `#/transactions/collection/${merchant}`)
  await look('No such transaction', `#/transactions/tx/${'0'.repeat(64)}`)
  await look('A block', `#/transactions/block/${block}`)
  await look('Latest blocks', '#/transactions/blocks')
  await look('A signed message', '#/transactions/build?signed=1')
  await look('Build a message', '#/transactions/build')
  await look('A contract', `#/transactions/contract/${merchant}`)
  const { code } = await ask('contract.get', { network, address: merchant })
  await ask('dictionary.import', {
    codeHash: code?.hash ?? '',
    text: 'order#11223344 price:Coins buyer:MsgAddress gift:Bool note:(Maybe ^Cell) = Body;',
  })
  await look('A dictionary', () => contract(page).openTab('Dictionary'))
  await look('A message of a dictionary', '#/transactions/build')
  await look('Its fields', async () => {
    const building = buildMessage(page)
    await building.from.fill(merchant)
    await building.chooseMessage('order (Dictionary)')
    await building.assumeBalance('1')
  })
  const history = { network, address: merchant, view: 'events' } as const
  const exported = await ask('historyExport.start', history)
  await look('History exports', '#/accounts/histories')
  await look('A history export', `#/accounts/history/${exported.id}`)
  await look('An account again', `#/transactions/account/${merchant}`)
  await look('Export the history', () => historyExport(page).open(), 'dialog')

  await ask('watch.save', {
    network,
    address: merchant,
    report: 'incident',
    makesCaptures: true,
    isForwarded: true,
    rules: [
      { kind: 'incoming', amount: '1234567.123456789' },
      { kind: 'failure' },
      { kind: 'opcode', opcode: '0x0f8a7ea5' },
      { kind: 'jetton', jetton: jettons?.[0]?.asset.jetton ?? merchant, amount: '0.000001' },
    ],
  })
  await look('Watched accounts', '#/accounts/watched')
  await look('Watch an account', () => page.keyboard.press('a'), 'dialog')
  await look('Lookups', '#/accounts')
  await look('A lookup', `#/accounts/job/${accounts.id}`)
  await look('An account of a lookup', () => lookup(page).rows.first().click())
  await look('New lookup', '#/accounts/new')
  await look('Address book', '#/accounts/labels')
  await look('A label', () => page.keyboard.press('a'), 'dialog')

  await look('Invoices', '#/invoices')
  await look('New invoice', () => page.keyboard.press('n'), 'dialog')
  await look('Export', () => page.keyboard.press('e'), 'dialog')
  await look(
    'Cancel',
    async () => {
      await page.keyboard.press('j')
      await page.keyboard.press('Delete')
    },
    'dialog',
  )
  await look('Filters', () => invoiceList(page).filterPaid())
  await look('A part-paid invoice', `#/invoices/of/${part}?network=${network}`)
  await look('An overpaid invoice', `#/invoices/of/${over}?network=${network}`)
  await look('Needs attention', `#/invoices/attention/${matters[0]?.key ?? 0}?network=${network}`)
  await look('A refund', () => attention(page).prepareRefund(), 'dialog')
  await look('Payments', '#/invoices/payments')
  await look('Reconciliation', '#/invoices/closing')
  await look('Issue from a file', '#/invoices/issue')
  await look('A draft', `#/invoices/issue/${issuing.id}?network=${network}`)
  await look('Jobs', '#/invoices/jobs')
  await look('A job', `#/invoices/jobs/${job.id}`)
  await look('Access', '#/invoices/access')

  const controls = sandbox(page)
  await look('Sandbox', () => openSandbox(page))
  for (const act of ['faucet', 'payInvoice', 'deploy', 'opcode', 'activity'] as const) {
    await look(`Sandbox, ${act}`, () => controls.openAction(act))
  }
  const tabs = ['control', 'invoices', 'connect'] as const
  for (const tab of tabs) await look(`Sandbox, ${tab}`, () => controls.openTab(tab))
  await look(
    'Recovery words',
    async () => {
      await controls.showRecoveryWords('merchant')
      await controls.recoveryWords('merchant').words.first().waitFor()
    },
    'dialog',
  )
  await ask('sandbox.stop')
  await look('Sandbox, stopped', () => controls.isStopped.waitFor())
})
