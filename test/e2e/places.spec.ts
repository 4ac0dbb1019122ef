/** The number of controls that each list shows at first. */
import { pages } from '../../src-renderer/app/frame/pages.ts'
import { routeHref } from '../../src-renderer/app/route.ts'
import { expect, test } from './fixture.ts'
import { countControls, frame } from './pages/frame.ts'
import { firstSteps } from './pages/sandbox.ts'
import { connectRequests } from './send-request.ts'

test.use({ withSandbox: true })
test.slow()

const maxControls = 20
/** Pages that are no list: a form, a guide, figures, the settings. */
const others = ['Overview', 'Sandbox', 'Settings']

test('no list has more than 20 controls at first sight, rows, rail and top bar not counted', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const ask = await connectRequests(tondesk)
  const network = 'sandbox'
  await firstSteps(page).takeAll()
  await firstSteps(page).captureLink.waitFor()
  for (const amount of ['1', '2.5']) {
    const lines = [
      { amount, currency: 'TON', lifeTimeSeconds: 3600, description: 'order' },
    ] as const
    const draft = await ask('invoiceIssue.draft', { network, lines: [...lines] })
    await ask('invoiceIssue.start', { draft: draft.id })
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  const counts: Record<string, number> = {}
  for (const { name, views = [] } of pages) {
    for (const { label, route, isTask } of views) {
      await page.evaluate((hash) => (location.hash = hash), routeHref(route))
      await frame(page).settled()
      if (isTask !== true) counts[`${name}: ${label}`] = await countControls(page)
    }
  }
  const lists = Object.entries(counts).filter(
    ([name]) => !others.some((each) => name.startsWith(each)),
  )
  expect(lists.filter(([, count]) => count > maxControls)).toEqual([])
})
