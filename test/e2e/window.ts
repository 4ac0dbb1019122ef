/** The window's parts by what a person knows them by. */
import { type Locator, type Page, expect } from '@playwright/test'

export type PageName =
  | 'Overview'
  | 'Inspector'
  | 'Webhooks'
  | 'Transactions'
  | 'Accounts'
  | 'Invoices'
  | 'Sandbox'
  | 'Settings'

export async function openPage(page: Page, name: PageName): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Rows of the list that are in the page; the list is virtual. */
export function rows(page: Page): Locator {
  return page.getByRole('grid', { name: 'Captures' }).locator('[data-id]')
}

/** The capture that is open. */
export function detail(page: Page): Locator {
  return page.getByRole('region', { name: /^Capture \d+$/ })
}

/** Opens the newest capture and waits for its detail. */
export async function openNewest(page: Page): Promise<Locator> {
  await rows(page).first().click()
  const open = detail(page)
  await open.waitFor()
  return open
}

/** Presses the copy button of a thing and waits for it to say that it has. */
export async function copy(scope: Locator, thing: string): Promise<void> {
  await scope.getByRole('button', { name: new RegExp(`^Copy.*${thing}$`) }).click()
  await expect(scope.getByRole('button', { name: new RegExp(`^Copied.*${thing}$`) })).toBeVisible()
}

/** The body's text as the Text view copies it; its rows are cut to the width of the pane. */
export async function copyText(
  open: Locator,
  readClipboard: () => Promise<string>,
): Promise<string> {
  await open.getByRole('tab', { name: 'Body' }).click()
  await open.getByRole('button', { name: 'Text', exact: true }).click()
  await open.getByRole('region', { name: 'Body as text' }).waitFor()
  await copy(open, 'text')
  return readClipboard()
}

export function section(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true })
}
