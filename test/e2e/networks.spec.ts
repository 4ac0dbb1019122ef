/** Tests the networks in the settings and in the header, and their keys, which are never shown. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { expect, test } from './fixture.ts'
import { networkMenu, openPage, palette } from './pages/frame.ts'
import { networkSettings } from './pages/settings.ts'
import { webhookList } from './pages/webhooks.ts'

/** Returns the contents of the window: its document with its fields, and its storage. */
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

test('a key is added, shown by its last characters only, and appears nowhere in the window', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const key = 'c4n4ry-of-the-window-b7d2'
  const { open, network, text } = networkSettings(page)
  const mainnet = network('Mainnet')
  await open()
  await mainnet.addKey()
  await expect(mainnet.key).toHaveAttribute('type', 'password')
  await mainnet.key.fill('short')
  await page.keyboard.press('Enter')
  await expect(mainnet.error).toContainText(text.tooShort)
  await mainnet.key.fill(key)
  await page.keyboard.press('Enter')
  await expect(mainnet.key).toBeHidden()
  await expect(mainnet.region).toContainText('…b7d2')
  expect(await windowState(page)).not.toContain(key)
  await expectAccessible(tondesk)('Settings, networks')

  await mainnet.removeKey()
  await expect(mainnet.region).not.toContainText('b7d2')
})

test('a custom network is added, tested and moved to another host, which removes its key', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const gateway = createServer((request, response) => {
    response.writeHead(request.url === '/webhooks' ? 403 : 401).end('{"error":"no"}')
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  try {
    const { open, adding, network, text, ...networks } = networkSettings(page)
    await open()
    await networks.add()
    await adding.name.fill('Ours')
    await adding.queryUrl.fill('http://gateway.example.com')
    await adding.webhooksUrl.fill(url)
    await adding.save()
    await expect(adding.error).toContainText(text.httpOnlyLocal)
    await adding.queryUrl.fill(url)
    await page.keyboard.press('Enter')

    const ours = network('Ours')
    await ours.addKey()
    await ours.key.fill('a-key-of-ours-9c1e')
    await page.keyboard.press('Enter')
    await expect(ours.region).toContainText('9c1e')
    await ours.testConnection()
    await expect(ours.checks).toHaveText([text.wrongKey, text.needsCapability, text.none])

    await ours.change()
    await ours.webhooksUrl.fill('https://rt.example.com')
    await page.keyboard.press('Enter')
    await expect(networks.keyIsOfAnotherHost).toBeVisible()
    await expect(ours.region).not.toContainText('9c1e')

    await ours.remove()
    await expect(ours.region).toBeHidden()
  } finally {
    gateway.closeAllConnections()
    gateway.close()
  }
})

test('a network selected in the bar or the palette is shown at once, and remains after a restart', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const { open, network, text } = networkSettings(page)
  const menu = networkMenu(page)
  await open()
  await expect(menu.button).toHaveText(/Sandbox/)
  await menu.button.click()
  const choice = menu.network('Mainnet')
  await expect(choice).toHaveAttribute('aria-checked', 'false')
  await choice.click()
  await expect(menu.button).toHaveText(/Mainnet/)
  // An open menu receives the keys, so the test waits until it is closed.
  await expect(choice).toBeHidden()
  await expect(network('Mainnet').region).toContainText(text.inUse)
  await expect(network('Sandbox').region).not.toContainText(text.inUse)
  await expectAccessible(tondesk)('Networks')

  await page.keyboard.press('Control+k')
  await palette(page).field.fill(palette(page).commands.testnet)
  await page.keyboard.press('Enter')
  await expect(menu.button).toHaveText(/Testnet/)
  // Earlier, the list of a network that was never read showed ", again in 53 s".
  await openPage(page, 'webhooks')
  await expect(webhookList(page).notLoadedYet).toBeVisible()
  await tondesk.restart()
  await expect(networkMenu(tondesk.page).button).toHaveText(/Testnet/)
})
