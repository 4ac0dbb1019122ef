/** The inspector's list of captures. */
import type { Locator, Page } from '@playwright/test'
import { detail } from './capture-detail.ts'

/** Rows of the list that are in the page; the list is virtual. */
export function rows(page: Page): Locator {
  return page.getByRole('grid', { name: 'Captures' }).locator('[data-id]')
}

/** Opens the newest capture and waits for its detail. */
export async function openNewest(page: Page): Promise<Locator> {
  await rows(page).first().click()
  const open = detail(page)
  await open.waitFor()
  return open
}

export function captureList(page: Page) {
  return {
    rowOfInvoice: (id: string, state: string) =>
      page.getByRole('row').filter({ hasText: `${id} ${state}` }),
  }
}
