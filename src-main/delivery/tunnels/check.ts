/** Whether what is posted to the public URL comes out at our receiver: a nonce is sent through it. */
import type { TunnelCheck } from '../../../src-preload/contract/tunnel.ts'
import { type ExpectProbe, type Arrival, arrivedByNow } from './probe.ts'
import type { PublicReply, SendPublic } from './public-request.ts'

export type CheckDeps = {
  readonly send: SendPublic
  readonly expectProbe: ExpectProbe
  readonly readVia: (headers: [string, string][]) => TunnelCheck['via']
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

type Step = TunnelCheck['steps'][number]

/** @param hook the public URL with the receiver's own path */
export async function checkTunnel(hook: string, deps: CheckDeps): Promise<TunnelCheck> {
  const at = deps.now() * 1000
  const probe = deps.expectProbe('check')
  try {
    const sentAt = deps.now() * 1000
    const headers = { [probe.header[0]]: probe.header[1], 'user-agent': 'Tondesk' }
    const reply = await deps.send({ url: hook, headers, body: new Uint8Array(0) })
    const arrival = await arrivedByNow(probe.arrived)
    const problem = problemOf(reply, arrival)
    return {
      url: new URL(hook).origin,
      at,
      ok: problem === null,
      steps: stepsOf(reply, arrival, { host: new URL(hook).hostname, sentAt }),
      via: arrival === null ? [] : deps.readVia([...arrival.headers].map(([a, b]) => [a, b])),
      problem,
    }
  } finally {
    probe.end()
  }
}

function problemOf(reply: PublicReply, arrival: Arrival | null): string | null {
  if (arrival !== null) {
    if (reply.status === 200) return null
    if (reply.failed !== null) return `It arrived, but no answer came back: ${reply.failed.why}`
    return `It arrived and was answered 200, but what came back was ${reply.status ?? 0}.`
  }
  if (reply.failed !== null) return reply.failed.why
  const { status } = reply
  if (status === 200) {
    return 'Something else answered 200: the URL leads to another receiver.'
  }
  return `Answered ${status ?? 0}, but not by this receiver: ${guess(reply)}`
}

/** What answers in the place of a receiver that is not reached. */
function guess({ status, headers }: PublicReply): string {
  const code = headers['ngrok-error-code']
  if (typeof code === 'string' && /^ERR_NGROK_\d{1,6}$/.test(code)) {
    return `ngrok says ${code}. Its tunnel is off, or leads to another port.`
  }
  if (status !== null && status >= 300 && status < 400) {
    return 'it redirects, which gateways do not follow.'
  }
  if (status === 401 || status === 403) return 'the tunnel asks who is there before it lets in.'
  if (status === 404) return 'the tunnel is off, leads elsewhere, or has a path of its own.'
  if (status !== null && status >= 500) return 'the tunnel is up, but reaches no port here.'
  return 'the tunnel leads elsewhere.'
}

function stepsOf(
  reply: PublicReply,
  arrival: Arrival | null,
  { host, sentAt }: { readonly host: string; readonly sentAt: number },
): Step[] {
  const failedAt = reply.failed?.leg ?? null
  const { took, address, proxy } = reply
  const resolve: Step =
    failedAt === 'resolve'
      ? failed('resolve', reply.failed?.why ?? '')
      : proxy !== null
        ? {
            name: 'resolve',
            state: 'skipped',
            text: `Left to the proxy ${proxy}.`,
            durationUs: null,
          }
        : {
            name: 'resolve',
            state: 'done',
            text: address ?? host,
            durationUs: took.resolve ?? null,
          }
  const connect: Step =
    failedAt === 'resolve'
      ? skipped('connect')
      : failedAt === 'connect'
        ? failed('connect', reply.failed?.why ?? '')
        : {
            name: 'connect',
            state: 'done',
            text: proxy === null ? 'Connected.' : `Connected through ${proxy}.`,
            durationUs: took.connect ?? null,
          }
  if (failedAt === 'resolve' || failedAt === 'connect') {
    return [resolve, connect, skipped('arrive'), skipped('answer')]
  }
  const arrive: Step =
    arrival === null
      ? failed('arrive', 'It did not arrive at this receiver.')
      : {
          name: 'arrive',
          state: 'done',
          text: 'It arrived at this receiver.',
          durationUs: Math.max(0, arrival.at - sentAt),
        }
  const answer: Step =
    reply.status === null
      ? failed('answer', reply.failed?.why ?? 'No answer.')
      : {
          name: 'answer',
          state: reply.status === 200 && arrival !== null ? 'done' : 'failed',
          text: `Answered ${reply.status}.`,
          durationUs: took.answer ?? null,
        }
  return [resolve, connect, arrive, answer]
}

function failed(name: Step['name'], text: string): Step {
  return { name, state: 'failed', text, durationUs: null }
}

function skipped(name: Step['name']): Step {
  return { name, state: 'skipped', text: 'Not reached.', durationUs: null }
}
