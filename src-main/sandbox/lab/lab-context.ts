/** The shared parts of a run: sandbox, relay, handler, probe, and the names that replace secrets in reports. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { rawAddress } from '../../ton/address.ts'
import { parseJson } from '../../ton/lossless-json.ts'
import { type Sandbox, startSandbox } from '../start-sandbox.ts'
import { createHandler, isListening } from './child.ts'
import type { Moment } from './expectations.ts'
import { type Exchange, type Reply, assertLocal, describeReply, exchange } from './http.ts'
import type { Random, Variables } from './plan.ts'
import { createProbe, isUrl, type ProbeState, valueAt } from './probe.ts'
import { depositAccountMessage } from './messages.ts'
import { createRelay } from './relay.ts'
import type { Evidence } from './report.ts'
import { ScenarioError } from './read-scenario.ts'
import type { Scenario } from './scenario.ts'

/** Nothing was found out; the message completes "not tested, because …". */
export class NotTestedError extends Error {}

export type LabOptions = {
  /** URL of the handler: it receives the deliveries. */
  readonly target: string
  /** URL, or command, that shows the handler's state as JSON. */
  readonly probe?: string | undefined
  /** Command that starts the handler. Without it, the handler runs already, or starts with `envFile`. */
  readonly start?: string | undefined
  /** File for the variables of the handler. */
  readonly envFile?: string | undefined
  readonly seed?: string | undefined
  /** Start of the virtual clock, ISO 8601. */
  readonly now?: string | undefined
  readonly allowCommands?: boolean | undefined
  /** Hosts other than this computer that the user confirmed as targets. */
  readonly allowTargets?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((line: string) => void) | undefined
}

export type Lab = Awaited<ReturnType<typeof createLab>>

/** The changing state of a scenario in progress. */
export type Run = {
  readonly lab: Lab
  readonly scenario: Scenario
  readonly variables: Record<string, string>
  readonly replies: Record<string, readonly Reply[]>
  readonly evidence: Evidence[]
  readonly random: Random
  /** Calls and deliveries with higher numbers happened since. */
  mark: { readonly call: number; readonly delivery: number; readonly moment: Moment }
}

const defaultNow = '2026-01-01T00:00:00Z'
/** The time in which the user can start a handler with the variables of the file. */
const handlerMs = 300_000
const handlerPollMs = 200

/** Requests of the lab itself are no calls of the handler. */
const userAgent = 'Tondesk/lab'

