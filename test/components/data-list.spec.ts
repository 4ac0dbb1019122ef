/** Tests `ui/data-list.tsx` with 100,000 rows that are loaded by window. */
import type { Page } from '@playwright/test'
import { expect, test } from './fixture.ts'

const grid = (page: Page) => page.getByRole('grid', { name: 'Wallets' })
const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('gridcell', { name, exact: true }) })
const cursorRow = (page: Page) => page.locator('[role=row][class*=chosen]')
const newsBar = (page: Page) => page.getByRole('button', { name: /^3 new$/ })
const headings = (page: Page) => page.getByRole('columnheader')

test('the document contains only the visible rows of a list of 100,000', async ({ scene }) => {
  const page = await scene.show('data-list')
  await expect(rowOf(page, 'wallet-0')).toBeVisible()
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '100001')
  expect(await page.getByRole('row').count()).toBeLessThan(50)
  await page.keyboard.press('End')
  await expect(rowOf(page, 'wallet-99999')).toBeInViewport()
  await expect(rowOf(page, 'wallet-99999')).toHaveAttribute('aria-rowindex', '100001')
  expect(await page.getByRole('row').count()).toBeLessThan(50)
  await expect(rowOf(page, 'wallet-0')).toHaveCount(0)
})

test('every navigation key moves the cursor of a list and scrolls the cursor into view', async ({
  scene,
}) => {
  const page = await scene.show('data-list')
  await rowOf(page, 'wallet-0').waitFor()
  for (const [key, name] of [
    ['j', 'wallet-0'],
    ['ArrowDown', 'wallet-1'],
    ['j', 'wallet-2'],
    ['k', 'wallet-1'],
    ['ArrowUp', 'wallet-0'],
    ['ArrowUp', 'wallet-0'],
    ['PageDown', 'wallet-15'],
    ['PageDown', 'wallet-30'],
    ['PageUp', 'wallet-15'],
    ['End', 'wallet-99999'],
    ['j', 'wallet-99999'],
    ['Home', 'wallet-0'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(cursorRow(page), key).toContainText(name)
    await expect(cursorRow(page), key).toBeInViewport({ ratio: 1 })
  }
  const id = await cursorRow(page).getAttribute('id')
  await expect(grid(page)).toHaveAttribute('aria-activedescendant', id ?? '')
})

test('Enter and a click open a row; while a row is open, a cursor key opens the next row and Escape closes it', async ({
  scene,
}) => {
  const page = await scene.show('data-list')
  await rowOf(page, 'wallet-4').click()
  await page.keyboard.press('j')
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(scene.report()).toHaveText([
    'wallet-4 by press',
    'wallet-5 by walk',
    'wallet-6 by enter',
  ])
})

test('a row that is opened by its address is scrolled into view, even before it is loaded', async ({
  scene,
}) => {
  const page = await scene.show('data-list', { open: '1234' })
  await expect(rowOf(page, 'wallet-1234')).toBeInViewport()
  await expect(cursorRow(page)).toContainText('wallet-1234')
  await page.keyboard.press('j')
  await expect(cursorRow(page)).toContainText('wallet-1235')
})

test('selected rows stay selected while rows arrive, and the selection has their latest data', async ({
  scene,
}) => {
  const page = await scene.show('data-list')
  await page.getByRole('checkbox', { name: 'Select wallet-0' }).check()
  await rowOf(page, 'wallet-3').click({ modifiers: ['Shift'] })
  const checked = page.getByRole('checkbox', { checked: true })
  await expect(checked).toHaveCount(4)
  await scene.control('Rename the first')
  await expect(rowOf(page, 'renamed')).toHaveAttribute('aria-selected', 'true')
  await scene.control('Add three')
  await newsBar(page).click()
  await expect(rowOf(page, 'wallet--3')).toHaveAttribute('aria-selected', 'false')
  await expect(checked).toHaveCount(4)
  await scene.control('Report the selection')
  await expect(scene.report().last()).toHaveText('selected: renamed, wallet-1, wallet-2, wallet-3')
  await grid(page).press('Escape')
  await expect(checked).toHaveCount(0)
})

test('Shift with an arrow key extends the selection from the cursor, and Space deselects a row', async ({
  scene,
}) => {
  const page = await scene.show('data-list')
  await rowOf(page, 'wallet-0').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+J')
  const checked = page.getByRole('checkbox', { checked: true })
  await expect(checked).toHaveCount(3)
  await page.keyboard.press('Space')
  await expect(checked).toHaveCount(2)
  await expect(rowOf(page, 'wallet-2')).toHaveAttribute('aria-selected', 'false')
})

test('a click on a heading sorts a list, a second click reverses the order, and a third restores the default order', async ({
  scene,
}) => {
  const page = await scene.show('data-list')
  const balance = headings(page).filter({ hasText: 'Balance' })
  const firstRow = page.getByRole('row').nth(1)
  await balance.getByRole('button').click()
  await expect(balance).toHaveAttribute('aria-sort', 'descending')
  await expect(firstRow).toContainText('wallet-99999')
  await balance.getByRole('button').click()
  await expect(balance).toHaveAttribute('aria-sort', 'ascending')
  await expect(firstRow).toContainText('wallet-0')
  await balance.getByRole('button').click()
  await expect(balance).toHaveAttribute('aria-sort', 'none')
  await expect(headings(page).filter({ hasText: 'Name' })).toHaveAttribute('aria-sort', 'ascending')
})

test('new rows appear at the top at once, but wait behind a bar while the list is scrolled', async ({
  scene,
}) => {
  const page = await scene.show('data-list')
  await rowOf(page, 'wallet-0').waitFor()
  await scene.control('Add three')
  await expect(rowOf(page, 'wallet--3')).toBeVisible()
  await grid(page).hover()
  await page.mouse.wheel(0, 3000)
  const read = rowOf(page, 'wallet-105')
  await expect(read).toBeVisible()
  const index = await read.getAttribute('aria-rowindex')
  await scene.control('Add three')
  await expect(newsBar(page)).toBeVisible()
  await expect(read).toHaveAttribute('aria-rowindex', index ?? '')
  await newsBar(page).click()
  await expect(read).toHaveAttribute('aria-rowindex', `${Number(index) + 3}`)
})

test('a list shows whether its rows are loading, failed, missing or outdated, and a failed list can be loaded again', async ({
  scene,
}) => {
  const page = await scene.show('data-list', { state: 'loading' })
  await expect(page.getByText('Loading wallets')).toBeAttached()
  await scene.show('data-list', { state: 'failed' })
  await expect(page.getByText('Could not list the wallets')).toBeVisible()
  await expect(page.getByText('The gateway did not answer.')).toBeVisible()
  await scene.control('Let it work')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(rowOf(page, 'wallet-0')).toBeVisible()
  await scene.control('Let it fail')
  await expect(page.getByText('The rows shown may be outdated')).toBeVisible()
  await expect(rowOf(page, 'wallet-0')).toBeVisible()
  await scene.show('data-list', { count: '0' })
  await expect(page.getByRole('heading', { name: 'No wallets yet' })).toBeVisible()
})

test('a paged list loads its next page once before its end is visible, and then reports its row count', async ({
  scene,
}) => {
  const page = await scene.show('data-list', { source: 'paged' })
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '-1')
  await expect(scene.report()).toHaveText([])
  for (let pages = 0; pages < 4; pages += 1) await page.keyboard.press('PageDown')
  await expect(cursorRow(page)).toContainText('wallet-59')
  await page.keyboard.press('End')
  await expect(cursorRow(page)).toContainText('wallet-99')
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '101')
  await expect(scene.report()).toHaveText(['loads from 60'])
})

