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

const tabs = {
  explanation: /^Meaning/,
  body: /^Body/,
  headers: /^Headers/,
  timeline: /^Timeline/,
  forwards: /^Forwards/,
  details: /^Details/,
}

const text = {
  sent: (from: string, amount: string, to: string) => `${from} sent ${amount} to ${to}`,
  paysInvoice: (id: string) => `Pays invoice${id}`,
  succeeded: 'exit code 0',
  nothingLeftToDo: 'Nothing left to do',
  inBlock: 'In a block',
  explained: 'Understood',
  delivered: 'delivered',
  rebuilt: 'rebuilt',
  rightToken: /right/,
  wrongToken: /wrong/,
  missingToken: /missing/,
}

/** @param id of the capture that has to be the open one; else whichever is */
export function captureDetail(page: Page, id?: number) {
  const open =
    id === undefined
      ? detail(page)
      : page.getByRole('region', { name: `Capture ${id}`, exact: true })
  const tab = (name: keyof typeof tabs) => open.getByRole('tab', { name: tabs[name] })
  return {
    text,
    open,
    tab,
    openTab: (name: keyof typeof tabs) => tab(name).click(),
    openInTransactions: open.getByRole('link', { name: /^Open it in Transactions/ }),
    /** What the token of the delivery was, in the details. */
    token: open.getByText('Token', { exact: true }).locator('xpath=following-sibling::*[1]'),
    forwards: open.getByRole('region', { name: /^Forwarded to/ }),
  }
}
