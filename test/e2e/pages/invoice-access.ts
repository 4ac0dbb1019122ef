/** Drives the steps of access to invoices. */
import type { Page } from '@playwright/test'
import { copy, question } from './frame.ts'

const text = {
  done: 'done',
  thisReceiver: 'this receiver',
}

export function invoiceAccess(page: Page) {
  const steps = page.getByRole('list', { name: 'Setup steps' }).locator(':scope > li')
  const [projectStep, grantStep, applicationStep, tokenStep, webhookStep] = [
    steps.nth(1),
    steps.nth(2),
    steps.nth(3),
    steps.nth(4),
    steps.nth(5),
  ]
  const form = page.getByRole('form', { name: 'Application' })
  return {
    text,
    grantStep,
    applicationStep,
    tokenStep,
    webhook: webhookStep.getByRole('listitem'),
    isReady: page.getByRole('heading', { name: 'Invoices of Sandbox are ready' }),
    sendProjectId: () => projectStep.getByRole('button', { name: 'Send the project ID' }).click(),
    grantAccess: () => grantStep.getByRole('button', { name: 'Grant access' }).click(),
    application: {
      name: form.getByLabel('Name'),
      recipient: form.getByLabel('Recipient address'),
      error: form.getByRole('alert'),
      open: () => applicationStep.getByRole('button', { name: 'Edit application…' }).click(),
      chooseWallet: (name: string) => form.getByRole('button', { name }).click(),
      save: () => form.getByRole('button', { name: 'Save the application' }).click(),
    },
    recipientQuestion: question(page, 'Change the recipient'),
    copyToken: () => copy(tokenStep, 'invoices API token'),
    rotateToken: () => tokenStep.getByRole('button', { name: 'Rotate token…' }).click(),
    rotateQuestion: question(page, 'Rotate token'),
    registerReceiver: () =>
      webhookStep.getByRole('button', { name: 'Register the receiver URL' }).click(),
  }
}
