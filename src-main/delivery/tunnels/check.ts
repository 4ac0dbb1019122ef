import type { TunnelCheck } from '../../../src-preload/contract/tunnel.ts'
import type { AppContext } from '../../app/context.ts'
import { readVia } from '../../captures/via.ts'
import type { PublicReply, SendPublic } from './public-request.ts'

type ExpectProbe = AppContext['receiver']['expectProbe']
type Arrival = NonNullable<Awaited<ReturnType<Awaited<ReturnType<ExpectProbe>>['arrived']>>>

export type CheckDeps = {
  readonly send: SendPublic
  readonly expectProbe: ExpectProbe
  readonly now: () => number
}

type Step = TunnelCheck['steps'][number]

/** @param hook the public URL with the receiver's own path */
export async function checkTunnel(hook: string, deps: CheckDeps): Promise<TunnelCheck> {
  const at = deps.now() * 1000
  const probe = await deps.expectProbe('check')
  try {
    const sentAt = deps.now() * 1000
    const headers = { [probe.header[0]]: probe.header[1], 'user-agent': 'Tondesk' }
    const reply = await deps.send({ url: hook, headers, body: new Uint8Array(0) })
    const arrival = await probe.arrived()
    const problem = problemOf(reply, arrival)
    return {
      url: new URL(hook).origin,
      at,
      ok: problem === null,
      steps: stepsOf(reply, arrival, { host: new URL(hook).hostname, sentAt }),
      via: arrival === null ? [] : readVia(arrival.headers),
      problem,
    }
  } finally {
    await probe.arrived()
  }
}

function problemOf(reply: PublicReply, arrival: Arrival | null): string | null {
  if (arrival !== null) {
    if (reply.status === 200) return null
    if (reply.failed !== null)
      return `The request arrived, but no response came back: ${reply.failed.why}`
    return `The request arrived and the receiver responded with 200, but the response that came back was ${reply.status ?? 0}.`
  }
  if (reply.failed !== null) return reply.failed.why
  const what = isPage(reply) ? ' and a web page' : ''
  if (reply.status === 200) {
    return `Another server responded with 200${what}: the URL does not lead to this receiver. Check the port that the tunnel forwards to.`
  }
  return `Another server responded with ${reply.status ?? 0}${what}: ${guess(reply)}`
}

const isPage = ({ headers }: PublicReply): boolean =>
  /^text\/html\b/i.test(String(headers['content-type'] ?? ''))

function guess({ status, headers }: PublicReply): string {
  const code = headers['ngrok-error-code']
  if (typeof code === 'string' && /^ERR_NGROK_\d{1,6}$/.test(code)) {
    return `ngrok reports ${code}. The ngrok tunnel is off, or leads to another port.`
  }
  if (status !== null && status >= 300 && status < 400) {
    return 'it redirects, which gateways do not follow.'
  }
  if (status === 401 || status === 403) return 'the tunnel requires a login.'
  if (status === 404) return 'the tunnel is off, leads to another server, or adds a path.'
  if (status !== null && status >= 500)
    return 'the tunnel is running, but reaches no port on this computer.'
  return 'the tunnel leads to another server.'
}

function stepsOf(
  { took, address, proxy, status, failed }: PublicReply,
  arrival: Arrival | null,
  { host, sentAt }: { readonly host: string; readonly sentAt: number },
): Step[] {
  const step = (
    name: Step['name'],
    state: Step['state'],
    text: string,
    durationUs: number | null = null,
  ): Step => ({ name, state, text, durationUs })
  const notReached = (...names: Step['name'][]) =>
    names.map((name) => step(name, 'skipped', 'Not reached.'))
  const why = failed?.why ?? 'No response.'
  if (failed?.leg === 'resolve') {
    return [step('resolve', 'failed', why), ...notReached('connect', 'arrive', 'answer')]
  }
  const resolve =
    proxy === null
      ? step('resolve', 'done', address ?? host, took.resolve)
      : step('resolve', 'skipped', `Resolved by the proxy ${proxy}.`)
  if (failed?.leg === 'connect') {
    return [resolve, step('connect', 'failed', why), ...notReached('arrive', 'answer')]
  }
  const connected = proxy === null ? 'Connected.' : `Connected through ${proxy}.`
  const isRight = status === 200 && arrival !== null
  return [
    resolve,
    step('connect', 'done', connected, took.connect),
    arrival === null
      ? step('arrive', 'failed', 'The request did not arrive at this receiver.')
      : step(
          'arrive',
          'done',
          'The request arrived at this receiver.',
          Math.max(0, arrival.at - sentAt),
        ),
    status === null
      ? step('answer', 'failed', why)
      : step('answer', isRight ? 'done' : 'failed', `Status ${status}.`, took.answer),
  ]
}
