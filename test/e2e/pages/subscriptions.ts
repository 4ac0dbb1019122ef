/** Drives the subscriptions of a webhook: its accounts, its changes, and the subscriptions file. */
import type { Page } from '@playwright/test'
import { question } from './frame.ts'

const text = {
  notFailing: 'not failing',
  accounts: (count: number) => `${count} accounts`,
  removeFrom: (count: number) => `Remove ${count} accounts from`,
  subscribesAgain: (count: number) => new RegExp(`Subscribes ${count} accounts to .* again`),
  done: 'done',
}

const accountChips = { neverDelivered: /^Never delivered/, watched: /^Watched/ }

/** The accounts of the open webhook. */
export function subscribedAccounts(page: Page) {
  return {
    text,
    rows: page.getByRole('grid', { name: 'Subscribed accounts' }).locator('[data-index]'),
    chip: (name: keyof typeof accountChips) =>
      page
        .getByRole('group', { name: 'Accounts to show' })
        .getByRole('button', { name: accountChips[name] }),
    changesUnderWay: page.getByRole('group', { name: /^In progress/ }),
    isEmpty: page.getByRole('heading', { name: 'No accounts subscribed yet' }),
    selection: page.getByRole('group', { name: 'Selected accounts' }),
    account: page.getByRole('region', { name: /^Account / }),
    filter: page.getByRole('searchbox', { name: 'Search the accounts' }),
    subscribe: (count: number) =>
      page.getByRole('button', { name: new RegExp(`^Subscribe ${count} accounts`) }).click(),
    watchFirst: () =>
      page
        .getByRole('grid', { name: 'Subscribed accounts' })
        .locator('[data-index]')
        .first()
        .getByRole('button', { name: /^Watch/ })
        .click(),
    removeQuestion: (count: number) => question(page, `Remove ${count} accounts`),
    undoRemoval: (count: number) =>
      page
        .getByRole('dialog', { name: `Remove ${count} accounts` })
        .getByRole('button', { name: 'Undo…' })
        .click(),
    undoQuestion: (steps: number) => question(page, `Undo ${steps} steps`),
    undoneChanges: page.getByRole('row', { name: /^Undo: / }),
  }
}

const fileText = {
  errorAt: (word: string) => new RegExp(`Line \\d+, column \\d+: .*${word}`),
  missing: 'missing',
  extra: 'extra',
  subscribeAccount: 'Subscribe account',
  unsubscribeAccount: 'Unsubscribe account',
  counts: (added: number, removed: number) =>
    new RegExp(`${added} subscriptions? added, ${removed} subscriptions? removed`),
  undone: ', undone',
  done: text.done,
}

const differenceChips = { duplicate: /^Duplicate/, invalid: /^Invalid/ }

/** A subscriptions file that is compared with the webhooks and applied. */
export function subscriptionsFile(page: Page) {
  const differences = page.getByRole('grid', { name: 'Differences' }).locator('[data-index]')
  const lastApplied = page.getByRole('region', { name: 'Last applied file' })
  return {
    text: fileText,
    differences,
    difference: (kind: 'missing' | 'extra') => differences.filter({ hasText: fileText[kind] }),
    chip: (name: keyof typeof differenceChips) =>
      page
        .getByRole('group', { name: 'Differences to show' })
        .getByRole('button', { name: differenceChips[name] }),
    error: page.getByRole('alert'),
    cannotBeApplied: page.getByText('This file cannot be applied'),
    applyButton: page.getByRole('button', { name: /^Apply/ }),
    nothingDiffers: page.getByRole('heading', { name: 'No differences' }),
    stepsDone: page
      .getByRole('grid', { name: 'Steps' })
      .locator('[data-index]')
      .filter({ hasText: fileText.done }),
    lastApplied,
    show: async () => {
      await page.getByRole('link', { name: 'Subscriptions file' }).click()
      await page.getByRole('heading', { name: /^Compare a subscriptions file/ }).waitFor()
    },
    open: (yaml: string) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'wanted.yaml', mimeType: 'text/yaml', buffer: Buffer.from(yaml) }),
    close: () => page.getByRole('button', { name: 'Close file' }).click(),
    apply: (changes: number) =>
      page.getByRole('button', { name: `Apply ${changes} changes…` }).click(),
    applyQuestion: (changes: number) => question(page, `Apply ${changes} changes`),
    showDifferences: () => page.getByRole('button', { name: 'Differences', exact: true }).click(),
    undo: () => lastApplied.getByRole('button', { name: /^Undo/ }).click(),
    backToList: () => page.getByRole('link', { name: 'List', exact: true }).click(),
  }
}
