/** Connects the app to the sandbox over HTTP, as to any gateway. The sandbox's keys stay in this module. */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import type { Handlers, Output, Parsed } from '../../src-preload/contract/routes.ts'
import type {
  SandboxAccess,
  SandboxHead,
  SandboxNetwork,
  SandboxState,
  SandboxSteps,
} from '../../src-preload/contract/sandbox.ts'
import { doubledPause } from '../../src-preload/domain/time-span.ts'
import { AppError, messageOf, sandboxCodes } from '../../src-preload/domain/app-error.ts'
import type { Http } from '../gateway/http.ts'
import { createInvoicesClient } from '../gateway/invoices.ts'
import {
  type SandboxClient,
  type SandboxOperation,
  createSandboxClient,
  sandboxInvoiceOf,
  sandboxOperations,
} from '../gateway/sandbox.ts'
import { createWebhooksClient, type WebhooksClient } from '../gateway/webhooks.ts'
import { webhookTokenId } from '../secrets/webhook-tokens.ts'
import {
  type LauncherDeps,
  type LauncherState,
  type ReadySandbox,
  createSandboxLauncher,
} from './sandbox-launcher.ts'

/** The first three steps of a new user on the sandbox, with the same clients as for the real service. */

type StepsDeps = {
  readonly webhooks: WebhooksClient
  readonly control: SandboxClient
  readonly receiver: { readonly url: string; readonly isListening: boolean }
}

type Step = Parsed<'sandbox.doStep'>['step']

const watchedWallet = 'merchant'
const payer = 'wallet-1'
const oneTon = '1000000000'

async function readSteps(deps: StepsDeps): Promise<SandboxSteps> {
  const nothingYet: SandboxSteps = { webhook: null, account: null, delivered: false }
  const { url } = deps.receiver
  const found = (await deps.webhooks.list()).find(({ endpoint }) => endpoint === url)
  if (found === undefined) return nothingYet
  const webhook = { id: Number(found.id), endpoint: found.endpoint }
  const [subscriptions, { wallets }] = await Promise.all([
    deps.webhooks.subscriptions(found.id),
    deps.control.call('sandbox.chain', { network: 'mainnet' }),
  ])
  const watched = subscriptions.flatMap((subscription) => {
    const wallet = wallets.find(({ address }) => address === subscription.account)
    return wallet === undefined ? [] : [{ wallet, subscription }]
  })
  const chosen = watched.find(({ wallet }) => wallet.name === watchedWallet) ?? watched[0]
  if (chosen === undefined) return { ...nothingYet, webhook }
  const { name, address } = chosen.wallet
  return {
    webhook,
    account: { name, address },
    delivered: watched.some(({ subscription }) => subscription.lastDeliveredLt !== '0'),
  }
}

/** Skips a step that is already completed, except that a payment is always sent. */
async function doStep(deps: StepsDeps, step: Step): Promise<SandboxSteps> {
  const { webhooks, control, receiver } = deps
  if (!receiver.isListening) {
    throw notYet('The receiver is not listening, so it cannot receive deliveries. Start it first.')
  }
  const before = await readSteps(deps)
  switch (step) {
    case 'webhook':
      if (before.webhook === null) await webhooks.create(receiver.url)
      break
    case 'account': {
      if (before.webhook === null) throw notYet('Create the webhook first.')
      if (before.account !== null) break
      const { wallets } = await control.call('sandbox.chain', { network: 'mainnet' })
      const wallet = wallets.find(({ name }) => name === watchedWallet) ?? wallets[0]
      if (wallet === undefined) throw notYet('The sandbox has no wallet.')
      await webhooks.subscribeAccounts(String(before.webhook.id), [wallet.address])
      break
    }
    case 'payment':
      if (before.account === null) throw notYet('Subscribe to a wallet first.')
      await control.call('sandbox.send', {
        network: 'mainnet',
        from: payer,
        to: before.account.address,
        amount: oneTon,
        currency: 'TON',
        comment: 'My first payment',
      })
  }
  return readSteps(deps)
}

const notYet = (message: string): AppError => new AppError(sandboxCodes.stepNotYet, message)

type SandboxHandlers = Pick<Handlers, Extract<keyof Handlers, `sandbox.${string}`>>

type WebhookSecret = { readonly id: string; readonly token: string }

type SandboxNetworkDeps = Omit<LauncherDeps, 'onChanged'> & {
  readonly http: Http
  readonly receiver: () => { readonly url: string; readonly isListening: boolean }
  readonly onTokens: (tokens: readonly WebhookSecret[]) => void
  readonly onWallets: (wallets: Output<'sandbox.chain'>['wallets']) => void
  readonly onChanged: (state: SandboxState) => void
  readonly onReplaced: () => Promise<void>
  readonly writeClipboard: ((text: string) => Promise<void>) | undefined
}

