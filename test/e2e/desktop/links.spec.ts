import { expect, test, type Tondesk } from '../fixture.ts'
import { accountEvent, postDelivery } from '../sender.ts'
import { openNewest } from '../pages/captures.ts'
import { frame, openPage } from '../pages/frame.ts'
import { webhookList } from '../pages/webhooks.ts'
import { mainProcess } from './main-process.ts'

/** Passes a link to the app as macOS does. */
async function openUrl(tondesk: Tondesk, link: string): Promise<void> {
  await mainProcess(tondesk).evaluate(({ app }, url) => {
    app.emit('open-url', { preventDefault: () => undefined }, url)
  }, link)
}

/** Windows and Linux pass a link by a second start with arguments. */
async function startAgain(tondesk: Tondesk, ...args: string[]): Promise<void> {
  await mainProcess(tondesk).evaluate(({ app }, given) => {
    app.emit('second-instance', {}, ['tondesk', '--flag-of-chromium', ...given], '/', null)
  }, args)
}

const hashOf = ({ page }: Tondesk) => new URL(page.url()).hash

test('a copied link opens its object again, on every system', async ({ tondesk }) => {
  const { page } = tondesk
  await postDelivery(tondesk.receiverUrl, accountEvent(1))
  await openPage(page, 'inspector')
  await openNewest(page)
  const place = hashOf(tondesk)
  await frame(page).copyLink()
  await expect.poll(() => tondesk.readClipboard()).toMatch(/^tondesk:\/\/inspector\/\d+$/)
  const link = await tondesk.readClipboard()

  await openPage(page, 'overview')
  await openUrl(tondesk, link)
  await expect.poll(() => hashOf(tondesk)).toBe(place)
  await openPage(page, 'overview')
  await startAgain(tondesk, link)
  await expect.poll(() => hashOf(tondesk)).toBe(place)
})

test('an invalid link is refused with a message, and the page does not change', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openPage(page, 'webhooks')
  const place = hashOf(tondesk)
  for (const link of [
    'tondesk://settings/receiver?port=1',
    'tondesk://evil.test/settings',
    'tondesk://user@settings',
    'https://evil.test/',
    'javascript:alert(1)',
  ]) {
    await openUrl(tondesk, link)
  }
  await startAgain(tondesk, 'tondesk://settings/"', '--data-dir=/evil')
  await expect(frame(page).message('This link could not be opened')).toBeVisible()
  expect(hashOf(tondesk)).toBe(place)
})

test('a link of another network shows a message and does not switch the network', async ({
  tondesk,
}) => {
  const { page } = tondesk
  await openUrl(tondesk, 'tondesk://webhooks/7?network=testnet')
  await expect(webhookList(page).linkIsOf('Testnet')).toBeVisible()
  await openUrl(tondesk, 'tondesk://accounts/labels?network=mainnet')
  await expect(webhookList(page).linkIsOf('Mainnet')).toBeVisible()
  await openUrl(tondesk, 'tondesk://webhooks?network=sandbox')
  await expect(webhookList(page).linkIsOf('Mainnet')).toBeHidden()
})

test('a link that starts the app opens its page, and arguments after the link are not options', async ({
  tondesk,
}) => {
  await tondesk.restart(['--receiver-port', '0', 'tondesk://settings/receiver', '--no-open'])
  await expect.poll(() => hashOf(tondesk)).toBe('#/settings/receiver')
})