/** @throws ScenarioError if the target is refused; SandboxError; Error if the handler does not start */
export async function createLab(options: LabOptions) {
  const {
    target,
    seed = 'tondesk',
    allowTargets = [],
    signal = new AbortController().signal,
  } = options
  await assertLocal(target, '--target', allowTargets)
  const probeUrl = options.probe !== undefined && isUrl(options.probe) ? options.probe : undefined
  if (probeUrl !== undefined) await assertLocal(probeUrl, '--probe', allowTargets)

  await using opened = new AsyncDisposableStack()
  const relay = opened.adopt(await createRelay(target), (each) => each.close())
  const now = options.now ?? defaultNow
  const sandbox = opened.use(await startSandbox({ seed, now, clock: 'virtual' }))
  const stateFolder = opened.adopt(mkdtempSync(join(tmpdir(), 'tondesk-lab-')), (folder) =>
    rmSync(folder, { recursive: true, force: true }),
  )
  const api = createApi(sandbox)
  const { tokens, webhookId } = await registerWebhooks(api, sandbox, relay.url)
  const merchant = sandbox.wallets.find(({ name }) => name === 'merchant')
  if (merchant === undefined) throw new Error('the sandbox has no wallet "merchant"')
  const environment = {
    TONDESK_LAB: '1',
    TONDESK_LAB_TARGET_URL: target,
    TONDESK_LAB_QUERY_URL: sandbox.queryUrl,
    TONDESK_LAB_WEBHOOKS_URL: sandbox.webhooksUrl,
    TONDESK_LAB_INVOICES_URL: sandbox.consoleUrl,
    TONDESK_LAB_TESTNET_QUERY_URL: sandbox.testnetQueryUrl,
    TONDESK_LAB_API_KEY: sandbox.apiKey,
    TONDESK_LAB_INVOICES_TOKEN: sandbox.invoicesToken,
    TONDESK_LAB_WEBHOOK_TOKEN: tokens.right,
    TONDESK_LAB_USDT_MASTER: sandbox.usdtMaster,
    TONDESK_LAB_ACCOUNT: merchant.address,
    TONDESK_LAB_DEPOSIT_ACCOUNT: depositAccountMessage.to,
    TONDESK_LAB_ACCOUNT_MNEMONIC: merchant.mnemonic.join(' '),
    TONDESK_LAB_STATE: stateFolder,
  }
  const { envFile } = options
  function writeEnvironment(): void {
    if (envFile === undefined) return
    const lines = Object.entries(environment).map(([name, value]) => `${name}=${quote(value)}\n`)
    writeFileSync(envFile, lines.join(''), { mode: 0o600 })
  }
  writeEnvironment()
  opened.defer(() => {
    if (envFile !== undefined) rmSync(envFile, { force: true })
  })

  const { start } = options
  const handler = start === undefined ? null : createHandler(start, target, environment, signal)
  if (handler !== null) {
    opened.defer(() => handler.stop('SIGTERM'))
    await handler.start()
  } else await waitForHandler(options, signal)

  const readProbe = createProbe(options.probe, environment)
  /** Fields that the first check found wrong, so no verdict rests on them. */
  const distrusted = new Set<string>()

  const wallets = sandbox.wallets.map(({ name, address }) => [`wallets.${name}`, address] as const)
  const variables: Variables = {
    ...Object.fromEntries(wallets),
    merchant: merchant.address,
    deposit: depositAccountMessage.to,
    webhook: String(webhookId),
    usdt: sandbox.usdtMaster,
    target,
  }
  const resources = opened.move()
  let closing: Promise<void> | undefined
  return {
    sandbox,
    relay,
    handler,
    seed,
    target,
    tokens,
    webhookId,
    signal,
    environment,
    variables,
    allowCommands: options.allowCommands === true,
    hasProbe: options.probe !== undefined,
    callApi: api,
    chain: createChainReader(api, sandbox),
    mask: createMask(sandbox, tokens, environment, relay.url),
    distrusted,
    async probe(): Promise<ProbeState> {
      const state = await readProbe()
      const fields = Object.entries(state.value).filter(([name]) => !distrusted.has(name))
      return { ...state, value: Object.fromEntries(fields) }
    },
    /**
     * Replaces the token of the webhook; the handler can read the new one at the gateway, and gets it when it is
     * started again.
     * @throws NotTestedError without `--start`, because later scenarios would fail for a handler that does not
     */
    async rotateToken(): Promise<void> {
      if (handler === null) throw new NotTestedError('the lab replaces the token: use --start')
      const path = `/webhooks/${webhookId}/generate-new-token`
      const reply = await api('webhooks', path, { method: 'POST' })
      tokens.old = tokens.right
      tokens.right = (JSON.parse(reply.body) as { token: string }).token
      environment.TONDESK_LAB_WEBHOOK_TOKEN = tokens.right
      writeEnvironment()
    },
    /** The virtual clock as the variables `now` and `nowSeconds`. */
    async readClock(): Promise<Record<string, string>> {
      const clock = await sandbox.control('clock', {})
      return { now: String(clock.now), nowSeconds: String(Math.floor(clock.now / 1_000)) }
    },
    close: (): Promise<void> => (closing ??= resources.disposeAsync()),
  }
}

/** A value with blanks needs quotes in files that a shell or dotenv reads. */
const quote = (value: string) => (/^[\w./:-]*$/.test(value) ? value : `"${value}"`)

type Root = 'query' | 'webhooks' | 'invoices'

function createApi({ queryUrl, webhooksUrl, consoleUrl, apiKey, invoicesToken }: Sandbox) {
  const roots = { query: queryUrl, webhooks: webhooksUrl, invoices: consoleUrl }
  return (root: Root, path: string, request: Exchange): Promise<Reply> =>
    exchange(roots[root] + path, {
      maxBytes: 20_000_000,
      ...request,
      headers: {
        Authorization: `Bearer ${root === 'invoices' ? invoicesToken : apiKey}`,
        'Content-Type': 'application/json',
        ...request.headers,
        'User-Agent': userAgent,
      },
    })
}

type Api = ReturnType<typeof createApi>

/** The token is replaced once, and another webhook has its own, so that attacks have an old and a foreign token. */
async function registerWebhooks(api: Api, sandbox: Sandbox, relayUrl: string) {
  async function post(path: string, fields: object) {
    const reply = await api('webhooks', path, { method: 'POST', body: JSON.stringify(fields) })
    if (reply.status !== 200) throw new Error(`${path}: ${describeReply(reply)}`)
    return JSON.parse(reply.body) as { webhook_id: number; token: string }
  }

  const own = await post('/webhooks', { endpoint: `${relayUrl}/transactions` })
  const replaced = await post(`/webhooks/${own.webhook_id}/generate-new-token`, {})
  const other = await post('/webhooks', { endpoint: `${relayUrl}/other` })
  const otherToken = await post(`/webhooks/${other.webhook_id}/generate-new-token`, {})
  const wallets = sandbox.wallets.filter(({ name }) => name === 'merchant')
  const accounts = [...wallets.map(({ address }) => address), depositAccountMessage.to]
  await post(`/webhooks/${own.webhook_id}/account-tx/subscribe`, {
    accounts: accounts.map((account_id) => ({ account_id })),
  })
  await sandbox.control('setInvoicesApp', { webhooks: [`${relayUrl}/invoices`] })
  const tokens = { right: replaced.token, old: own.token, other: otherToken.token }
  return { tokens, webhookId: own.webhook_id }
}

