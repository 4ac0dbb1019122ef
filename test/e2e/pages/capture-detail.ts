/** Drives the open capture. */
import type { Page } from '@playwright/test'
import { copy } from './frame.ts'

const tabs = {
  explanation: /^Explanation/,
  body: /^Body/,
  headers: /^Headers/,
  timeline: /^Timeline/,
  forwards: /^Forwards/,
  details: /^Details/,
}

const bodyViews = { tree: 'Tree', text: 'Text', hex: 'Hex' }

const copyKinds = {
  javaScript: /^Copy as JavaScript \(fetch\)$/,
  python: /^Copy as Python$/,
  curl: /^Copy as curl, for sh, bash, zsh(?!, with)/,
  curlWithTokens: 'Copy as curl, for sh, bash, zsh, with tokens',
}

const text = {
  name: (id: number) => `Capture ${id}`,
  sent: (from: string, amount: string, to: string) => `${from} sent ${amount} to ${to}`,
  paysInvoice: (id: string) => `Pays invoice${id}`,
  succeeded: 'exit code 0',
  nothingLeftToDo: 'No action needed',
  inBlock: 'In a block',
  explained: 'Decoded',
  delivered: 'delivered',
  rebuilt: 'rebuilt',
  rightToken: /^valid/,
  wrongToken: /wrong/,
  missingToken: /missing/,
}

/** @param id the id of the capture that must be open; any by default */
export function captureDetail(page: Page, id?: number) {
  const open = page.getByRole('region', { name: new RegExp(`^Capture ${id ?? '\\d+'}$`) })
  const tab = (name: keyof typeof tabs) => open.getByRole('tab', { name: tabs[name] })
  const openTab = (name: keyof typeof tabs) => tab(name).click()
  const bodyTree = open.getByRole('tree', { name: 'Body as a tree' })
  const showBodyAs = (view: keyof typeof bodyViews) =>
    open.getByRole('button', { name: bodyViews[view], exact: true }).click()
  return {
    text,
    open,
    tab,
    openTab,
    /** The height of the open tab, in pixels. */
    contentHeight: () =>
      open.getByRole('tabpanel').evaluate((panel) => {
        const { top, bottom } = panel.getBoundingClientRect()
        return Math.min(bottom, innerHeight) - top
      }),
    words: (words: string, exactly = false) => open.getByText(words, { exact: exactly }),
    /** The end of the URL of the capture’s request. */
    urlEnd: (end: string) => open.getByText(new RegExp(`${end.replaceAll(/[/?]/g, '\\$&')}$`)),
    isOfUnknownNetwork: open.getByRole('heading', { name: 'Unknown network' }),
    pin: () => open.getByRole('button', { name: 'Pin (p)' }).click(),
    unpinButton: open.getByRole('button', { name: 'Unpin (p)' }),
    startNote: () => open.getByRole('button', { name: 'Note (n)' }).click(),
    noteField: open.getByRole('textbox', { name: 'Note' }),
    savedNote: (note: string) => open.getByRole('button', { name: note }),
    showBodyAs,
    bodyTree,
    treeWords: (words: string) => bodyTree.getByText(words),
    /**
     * Returns the body by the copy button of the Text view, whose rows are cut off at the width of
     * the pane.
     */
    copyBodyText: async (readClipboard: () => Promise<string>) => {
      await openTab('body')
      await showBodyAs('text')
      await open.getByRole('region', { name: 'Body as text' }).waitFor()
      await copy(open, 'text')
      return readClipboard()
    },
    /** The shown headers, as pairs of name and value. */
    headers: () =>
      open
        .getByRole('table', { name: 'Headers' })
        .evaluate((table) =>
          [...table.querySelectorAll('tbody tr')].map((row) =>
            [...row.querySelectorAll('td')].map((cell) => cell.textContent),
          ),
        ),
    copyAs: async (kind: keyof typeof copyKinds) => {
      await open.getByRole('button', { name: /^Copy as/ }).click()
      await page.getByRole('menuitem', { name: copyKinds[kind] }).click()
    },
    curlCopied: page.getByText('curl command copied').first(),
    openInTransactions: open.getByRole('link', { name: /^Open the transaction/ }),
    showEvent: () => open.getByText('Event of this transaction').click(),
    showCapturesOfEvent: () =>
      open.getByRole('link', { name: 'Show captures of the event' }).click(),
    /** The hash among the details. */
    transactionHash: open.getByRole('link', { name: /^[0-9a-f]{64}$/ }),
    /** The result of checking the delivery’s token, among the details. */
    token: open.getByText('Token', { exact: true }).locator('xpath=following-sibling::*[1]'),
    forwards: open.getByRole('region', { name: /^Forwarded to/ }),
  }
}
