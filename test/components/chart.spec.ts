/** Tests the frame of a chart in `components/charts`: title, legend, table, range, partial interval. */
import type { Page } from '@playwright/test'
import { expect, test } from './fixture.ts'

const panel = (page: Page) => page.getByRole('region', { name: 'Captures', exact: true })
const bars = (page: Page) => panel(page).locator('.recharts-bar-rectangle rect')

test('a chart without data shows the reason, and its range can still be changed', async ({
  scene,
}) => {
  const page = await scene.show('chart', { hours: '0' })
  await expect(panel(page)).toContainText('No captures in this period.')
  await expect(panel(page).getByRole('button', { name: '7 d' })).toBeVisible()
})

test('a chart draws a single point as a bar and as a dot', async ({ scene }) => {
  const page = await scene.show('chart', { hours: '1' })
  await expect(bars(page)).toHaveCount(2)
  for (const bar of await bars(page).all()) {
    const box = await bar.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(2)
    expect(box?.width).toBeGreaterThan(10)
  }
  for (const more of [{}, { running: '' }]) {
    await scene.show('chart', { hours: '1', kind: 'lines', ...more })
    const dots = panel(page).locator('circle')
    await expect(dots).toHaveCount(2)
    // 10 accepted and 1 rejected captures are shown on an axis that ends at 10: their points are at its
    // top and a tenth above its bottom.
    const heights = await dots.evaluateAll((all) =>
      all.map((dot) => Number(dot.getAttribute('cy'))),
    )
    const axis = await panel(page).locator('.recharts-cartesian-grid').boundingBox()
    const [top = NaN, low = NaN] = heights
    expect(low - top).toBeCloseTo(0.9 * (axis?.height ?? NaN), -1)
  }
})

test('the interval that has not ended is drawn dashed, and earlier intervals are not', async ({
  scene,
}) => {
  const page = await scene.show('chart', { running: '' })
  const dashed = panel(page).locator('.recharts-bar-rectangle rect[stroke-dasharray]')
  await expect(dashed).toHaveCount(2)
  const from = (drawn: typeof dashed) =>
    drawn.evaluateAll((rects) => Math.max(...rects.map((each) => each.getBoundingClientRect().x)))
  expect(await from(dashed)).toBe(await from(bars(page)))
  await panel(page).getByRole('button', { name: 'Captures as a table' }).click()
  await expect(panel(page).getByRole('row').nth(1)).toContainText('so far')
  await expect(panel(page).getByText('so far')).toHaveCount(1)
  await scene.show('chart', { running: '', kind: 'lines' })
  await expect(panel(page).locator('.recharts-line-curve[stroke-dasharray="3 3"]')).toHaveCount(2)
})

test('the table of a chart lists the same values, newest first, and names an interval without data', async ({
  scene,
}) => {
  const page = await scene.show('chart', { hours: '5' })
  await panel(page).getByRole('button', { name: 'Captures as a table' }).click()
  const table = panel(page).getByRole('table')
  await expect(table.getByRole('columnheader')).toHaveText(['When', 'accepted', 'rejected'])
  const rows = table.getByRole('row')
  await expect(rows.nth(1)).toContainText(/14\s*1$/)
  await expect(rows.nth(2)).toContainText(/no data\s*no data$/)
  await expect(rows).toHaveCount(6)
  await panel(page).getByRole('button', { name: 'Captures as a chart' }).click()
  await expect(bars(page)).toHaveCount(8)
  await expect(panel(page).getByText('no data')).toBeVisible()
})

test('the legend hides a series, and the keyboard changes the range', async ({ scene }) => {
  const page = await scene.show('chart')
  await expect(bars(page)).toHaveCount(46)
  const legend = panel(page).getByRole('button', { name: 'rejected' })
  await legend.focus()
  await page.keyboard.press('Space')
  await expect(legend).toHaveAttribute('aria-pressed', 'false')
  await expect(bars(page)).toHaveCount(23)
  const day = panel(page).getByRole('button', { name: '24 h' })
  await expect(day).toHaveAttribute('aria-pressed', 'true')
  await day.focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(panel(page).getByRole('button', { name: '7 d' })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
  await expect(panel(page).getByRole('img', { name: '168 hours of captures' })).toBeVisible()
  const links = page.getByRole('navigation', { name: 'Time range' }).getByRole('link')
  await expect(links.nth(1)).toHaveAttribute('aria-current', 'true')
})
