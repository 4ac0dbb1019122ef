/** What is done with captures: sent on, sent again, compared. */
import type { Locator, Page } from '@playwright/test'
import { startEndpoint } from '../fixtures/endpoint.ts'
import { findings } from './axe.ts'
import { type Tondesk, expect, freePort, test } from './fixture.ts'
import { accountEvent, post } from './sender.ts'
import { detail } from './pages/capture-detail.ts'
import { rows } from './pages/captures.ts'
import { openPage } from './pages/frame.ts'

/** The same pages in the same Chromium: once is enough. */
const looking =
  ({ host, page }: Tondesk) =>
  async (what: string) => {
    if (host === 'browser') expect.soft(await findings(page), what).toEqual([])
  }

async function openView(page: Page, name: string): Promise<void> {
  await openPage(page, 'inspector')
  const views = page.getByRole('navigation', { name: 'Inspector' })
  await views.getByRole('link', { name, exact: true }).click()
}

const figure = (scope: Locator, name: string) =>
  scope.getByText(name, { exact: true }).locator('xpath=following-sibling::*')

// U35: after its question was cancelled, the dialog stayed while the focus was on the page behind it.
test('the focus stays in a dialog, also after its question was cancelled', async ({ tondesk }) => {
  const { page } = tondesk
  await openView(page, 'Forwarding')
  await page.getByRole('heading', { name: 'Nothing is forwarded yet' }).waitFor()
  await page.keyboard.press('n')
  const form = page.getByRole('form', { name: 'Forwarding rule' })
  const focused = page.getByRole('dialog').locator(':focus')
  await form.getByRole('combobox').click()
  await page.keyboard.type('ev')
  await expect(page.getByRole('option').first()).toBeVisible()
  await page.keyboard.press('Escape')
  for (const leave of ['Escape', 'Enter']) {
    await page.keyboard.press('Escape')
    const question = page.getByRole('alertdialog')
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press(leave)
    await expect(question).toBeHidden()
    await expect(focused).toHaveCount(1)
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab')
      // At the end of the dialog the focus goes round to its beginning, a frame later.
      await expect(focused, `after ${presses + 1} times Tab`).toHaveCount(1)
    }
  }
})

test('what a server that is down did not get arrives once it is there: in order, and once', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const look = looking(tondesk)
  const port = await freePort()
  await openView(page, 'Forwarding')
  await page.getByRole('heading', { name: 'Nothing is forwarded yet' }).waitFor()
  await page.getByRole('button', { name: /^Forward to/ }).click()

  // Where nothing may go is told while one types; what is public asks first, and no is the usual answer.
  const form = page.getByRole('form', { name: 'Forwarding rule' })
  const target = form.getByRole('textbox', { name: 'Send to' })
  await target.fill('http://169.254.169.254/latest')
  await expect(form).toContainText('link-local')
  await target.fill('https://93.184.216.34/hook')
  await expect(form).toContainText('to be confirmed')
  await look('A rule')
  await form.getByRole('button', { name: 'Forward', exact: true }).click()
  const asked = page.getByRole('alertdialog', { name: /93\.184\.216\.34/ })
  await expect(asked.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(form.getByRole('alert')).toContainText('You have not said yes')

  await target.fill(`http://127.0.0.1:${port}/hook`)
  await form.getByRole('button', { name: 'Forward', exact: true }).click()
  const rule = page.getByRole('region', { name: `Rule To 127.0.0.1:${port}/hook` })
  await rule.waitFor()
  for (const lt of [1, 3, 2]) await post(receiverUrl, accountEvent(lt))
  await expect(figure(rule, 'Waiting').first()).toHaveText('3')
  await expect(rule.getByRole('list', { name: 'Targets' })).toContainText('down')
  await expect(rule).toContainText(`Nothing listens on 127.0.0.1:${port}`)
  await rule.getByRole('button', { name: 'Tries of capture 1' }).click()
  await expect(rule.getByText('no answer').first()).toBeVisible()
  await look('A rule that waits')

  await using server = await startEndpoint(undefined, port)
  await rule.getByRole('button', { name: 'Retry now' }).click()
  await server.arrived(3)
  await expect(figure(rule, 'Delivered').first()).toHaveText('3')
  expect(server.received.map(({ body }) => (JSON.parse(body) as { lt: number }).lt)).toEqual([
    1, 2, 3,
  ])
  expect(new Set(server.received.map(({ headers }) => headers['x-tondesk-delivery'])).size).toBe(3)

  // Turned off, nothing more goes there.
  await rule.getByRole('switch').click()
  await expect(rule.getByRole('list', { name: 'Targets' })).toContainText('off')
  await post(receiverUrl, accountEvent(4))
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(4)
  await page.locator('#capture-1').click()
  await detail(page).getByRole('tab', { name: 'Forwards' }).click()
  await expect(detail(page).getByRole('region', { name: /^Forwarded to/ })).toContainText(
    'delivered',
  )
  await look('Forwards of a capture')
  expect(server.received).toHaveLength(3)
})

