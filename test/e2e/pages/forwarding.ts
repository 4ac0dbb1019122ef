/** Drives forwarding rules and their deliveries. */
import type { Page } from '@playwright/test'
import { openInspectorView } from './captures.ts'
import { question } from './frame.ts'

const text = {
  linkLocal: 'link-local',
  toBeConfirmed: 'needs confirmation',
  notConfirmed: 'You did not confirm',
  down: 'down',
  off: 'off',
  nothingListens: (address: string) => `Nothing listens on ${address}`,
}

export function forwarding(page: Page) {
  const form = page.getByRole('form', { name: 'Forwarding rule' })
  return {
    text,
    show: () => openInspectorView(page, 'forwarding'),
    isEmpty: page.getByRole('heading', { name: 'No forwarding rules yet' }),
    addRule: () => page.getByRole('button', { name: /^Forward to/ }).click(),
    form: {
      form,
      target: form.getByRole('textbox', { name: 'Send to' }),
      query: form.getByRole('combobox'),
      suggestions: page.getByRole('option'),
      error: form.getByRole('alert'),
      save: () => form.getByRole('button', { name: 'Create rule' }).click(),
      /** The element with the focus, if it is inside the dialog. */
      focused: page.getByRole('dialog').locator(':focus'),
      discardQuestion: question(page, 'Discard'),
      /** The confirmation before the first request to a public address. */
      publicQuestion: (host: string) =>
        question(page, /^Send/, new RegExp(host.replaceAll('.', '\\.'))),
    },
  }
}

/** The opened rule with this target. */
export function forwardingRule(page: Page, address: string) {
  const rule = page.getByRole('region', { name: `Rule To ${address}` })
  const figure = (name: string) =>
    rule.getByText(name, { exact: true }).locator('xpath=following-sibling::*').first()
  return {
    rule,
    waiting: figure('Waiting'),
    delivered: figure('Delivered'),
    targets: rule.getByRole('list', { name: 'Targets' }),
    /** The text of an attempt without a response. */
    noResponse: rule.getByText('no response').first(),
    showAttempts: (capture: number) =>
      rule.getByRole('button', { name: `Attempts of capture ${capture}` }).click(),
    retryNow: () => rule.getByRole('button', { name: 'Retry now' }).click(),
    toggle: () => rule.getByRole('switch').click(),
  }
}
