/** Tests failures and missed events, from the failing endpoint to the rebuilt captures. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import type { Change } from '../../src-preload/contract/subscription.ts'
import { type SendRequest, connectRequests } from './send-request.ts'
import { expectAccessible } from './axe.ts'
import { expect, freePort, test } from './fixture.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { rows } from './pages/captures.ts'
import { failures, missedEvents } from './pages/failures.ts'
import { notices, openPage } from './pages/frame.ts'
import { queryField } from './pages/query-field.ts'
import { openSandbox } from './pages/sandbox.ts'
import { webhookDetail, webhookList } from './pages/webhooks.ts'

test.use({ withSandbox: true })
// The tests start their own sandbox, which takes longer.
test.slow()

const network = 'sandbox'
const chain = 'mainnet'
const accounts = [`0:${'1a'.repeat(32)}`, `0:${'2b'.repeat(32)}`]

/** Creates a webhook with the accounts, on a clock that only the test moves. */
async function subscribe(ask: SendRequest, page: Page, endpoint: string): Promise<string> {
  await openSandbox(page)
  await ask('sandbox.setPolicy', { retryDelaysMs: [36_000_000] })
  await ask('sandbox.setClock', { mode: 'virtual' })
  const { id } = await ask('webhook.create', { network, endpoint })
  const draft = await ask('lookup.begin', { network, replaces: null })
  const piece = { text: accounts.join('\n') }
  await ask('lookup.append', { draft: draft.id, piece, isLast: true })
  const change: Change = await ask('subscription.add', { network, webhook: id, draft: draft.id })
  await expect
    .poll(async () => (await ask('job.get', { kind: 'change', id: change.id })).state)
    .toBe('done')
  // The sandbox's clock is ahead of this computer’s, so that a slow test makes no delivery late.
  await ask('sandbox.advance', { byMs: 600_000 })
  return id
}

/** Each account is paid once, and its event is delivered or fails. */
async function payAll(ask: SendRequest): Promise<void> {
  for (const address of accounts) {
    await ask('sandbox.faucet', { network: chain, address, amount: '1000000' })
  }
  await ask('sandbox.advance', { byMs: 20_000 })
}

test(
  'events missed while the receiver was down are listed by a check, and rebuilt as captures',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page } = tondesk
    const look = expectAccessible(tondesk)
    const ask = await connectRequests(tondesk)
    // The restarted receiver must use the same port.
    await ask('settings.change', { receiver: { port: await freePort() } })
    const { url } = await ask('receiver.state')
    const id = await subscribe(ask, page, url ?? '')
    await payAll(ask)
    await ask('receiver.stop')
    await payAll(ask)
    await ask('receiver.start')

    await webhookList(page).open(id)
    await webhookDetail(page).openTab('missed')
    const missed = missedEvents(page)
    await missed.chooseLastHour()
    await missed.lateAfter.fill('soon')
    await missed.check()
    await expect(missed.error).toContainText(missed.text.needsDuration)
    await look('Missed')
    await missed.lateAfter.fill('1 s')
    await missed.check()
    await expect(missed.checkDone).toBeVisible()

    // For each account one event arrived and another one did not.
    await missed.showMissing(2)
    await expect(missed.events).toHaveCount(2)
    await page.keyboard.press('j')
    await expect(missed.event).toContainText(missed.text.notTaken)
    await look('A check')
    await expect(missed.chart).toContainText('2')

    await missed.rebuild(2)
    await missed.rebuildQuestion.confirm.click()
    await expect(missed.rebuilt(2)).toBeVisible()
    await expect(missed.captureOfEvent).toBeVisible()
    await missed.openFirstRebuilt()
    const capture = captureDetail(page)
    await expect(capture.open).toContainText(capture.text.rebuilt)
  },
)

// Catches lines without a link, or with a link for the mouse only.
test('equal failed attempts are one line that links to its captures, also by keyboard', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const ask = await connectRequests(tondesk)
  const { url } = await ask('receiver.state')
  await ask('responseRule.save', { action: { kind: 'answer', status: 500, body: '' } })
  const id = await subscribe(ask, page, url ?? '')
  await payAll(ask)

  await webhookList(page).open(id)
  await webhookDetail(page).openTab('deliveries')
  const { errors, showCaptures } = failures(page)
  await expect(errors).toHaveCount(accounts.length)
  await showCaptures.first().focus()
  await page.keyboard.press('Enter')
  await expect(queryField(page).field).toHaveValue(/status:500/)
  await expect(rows(page)).toHaveCount(1)
})

test(
  'a failing endpoint is shown with numbers, a notice and the cause, and so is its recovery',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page } = tondesk
    const look = expectAccessible(tondesk)
    let status = 503
    const endpoint = createServer((_request, response) => response.writeHead(status).end())
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = endpoint.address() as AddressInfo
      const ask = await connectRequests(tondesk)
      await ask('settings.change', { monitoring: { failedAttempts: 1 } })
      const id = await subscribe(ask, page, `http://127.0.0.1:${port}/hook`)
      await payAll(ask)

      await webhookList(page).open(id)
      await webhookDetail(page).openTab('deliveries')
      const failing = failures(page)
      await failing.readNow()
      await expect(failing.affected).toHaveCount(2)
      await expect(failing.row('503')).toBeVisible()
      await expect(failing.sentence).toHaveText(
        new RegExp(`^503 Service Unavailable from 127.0.0.1:${port}, all 2 attempts since`),
      )
      await expect(failing.request).toContainText('account_tx')
      // Ten hours after the first attempt; the webhook goes offline after a day, of which 20 s are
      // over.
      await expect(failing.cause).toContainText(/in 9 h \d+ min.*in 23 h \d+ min/s)
      await expect(failing.openQueue).toBeVisible()
      await look('Failures')

      // The range is part of the page's address.
      await failing.showSevenDays()
      await expect(page).toHaveURL(/range=7d/)
      await expect(failing.attempts).toContainText(/^Failed attempts/)

      // The inbox of the Overview lists the incident, so no banner repeats it there.
      const incident = notices(page)
      await openPage(page, 'overview')
      await expect(incident.inInbox).toHaveCount(1)
      await expect(incident.strip).toBeHidden()
      await openPage(page, 'inspector')
      await incident.snooze('For 24 hours')
      await expect(incident.strip).toBeHidden()
      await incident.button.click()
      await look('Notices')
      await incident.endSnooze()
      await expect(incident.strip).toBeVisible()
      await incident.showCause()
      await expect(page).toHaveURL(new RegExp(`#/webhooks/${id}/deliveries`))
      await expect(failing.sentence).toBeFocused()
      await expect(failing.affected.first()).toHaveAttribute('href', /deliveries\/0/)
      await page.keyboard.press('j')
      await expect(failing.explanation).toContainText(failing.text.shown(1, 2))
      await expect(failing.whatToDo).toBeVisible()
      await expect(failing.gatewayLog).toContainText('503')
      await look('An explanation')
      await page.keyboard.press('j')
      await expect(failing.explanation).toContainText(failing.text.shown(2, 2))

      status = 200
      await ask('webhook.backOnline', { network, id })
      await ask('sandbox.advance', { byMs: 36_100_000 })
      await page.keyboard.press('Escape')
      await failing.readNow()
      await expect(failing.affected).toHaveCount(0)
      await expect(notices(page).button).toBeVisible()
    } finally {
      endpoint.closeAllConnections()
      endpoint.close()
    }
  },
)
