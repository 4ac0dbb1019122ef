/** The overview, with and without captures. */
import type { Page } from '@playwright/test'

export function overview(page: Page) {
  const receiver = page.getByRole('region', { name: 'Receiver' })
  return {
    latestCaptures: page.getByRole('heading', { name: 'Latest captures' }),
    sendFirstWebhook: page.getByRole('heading', { name: 'Send your first webhook' }),
    publicUrlDoesNotWork: receiver.getByRole('link', { name: 'does not work' }),
  }
}
