import { type PlayedServer, ngrokAgent, playServer, tunnelTo } from '../fixtures/tunnel.ts'
import { findings } from './axe.ts'
import { expect, test } from './fixture.ts'
import { accountEvent } from './sender.ts'
import { openPage } from './pages/frame.ts'

const answered = async (url: string, body: string) =>
  (await fetch(url, { method: 'POST', body })).status

test('a rule makes the next two fail, a banner says so in the meantime, and one press ends it', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  await openPage(page, 'inspector')
  await page.getByRole('link', { name: 'Answers' }).click()
  await page.getByRole('button', { name: 'Answer the next 3 with 500…' }).click()
  const form = page.getByRole('form', { name: 'Answer rule' })
  await form.getByLabel('For the next').fill('2')
  await form.getByRole('button', { name: '503' }).click()
  await form.getByLabel('Only what matches').fill('event:nonsense')
  await form.getByRole('textbox', { name: 'Status' }).press('Enter')
  await expect(form.getByRole('alert').first()).toBeVisible()
  expect.soft(await findings(page), 'Answer rule, with an error').toEqual([])
  await form.getByLabel('Only what matches').fill('event:account_tx')
  await form.getByRole('button', { name: 'Add the rule' }).click()
  await expect(form).toBeHidden()
  const banner = page.getByRole('status').filter({ hasText: 'answered by your rules' })
  await expect(banner).toContainText('event:account_tx → 503 (the next 2 of 2)')
  expect.soft(await findings(page), 'Answers, with a rule').toEqual([])

  expect(await answered(receiverUrl, '{"is":"something else"}')).toBe(200)
  expect(await answered(receiverUrl, accountEvent(1))).toBe(503)
  await expect(page.getByRole('row', { name: /event:account_tx/ })).toContainText('the next 1 of 2')
  expect(await answered(receiverUrl, accountEvent(2))).toBe(503)
  expect(await answered(receiverUrl, accountEvent(3))).toBe(200)
  await expect(banner).toBeHidden()

  await page.getByRole('switch', { name: 'Answer by rule 1' }).click()
  await openPage(page, 'overview')
  await banner.getByRole('button', { name: 'All off' }).click()
  await expect(banner).toBeHidden()
  expect(await answered(receiverUrl, accountEvent(4))).toBe(200)
})

test('a tunnel is found, taken, tried with each kind of event, and told of when it leads nowhere', async ({
  tondesk,
}) => {
  const { page, receiverUrl } = tondesk
  const port = Number(new URL(receiverUrl).port)
  await using tunnel = await playServer(tunnelTo(() => port))
  const url = `http://127.0.0.1:${tunnel.port}`
  await using agent = await playAgent(ngrokAgent(() => [{ url, port }]))
  expect(agent.port).toBeGreaterThan(0)
  await openPage(page, 'inspector')
  await page.getByRole('link', { name: 'Tunnels' }).click()
  const found = page.getByRole('listitem').filter({ hasText: url })
  await found.getByRole('button', { name: 'Use and check' }).click()
  await expect(page.getByText('leads to this receiver', { exact: true })).toBeVisible()
  await expect(page.getByLabel('Public URL', { exact: true }).last()).toHaveValue(url)

  await page.getByRole('button', { name: 'Send through the public URL' }).click()
  const deliveries = page.getByRole('region', { name: 'Test deliveries' })
  await expect(deliveries.getByRole('row')).toHaveCount(14)
  await expect(page.getByText('all 13 as they should be').first()).toBeVisible()
  expect.soft(await findings(page), 'Tunnels').toEqual([])

  tunnel.handle = (_request, response) =>
    response.writeHead(404, { 'ngrok-error-code': 'ERR_NGROK_3200' }).end()
  await page.getByRole('button', { name: /^Check/ }).click()
  await expect(page.getByText(/ngrok says ERR_NGROK_3200/).first()).toBeVisible()
  // The page is another until the first delivery: tests are none.
  await answered(receiverUrl, accountEvent(1))
  await openPage(page, 'overview')
  const receiver = page.getByRole('region', { name: 'Receiver' })
  await expect(receiver.getByRole('link', { name: 'does not work' })).toBeVisible()
})

/** At the first port of ngrok’s that is free: other tests, or a person's own agent, may have one. */
async function playAgent(handle: PlayedServer['handle']): Promise<PlayedServer> {
  for (let port = 4040; port < 4050; port += 1) {
    const played = await playServer(handle, port).catch(() => null)
    if (played !== null) return played
  }
  throw new Error('All ports of ngrok agents are taken.')
}
