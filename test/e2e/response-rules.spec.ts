import { playNgrokAgent, playServer, tunnelTo } from '../fixtures/tunnel.ts'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixture.ts'
import { accountEvent } from './sender.ts'
import { openPage } from './pages/frame.ts'
import { receiverSettings } from './pages/settings.ts'
import { responseRules } from './pages/response-rules.ts'
import { tunnels } from './pages/tunnels.ts'

const answered = async (url: string, body: string) =>
  (await fetch(url, { method: 'POST', body })).status

test('a response rule fails the next two deliveries, a banner shows the rule, and one click turns all rules off', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const look = expectAccessible(tondesk)
  const { text, banner, form, ...rules } = responseRules(page)
  await rules.show()
  await rules.addFailing()
  await form.count.fill('2')
  await form.chooseStatus(503)
  await form.query.fill('event:nonsense')
  await form.status.press('Enter')
  await expect(form.error).toBeVisible()
  await look('Answer rule, with an error')
  await form.query.fill('event:account_tx')
  await form.save()
  await expect(form.form).toBeHidden()
  await expect(banner).toContainText(text.rule('event:account_tx', 503, text.nextOf(2, 2)))
  await look('Answers, with a rule')

  expect(await answered(receiverUrl, '{"is":"something else"}')).toBe(200)
  expect(await answered(receiverUrl, accountEvent(1))).toBe(503)
  await expect(rules.rule('event:account_tx')).toContainText(text.nextOf(1, 2))
  expect(await answered(receiverUrl, accountEvent(2))).toBe(503)
  expect(await answered(receiverUrl, accountEvent(3))).toBe(200)
  await expect(banner).toBeHidden()

  await rules.toggle(1)
  await openPage(page, 'overview')
  await rules.turnAllOff()
  await expect(banner).toBeHidden()
  expect(await answered(receiverUrl, accountEvent(4))).toBe(200)
})

test('a tunnel is found, used and tested with each kind of event, and a broken tunnel is reported', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const port = Number(new URL(receiverUrl).port)
  await using tunnel = await playServer(tunnelTo(() => port))
  const url = `http://127.0.0.1:${tunnel.port}`
  await using agent = await playNgrokAgent(() => [{ url, port }])
  expect(agent.port).toBeGreaterThan(0)
  const tunnelsPage = tunnels(page)
  await tunnelsPage.show()
  await tunnelsPage.use(url)
  await expect(tunnelsPage.leadsToReceiver).toBeVisible()
  await expect(tunnelsPage.publicUrl).toHaveValue(url)

  await tunnelsPage.sendTestDeliveries()
  await expect(tunnelsPage.testDeliveries).toHaveCount(14)
  await expect(tunnelsPage.allAsExpected(13)).toBeVisible()
  await expectAccessible(tondesk)('Tunnels')

  tunnel.handle = (_request, response) =>
    response.writeHead(404, { 'ngrok-error-code': 'ERR_NGROK_3200' }).end()
  await tunnelsPage.check()
  await expect(tunnelsPage.ngrokError('ERR_NGROK_3200')).toBeVisible()
  // Test deliveries do not change the page, but the first real delivery does.
  await answered(receiverUrl, accountEvent(1))
  await openPage(page, 'settings')
  await expect(receiverSettings(page).publicUrlDoesNotWork).toBeVisible()
})