test('amounts are aligned at the decimal point and never cut off, however many digits they have', async ({
  scene,
}) => {
  const page = await scene.show('data-list')
  await rowOf(page, 'wallet-0').waitFor()
  const balances = page.locator('[role=gridcell]:nth-child(3)')
  const points = await balances.evaluateAll((cells) =>
    cells.map((cell) => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
      const whole = document.createRange()
      whole.setStart(cell, 0)
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        const [before = '', fraction] = (text.textContent ?? '').split('.')
        whole.setEnd(text, before.length)
        if (fraction !== undefined) break
      }
      return Math.round(whole.getBoundingClientRect().right)
    }),
  )
  expect(points.length).toBeGreaterThan(15)
  expect(new Set(points).size).toBe(1)
  const isCut = (cells: Element[]) => cells.some((cell) => cell.scrollWidth > cell.clientWidth)
  expect(await balances.evaluateAll(isCut)).toBe(false)
})

test('a narrow list hides less important columns, and a wide list shows them again; a column that the user hides stays hidden', async ({
  scene,
}) => {
  const page = await scene.show('data-list')
  const names = (...more: string[]) =>
    expect(headings(page)).toHaveText(['Selected', /^Name/, 'Balance', ...more])
  await names('State', 'Note')
  await page.setViewportSize({ width: 600, height: 700 })
  await names('State')
  await page.setViewportSize({ width: 420, height: 700 })
  await names()
  await page.setViewportSize({ width: 1000, height: 700 })
  await names('State', 'Note')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'State' }).click()
  await names('Note')
  await page.reload()
  await names('Note')
})
