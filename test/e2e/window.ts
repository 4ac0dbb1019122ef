/** The window's parts by what a person knows them by. */
import type { Locator, Page } from '@playwright/test'

export type PageName = 'Overview' | 'Inspector' | 'Settings'

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

/** The body as the Text view shows it, line by line joined again. */
export async function readText(open: Locator): Promise<string> {
  await open.getByRole('button', { name: 'Text', exact: true }).click()
  const region = open.getByRole('region', { name: 'Body as text' })
  await region.waitFor()
  return region.evaluate((element) =>
    [...element.querySelectorAll('[class*="text"]')].map((line) => line.textContent).join('\n'),
  )
}

export function section(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true })
}
