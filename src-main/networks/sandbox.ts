/** The sandbox as a network of the app, reached over HTTP only like any gateway. Its keys stay here. */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type {
  SandboxAccess,
  SandboxHead,
  SandboxNetwork,
  SandboxState,
} from '../../src-preload/contract/sandbox.ts'
import { sandboxCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Http } from '../gateway/http.ts'
import { type InvoicesClient, createInvoicesClient } from '../gateway/invoices.ts'
import { sandboxInvoiceOf, type SandboxClient, createSandboxClient } from '../gateway/sandbox.ts'
import { type WebhooksClient, createWebhooksClient } from '../gateway/webhooks.ts'
import { webhookTokenId } from '../secrets/webhook-tokens.ts'
import {
  type LauncherState,
  type Backoff,
  type ReadySandbox,
  createSandboxLauncher,
} from './sandbox-launcher.ts'
import type { StartProcess } from './sandbox-process.ts'
import { type StepsDeps, doStep, readSteps } from './sandbox-steps.ts'

type SandboxHandlers = Pick<Handlers, Extract<keyof Handlers, `sandbox.${string}`>>

type WebhookSecret = { readonly id: string; readonly token: string }

type SandboxNetworkDeps = {
  readonly entry: URL
  readonly startProcess: StartProcess
  /** Separate from the app's directory: the sandbox has its own lock and database. */
  readonly dataDirectory: string
  readonly port: () => number
  readonly allowHosts: () => readonly string[]
  readonly http: Http
  readonly receiver: () => StepsDeps['receiver']
  readonly onTokens: (tokens: readonly WebhookSecret[]) => void
  readonly onChanged: (state: SandboxState) => void
  readonly onReplaced: () => Promise<void>
  readonly writeClipboard: ((text: string) => Promise<void>) | undefined
  readonly log: (message: string, fields: Record<string, string | number>) => void
  readonly backoff?: Partial<Backoff>
}

export type SandboxAsNetwork = {
  readonly handlers: SandboxHandlers
  state(): SandboxState
  /** URLs and keys, for the main process only; null while the sandbox does not run. */
  ready(): ReadySandbox | null
  /** Each throws as the control API's client does, and while the sandbox does not run. */
  readonly invoices: {
    access(): Promise<SandboxAccess>
    setAccess(access: SandboxAccess): Promise<void>
    /** Requests the token, which may have been rotated; null while access is not granted. */
    token(): Promise<string | null>
  }
  start(): void
  stop(): Promise<void>
  restart(): Promise<void>
}

type Clients = {
  readonly control: SandboxClient
  invoices: InvoicesClient
  readonly webhooks: Readonly<Record<SandboxNetwork, WebhooksClient>>
  readonly ready: ReadySandbox
  keys: ReadySandbox['keys']
  readonly gone: AbortController
}

const name = 'The sandbox'
/** The sandbox's test network is no network of the app, but its deliveries carry tokens too. */
const idOf = { mainnet: 'sandbox', testnet: 'sandbox/testnet' } as const
/** The delay between two connections to the event stream; doubled up to the second value. */
const firstPauseMs = 250
const maxPauseMs = 5000
const maxInvoices = 50

