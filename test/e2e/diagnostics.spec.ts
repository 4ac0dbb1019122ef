import { expectAccessible } from './axe.ts'
import { expect, test } from './fixture.ts'
import { openPage } from './pages/frame.ts'
import { openSandbox } from './pages/sandbox.ts'
import { diagnostics } from './pages/settings.ts'
import { chainSearch } from './pages/explorer.ts'

test.use({ withSandbox: true })
// The test starts its own sandbox, which takes longer.
test.slow()

test(
  'Diagnostics list and count the requests to the gateway, and copy them as text',
  { tag: '@long' },
  async ({ tondesk }) => {
    const { page } = tondesk
    await openSandbox(page)
    await openPage(page, 'settings')
    const { sandboxQueries, recentRequest, copyFigures, ...diagnosis } = diagnostics(page)
    await diagnosis.section.waitFor()
    // The app itself reads the webhooks; only the user’s search reads the chain.
    await expect(sandboxQueries).toBeHidden()

    await openPage(page, 'transactions')
    await chainSearch(page).search('ab'.repeat(32))
    await chainSearch(page).notFound.waitFor()

    await openPage(page, 'settings')
    await expect(sandboxQueries).toBeVisible()
    await expect(recentRequest(404)).toBeVisible()
    await expectAccessible(tondesk)('Diagnostics')
    await copyFigures()
    expect(await tondesk.readClipboard()).toMatch(/GET {2}\/v2\/\S+ {2}404 {2}\d+ ms/)
  },
)