test('a capture is edited beside the original and replayed, its secrets unseen; two answers are compared', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const look = looking(tondesk)
  let answered = 0
  await using server = await startEndpoint((_request, response) => {
    answered += 1
    response.setHeader('content-type', 'application/json')
    response.statusCode = answered === 2 ? 500 : 200
    response.end(JSON.stringify({ ok: answered !== 2, order: 'x' }))
  })
  const event = accountEvent(46_900_000)
  const authorization = 'Bearer not-to-be-seen-1234'
  await post(receiverUrl, event, { 'Content-Type': 'application/json', authorization })
  await post(receiverUrl, accountEvent(46_900_001))
  await openPage(page, 'inspector')
  await page.locator('#capture-1').click()
  await detail(page).waitFor()

  await page.keyboard.press('r')
  const dialog = page.getByRole('dialog', { name: 'Replay capture 1' })
  await dialog.getByRole('textbox', { name: 'Send to' }).fill(`${server.url}/hook`)
  await dialog.getByRole('button', { name: 'Edited' }).click()
  const body = dialog.getByRole('textbox', { name: 'Body' })
  await expect(body).toHaveValue(/"lt": 46900000,/)
  await look('Editing')
  await body.fill((await body.inputValue()).replace('46900000,', '46900009,'))
  await dialog.getByRole('tab', { name: 'Difference' }).click()
  const changed = dialog.getByRole('table', { name: 'Difference of the body' })
  await expect(changed.getByRole('row', { name: /^Changed "lt": 46900000,/ })).toHaveCount(1)
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
  await expect(dialog).toBeHidden()
  await server.arrived(1)
  // Nothing but what was edited differs, the laying out of the editor does not either.
  expect(server.received[0]).toMatchObject({
    body: event.replace('46900000,', '46900009,'),
    headers: { authorization, 'x-tondesk-replay': '1-0' },
  })
  expect(await page.content()).not.toContain('not-to-be-seen')
  await expect(page.getByText(/^200 in/).first()).toBeVisible()

  // As it came, to where it went before: that is Enter.
  await page.keyboard.press('r')
  const target = dialog.getByRole('textbox', { name: 'Send to' })
  await expect(target).toHaveValue(`${server.url}/hook`)
  // The field is there a moment before the keys are its own.
  await expect(target).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await server.arrived(2)
  await detail(page).getByRole('tab', { name: 'Forwards' }).click()
  const second = detail(page).getByRole('region', { name: 'Replay 2-0' })
  await expect(second).toContainText('500')
  await second.getByRole('button', { name: /^Compare with/ }).click()
  await page.getByRole('menuitem', { name: /^Replay 1-0/ }).click()
  const comparison = page.getByRole('region', { name: 'Comparison' })
  await expect(comparison.getByRole('row', { name: /^Changed HTTP 200 OK/ })).toHaveCount(1)
  await expect(comparison.getByRole('row', { name: /^Changed "ok": true,/ })).toHaveCount(1)
  await look('Compare')
  await page.keyboard.press('s')
  await expect(comparison.getByRole('row', { name: /^Changed "ok": false,/ })).toHaveCount(1)

  // Both captures, each twice in a row.
  await openPage(page, 'inspector')
  for (const id of [1, 2]) await page.locator(`#capture-${id}`).click({ modifiers: ['Control'] })
  await page.keyboard.press('r')
  const many = page.getByRole('dialog', { name: 'Replay 2 captures' })
  await many.getByRole('button', { name: 'Doubled' }).click()
  await many.getByRole('button', { name: 'Replay 4 requests' }).click()
  await expect(many).toBeHidden()
  await server.arrived(6)
  await openView(page, 'Replays')
  await page.getByRole('link', { name: /^Replay of 2 captures/ }).click()
  const job = page.getByRole('region', { name: /^Replay of 2 captures/ })
  await expect(job).toContainText('4 delivered')
  await job.getByRole('button', { name: 'Answer of no. 1', exact: true }).click()
  await expect(job.getByLabel('Body of the answer').last()).toHaveText('{"ok":true,"order":"x"}')
  await look('A replay')
})