export function createSandboxNetwork(deps: SandboxNetworkDeps): SandboxAsNetwork {
  let clients: Clients | null = null
  const heads = new Map<SandboxNetwork, SandboxHead>()

  const launcher = createSandboxLauncher({
    entry: deps.entry,
    startProcess: deps.startProcess,
    dataDirectory: deps.dataDirectory,
    port: deps.port,
    allowHosts: deps.allowHosts,
    log: deps.log,
    onChanged(state) {
      reconnect(state)
      deps.onChanged(read())
    },
    ...(deps.backoff && { backoff: deps.backoff }),
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
    void listenToEvents(connected)
    void readTokens(connected)
  }

  async function listenToEvents({ control, gone: { signal } }: Clients): Promise<void> {
    let pauseMs = firstPauseMs
    const isGone = () => signal.aborted
    while (!isGone()) {
      try {
        for await (const head of control.heads(signal)) {
          pauseMs = firstPauseMs
          heads.set(head.network, head)
          deps.onChanged(read())
        }
      } catch (error) {
        if (isGone()) return
        deps.log('the sandbox’s events were lost', { error: messageOf(error) })
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(maxPauseMs, pauseMs * 2)
    }
  }

  /** The receiver checks deliveries with these tokens. */
  async function readTokens({ webhooks, gone }: Clients): Promise<void> {
    try {
      const lists = await Promise.all(
        (['mainnet', 'testnet'] as const).map(async (network) =>
          (await webhooks[network].list()).flatMap(({ id, token }) =>
            token === null ? [] : [{ id: webhookTokenId(idOf[network], id), token }],
          ),
        ),
      )
      if (!gone.signal.aborted) deps.onTokens(lists.flat())
    } catch (error) {
      if (gone.signal.aborted) return
      deps.log('the sandbox’s webhooks could not be read', { error: messageOf(error) })
    }
  }

  function runningClients(): Clients {
    if (clients !== null) return clients
    const { status, problem } = launcher.state()
    const why = status === 'starting' ? 'It is starting.' : (problem ?? 'Start it first.')
    throw new AppError(sandboxCodes.notRunning, `The sandbox is not running. ${why}`)
  }

  /** The token of the ready line may have been granted or rotated since. */
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
    const access = await runningClients().control.setAccess({ state })
    await readInvoicesToken()
    return access
  }

  const steps = ({ webhooks, control }: Clients) => ({
    webhooks: webhooks.mainnet,
    control,
    receiver: deps.receiver(),
  })

  /** A snapshot contains webhooks, so their tokens change with it. */
  async function replacing<T>(work: (control: SandboxClient) => Promise<T>): Promise<T> {
    const running = runningClients()
    const result = await work(running.control)
    await deps.onReplaced()
    await readTokens(running)
    return result
  }

  async function restart(): Promise<void> {
    await launcher.stop()
    launcher.start()
  }

  const handlers: SandboxHandlers = {
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
    async 'sandbox.copyKey'({ key }) {
      if (deps.writeClipboard === undefined) {
        throw new AppError(
          sandboxCodes.clipboardUnavailable,
          `Only the desktop app can put a key on the clipboard. The keys are in ${read().keysFile}.`,
        )
      }
      const secret = runningClients().keys[key]
      await deps.writeClipboard(secret)
      return { hint: secret.slice(-4) }
    },
    'sandbox.chain': (input) => runningClients().control.chain(input),
    'sandbox.mnemonics': () => runningClients().control.mnemonics(),
    'sandbox.queue': (input) => runningClients().control.queue(input),
    'sandbox.faucet': (input) => runningClients().control.faucet(input),
    'sandbox.send': (input) => runningClients().control.send(input),
    'sandbox.deploy': (input) => runningClients().control.deploy(input),
    'sandbox.opcode': (input) => runningClients().control.opcode(input),
    async 'sandbox.invoices'() {
      const { invoices } = await runningClients().invoices.list({ limit: maxInvoices }, null)
      return invoices.map(sandboxInvoiceOf)
    },
    async 'sandbox.createInvoice'({ amount, ...form }) {
      return sandboxInvoiceOf(
        await runningClients().invoices.create({ ...form, amount: BigInt(amount) }),
      )
    },
    'sandbox.pay': (input) => runningClients().control.pay(input),
    'sandbox.setActivity': (input) => runningClients().control.setActivity(input),
    'sandbox.setClock': (input) => runningClients().control.setClock(input),
    'sandbox.advance': (input) => runningClients().control.advance(input),
    'sandbox.cancelAdvance': () => runningClients().control.cancelAdvance(),
    'sandbox.snapshot': (input) => runningClients().control.snapshot(input),
    'sandbox.revert': (input) => replacing((control) => control.revert(input)),
    'sandbox.deleteSnapshot': (input) => runningClients().control.deleteSnapshot(input),
    'sandbox.reset': () => replacing((control) => control.reset()),
    'sandbox.setPolicy': (input) => runningClients().control.setPolicy(input),
    'sandbox.setFaults': (input) => runningClients().control.setFaults(input),
    'sandbox.setAccess': ({ state }) => setAccess(state),
    'sandbox.setMatching': (input) => runningClients().control.setMatching(input),
    'sandbox.invoicesApp': () => runningClients().control.invoicesApp(),
    'sandbox.setInvoicesApp': (input) => runningClients().control.setInvoicesApp(input),
    'sandbox.backOnline': (input) => runningClients().control.backOnline(input),
    'sandbox.steps': () => readSteps(steps(runningClients())),
    async 'sandbox.doStep'({ step }) {
      const running = runningClients()
      const after = await doStep(steps(running), step)
      // The delivery of the payment may arrive at once, and its token is checked.
      if (step === 'webhook') await readTokens(running)
      return after
    },
  }

  return {
    handlers,
    state: read,
    ready() {
      const { ready } = launcher.state()
      return ready && { ...ready, keys: clients?.keys ?? ready.keys }
    },
    invoices: {
      access: async () =>
        (await runningClients().control.chain({ network: 'mainnet' })).access.state,
      async setAccess(state) {
        await setAccess(state)
      },
      token: readInvoicesToken,
    },
    start: () => launcher.start(),
    stop: () => launcher.stop(),
    restart,
  }
}

function connect(http: Http, ready: ReadySandbox): Clients {
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
