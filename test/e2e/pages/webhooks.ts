/** Drives the list of webhooks, the form of a new webhook, and the open webhook. */
import type { Page } from '@playwright/test'
import { copy, openPage, question } from './frame.ts'

const text = {
  online: 'online',
  needsFullUrl: 'Enter a full URL',
  hostNotAllowed: (host: string) => `Deliveries to ${host} fail until you allow that host`,
  noSubscriptions: 'This webhook has no subscriptions yet',
  nothingDelivered: 'nothing delivered since',
  verifiedByThisReceiver: 'verified by this receiver',
  deliversThereAlready: 'already delivers to this URL',
  needsHexadecimal: 'hexadecimal',
  jettonTransfer: 'jetton transfer',
  active: 'active',
}

export function webhookList(page: Page) {
  const grid = page.getByRole('grid', { name: 'Webhooks' })
  const rows = grid.locator('[data-index]')
  return {
    text,
    grid,
    rows,
    isEmpty: page.getByRole('heading', { name: 'No webhook on Sandbox yet' }),
    notLoadedYet: page.getByText('Not loaded yet'),
    linkIsOf: (network: string) =>
      page.getByRole('heading', { name: `This link is for ${network}` }),
    open: async (id: string) => {
      await openPage(page, 'webhooks')
      await grid.locator(`[data-id="${id}"]`).click()
    },
  }
}

export function newWebhook(page: Page) {
  const form = page.getByRole('form', { name: 'New webhook' })
  return {
    text,
    endpoint: form.getByRole('textbox', { name: 'Endpoint' }),
    error: form.getByRole('alert'),
    /** Warnings about the endpoint before the webhook is created. */
    warnings: form.getByRole('list', { name: 'Endpoint warnings' }),
    useThisReceiver: () => form.getByRole('radio', { name: /of this receiver/ }).check(),
    create: () => form.getByRole('button', { name: 'Create webhook' }).click(),
  }
}

const tabs = {
  accounts: /^Accounts/,
  deliveries: 'Deliveries',
  missed: 'Missed',
  changes: 'Changes',
}

/** The open webhook. */
export function webhookDetail(page: Page) {
  const open = page.getByRole('region', { name: /^Webhook \d+$/ })
  const token = open.getByRole('region', { name: 'Token', exact: true })
  const moving = page.getByRole('dialog', { name: 'Move to another endpoint' })
  const adding = open.getByRole('form', { name: 'Subscribe to an opcode' })
  const deleting = page.getByRole('form', { name: 'Delete webhook' })
  const testing = page.getByRole('dialog', { name: /^Send a test event/ })
  return {
    text,
    open,
    title: open.locator('header').getByRole('heading', { level: 2 }),
    /** The link exists only in a window in which the webhook covers the list. */
    backToList: page.getByRole('link', { name: 'All webhooks' }),
    openTab: (name: keyof typeof tabs) => open.getByRole('tab', { name: tabs[name] }).click(),
    deliveriesTab: open.getByRole('tab', { name: tabs.deliveries, selected: true }),
    newContracts: open.getByRole('switch', { name: 'New contracts' }),
    mempool: open.getByRole('switch', { name: 'Mempool' }),
    token,
    copyToken: () => copy(token, 'token'),
    rotateToken: () => token.getByRole('button', { name: 'Rotate…' }).click(),
    rotateQuestion: question(page, 'Rotate token'),
    moveButton: open.getByRole('button', { name: 'Move to another endpoint…' }),
    moving: {
      endpoint: moving.getByRole('textbox', { name: 'New endpoint' }),
      error: moving.getByRole('alert'),
      discard: question(page, 'Discard').confirm,
    },
    newOpcode: {
      field: adding.getByRole('combobox', { name: 'Opcode' }),
      error: adding.getByRole('alert'),
    },
    opcode: (opcode: string) => open.getByRole('row', { name: new RegExp(opcode) }),
    testEvent: {
      begin: () => open.getByRole('button', { name: 'Send test event…' }).click(),
      dialog: testing,
      send: () => testing.getByRole('button', { name: 'Send test event' }).click(),
      response: testing.getByRole('status'),
      capture: testing.getByRole('link', { name: /^Capture/ }),
    },
    noFailures: open.getByText(/^No failed delivery attempts in /),
    startDeleting: () => open.getByRole('button', { name: 'Delete webhook…' }).click(),
    deleting: {
      endpoint: deleting.getByLabel('Type the endpoint to confirm'),
      confirm: deleting.getByRole('button', { name: 'Delete webhook' }),
    },
    subscribeAccounts: () => open.getByRole('button', { name: 'Add accounts' }).click(),
  }
}
