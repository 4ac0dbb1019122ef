/** The state of each step of the setup, computed from the reports of the gateway and the receiver. */
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import type { InvoiceAccess } from '../../../src-preload/contract/invoice-access.ts'
import type { Network, NetworkCheck } from '../../../src-preload/contract/network.ts'
import type { ShownResponse } from '../../../src-preload/contract/target.ts'
import type { TunnelState } from '../../../src-preload/contract/tunnel.ts'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import { type SetupStep, setupSteps } from '../../app/setup-route.ts'
import { checkTexts } from '../../components/connection-checks.tsx'
import { isLocalUrl } from '../../components/local-url.ts'
import { formatCount } from '../../ui/format.ts'

/**
 * `optional` means that a step is open but not required for a delivery. `absent` means that the
 * gateway does not offer it.
 */
type State = 'loading' | 'done' | 'open' | 'failed' | 'optional' | 'absent'

export type StepState = { readonly state: State; readonly note: string }

/** The facts about the setup; a fact is undefined until it is loaded. */
export type SetupFacts = {
  readonly network: Network
  readonly checks: readonly NetworkCheck[] | undefined
  readonly tunnel: TunnelState | undefined
  readonly webhooks: readonly Webhook[] | undefined
  readonly access: InvoiceAccess | undefined
  readonly rules: readonly ForwardRule[] | undefined
  /** The response of the user's backend to the last test event; null if none was sent. */
  readonly backend: ShownResponse | null
  /** The latest delivery of the network that contained the right token. */
  readonly delivery: CaptureRow | null | undefined
}

const loading: StepState = { state: 'loading', note: 'Loading…' }

/** True if the gateway runs on this computer, so that it reaches the receiver without a tunnel. */
export const isLocalGateway = ({ urls }: Network): boolean =>
  urls !== null && isLocalUrl(urls.webhooks)

export const offersInvoices = ({ urls }: Network) => urls !== null && urls.console !== null

/** Returns the webhook of the network that delivers to this receiver. A webhook that works is preferred. */
export function webhookHere({
  network,
  webhooks,
}: Pick<SetupFacts, 'network' | 'webhooks'>): Webhook | null {
  const isReached = ({ endpoint }: Webhook) => isLocalGateway(network) || !isLocalUrl(endpoint)
  const here = (webhooks ?? []).filter((webhook) => webhook.isHere && isReached(webhook))
  return here.find(isOnline) ?? here[0] ?? null
}

const isOnline = ({ status }: Webhook) => status === 'online' || status === null

export const readSetupSteps = (facts: SetupFacts): Readonly<Record<SetupStep, StepState>> => ({
  key: keyState(facts),
  tunnel: tunnelState(facts),
  webhook: webhookState(facts),
  accounts: accountsState(facts),
  invoices: invoicesState(facts),
  code: codeState(facts),
  delivery: deliveryState(facts),
})

/** The steps that a delivery requires, in their order. */
export const requiredSteps = setupSteps.filter((step) => step !== 'invoices' && step !== 'code')

/** Returns the first required step that is not done; null until that is known. */
export function nextStep(steps: Readonly<Record<SetupStep, StepState>>): SetupStep | null {
  for (const step of requiredSteps) {
    const { state } = steps[step]
    if (state === 'loading') return null
    if (state === 'open' || state === 'failed') return step
  }
  return 'delivery'
}

function keyState({ network: { secrets }, checks }: SetupFacts): StepState {
  if (checks === undefined) return loading
  const failed = checks
    .filter(({ root }) => root !== 'invoices')
    .find(({ outcome }) => outcome !== 'ok' && outcome !== 'limited')
  if (failed === undefined) {
    const { api } = secrets
    return { state: 'done', note: api === null ? 'Works without a key' : `Key …${api.hint} works` }
  }
  if (failed.outcome === 'no-key' && secrets.api === null) {
    return { state: 'open', note: 'Not entered yet' }
  }
  const api = failed.root === 'query' ? 'Query API' : 'Webhooks API'
  return { state: 'failed', note: `${api}: ${checkTexts[failed.outcome][1]}` }
}

