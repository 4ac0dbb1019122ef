/** Drives the Overview, with and without captures. */
import type { Page } from '@playwright/test'

export function overview(page: Page) {
  const health = page.getByRole('group', { name: 'Health' })
  const inbox = page.getByRole('region', { name: 'Inbox' })
  return {
    latestPayments: page.getByRole('heading', { name: 'Latest payments' }),
    sendFirstWebhook: page.getByRole('heading', { name: 'Send your first webhook' }),
    summary: page.getByRole('region', { name: 'Summary' }),
    /** A number with its label, which links to its rows. */
    figure: (words: RegExp) => health.getByRole('link', { name: words }),
    inbox: {
      region: inbox,
      discrepancies: inbox.getByRole('listitem').filter({ hasText: 'Mark as handled' }),
      handleFirst: () => inbox.getByRole('button', { name: 'Mark as handled' }).first().click(),
      showDiscrepancies: () => inbox.getByRole('link', { name: 'All discrepancies' }).click(),
    },
    payments: page.getByRole('region', { name: 'Latest payments' }).getByRole('listitem'),
  }
}
