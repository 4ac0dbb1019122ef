/** The state of each part that a delivery passes, in a word, with what is wrong and where to fix it. */
import type { ForwardRule } from '../../../src-preload/contract/forward.ts'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { ReceiverState } from '../../../src-preload/contract/receiver.ts'
import type { TunnelState } from '../../../src-preload/contract/tunnel.ts'
import type { Webhook, WebhookList } from '../../../src-preload/contract/webhook.ts'
import { webhookState } from '../../../src-preload/domain/webhook-state.ts'
import { invoicesHome } from '../../app/invoices-route.ts'
import type { Route } from '../../app/route.ts'
import { webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { formatCount, formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/layout.tsx'

export type Health = {
  /** `plain`: not in use. */
  readonly tone: Tone
  readonly word: string
  /** The problem, or the next step; null while there is none. */
  readonly cause: { readonly text: string; readonly route: Route } | null
}

const well = (word: string): Health => ({ tone: 'ok', word, cause: null })

export function receiverHealth({ status, writable, problem }: ReceiverState): Health {
  const route: Route = { page: 'settings', section: 'receiver' }
  if (status === 'listening' && writable) return well('listening')
  if (status === 'listening') {
    const text = problem ?? 'Captures cannot be written.'
    return { tone: 'bad', word: 'not writable', cause: { text, route } }
  }
  const text = problem ?? 'The receiver is stopped.'
  return { tone: 'bad', word: status, cause: { text, route } }
}

export function tunnelHealth({ publicUrl, check }: TunnelState): Health {
  const route: Route = { page: 'delivery', view: 'tunnels' }
  if (publicUrl === null) {
    return { tone: 'plain', word: 'not set up', cause: { text: 'Set up a tunnel', route } }
  }
  if (check === null) {
    return { tone: 'plain', word: 'not checked', cause: { text: 'Check the tunnel', route } }
  }
  if (check.ok) return well('works')
  const text = check.problem ?? 'Requests to the public URL do not arrive.'
  return { tone: 'bad', word: 'does not work', cause: { text, route } }
}

const isDown = ({ status }: Webhook) => status === 'offline' || status === 'suspended'

export function webhooksHealth({ webhooks, readAt, problem }: WebhookList): Health {
  const down = webhooks.filter(isDown)
  const failing = webhooks.filter(
    (webhook) => webhook.failing > 0 || webhookState(webhook) === 'failing',
  )
  const accounts = failing.reduce((sum, webhook) => sum + webhook.failing, 0)
  const described = accounts > 0 ? `${formatCount(accounts, 'account')} failing` : 'Deliveries fail'
  const failures = failing.length > 0 ? described : null
  // One webhook is the cause itself; of several the list shows which.
  const routeOf = ([first, ...others]: readonly Webhook[]): Route =>
    first === undefined || others.length > 0 ? webhooksHome : webhookRoute(first, 'deliveries')
  const [first] = down
  if (first !== undefined) {
    const statuses = new Set(down.map(({ status }) => status))
    const word = statuses.size === 1 ? (first.status ?? 'offline') : 'not online'
    const text = failures ?? 'The gateway delivers nothing.'
    return {
      tone: 'bad',
      word: `${formatNumber(down.length)} ${word}`,
      cause: { text, route: routeOf(down) },
    }
  }
  if (failures !== null) {
    return { tone: 'warn', word: 'failing', cause: { text: failures, route: routeOf(failing) } }
  }
  if (problem !== null) {
    return { tone: 'warn', word: 'not updated', cause: { text: problem, route: webhooksHome } }
  }
  if (readAt === null) return { tone: 'plain', word: 'not loaded', cause: null }
  if (webhooks.length === 0) {
    return {
      tone: 'plain',
      word: 'none',
      cause: { text: 'Create a webhook', route: webhooksHome },
    }
  }
  return webhooks.every(({ status }) => status === null)
    ? { tone: 'plain', word: 'not reported', cause: null }
    : well('online')
}

export function forwardingHealth(rules: readonly ForwardRule[]): Health {
  const routeOf = (rule: number | null): Route => ({ page: 'delivery', view: 'forwarding', rule })
  const enabled = rules.filter(({ enabled }) => enabled)
  if (enabled.length === 0) {
    const text = rules.length === 0 ? 'Create a forwarding rule' : 'All rules are switched off.'
    return { tone: 'plain', word: 'off', cause: { text, route: routeOf(null) } }
  }
  const down = enabled.flatMap(({ id, health }) =>
    health.filter(({ state }) => state === 'down').map((target) => ({ id, ...target })),
  )
  const [first] = down
  if (first !== undefined) {
    const text = first.lastProblem ?? `${URL.parse(first.url)?.host ?? first.url} does not respond.`
    return {
      tone: 'bad',
      word: `${formatCount(down.length, 'target')} down`,
      cause: { text, route: routeOf(first.id) },
    }
  }
  const broken = enabled.find(({ problem }) => problem !== null)
  if (broken !== undefined) {
    const text = broken.problem ?? ''
    return { tone: 'warn', word: 'rule has an error', cause: { text, route: routeOf(broken.id) } }
  }
  const isTried = enabled.some(({ health }) => health.some(({ state }) => state === 'up'))
  return isTried ? well('delivering') : { tone: 'plain', word: 'not used yet', cause: null }
}

/** @param sync null while there is no access */
export function invoicesHealth({ urls }: Pick<Network, 'urls'>, sync: InvoiceSync | null): Health {
  if (urls?.console === null) return { tone: 'plain', word: 'not available', cause: null }
  const access: Route = { ...invoicesHome, view: 'setup' }
  if (sync === null) {
    return {
      tone: 'plain',
      word: 'no access',
      cause: { text: 'Set up invoice access', route: access },
    }
  }
  const { status, problem, chain } = sync
  if (problem !== null) {
    const route = status === 'off' ? access : invoicesHome
    return { tone: 'bad', word: 'not in sync', cause: { text: problem, route } }
  }
  if (chain.problem !== null) {
    const cause = { text: chain.problem, route: invoicesHome }
    return { tone: 'warn', word: 'payments not current', cause }
  }
  return well(status === 'reading' ? 'syncing' : 'in sync')
}

type Parts = Readonly<
  Record<'receiver' | 'tunnel' | 'webhooks' | 'forwarding' | 'invoices', Health>
>

const partNames: Readonly<Record<keyof Parts, string>> = {
  receiver: 'receiver',
  tunnel: 'tunnel',
  webhooks: 'webhooks',
  forwarding: 'forwarding',
  invoices: 'invoices',
}

export type Statement = { readonly tone: Exclude<Tone, 'plain'> | 'faint'; readonly text: string }

/** Is everything arriving? */
export function describeArrival(
  { receiver, tunnel }: Pick<Parts, 'receiver' | 'tunnel'>,
  captures: number | undefined,
): Statement {
  if (receiver.tone === 'bad') return { tone: 'bad', text: 'Nothing can arrive.' }
  if (tunnel.tone === 'bad')
    return { tone: 'bad', text: 'The receiver cannot be reached from the internet.' }
  if (captures === undefined) return { tone: 'faint', text: 'Ready to receive.' }
  if (captures === 0) return { tone: 'faint', text: 'No captures in the last 24 hours.' }
  return { tone: 'ok', text: 'Captures are arriving.' }
}

/** Is anything failing? */
export function describeFailures(parts: Parts): Statement {
  const names = (Object.keys(partNames) as (keyof Parts)[]).filter((part) =>
    ['bad', 'warn'].includes(parts[part].tone),
  )
  if (names.length === 0) return { tone: 'ok', text: 'Nothing is failing.' }
  const tone = names.some((part) => parts[part].tone === 'bad') ? 'bad' : 'warn'
  return { tone, text: `Failing: ${names.map((part) => partNames[part]).join(', ')}.` }
}

/** Describes how many items need the user. */
export function describeNeeds(count: number): Statement {
  if (count === 0) return { tone: 'ok', text: 'Nothing needs you.' }
  return {
    tone: 'warn',
    text: count === 1 ? 'One item needs you.' : `${formatNumber(count)} items need you.`,
  }
}
