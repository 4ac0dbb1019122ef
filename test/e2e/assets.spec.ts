/** Tests NFTs with a gateway that has some, because the sandbox has none. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectRequests } from './send-request.ts'
import { findViolations } from './axe.ts'
import { expect, test } from './fixture.ts'
import { assets } from './pages/explorer.ts'
import { makePng } from '../fixtures/png.ts'

const accountOf = (pair: string) => `0:${pair.repeat(32)}`
const owner = { address: accountOf('b2'), is_wallet: true }
const collection = { address: accountOf('c0'), name: 'Diamonds', description: '' }

function nftOf(pair: string, name: string, trust: string, verified = true) {
  const price = { currency_type: 'native', value: '123000000000', decimals: 9, token_name: 'Gram' }
  return {
    address: accountOf(pair),
    index: 5,
    owner,
    collection,
    verified,
    trust,
    metadata: { name, attributes: [{ trait_type: 'Eyes', value: 'Blue' }] },
    previews: [{ resolution: '500x500', url: 'https://127.0.0.1/picture.png' }],
    approved_by: ['getgems'],
    sale: { address: accountOf('d1'), market: { address: accountOf('d2') }, owner, price },
  }
}

const nfts = [
  nftOf('a1', 'Diamond 1', 'whitelist'),
  nftOf('a2', 'Claim 1000 TON', 'blacklist'),
  nftOf('a3', 'Fake diamond', 'none', false),
]

function answer(path: string): unknown {
  if (/\/(nfts|items)$/.test(path)) return { nft_items: nfts }
  if (path.startsWith('/v2/nfts/collections/')) {
    return { ...collection, next_item_index: 3, owner, metadata: { name: 'Diamonds' } }
  }
  return nfts.find(({ address }) => path === `/v2/nfts/${address}`)
}

test('an account’s NFTs link to their pages, suspicious NFTs are hidden at first, and a picture from this computer is refused', async ({
  tondesk,
}) => {
  const server = createServer((request, response) => {
    const body = answer(decodeURIComponent(request.url?.split('?')[0] ?? ''))
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: 'entity not found' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { page, host } = tondesk
    const shown = assets(page)
    const ask = await connectRequests(tondesk)
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const urls = { query: url, webhooks: url, testnetWebhooks: null, console: null }
    const { id } = await ask('network.add', { name: 'Ours', urls, testOnly: false })
    await ask('network.select', { id })
    await page.evaluate((hash) => (location.hash = hash), `#/transactions/nfts/${owner.address}`)
    await expect(shown.nfts).toHaveCount(1)
    await shown.showSuspicious(2)
    await expect(shown.nfts).toHaveCount(3)
    await expect(shown.nfts.nth(1)).toContainText(shown.marks.blacklisted)
    await expect(shown.nfts.nth(2)).toContainText(shown.marks.foreign)

    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect(shown.nftFacts).toContainText('123')
    await expect(shown.nftFacts).toContainText('Blue')
    await shown.showPicture()
    await expect(shown.picture).toContainText(shown.refused)
    expect(await findViolations(page)).toEqual([])
    if (host === 'browser') {
      // Only a public host may send a picture (test/main/explorer/pictures.test.ts), so this test
      // responds in place of the app.
      const bytes = makePng(20, 10)
      const data = {
        type: 'image/png',
        bytes: bytes.length,
        width: 20,
        height: 10,
        dataUrl: `data:image/png;base64,${bytes.toString('base64')}`,
      }
      await page.route('**/request', (route) =>
        (route.request().postData() ?? '').includes('"asset.picture"')
          ? route.fulfill({ json: { ok: true, data } })
          : route.continue(),
      )
      await shown.tryPictureAgain()
      await expect(shown.picture).toContainText('PNG, 20 × 10')
      // Without permission by the content policy the picture would stay empty.
      const image = shown.pictureOf('Diamond 1')
      await expect(image).toHaveJSProperty('naturalWidth', 20)
      expect(await findViolations(page)).toEqual([])
    }
    await shown.openCollection('Diamonds')
    await expect(shown.collectionFacts).toContainText('Items3')
    await expect(shown.nfts).toHaveCount(3)
  } finally {
    server.close()
  }
})