type Clients = ReturnType<typeof connect>

const name = 'The sandbox'
/** The sandbox's test network is not a network of the app, but its deliveries carry tokens too. */
const idOf = { mainnet: 'sandbox', testnet: 'sandbox/testnet' } as const
/** The pause before the event stream is opened again. */
const firstPauseMs = 250
const maxPauseMs = 5000
const maxInvoices = 50

/** @throws AppError if the text would leave the app through the browser */
function refuseUnconfirmed(
  { writeClipboard }: Pick<SandboxNetworkDeps, 'writeClipboard'>,
  { keysFile }: SandboxState,
): void {
  if (writeClipboard !== undefined) return
  throw new AppError(
    sandboxCodes.clipboardUnavailable,
    `Only the desktop app can copy keys without a confirmation. You can find the keys in ${keysFile}.`,
  )
}

export function createSandboxNetwork(deps: SandboxNetworkDeps) {
  let clients: Clients | null = null
  const heads = new Map<SandboxNetwork, SandboxHead>()

  const launcher = createSandboxLauncher({
    ...deps,
    onChanged(state) {
      reconnect(state)
      deps.onChanged(read())
    },
  })

  function read(): SandboxState {
    const { status, problem, wantedPort, ready } = launcher.state()
    return {
      status,
      problem,
      wantedPort,
      urls: ready?.urls ?? null,
      canCopyKeys: deps.writeClipboard !== undefined,
      keysFile: join(deps.dataDirectory, 'keys.json'),
      heads: [...heads.values()],
    }
  }

  function reconnect({ ready }: LauncherState): void {
    clients?.gone.abort()
    clients = null
    heads.clear()
    if (ready === null) return
    const connected = connect(deps.http, ready)
    clients = connected
    const onHead = (head: SandboxHead) => {
      heads.set(head.network, head)
      deps.onChanged(read())
    }
    void listenToEvents(connected, onHead, deps.log)
    void readTokens(connected, deps)
  }

  function runningClients(): Clients {
    if (clients === null) throw notRunning(launcher.state())
    return clients
  }

  /** Requests the token, because it may have changed since the ready line; null without access. */
  async function readInvoicesToken(): Promise<string | null> {
    const running = runningClients()
    const token = await running.control.invoicesToken()
    if (token !== null && token !== running.keys.invoices) {
      running.keys = { ...running.keys, invoices: token }
      running.invoices = connect(deps.http, { ...running.ready, keys: running.keys }).invoices
      deps.onChanged(read())
    }
    return token
  }

  async function setAccess(state: SandboxAccess) {
    const access = await runningClients().control.call('sandbox.setAccess', { state })
    await readInvoicesToken()
    return access
  }

  const steps = ({ webhooks, control }: Clients) => ({
    webhooks: webhooks.mainnet,
    control,
    receiver: deps.receiver(),
  })

  /** A snapshot contains webhooks, so their tokens change with it. */
  async function replacing(...operation: Parameters<SandboxClient['call']>) {
    const running = runningClients()
    await running.control.call(...operation)
    await deps.onReplaced()
    await readTokens(running, deps)
    return {}
  }

  async function restart(): Promise<void> {
    await launcher.stop()
    launcher.start()
  }

  const handlers: SandboxHandlers = {
    ...forwardOperations(runningClients),
    'sandbox.state': read,
    'sandbox.start'() {
      launcher.start()
      return read()
    },
    async 'sandbox.stop'() {
      await launcher.stop()
      return read()
    },
    async 'sandbox.restart'() {
      await restart()
      return read()
    },
    async 'sandbox.copyEnvironment'({ network, isConfirmed }) {
      if (!isConfirmed) refuseUnconfirmed(deps, read())
      await readInvoicesToken()
      const text = await formatEnvironment(runningClients(), network)
      await deps.writeClipboard?.(text)
      return { text: deps.writeClipboard === undefined ? text : null }
    },
    async 'sandbox.invoices'() {
      const { invoices } = await runningClients().invoices.list({ limit: maxInvoices }, null)
      return invoices.map(sandboxInvoiceOf)
    },
    async 'sandbox.createInvoice'({ amount, ...form }) {
      return sandboxInvoiceOf(
        await runningClients().invoices.create({ ...form, amount: BigInt(amount) }),
      )
    },
    'sandbox.revert': (input) => replacing('sandbox.revert', input),
    'sandbox.reset': (input) => replacing('sandbox.reset', input),
    'sandbox.setAccess': ({ state }) => setAccess(state),
    'sandbox.steps': () => readSteps(steps(runningClients())),
    async 'sandbox.doStep'({ step }) {
      const running = runningClients()
      const after = await doStep(steps(running), step)
      // The delivery of the payment may arrive at once, so its token must be known before.
      if (step === 'webhook') await readTokens(running, deps)
      return after
    },
  }

  return {
    handlers,
    state: read,
    /** The sandbox's URLs and keys, for the main process only; null while the sandbox does not run. */
    ready(): ReadySandbox | null {
      const { ready } = launcher.state()
      return ready && { ...ready, keys: clients?.keys ?? ready.keys }
    },
    /** Each function throws as the control API's client does, and while the sandbox does not run. */
    invoices: {
      async access(): Promise<SandboxAccess> {
        const { control } = runningClients()
        return (await control.call('sandbox.chain', { network: 'mainnet' })).access.state
      },
      setAccess: async (state: SandboxAccess): Promise<void> => void (await setAccess(state)),
      token: readInvoicesToken,
    },
    start: () => launcher.start(),
    stop: () => launcher.stop(),
    restart,
  }
}

