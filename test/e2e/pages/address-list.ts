/** Drives the field for pasted addresses and its lines, for lookups and subscriptions. */
import type { Page } from '@playwright/test'

const kinds = {
  valid: /^Valid/,
  duplicate: /^Duplicate/,
  invalid: /^Invalid/,
  wrongNetwork: /^Wrong network/,
}

export function addressList(page: Page) {
  return {
    field: page.getByRole('textbox', { name: 'Addresses' }),
    tryWithWallets: () =>
      page.getByRole('button', { name: 'Use the wallets of the sandbox' }).click(),
    /** The button that shows the lines of one kind, with their count. */
    chip: (kind: keyof typeof kinds) =>
      page.getByRole('group', { name: 'Lines to show' }).getByRole('button', { name: kinds[kind] }),
    grid: page.getByRole('grid', { name: 'Lines' }),
    lines: page.getByRole('grid', { name: 'Lines' }).locator('[data-index]'),
  }
}