function tunnelState({ network, tunnel }: SetupFacts): StepState {
  if (tunnel === undefined) return loading
  const { publicUrl, check } = tunnel
  if (publicUrl === null) {
    return isLocalGateway(network)
      ? { state: 'done', note: 'Not needed: the gateway is on this computer' }
      : { state: 'open', note: 'No public URL yet' }
  }
  if (check === null) return { state: 'open', note: 'Not checked yet' }
  return check.ok
    ? { state: 'done', note: 'The public URL works' }
    : { state: 'failed', note: 'The public URL does not work' }
}

function webhookState(facts: SetupFacts): StepState {
  if (facts.webhooks === undefined) return loading
  const webhook = webhookHere(facts)
  if (webhook === null) return { state: 'open', note: 'Not created yet' }
  return isOnline(webhook)
    ? { state: 'done', note: `Webhook ${webhook.id} delivers here` }
    : { state: 'failed', note: `Webhook ${webhook.id} is ${webhook.status ?? ''}` }
}

function accountsState(facts: SetupFacts): StepState {
  if (facts.webhooks === undefined) return loading
  const webhook = webhookHere(facts)
  const { accounts = 0, opcodes = 0 } = webhook ?? {}
  if ((accounts ?? 0) > 0) {
    return { state: 'done', note: `${formatCount(accounts ?? 0, 'account')} subscribed` }
  }
  const hasOthers =
    (opcodes ?? 0) > 0 || webhook?.newContracts === true || webhook?.mempool === true
  if (hasOthers) return { state: 'done', note: 'Subscribed to chain-wide events' }
  return { state: 'open', note: 'No account subscribed yet' }
}

function invoicesState({ network, access }: SetupFacts): StepState {
  if (!offersInvoices(network)) {
    return { state: 'absent', note: 'Not offered by this gateway' }
  }
  const isReady =
    access?.steps.every(({ id, state }) => state === 'done' || id === 'webhook') === true
  return isReady ? { state: 'done', note: 'Access works' } : { state: 'optional', note: 'Optional' }
}

function codeState({ backend, rules = [] }: SetupFacts): StepState {
  if (backend !== null) {
    const { status } = backend
    if (describeBackendProblem(backend) === null) {
      return { state: 'done', note: 'Your backend accepted a test event' }
    }
    const note =
      status === null ? 'Your backend did not respond' : `Your backend responded ${status}`
    return { state: 'failed', note }
  }
  const targets = rules.flatMap(({ health }) => health)
  const accepted = targets.reduce((sum, { delivered }) => sum + delivered, 0)
  if (accepted > 0) {
    const events = formatCount(accepted, 'delivery', 'deliveries')
    return { state: 'done', note: `Your server accepted ${events}` }
  }
  return { state: 'optional', note: 'Optional' }
}

/**
 * Describes the problem in the response of the user's backend to a test event, and the next step;
 * null if there is no problem.
 */
export function describeBackendProblem({ status, headers, problem }: ShownResponse): string | null {
  if (status === null) return problem ?? 'Your backend sent no response.'
  if (status === 200) return problem
  const responded = `Your backend responded with ${status}`
  if (status === 401 || status === 403) {
    return `${responded}, so it rejected the token. Start it with WEBHOOK_TOKEN set to the token of this webhook.`
  }
  if (status >= 300 && status < 400) {
    const location = headers.find(([name]) => name.toLowerCase() === 'location')?.[1]
    const to = location === undefined ? '' : ` to ${location}`
    return `${responded}, a redirect${to}. Deliveries follow no redirects: enter the URL at which your code runs.`
  }
  if (status === 404 || status === 405) {
    return `${responded}, so no code for POST requests runs at this path. Check the path of the URL.`
  }
  if (status >= 500) {
    return `${responded}, so its code failed. Look into its log. The gateway repeats a delivery until the response is 200.`
  }
  return `${responded}. The gateway takes only 200 for a delivery as accepted, and repeats it otherwise.`
}

function deliveryState({ delivery }: SetupFacts): StepState {
  if (delivery === undefined) return loading
  return delivery === null
    ? { state: 'open', note: 'Nothing arrived yet' }
    : { state: 'done', note: 'A delivery has arrived' }
}
