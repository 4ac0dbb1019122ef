/** Drives the failures of a webhook and its missed events. */
import type { Page } from '@playwright/test'
import { question } from './frame.ts'
import { webhookDetail } from './webhooks.ts'

export function failures(page: Page) {
  const { open } = webhookDetail(page)
  const cause = open.getByRole('region', { name: 'Cause' })
  const explanation = open.getByRole('region', { name: 'Why deliveries fail' })
  return {
    text: {
      shown: (number: number, of: number) => `${number} of ${of} failing`,
    },
    affected: cause.getByRole('link'),
    row: (words: string) => open.getByRole('row', { name: new RegExp(words) }).first(),
    attempts: open.getByRole('region', { name: 'Failed attempts', exact: true }),
    retries: open.getByRole('region', { name: 'Retries of the sandbox' }),
    cause,
    sentence: cause.getByRole('heading'),
    request: cause.getByRole('group', { name: 'Body of the last request' }),
    openQueue: cause.getByRole('button', { name: 'Open delivery queue' }),
    explanation,
    whatToDo: explanation.getByRole('list', { name: 'What to do' }),
    gatewayLog: explanation.getByRole('region', { name: 'Gateway delivery log' }),
    readNow: () => open.getByRole('button', { name: 'Refresh', exact: true }).click(),
    showSevenDays: () => open.getByRole('link', { name: '7 d', exact: true }).click(),
    /** One line for each status and account. */
    errors: open.getByRole('table', { name: 'Errors by status and account' }).locator('tbody tr'),
    showCaptures: open.getByRole('link', { name: 'Show captures' }),
  }
}

export function missedEvents(page: Page) {
  const { open } = webhookDetail(page)
  const form = open.getByRole('form', { name: 'New check' })
  return {
    text: { needsDuration: 'such as 30 s', notTaken: 'no delivery was accepted here' },
    lateAfter: form.getByRole('textbox', { name: 'Maximum delivery delay' }),
    error: form.getByRole('alert'),
    checkDone: open.getByText('done', { exact: true }),
    events: open.getByRole('grid', { name: 'Events' }).locator('[data-index]'),
    event: open.getByRole('region', { name: 'Event', exact: true }),
    captureOfEvent: open
      .getByRole('region', { name: 'Event', exact: true })
      .getByRole('link', { name: /^Capture/ }),
    chart: open.getByRole('region', { name: 'Events', exact: true }),
    rebuilt: (count: number) => open.getByText(`${count} events rebuilt as captures.`),
    chooseLastHour: () => form.getByRole('button', { name: 'Last hour' }).click(),
    check: () => form.getByRole('button', { name: 'Check' }).click(),
    showMissing: (count: number) =>
      open
        .getByRole('group', { name: 'Events to show' })
        .getByRole('button', { name: `missing ${count}`, exact: true })
        .click(),
    rebuild: (count: number) =>
      open.getByRole('button', { name: `Rebuild ${count} missing events…` }).click(),
    rebuildQuestion: question(page, /^Rebuild/),
    openFirstRebuilt: () =>
      open.getByRole('link', { name: 'Open the first rebuilt capture' }).click(),
  }
}
