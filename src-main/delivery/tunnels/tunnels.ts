/**
 * Manages the receiver's public URL, which the user enters or an agent reports. The URL is checked,
 * and updated when the tunnel changes.
 */
import { z } from 'zod'
import type { AppContext } from '../../app/context.ts'
import type { Condition } from '../../../src-preload/contract/incident.ts'
import type { Handlers, Output } from '../../../src-preload/contract/routes.ts'
import {
  type TunnelAgent,
  type TunnelCheck,
  type TunnelState,
  type FoundTunnel,
  tunnelAgent,
} from '../../../src-preload/contract/tunnel.ts'
import { targetCodes, tunnelCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { Guard } from '../sender/guard.ts'
import { readTarget } from '../sender/target.ts'
import { type FoundTunnels, agentPorts, findTunnels, readPublicUrl } from './agents.ts'
import { checkTunnel } from './check.ts'
import { type SendPublic, createPublicSender } from './public-request.ts'
import { testDeliveries } from './test-delivery.ts'

const followed = z.object({ agent: tunnelAgent, publicUrl: z.string().max(500) })
type WatchedTunnel = z.infer<typeof followed>

/**
 * Returns the only tunnel of the same agent that leads to our receiver and is no less secure. A
 * missing agent changes nothing, because it may come back.
 * @returns null if nothing changed or several tunnels fit
 */
export function updateTunnel(
  before: WatchedTunnel | null,
  publicUrl: string | null,
  found: readonly FoundTunnel[],
  isPublicHost: (hostname: string) => boolean,
): WatchedTunnel | null {
  if (before === null || before.publicUrl !== publicUrl) return null
  const ofAgent = found.filter(({ agent }) => agent === before.agent)
  if (ofAgent.some((tunnel) => tunnel.publicUrl === before.publicUrl)) return null
  const old = new URL(before.publicUrl)
  const guarded = ofAgent.filter((tunnel) => {
    const url = new URL(tunnel.publicUrl)
    // A program on an agent's port must not redirect the URL to plain http or into the local network.
    if (old.protocol === 'https:' && url.protocol !== 'https:') return false
    return isPublicHost(url.hostname) || !isPublicHost(old.hostname)
  })
  const ours = guarded.filter(({ isOurs }) => isOurs === true)
  const candidates = ours.length > 0 ? ours : guarded.filter(({ isOurs }) => isOurs === null)
  const [only] = candidates
  if (only === undefined || candidates.length > 1) return null
  return { agent: only.agent, publicUrl: only.publicUrl }
}

const lookEveryMs = 30_000
/** Plans of tunnel services limit requests (free ones to 20,000 a month); deliveries reveal failures sooner. */
const checkEveryMs = 5 * 60_000
const maxFormer = 5
const keys = { followed: 'tunnel.followed', former: 'tunnel.former' } as const
const formerUrls = z.array(z.string().max(500)).max(maxFormer)

export function createTunnels(
  context: AppContext,
  guard: Pick<Guard, 'reachable'>,
  urls: {
    readonly isPublicHost: (hostname: string) => boolean
    readonly webhooksAt: (hook: string) => { network: string; webhook: string }[]
  },
) {
  const { config, events, incidents, now, onBug, receiver, settings, values } = context
  const addresses = createAddresses(context)
  const { publicUrlNow, followedNow, formerNow, receiverPort, hookBelow, publicHook } = addresses
  const checking = {
    send: createSend(context, guard),
    expectProbe: (kind: 'check' | 'test') => receiver.expectProbe(kind),
    rejectWrongToken: () => settings.get().receiver.rejectWrongToken,
    now,
  }
  let known: FoundTunnels = { found: [], asked: [] }
  let check: TunnelCheck | null = null
  let checkedAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  function state(): TunnelState {
    const publicUrl = publicUrlNow()
    const isFollowed = publicUrl !== null && followedNow()?.publicUrl === publicUrl
    return {
      publicUrl,
      source: publicUrl === null ? 'none' : isFollowed ? 'found' : 'by-hand',
      found: known.found,
      check,
      former:
        publicUrl === null ? null : formerOf(formerNow(), (url) => urls.webhooksAt(hookBelow(url))),
      asked: known.asked,
    }
  }

  function changed(): TunnelState {
    const changed = state()
    events.emit('tunnel.changed', changed)
    return changed
  }

  async function look(): Promise<void> {
    const before = JSON.stringify(known)
    known = await findTunnels(config.tunnelAgentPorts ?? agentPorts, receiverPort())
    const next = updateTunnel(followedNow(), publicUrlNow(), known.found, urls.isPublicHost)
    if (next !== null) {
      await addresses.take(next.agent, next.publicUrl)
      await runCheck()
    } else if (JSON.stringify(known) !== before) changed()
  }

  async function runCheck(): Promise<void> {
    if (publicUrlNow() === null || receiver.state().status !== 'listening') return
    const hook = publicHook()
    const checked = await checkTunnel(hook, checking)
    checkedAt = performance.now()
    // Meanwhile the URL may have changed, or the receiver may have been stopped.
    if (publicUrlNow() !== null && publicHook() === hook) {
      check = checked
      const { status, writable } = receiver.state()
      if (status === 'listening' && writable) {
        incidents.report(null, 'tunnel', { condition: conditionOf(hook, checked), failures: 1 })
      }
    }
    changed()
  }

  /** A failed check is repeated at each poll, so that a recovery is visible soon. */
  async function checkWhenDue(): Promise<void> {
    if (publicUrlNow() === null) return
    if (check?.ok === false || performance.now() - checkedAt >= checkEveryMs) await checkOnce()
  }

  const lookOnce = shareRuns(look)
  const checkOnce = shareRuns(runCheck)

  settings.on(
    ({ receiver: { publicUrl } }) => publicUrl,
    (publicUrl, before) => {
      check = null
      checkedAt = -Infinity
      incidents.keepOnly(null, 'tunnel')
      const others = [before, ...formerNow()].filter((url) => url !== null && url !== publicUrl)
      values.set(keys.former, [...new Set(others)].slice(0, maxFormer))
      if (followedNow()?.publicUrl !== publicUrl) values.set(keys.followed, null)
      changed()
    },
  )

  return {
    handlers: {
      'tunnel.state': state,
      async 'tunnel.detect'() {
        await lookOnce()
        return state()
      },
      async 'tunnel.use'({ publicUrl: text }) {
        const { agent, publicUrl } = findTunnel(known.found, text)
        await addresses.take(agent, publicUrl)
        await checkOnce()
        return state()
      },
      async 'tunnel.check'() {
        publicHook()
        requireListening(receiver)
        await checkOnce()
        return state()
      },
      'tunnel.forgetPrevious'() {
        values.set(keys.former, [])
        return changed()
      },
      'tunnel.instructions': () => instructions(receiverPort()),
      async 'tunnel.testDelivery'({ direct }) {
        requireListening(receiver)
        const url = direct || publicUrlNow() === null ? receiver.url() : publicHook()
        return { url, deliveries: await testDeliveries(url, checking) }
      },
    } satisfies Partial<Handlers>,
    start(): void {
      if (publicUrlNow() === null) incidents.keepOnly(null, 'tunnel')
      timer = setInterval(() => {
        if (followedNow() !== null) lookOnce().catch(onBug)
        checkWhenDue().catch(onBug)
      }, lookEveryMs)
      timer.unref()
      if (followedNow() !== null) lookOnce().catch(onBug)
    },
    stop: () => clearInterval(timer),
  }
}

/** Stores the public URL, the agent that reported it, and the earlier URLs. */
function createAddresses({ receiver, settings, values }: AppContext) {
  const publicUrlNow = () => settings.get().receiver.publicUrl
  const hookBelow = (publicUrl: string) =>
    publicUrl.replace(/\/+$/, '') + new URL(receiver.url()).pathname

  function publicHook(): string {
    const publicUrl = publicUrlNow()
    if (publicUrl !== null) return hookBelow(publicUrl)
    throw new AppError(tunnelCodes.noUrl, 'Enter a public URL first, or start a tunnel.')
  }

  return {
    publicUrlNow,
    hookBelow,
    followedNow: () => values.get(keys.followed, followed.nullable(), null),
    formerNow: () => values.get(keys.former, formerUrls, []),
    receiverPort: () => Number(new URL(receiver.url()).port),
    async take(agent: TunnelAgent, publicUrl: string): Promise<void> {
      values.set(keys.followed, { agent, publicUrl })
      await settings.change({ receiver: { publicUrl } })
    },
    publicHook,
  }
}

function createSend(
  { proxyFor, receiver }: AppContext,
  guard: Pick<Guard, 'reachable'>,
): SendPublic {
  return createPublicSender(proxyFor, async (url, isProxied) => {
    // The receiver's own URL is always allowed.
    if (url === receiver.url()) return []
    const addresses = await guard.reachable(readTarget(url)).catch((error: unknown) => {
      // Some names are known only to the proxy.
      const isUnknown = error instanceof AppError && error.code === targetCodes.unresolved
      if (isProxied && isUnknown) return []
      throw error
    })
    return isProxied ? [] : addresses
  })
}

function requireListening(receiver: AppContext['receiver']): void {
  if (receiver.state().status === 'listening') return
  throw new AppError(tunnelCodes.notListening, 'The receiver is not running. Start it first.')
}

function findTunnel(found: readonly FoundTunnel[], text: string): FoundTunnel {
  const publicUrl = readPublicUrl(text)
  const tunnel = found.find((each) => each.publicUrl === publicUrl)
  if (tunnel !== undefined) return tunnel
  throw new AppError(tunnelCodes.notFound, 'This tunnel has ended. Look for tunnels again.')
}

/** The newest earlier URL at which webhooks are still registered. */
function formerOf(
  former: readonly string[],
  webhooksAt: (publicUrl: string) => NonNullable<TunnelState['former']>['webhooks'],
): TunnelState['former'] {
  for (const publicUrl of former) {
    const webhooks = webhooksAt(publicUrl)
    if (webhooks.length > 0) return { publicUrl, webhooks }
  }
  return null
}

function conditionOf(hook: string, { ok, problem }: TunnelCheck): Condition | null {
  if (ok) return null
  return {
    kind: 'failing',
    level: 'alarm',
    title: `The public URL ${new URL(hook).host} does not lead to the receiver`,
    cause: problem ?? 'The check of the public URL failed.',
    nextStep: 'Start the tunnel, or enter its new URL in Settings.',
    afterwards: 'Check your webhooks for missed events.',
  }
}

/** Shares the result of a run with calls during that run. */
function shareRuns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  return () => (running ??= work().finally(() => (running = null)))
}

function instructions(port: number): Output<'tunnel.instructions'> {
  return [
    {
      agent: 'ngrok',
      text: 'ngrok gives each ngrok account its own URL. Tondesk finds the URL while ngrok runs.',
      command: `ngrok http ${port}`,
    },
    {
      agent: 'cloudflared',
      text: 'A Cloudflare quick tunnel needs no account. Its URL changes with each start. Tondesk finds the URL automatically while the tunnel runs.',
      command: `cloudflared tunnel --url http://127.0.0.1:${port}`,
    },
    {
      agent: 'ssh',
      text: 'This command opens a tunnel from port 8080 of your own server to the receiver. Configure the web server there to forward HTTPS requests to port 8080, and enter the public URL by hand.',
      command: `ssh -N -R 8080:127.0.0.1:${port} you@your-server.example`,
    },
  ]
}
