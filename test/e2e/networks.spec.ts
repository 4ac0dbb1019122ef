/** The networks in the settings and in the bar, and the keys that go in and never come out. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { findings } from './axe.ts'
import { expect, test } from './fixture.ts'
import { openPage, section } from './pages/frame.ts'

/** All that the window holds: its document with what is typed into it, and its storage. */
function windowState(page: Page): Promise<string> {
  return page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input')].map(({ value }) => value),
      JSON.stringify(sessionStorage),
      JSON.stringify(localStorage),
      location.href,
      JSON.stringify(history.state),
    ].join('\n'),
  )
}

async function openNetworks(page: Page) {
  await openPage(page, 'settings')
  const networks = section(page, 'Networks and keys')
  await networks
    .getByText(/keychain/)
    .first()
    .waitFor()
  // Where this machine has no keychain the person chooses to keep secrets for the session.
  const forSession = networks.getByRole('button', { name: 'Keep for this session only' })
  if (await forSession.isVisible()) await forSession.click()
  return networks
}

const chip = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Network:/ })

test('a key goes in, is known by its end, and is nowhere in the window afterwards', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const key = 'c4n4ry-of-the-window-b7d2'
  const networks = await openNetworks(page)
  const mainnet = networks.getByRole('region', { name: 'Mainnet' })
  await mainnet.getByRole('button', { name: 'Add the API key of Mainnet' }).click()
  const field = mainnet.getByLabel('New API key of Mainnet')
  await expect(field).toHaveAttribute('type', 'password')
  await field.fill('short')
  await page.keyboard.press('Enter')
  await expect(mainnet.getByRole('alert')).toContainText('at least 8 characters')
  await field.fill(key)
  await page.keyboard.press('Enter')
  await expect(field).toBeHidden()
  await expect(mainnet).toContainText('…b7d2')
  expect(await windowState(page)).not.toContain(key)
  expect(await findings(page)).toEqual([])

  await mainnet.getByRole('button', { name: 'Remove the API key of Mainnet…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(mainnet).not.toContainText('b7d2')
})

test('a network of one’s own is added, tested and moved; its key does not move with it', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const gateway = createServer((request, response) => {
    response.writeHead(request.url === '/webhooks' ? 403 : 401).end('{"error":"no"}')
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  try {
    const networks = await openNetworks(page)
    await networks.getByRole('button', { name: 'Add a network' }).click()
    const form = networks.getByRole('form', { name: 'Add a network' })
    await form.getByLabel('Name').fill('Ours')
    await form.getByLabel('Query API').fill('http://gateway.example.com')
    await form.getByLabel('Webhooks', { exact: true }).fill(url)
    await form.getByRole('button', { name: 'Add' }).click()
    await expect(form.getByRole('alert')).toContainText('Plain http is allowed to this computer')
    await form.getByLabel('Query API').fill(url)
    await page.keyboard.press('Enter')

    const ours = networks.getByRole('region', { name: 'Ours' })
    await ours.getByRole('button', { name: 'Add the API key of Ours' }).click()
    await ours.getByLabel('New API key of Ours').fill('a-key-of-ours-9c1e')
    await page.keyboard.press('Enter')
    await expect(ours).toContainText('9c1e')
    await ours.getByRole('button', { name: 'Test connection to Ours' }).click()
    const checks = ours.getByRole('list', { name: 'Test of Ours' }).getByRole('listitem')
    await expect(checks).toHaveText([/wrong key/, /not allowed.*webhooks capability/, /none/])

    await ours.getByRole('button', { name: 'Change Ours' }).click()
    await ours.getByLabel('Webhooks', { exact: true }).fill('https://rt.example.com')
    await page.keyboard.press('Enter')
    await expect(page.getByText(/given for another host/).first()).toBeVisible()
    await expect(ours).not.toContainText('9c1e')

    await ours.getByRole('button', { name: 'Remove Ours…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await expect(ours).toBeHidden()
  } finally {
    gateway.closeAllConnections()
    gateway.close()
  }
})

test('another network is chosen in the bar or the palette, is seen at once, and stays', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const networks = await openNetworks(page)
  await expect(chip(page)).toHaveText(/Sandbox/)
  await chip(page).click()
  const choice = page.getByRole('menuitemcheckbox', { name: 'Mainnet' })
  await expect(choice).toHaveAttribute('aria-checked', 'false')
  await choice.click()
  await expect(chip(page)).toHaveText(/Mainnet/)
  await expect(networks.getByRole('region', { name: 'Mainnet' })).toContainText('in use')
  await expect(networks.getByRole('region', { name: 'Sandbox' })).not.toContainText('in use')
  expect(await findings(page)).toEqual([])

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('network test')
  await page.keyboard.press('Enter')
  await expect(chip(page)).toHaveText(/Testnet/)
  // U14: the list of a network that was never read said ", again in 53 s".
  await openPage(page, 'webhooks')
  await expect(page.getByText('not read yet')).toBeVisible()
  await tondesk.restart()
  await expect(chip(tondesk.page)).toHaveText(/Testnet/)
})
