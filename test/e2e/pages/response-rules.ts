/** Drives the response rules of the receiver. */
import type { Page } from '@playwright/test'
import { openInspectorView } from './captures.ts'

export function responseRules(page: Page) {
  const form = page.getByRole('form', { name: 'Response rule' })
  const banner = page.getByRole('status').filter({ hasText: 'Response rules are on' })
  return {
    text: {
      nextOf: (count: number, of: number) => `the next ${count} of ${of}`,
      rule: (query: string, status: number, next: string) => `${query} → ${status} (${next})`,
    },
    banner,
    rule: (query: string) => page.getByRole('row', { name: new RegExp(query) }),
    show: () => openInspectorView(page, 'responseRules'),
    addFailing: () =>
      page.getByRole('button', { name: 'Respond 500 to the next 3 deliveries…' }).click(),
    toggle: (number: number) => page.getByRole('switch', { name: `Apply rule ${number}` }).click(),
    turnAllOff: () => banner.getByRole('button', { name: 'Turn off all rules' }).click(),
    form: {
      form,
      count: form.getByLabel('Delivery limit'),
      query: form.getByLabel('Filter (optional)'),
      status: form.getByRole('textbox', { name: 'Status' }),
      error: form.getByRole('alert').first(),
      chooseStatus: (status: number) => form.getByRole('button', { name: String(status) }).click(),
      save: () => form.getByRole('button', { name: 'Create rule' }).click(),
    },
  }
}
