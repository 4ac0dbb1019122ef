/** Drives the guide from a gateway’s key to the first delivery. */
import type { Page } from '@playwright/test'
import { palette, section } from './frame.ts'
import { waitForKeychain } from './settings.ts'

const text = {
  httpOnlyLocal: 'Plain http is allowed for this computer',
  wrongKey: /wrong key/,
  notAllowed: /not allowed.*webhooks capability/,
  anotherService: /responded with 200 and a web page/,
  limit: /allows 0 subscribed accounts/,
  noListener: /Nothing listens on/,
  acceptedEvent: /accepted the test event: 200/,
  reachesReceiver: 'reaches this receiver',
  invalidUrl: 'Enter a URL such as',
  ofTondesk: 'of Tondesk itself',
  rejectedByBackend: 'responded with 401, so it rejected the token',
  failedCode: 'responded with 500, so its code failed',
  redirect: 'responded with 302, a redirect to https://elsewhere.example/',
  wrongPath: 'responded with 404, so no code for POST requests runs at this path',
  only200: 'responded with 204. The gateway takes only 200',
  tooSlow: 'No response within 10 seconds',
  rejectedToken: 'The gateway rejects the stored token',
  done: 'done',
  failed: 'failed',
  toDo: 'to do',
  optional: 'optional',
}

const titles = {
  key: 'Key',
  tunnel: 'Tunnel',
  webhook: 'Webhook',
  accounts: 'Accounts',
  invoices: 'Invoice access',
  code: 'Your backend',
  delivery: 'First delivery',
}

export function setupGuide(page: Page) {
  const form = page.getByRole('form', { name: 'Add a network' })
  const creating = page.getByRole('form', { name: 'Create a webhook' })
  const testing = page.getByRole('form', { name: 'Test your backend' })
  const secret = (name: string) => page.getByLabel(new RegExp(`^New ${name} of`))
  const addingToken = page.getByRole('button', { name: /^Add the Invoices API token of/ })
  return {
    text,
    /** The heading of the open step, with its state. */
    step: (name: keyof typeof titles) => section(page, titles[name]),
    next: (name: keyof typeof titles) =>
      page.getByRole('button', { name: `Next: ${titles[name]}` }).click(),
    open: async () => {
      await page.keyboard.press('Control+k')
      await palette(page).field.fill('set up a gateway')
      await page.keyboard.press('Enter')
    },
    chooseGateway: page.getByRole('heading', { name: 'Choose a gateway' }),
    add: () => page.getByRole('button', { name: 'Add another gateway' }).click(),
    adding: {
      name: form.getByLabel('Name'),
      queryUrl: form.getByLabel('Query API'),
      webhooksUrl: form.getByLabel('Webhooks API', { exact: true }),
      invoicesUrl: form.getByLabel(/^Invoices API/),
      error: form.getByRole('alert'),
      save: () => form.getByRole('button', { name: 'Add', exact: true }).click(),
    },
    /** On a computer without a keychain, the step offers to store keys for the session. */
    waitForKeychain: () => waitForKeychain(section(page, 'API key')),
    enterKey: async (key: string) => {
      await secret('API key').fill(key)
      await page.keyboard.press('Enter')
    },
    replaceKey: () => page.getByRole('button', { name: /^Replace the API key of/ }).click(),
    checks: page.getByRole('table', { name: /^Connection test of/ }).locator('tbody tr'),
    testAgain: () => page.getByRole('button', { name: 'Test again' }).click(),
    plan: section(page, 'Plan and limits'),
    gatewayIsLocal: page.getByText(/runs on this computer, so it reaches the receiver/),
    noTunnelFound: page.getByText(/^No ngrok or cloudflared tunnel found/),
    useTunnel: (url: string) =>
      page
        .getByRole('listitem')
        .filter({ hasText: url })
        .getByRole('button', { name: 'Use and check' })
        .click(),
    publicUrl: page.getByRole('textbox', { name: 'Public URL' }),
    saveAndCheck: () => page.getByRole('button', { name: 'Save and check' }).click(),
    tunnelCheck: section(page, 'Check'),
    tunnelProblem: section(page, 'Cause'),
    checkAgain: () =>
      section(page, 'Check')
        .getByRole('button', { name: /^Check/ })
        .click(),
    endpoint: creating.getByRole('textbox', { name: 'Endpoint' }),
    webhookError: creating.getByRole('alert'),
    createWebhook: () => creating.getByRole('button', { name: 'Create webhook' }).click(),
    webhookHere: section(page, 'Webhook of this receiver'),
    subscribed: section(page, 'Subscribed accounts'),
    addresses: page.getByRole('textbox', { name: 'Addresses' }),
    invalidLines: page.getByRole('button', { name: /^Invalid\s*1$/ }),
    subscribe: page.getByRole('button', { name: /^Subscribe/ }),
    addToken: async (token: string) => {
      await addingToken.click()
      await secret('Invoices API token').fill(token)
      await page.keyboard.press('Enter')
    },
    replaceToken: async (token: string) => {
      await page.getByRole('button', { name: /^Replace the Invoices API token of/ }).click()
      await secret('Invoices API token').fill(token)
      await page.keyboard.press('Enter')
    },
    tokenStep: page.getByRole('list', { name: 'Setup steps' }).locator(':scope > li').nth(4),
    chooseLanguage: (name: string) =>
      page.getByRole('group', { name: 'Language' }).getByRole('button', { name }).click(),
    copyCode: () => page.getByRole('button', { name: /^Copy.*receiver\.\w+$/ }).click(),
    copyToken: () => page.getByRole('button', { name: /^Copy token/ }).click(),
    backendUrl: testing.getByRole('textbox', { name: 'URL of your backend' }),
    backendError: testing.getByRole('alert'),
    backendResult: section(page, 'Test your backend').getByRole('status'),
    sendTestEvent: () => testing.getByRole('button', { name: /^Send (test event|again)$/ }).click(),
    nothingYet: page.getByText(/^Nothing has arrived yet/),
    loadAgain: () => page.getByRole('button', { name: 'Load again' }).click(),
    triedAndFailed: page.getByText(/The gateway tried to deliver and failed/),
    arrived: section(page, 'What arrived'),
    openCapture: () =>
      section(page, 'What arrived').getByRole('link', { name: 'Open the capture' }).click(),
  }
}
