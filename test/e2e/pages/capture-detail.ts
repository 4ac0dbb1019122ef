/** The capture that is open. */
import type { Locator, Page } from '@playwright/test'
import { copy } from './frame.ts'

export function detail(page: Page): Locator {
  return page.getByRole('region', { name: /^Capture \d+$/ })
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
