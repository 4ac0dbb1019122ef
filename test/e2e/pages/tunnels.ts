/** Drives tunnels to the receiver, and the check of its public URL. */
import type { Page } from '@playwright/test'
import { openInspectorView } from './captures.ts'

export function tunnels(page: Page) {
  return {
    publicUrl: page.getByLabel('Public URL', { exact: true }).last(),
    leadsToReceiver: page.getByText('reaches this receiver', { exact: true }),
    testDeliveries: page.getByRole('region', { name: 'Test deliveries' }).getByRole('row'),
    allAsExpected: (count: number) => page.getByText(`all ${count} as expected`).first(),
    ngrokError: (code: string) => page.getByText(new RegExp(`ngrok reports ${code}`)).first(),
    show: () => openInspectorView(page, 'tunnels'),
    use: (url: string) =>
      page
        .getByRole('listitem')
        .filter({ hasText: url })
        .getByRole('button', { name: 'Use and check' })
        .click(),
    sendTestDeliveries: () =>
      page.getByRole('button', { name: 'Send through the public URL' }).click(),
    check: () => page.getByRole('button', { name: /^Check/ }).click(),
  }
}
