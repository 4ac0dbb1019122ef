/**
 * Drives the Sandbox page: wallets, payments, invoices, clock, deliveries, snapshots, and the first
 * steps.
 */
import { type Locator, type Page, expect } from '@playwright/test'
import { copy, openPage, question } from './frame.ts'

const text = {
  isNoAmount: (typed: string) => `“${typed}” is not an amount.`,
  stopped: 'stopped',
  waitsSeconds: (seconds: number) => `in ${seconds} s`,
  nothingWaits: 'The queue is empty',
  /** The name of the page’s link while a delivery fails. */
  playKeys: 'These words are for tests only',
  keyFile: 'keys.json',
}

const tabs = {
  act: /^Actions/,
  control: /^Control/,
  calls: /^Calls/,
  invoices: /^Invoices/,
  connect: /^Connect/,
}

const actions = {
  faucet: 'Faucet',
  payInvoice: 'Pay an invoice',
  deploy: 'Deploy',
  opcode: 'Opcode',
  activity: 'Activity',
}

const howToPay = { tooLittle: 'Underpayment', theRest: 'Remaining amount' }

export async function openSandbox(page: Page): Promise<void> {
  await openPage(page, 'sandbox')
  await sandbox(page).wallet('merchant').waitFor()
}

export function sandbox(page: Page) {
  const wallets = page.getByRole('region', { name: 'Wallets', exact: true })
  const form = (name: string) => page.getByRole('form', { name })
  const amountOf = (of: Locator) => of.getByRole('textbox', { name: 'Amount' })
  const choose = async (scope: Locator, label: string, option: string | RegExp) => {
    await scope.getByRole('combobox', { name: label, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const walletAction = async (wallet: string, action: string) => {
    await wallets.getByRole('button', { name: `Actions of ${wallet}`, exact: true }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const copyAddress = async (wallet: string, kind: 'friendly' | 'raw') => {
    await walletAction(wallet, `Copy the ${kind} address`)
    await page.getByText('Address copied').first().waitFor()
  }
  const send = form('Send a payment')
  const faucet = form('Faucet')
  const create = form('Create an invoice')
  const pay = form('Pay an invoice')
  const take = form('Create a snapshot')
  const connect = page.getByRole('tabpanel', { name: 'Connect' })
  const queue = page.getByRole('region', { name: 'Delivery queue', exact: true })
  const invoiceIs = (of: Locator, state: 'pending' | 'paid') =>
    of.getByText(new RegExp(`^Invoice .+ is ${state}$`))
  return {
    text,
    isStopped: page.getByRole('heading', { name: 'The sandbox is stopped' }),
    stop: () => page.getByRole('button', { name: 'Stop', exact: true }).click(),
    start: () => page.getByRole('button', { name: 'Start the sandbox' }).click(),
    wallet: (name: string) => wallets.getByRole('row', { name: new RegExp(name) }),
    copyFriendlyAddress: (wallet: string) => copyAddress(wallet, 'friendly'),
    copyRawAddress: (wallet: string) => copyAddress(wallet, 'raw'),
    showRecoveryWords: (wallet: string) => walletAction(wallet, 'Show recovery words…'),
    recoveryWords: (wallet: string) => {
      const dialog = page.getByRole('dialog', { name: `Recovery words of ${wallet}` })
      return { dialog, words: dialog.getByRole('listitem') }
    },
    recoveryWordAnywhere: (word: string) => page.getByText(word, { exact: true }),
    openTab: (name: keyof typeof tabs) => page.getByRole('tab', { name: tabs[name] }).click(),
    /** Opens one of the forms of the tab with actions on the sandbox. */
    openAction: async (name: keyof typeof actions) => {
      await choose(page.getByRole('tabpanel'), 'Action', actions[name])
      await page.getByRole('tabpanel').getByRole('form').first().waitFor()
    },
    sending: {
      from: send.getByRole('combobox', { name: 'From' }),
      to: send.getByRole('combobox', { name: 'To' }),
      amount: amountOf(send),
      comment: send.getByRole('textbox', { name: 'Comment' }),
      error: send.getByRole('alert'),
      sent: (amount: string) => send.getByText(`${amount} sent`),
      chooseCurrency: (currency: string) => choose(send, 'Currency', new RegExp(currency)),
      send: () => send.getByRole('button', { name: 'Send' }).click(),
    },
    faucet: {
      to: faucet.getByRole('combobox', { name: 'To' }),
      amount: amountOf(faucet),
      given: (amount: string) => faucet.getByText(`${amount} received from the faucet`),
      give: () => faucet.getByRole('button', { name: 'Request' }).click(),
    },
    creating: {
      amount: amountOf(create),
      description: create.getByRole('textbox', { name: 'Description' }),
      isPending: invoiceIs(create, 'pending'),
      create: () => create.getByRole('button', { name: 'Create' }).click(),
    },
    paying: {
      amount: amountOf(pay),
      isPending: invoiceIs(pay, 'pending'),
      isPaid: invoiceIs(pay, 'paid'),
      chooseHow: (how: keyof typeof howToPay) => choose(pay, 'Payment', howToPay[how]),
      pay: () => pay.getByRole('button', { name: 'Pay', exact: true }).click(),
    },
    invoiceAccess: {
      withdraw: () => page.getByRole('button', { name: 'Withdraw access' }).click(),
      isWithdrawn: page.getByText('Access is withdrawn').first(),
      isNotGranted: page.getByText('Access to invoices is not granted'),
    },
    clock: {
      stopTime: async () => {
        await page.getByRole('button', { name: 'Virtual clock', exact: true }).click()
        await page.getByText('The clock stands still').first().waitFor()
      },
      advanceToNextDue: () =>
        page.getByRole('button', { name: 'Advance to the next event' }).click(),
    },
    calls: page.getByRole('tabpanel', { name: 'Calls' }).getByRole('table', { name: 'Calls' }),
    deliveries: { queue, waiting: queue.getByRole('row', { name: /account_tx/ }) },
    snapshots: {
      take: async (name: string) => {
        await take.getByRole('textbox', { name: 'Name' }).fill(name)
        await take.getByRole('button', { name: 'Create snapshot' }).click()
        await expect(take.getByText(`Snapshot “${name}” created`)).toBeVisible()
      },
      revert: (name: string) => page.getByRole('button', { name: `Revert to ${name}…` }).click(),
      revertQuestion: question(page, 'Revert'),
      reset: () => page.getByRole('button', { name: 'Reset the sandbox…' }).click(),
      resetQuestion: question(page, 'Reset the sandbox'),
      isAsNew: page.getByText('The sandbox was reset').first(),
    },
    connect: {
      panel: connect,
      copyQueryUrl: () => copy(connect, 'query API URL'),
      copyWebhooksUrl: () => copy(connect, 'webhooks API URL'),
      copyEnvironment: connect.getByRole('button', { name: 'Copy .env with keys' }),
      confirm: question(page, 'Copy .env with keys').confirm,
      copied: page.getByText('.env copied').first(),
    },
  }
}

/** The three steps on the Overview that lead to a first capture. */
export function firstSteps(page: Page) {
  const steps = page.getByRole('region', { name: 'First webhook from the sandbox' })
  const createWebhook = steps.getByRole('button', { name: 'Create the webhook' })
  const subscribe = steps.getByRole('button', { name: 'Subscribe to the wallet' })
  const sendPayment = steps.getByRole('button', { name: 'Send the payment' })
  const captureLink = page.getByRole('link', { name: 'Open the capture' })
  return {
    steps,
    createWebhook,
    subscribe,
    sendPayment,
    captureLink,
    firstWebhookArrived: page.getByText('Your first webhook has arrived'),
    takeAll: async () => {
      await openPage(page, 'overview')
      await createWebhook.click()
      await subscribe.click()
      await sendPayment.click()
    },
    openCapture: () => captureLink.click(),
    connectRealGateway: () => page.getByRole('button', { name: 'Connect a real gateway' }).click(),
  }
}