/** Reconnects until the sandbox's clients are removed. */
async function listenToEvents(
  { control, gone: { signal } }: Clients,
  onHead: (head: SandboxHead) => void,
  log: LauncherDeps['log'],
): Promise<void> {
  let failures = 0
  const isGone = () => signal.aborted
  while (!isGone()) {
    try {
      for await (const head of control.heads(signal)) {
        failures = 0
        onHead(head)
      }
    } catch (error) {
      if (isGone()) return
      log('the sandbox’s events were lost', { error: messageOf(error) })
    }
    failures += 1
    const pauseMs = doubledPause(failures, firstPauseMs, maxPauseMs)
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Loads the tokens, with which the receiver checks deliveries, and the wallets, whose names texts show. */
async function readTokens(
  { control, webhooks, gone }: Clients,
  deps: Pick<SandboxNetworkDeps, 'onTokens' | 'onWallets' | 'log'>,
): Promise<void> {
  try {
    const lists = await Promise.all(
      (['mainnet', 'testnet'] as const).map(async (network) =>
        (await webhooks[network].list()).flatMap(({ id, token }) =>
          token === null ? [] : [{ id: webhookTokenId(idOf[network], id), token }],
        ),
      ),
    )
    if (!gone.signal.aborted) deps.onTokens(lists.flat())
    const { wallets } = await control.call('sandbox.chain', { network: 'mainnet' })
    if (!gone.signal.aborted) deps.onWallets(wallets)
  } catch (error) {
    if (gone.signal.aborted) return
    deps.log('the sandbox’s webhooks and wallets could not be read', { error: messageOf(error) })
  }
}

function forwardOperations(running: () => Clients) {
  const handlers = sandboxOperations.map((name) => [
    name,
    (input: Parsed<typeof name>) => running().control.call(name, input),
  ])
  return Object.fromEntries(handlers) as Pick<SandboxHandlers, SandboxOperation>
}

function notRunning({ status, problem }: LauncherState): AppError {
  const why = status === 'starting' ? 'Wait until it has started.' : (problem ?? 'Start it first.')
  return new AppError(sandboxCodes.notRunning, `The sandbox is not running. ${why}`)
}

/** A backend needs these variables to use a network of the sandbox in place of the service. */
async function formatEnvironment({ ready, keys, webhooks }: Clients, network: SandboxNetwork) {
  const { urls } = ready
  const isMainnet = network === 'mainnet'
  const [newest] = (await webhooks[network].list()).toSorted((a, b) => Number(b.id) - Number(a.id))
  const lines = [
    '# Tondesk sandbox: the keys work with this sandbox only.',
    `TON_QUERY_URL=${isMainnet ? urls.query : urls.testnetQuery}`,
    `TON_WEBHOOKS_URL=${isMainnet ? urls.webhooks : urls.testnetWebhooks}`,
    `TON_API_KEY=${keys.api}`,
    ...(isMainnet
      ? [`TON_CONSOLE_URL=${urls.console}`, `TON_INVOICES_TOKEN=${keys.invoices}`]
      : []),
    `TON_SANDBOX_CONTROL_URL=${urls.control}`,
    `TON_SANDBOX_CONTROL_KEY=${keys.control}`,
    ...(newest === undefined
      ? ['# Create a webhook for your backend, then copy this file again for its token.']
      : [`# The token of webhook ${newest.id}, which delivers to ${newest.endpoint}`]),
    `WEBHOOK_TOKEN=${newest?.token ?? ''}`,
  ]
  return `${lines.join('\n')}\n`
}

function connect(http: Http, ready: ReadySandbox) {
  const { urls, keys } = ready
  const client = (baseUrl: string, key: string) => http.client({ name, baseUrl, key })
  return {
    control: createSandboxClient(client(urls.control, keys.control)),
    invoices: createInvoicesClient(client(urls.console, keys.invoices)),
    webhooks: {
      mainnet: createWebhooksClient(client(urls.webhooks, keys.api)),
      testnet: createWebhooksClient(client(urls.testnetWebhooks, keys.api)),
    },
    ready,
    keys,
    gone: new AbortController(),
  }
}
