/** What fails and what was missed, from the endpoint that breaks to what is rebuilt. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from '@playwright/test'
import type { Change } from '../../src-preload/contract/subscription.ts'
import { type Ask, asking } from './ask.ts'
import { findings } from './axe.ts'
import { expect, freePort, test } from './fixture.ts'
import { detail } from './pages/capture-detail.ts'
import { openPage } from './pages/frame.ts'

test.use({ withSandbox: true })
// A TVM of its own.
test.slow()

const network = 'sandbox'
const chain = 'mainnet'
const accounts = [`0:${'1a'.repeat(32)}`, `0:${'2b'.repeat(32)}`]

/** A webhook that hears of the accounts, under a clock that moves only when it is told to. */
async function subscribe(ask: Ask, page: Page, endpoint: string): Promise<string> {
  await openPage(page, 'sandbox')
  await page
    .getByRole('row', { name: /merchant/ })
    .first()
    .waitFor()
  await ask('sandbox.setPolicy', { retryDelaysMs: [36_000_000] })
  await ask('sandbox.setClock', { mode: 'virtual' })
  const { id } = await ask('webhook.create', { network, endpoint })
  const draft = await ask('lookup.begin', { network, replaces: null })
  const piece = { text: accounts.join('\n') }
  await ask('lookup.append', { draft: draft.id, piece, isLast: true })
  const change: Change = await ask('subscription.add', { network, webhook: id, draft: draft.id })
  await expect.poll(async () => (await ask('change.get', { id: change.id })).state).toBe('done')
  // Ahead of this computer's clock, so that no time that a test takes makes a delivery late.
  await ask('sandbox.advance', { byMs: 600_000 })
  return id
}

/** Each account is paid once, and its event delivered or not. */
async function payAll(ask: Ask): Promise<void> {
  for (const address of accounts) {
    await ask('sandbox.faucet', { network: chain, address, amount: '1000000' })
  }
  await ask('sandbox.advance', { byMs: 20_000 })
}

const openTab = (open: Locator, name: string) => open.getByRole('tab', { name }).click()

const opened = (page: Page) => page.getByRole('region', { name: /^Webhook \d+$/ })

async function openWebhook(page: Page, id: string): Promise<Locator> {
  await openPage(page, 'webhooks')
  await page.getByRole('grid', { name: 'Webhooks' }).locator(`[data-webhook="${id}"]`).click()
  return opened(page)
}

test('what was sent while the receiver was down is named, and rebuilt into the inspector', async ({
  tondesk,
}) => {
  const { page, host } = tondesk
  const look = async (what: string) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }
  const ask = await asking(tondesk)
  // Started again, it is to be on the same port.
  await ask('settings.change', { receiver: { port: await freePort() } })
  const { url } = await ask('receiver.state')
  const id = await subscribe(ask, page, url ?? '')
  await payAll(ask)
  await ask('receiver.stop')
  await payAll(ask)
  await ask('receiver.start')

  const open = await openWebhook(page, id)
  await openTab(open, 'Missed')
  const form = open.getByRole('form', { name: 'New check' })
  await form.getByRole('button', { name: 'Last hour' }).click()
  await form.getByRole('textbox', { name: 'Late after' }).fill('soon')
  await form.getByRole('button', { name: 'Check' }).click()
  await expect(form.getByRole('alert')).toContainText('such as 30 s')
  await look('Missed')
  await form.getByRole('textbox', { name: 'Late after' }).fill('1 s')
  await form.getByRole('button', { name: 'Check' }).click()
  await expect(open.getByText('done', { exact: true })).toBeVisible()

  // Of each account one came and one did not.
  const shown = open.getByRole('group', { name: 'Events shown' })
  await shown.getByRole('button', { name: /^missing 2$/ }).click()
  const events = open.getByRole('grid', { name: 'Events' }).locator('[data-index]')
  await expect(events).toHaveCount(2)
  await page.keyboard.press('j')
  const event = open.getByRole('region', { name: 'Event', exact: true })
  await expect(event).toContainText('no delivery of it was taken here')
  await look('A check')
  await open.getByRole('button', { name: 'Events as a table' }).click()
  await expect(open.getByRole('region', { name: 'Events, as a table' })).toContainText('2')

  await open.getByRole('button', { name: 'Rebuild 2 missing…' }).click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Rebuild/ })
    .click()
  await expect(open.getByText('2 events rebuilt into the inspector.')).toBeVisible()
  await expect(event.getByRole('link', { name: /^Capture/ })).toBeVisible()
  await open.getByRole('link', { name: 'Open the first' }).click()
  await expect(detail(page)).toContainText('rebuilt')
})

test('an endpoint that breaks is told in figures, in a notice and with its cause, and so is its recovery', async ({
  tondesk,
}) => {
  const { page, host } = tondesk
  const look = async (what: string) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }
  let status = 503
  const endpoint = createServer((_request, response) => response.writeHead(status).end())
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = endpoint.address() as AddressInfo
    const ask = await asking(tondesk)
    await ask('settings.change', { monitoring: { failedAttempts: 1 } })
    const id = await subscribe(ask, page, `http://127.0.0.1:${port}/hook`)
    await payAll(ask)

    const open = await openWebhook(page, id)
    await openTab(open, 'Failures')
    await open.getByRole('button', { name: 'Read now' }).click()
    await expect(open.getByRole('link', { name: /^Failing now 2 accounts/ })).toBeVisible()
    await expect(open.getByRole('row', { name: /503/ }).first()).toBeVisible()
    await look('Failures')

    // The range is in the address.
    await open.getByRole('link', { name: '7 d', exact: true }).click()
    await expect(page).toHaveURL(/range=7d/)
    await open.getByRole('button', { name: 'Failed attempts as a table' }).click()
    await expect(open.getByRole('region', { name: 'Failed attempts, as a table' })).toContainText(
      'no reading',
    )

    await openPage(page, 'overview')
    await page.getByRole('button', { name: /notice/ }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Show its failures' }).click()
    await expect(page).toHaveURL(new RegExp(`#/webhooks/${id}/failures`))
    const figure = opened(page).getByRole('link', { name: /^Failing now 2 accounts/ })
    await expect(figure).toHaveAttribute('href', /failures\/0/)
    await page.keyboard.press('j')
    const why = opened(page).getByRole('region', { name: 'Why it fails' })
    await expect(why).toContainText('1 of 2 failing')
    await expect(why.getByRole('list', { name: 'What to do' })).toBeVisible()
    await expect(why.getByRole('region', { name: 'In the gateway’s log' })).toContainText('503')
    await look('An explanation')
    await page.keyboard.press('j')
    await expect(why).toContainText('2 of 2 failing')

    status = 200
    await ask('webhook.backOnline', { network, id })
    await ask('sandbox.advance', { byMs: 36_100_000 })
    await page.keyboard.press('Escape')
    await opened(page).getByRole('button', { name: 'Read now' }).click()
    await expect(opened(page).getByText('Nothing is failing.')).toBeVisible()
    await expect(page.getByRole('button', { name: /notice/ })).toBeVisible()
  } finally {
    endpoint.closeAllConnections()
    endpoint.close()
  }
})
