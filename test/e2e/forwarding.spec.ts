/** Tests forwarding, replaying and comparing captures. */
import { startEndpoint } from '../fixtures/endpoint.ts'
import { expectAccessible } from './axe.ts'
import { expect, freePort, test } from './fixture.ts'
import { accountEvent, postDelivery } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureList, rows } from './pages/captures.ts'
import { forwarding, forwardingRule } from './pages/forwarding.ts'
import { openPage } from './pages/frame.ts'
import { replayDialog, replayJob, replayOfCapture } from './pages/replays.ts'

// Earlier, after its confirmation was cancelled, the dialog stayed open with the focus on the page
// behind it.
test('the focus stays in a dialog, also after its confirmation was cancelled', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const { show, isEmpty, form } = forwarding(page)
  await show()
  await isEmpty.waitFor()
  await page.keyboard.press('n')
  await form.query.click()
  await page.keyboard.type('ev')
  await expect(form.suggestions.first()).toBeVisible()
  await page.keyboard.press('Escape')
  for (const leave of ['Escape', 'Enter']) {
    await page.keyboard.press('Escape')
    await expect(form.discardQuestion.cancel).toBeFocused()
    await page.keyboard.press(leave)
    await expect(form.discardQuestion.dialog).toBeHidden()
    await expect(form.focused).toHaveCount(1)
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab')
      // At the end of the dialog the focus returns to the beginning, one frame later.
      await expect(form.focused, `after ${presses + 1} times Tab`).toHaveCount(1)
    }
  }
})

test('a server that was down gets the missed deliveries once it runs, in order and once', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const look = expectAccessible(tondesk)
  const port = await freePort()
  const { text, form, ...list } = forwarding(page)
  await list.show()
  await list.isEmpty.waitFor()
  await list.addRule()

  // A forbidden target is reported while the user types; a public target needs a confirmation,
  // whose default button cancels.
  await form.target.fill('http://169.254.169.254/latest')
  await expect(form.form).toContainText(text.linkLocal)
  await form.target.fill('https://93.184.216.34/hook')
  await expect(form.form).toContainText(text.toBeConfirmed)
  await look('A rule')
  await form.save()
  await expect(form.publicQuestion('93.184.216.34').cancel).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(form.error).toContainText(text.notConfirmed)

  await form.target.fill(`http://127.0.0.1:${port}/hook`)
  await form.save()
  const rule = forwardingRule(page, `127.0.0.1:${port}/hook`)
  await rule.rule.waitFor()
  for (const lt of [1, 3, 2]) await postDelivery(receiverUrl, accountEvent(lt))
  await expect(rule.waiting).toHaveText('3')
  await expect(rule.targets).toContainText(text.down)
  await expect(rule.rule).toContainText(text.nothingListens(`127.0.0.1:${port}`))
  await rule.showAttempts(1)
  await expect(rule.noResponse).toBeVisible()
  await look('A rule that waits')

  await using server = await startEndpoint(undefined, port)
  await rule.retryNow()
  await server.arrived(3)
  await expect(rule.delivered).toHaveText('3')
  expect(server.received.map(({ body }) => (JSON.parse(body) as { lt: number }).lt)).toEqual([
    1, 2, 3,
  ])
  expect(new Set(server.received.map(({ headers }) => headers['x-tondesk-delivery'])).size).toBe(3)

  // A disabled rule forwards no more captures.
  await rule.toggle()
  await expect(rule.targets).toContainText(text.off)
  await postDelivery(receiverUrl, accountEvent(4))
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(4)
  await captureList(page).row(1).click()
  const detail = captureDetail(page)
  await detail.openTab('forwards')
  await expect(detail.forwards).toContainText(detail.text.delivered)
  await look('Forwards of a capture')
  expect(server.received).toHaveLength(3)
})

test('a capture is edited and replayed without showing its secrets, and two responses are compared', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const look = expectAccessible(tondesk)
  let answered = 0
  await using server = await startEndpoint((_request, response) => {
    answered += 1
    response.setHeader('content-type', 'application/json')
    response.statusCode = answered === 2 ? 500 : 200
    response.end(JSON.stringify({ ok: answered !== 2, order: 'x' }))
  })
  const event = accountEvent(46_900_000)
  const authorization = 'Bearer not-to-be-seen-1234'
  await postDelivery(receiverUrl, event, { 'Content-Type': 'application/json', authorization })
  await postDelivery(receiverUrl, accountEvent(46_900_001))
  await openPage(page, 'inspector')
  await captureList(page).row(1).click()
  const detail = captureDetail(page)
  await detail.open.waitFor()

  await page.keyboard.press('r')
  const replay = replayDialog(page, { capture: 1 })
  const { dialog, target, body } = replay
  await target.fill(`${server.url}/hook`)
  await replay.edit()
  await expect(body).toHaveValue(/"lt": 46900000,/)
  await look('Editing')
  await body.fill((await body.inputValue()).replace('46900000,', '46900009,'))
  await replay.showDifference()
  await expect(replay.changedLine('"lt": 46900000,')).toHaveCount(1)
  await replay.send()
  await expect(dialog).toBeHidden()
  await server.arrived(1)
  // Only the edited parts differ; the editor’s formatting does not count as a difference.
  expect(server.received[0]).toMatchObject({
    body: event.replace('46900000,', '46900009,'),
    headers: { authorization, 'x-tondesk-replay': '1-0' },
  })
  expect(await page.content()).not.toContain('not-to-be-seen')
  await expect(replay.responded(200)).toBeVisible()

  // Enter replays the capture unchanged to the previous target.
  await page.keyboard.press('r')
  await expect(target).toHaveValue(`${server.url}/hook`)
  // The field is visible a moment before it receives keys.
  await expect(target).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await server.arrived(2)
  await detail.openTab('forwards')
  const second = replayOfCapture(page, '2-0')
  await expect(second.replay).toContainText('500')
  await second.compareWith('1-0')
  await expect(second.changedLine('HTTP 200 OK')).toHaveCount(1)
  await expect(second.changedLine('"ok": true,')).toHaveCount(1)
  await look('Compare')
  await page.keyboard.press('s')
  await expect(second.changedLine('"ok": false,')).toHaveCount(1)

  // Replays both captures, each twice in a row.
  await openPage(page, 'inspector')
  for (const id of [1, 2])
    await captureList(page)
      .row(id)
      .click({ modifiers: ['Control'] })
  await page.keyboard.press('r')
  const many = replayDialog(page, { count: 2 })
  await many.requestsPerCapture.fill('2')
  await many.sendRequests(4)
  await expect(many.dialog).toBeHidden()
  await server.arrived(6)
  const job = replayJob(page, 2)
  await job.open()
  await expect(job.job).toContainText(job.text.delivered(4))
  await job.showResponse(1)
  await expect(job.responseBody).toHaveText('{"ok":true,"order":"x"}')
  await look('A replay')
})
