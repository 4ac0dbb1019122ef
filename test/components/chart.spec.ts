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

test('fewer than five values are points with their numbers, and an empty interval stays plain', async ({
  scene,
}) => {
  const page = await scene.show('chart', { hours: '4' })
  const dots = panel(page).locator('circle')
  // The fourth hour has no data; the two series stand beside each other.
  await expect(dots).toHaveCount(6)
  await expect(bars(page)).toHaveCount(0)
  await expect(panel(page).locator('pattern')).toHaveCount(0)
  await expect(panel(page).locator('svg').getByText('12', { exact: true })).toBeVisible()
  await expect(panel(page).getByRole('button', { name: /as a table$/ })).toHaveCount(0)
  await scene.show('chart', { hours: '1', kind: 'lines' })
  await expect(dots).toHaveCount(2)
})

test('bars are 6 to 40 pixels wide, however many hours there are', async ({ scene }) => {
  for (const hours of ['6', '24', '300']) {
    const page = await scene.show('chart', { hours })
    await expect(bars(page).first()).toBeVisible()
    await expect
      .poll(async () => {
        const widths = await bars(page).evaluateAll((all) =>
          all.map((each) => each.getBoundingClientRect().width),
        )
        return `${Math.min(...widths)} ${Math.max(...widths)}`
      })
      .toMatch(/^([6-9]|[123]\d|40)(\.\d+)? ([6-9]|[123]\d|40)(\.\d+)?$/)
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
  const page = await scene.show('chart', { hours: '6' })
  await panel(page).getByRole('button', { name: 'Captures as a table' }).click()
  const table = panel(page).getByRole('table')
  await expect(table.getByRole('columnheader')).toHaveText(['When', 'accepted', 'rejected'])
  const rows = table.getByRole('row')
  await expect(rows.nth(1)).toContainText(/15\s*1$/)
  await expect(rows.nth(3)).toContainText(/no data\s*no data$/)
  await expect(rows).toHaveCount(7)
  await panel(page).getByRole('button', { name: 'Captures as a chart' }).click()
  await expect(bars(page)).toHaveCount(10)
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