/** @throws ScenarioError if nothing listens at the target in time */
async function waitForHandler({ target, envFile, onProgress }: LabOptions, signal: AbortSignal) {
  if (await isListening(target)) return
  const { host } = new URL(target)
  if (envFile === undefined) {
    throw new ScenarioError(
      `No handler listens at ${host}. Start it with --start COMMAND, or write its variables with --env-file FILE.`,
    )
  }
  onProgress?.(
    `Start your handler with the variables of ${envFile}: the lab waits for it at ${host}.`,
  )
  const until = performance.now() + handlerMs
  while (!(await isListening(target))) {
    signal.throwIfAborted()
    if (performance.now() > until) throw new ScenarioError(`No handler listens at ${host}.`)
    await sleep(handlerPollMs)
  }
}

function createChainReader(api: Api, sandbox: Sandbox) {
  function address(name: string): string {
    const wallet = sandbox.wallets.find((each) => each.name === name)
    return wallet?.address ?? rawAddress(name)
  }

  async function get(path: string): Promise<unknown> {
    const reply = await api('query', path, { method: 'GET' })
    if (reply.status === 404) return {}
    if (reply.status !== 200) throw new Error(`GET ${path}: ${describeReply(reply)}`)
    return parseJson(reply.body)
  }

  return {
    address,
    async balance(account: string, currency: string, variables: Variables): Promise<string> {
      const path = `/v2/accounts/${address(account)}`
      const masters = { ...variables, 'USDT.master': sandbox.usdtMaster } as Variables
      const master = masters[`${currency}.master`]
      // A jetton that is not deployed yet has no balances.
      if (currency !== 'TON' && master === undefined) return '0'
      const found = await get(currency === 'TON' ? path : `${path}/jettons/${master}`)
      return String((found as { balance?: bigint }).balance ?? 0)
    },
    /** The number of internal messages that an account has sent. */
    async messages(from: string, to: string | undefined): Promise<string> {
      const receiver = to === undefined ? undefined : address(to)
      let count = 0
      let before = ''
      for (;;) {
        const path = `/v2/blockchain/accounts/${address(from)}/transactions?limit=1000${before}`
        const { transactions = [] } = (await get(path)) as { transactions?: ShownTransaction[] }
        for (const message of transactions.flatMap(({ out_msgs }) => out_msgs)) {
          const found = message.destination?.address
          if (found !== undefined && (receiver ?? found) === found) count += 1
        }
        const last = transactions.at(-1)
        if (transactions.length < 1_000 || last === undefined) return String(count)
        before = `&before_lt=${last.lt}`
      }
    },
  }
}

type ShownTransaction = {
  readonly lt: bigint | number
  readonly out_msgs: readonly { readonly destination?: { readonly address: string } }[]
}

/** Replaces keys and URLs by their names, so that reports have no secrets and are the same for the same seed. */
function createMask(
  { controlKey }: Sandbox,
  tokens: Readonly<Record<string, string>>,
  environment: Variables,
  relayUrl: string,
) {
  // A token may be replaced while the lab runs, so the values are read each time.
  function secrets() {
    const named = Object.entries(environment).filter(([name]) =>
      /_(URL|KEY|TOKEN|MNEMONIC|STATE)$/.test(name),
    )
    return [
      ...named.filter(([name]) => name !== 'TONDESK_LAB_TARGET_URL'),
      ...Object.entries(tokens).map(([name, token]) => [`${name} token`, token] as const),
      ['control key', controlKey],
      ['relay', relayUrl],
      // The longer one of two values comes first, because one may begin with the other.
    ].toSorted(([, a = ''], [, b = '']) => b.length - a.length)
  }
  return (text: string): string =>
    secrets().reduce(
      (masked, [name = '', value = '']) => masked.replaceAll(value, `<${name}>`),
      text,
    )
}

/** A value of the probe as a text; "not shown" if the probe does not show it. */
export function describeProbe(state: ProbeState, path: string | readonly string[]): string {
  if (state.problem !== null) return `the probe ${state.problem}`
  const value = valueAt(state, path)
  if (value === undefined) return 'not shown'
  return typeof value === 'string' ? value : JSON.stringify(value, bigintText).slice(0, 1_000)
}

const bigintText = (_key: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value
