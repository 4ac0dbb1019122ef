/**
 * Finds tunnels by the agents on this computer. Any program may listen on their ports, so responses
 * are not trusted.
 */
import { get } from 'node:http'
import { z } from 'zod'
import type { FoundTunnel, TunnelAgent, TunnelState } from '../../../src-preload/contract/tunnel.ts'
import { receiverSettings } from '../../../src-preload/contract/settings.ts'

export type AgentPorts = { readonly [A in TunnelAgent]: readonly number[] }

export const agentPorts: AgentPorts = {
  // https://ngrok.com/docs/agent/api: the first agent uses port 4040, further agents the next ports.
  ngrok: Array.from({ length: 10 }, (_, index) => 4040 + index),
  // Default addresses of cloudflared's metrics server since 2024.
  cloudflared: [20_241, 20_242, 20_243, 20_244, 20_245],
}

export type FoundTunnels = { readonly found: FoundTunnel[]; readonly asked: TunnelState['asked'] }

const agentTimeoutMs = 1_000
const largestBytes = 512 * 1024

/** Requests go to loopback only and contain no data of the user. */
export async function findTunnels(ports: AgentPorts, receiverPort: number): Promise<FoundTunnels> {
  const all = await Promise.all(
    (['ngrok', 'cloudflared'] as const).flatMap((agent) =>
      ports[agent]
        .filter((port) => port !== receiverPort)
        .map((port) => requestAgent(agent, port, receiverPort)),
    ),
  )
  return { found: all.flatMap(({ found }) => found), asked: all.map(({ asked }) => asked) }
}

async function requestAgent(agent: TunnelAgent, port: number, receiverPort: number) {
  const requested = { agent, address: `127.0.0.1:${port}` }
  try {
    const found = await readAgent[agent](port, receiverPort)
    return { found: found ?? [], asked: { ...requested, answer: describeFound(found) } }
  } catch (error) {
    const response = error instanceof Error ? error.message : String(error)
    return { found: [], asked: { ...requested, answer: response } }
  }
}

const readAgent = {
  ngrok: async (port: number, receiverPort: number) =>
    readNgrok(await getJson(port, '/api/tunnels'), receiverPort),
  async cloudflared(port: number, receiverPort: number) {
    const quick = await getJson(port, '/quicktunnel')
    const config = await getJson(port, '/config').catch(() => null)
    return readCloudflared(quick, config, receiverPort)
  },
}

function describeFound(found: FoundTunnel[] | null): string {
  if (found === null) return somethingElse
  if (found.length === 0) return 'No tunnel.'
  return found.length === 1 ? '1 tunnel.' : `${found.length} tunnels.`
}

const somethingElse = 'Another program uses this port.'

/** Rejects with an error that describes the response of the port in a sentence. */
function getJson(port: number, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'application/json' }
    const request = get({ host: '127.0.0.1', port, path, agent: false, headers }, (response) => {
      if (response.statusCode !== 200) {
        fail(`The program on this port responded with ${response.statusCode ?? 0}.`)
        return
      }
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.byteLength
        if (bytes > largestBytes) fail('The response is too large.')
      })
      response.on('end', () => {
        clearTimeout(timer)
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')))
        } catch {
          fail(somethingElse)
        }
      })
      response.on('error', () => fail('The connection was closed.'))
    })
    const timer = setTimeout(
      () => fail('The program on this port did not respond in time.'),
      agentTimeoutMs,
    )
    function fail(response: string): void {
      clearTimeout(timer)
      request.destroy()
      reject(new Error(response))
    }
    request.on('error', (error: NodeJS.ErrnoException) => {
      fail(error.code === 'ECONNREFUSED' ? 'No program listens there.' : 'Not an HTTP server.')
    })
  })
}

const maxTunnels = 50

export function readPublicUrl(text: string): string | null {
  const url = receiverSettings.shape.publicUrl.safeParse(text).data ?? null
  return url === null ? null : url.replace(/\/+$/, '')
}

const ngrokAnswer = z.object({ tunnels: z.array(z.unknown()) })
const ngrokTunnel = z.object({
  public_url: z.string().max(500),
  config: z.object({ addr: z.string().max(500) }),
})

/** Parses ngrok's `GET /api/tunnels`. @returns null for another program */
export function readNgrok(response: unknown, receiverPort: number): FoundTunnel[] | null {
  const list = ngrokAnswer.safeParse(response)
  if (!list.success) return null
  return list.data.tunnels.slice(0, maxTunnels).flatMap((each) => {
    const tunnel = ngrokTunnel.safeParse(each).data
    const publicUrl = tunnel === undefined ? null : readPublicUrl(tunnel.public_url)
    if (tunnel === undefined || publicUrl === null) return []
    return [{ agent: 'ngrok' as const, publicUrl, ...leadsTo(tunnel.config.addr, receiverPort) }]
  })
}

const quickTunnel = z.object({ hostname: z.string().max(253) })
const ingressRule = z.object({
  hostname: z.string().max(253).default(''),
  service: z.string().max(500).default(''),
})
const cloudflaredConfig = z.object({ config: z.object({ ingress: z.array(z.unknown()) }) })

/**
 * Parses cloudflared's `GET /quicktunnel`, which names a quick tunnel, and `GET /config`, which has
 * the rules; the rule without a host name belongs to the quick tunnel.
 * @returns null for another program
 */
export function readCloudflared(
  quick: unknown,
  config: unknown,
  receiverPort: number,
): FoundTunnel[] | null {
  const told = quickTunnel.safeParse(quick)
  if (!told.success) return null
  const rules = (cloudflaredConfig.safeParse(config).data?.config.ingress ?? [])
    .slice(0, maxTunnels)
    .flatMap((rule) => ingressRule.safeParse(rule).data ?? [])
  const named = rules.filter(({ hostname }) => hostname !== '')
  const { hostname } = told.data
  const all =
    hostname === ''
      ? named
      : [{ hostname, service: rules.find((rule) => rule.hostname === '')?.service ?? '' }, ...named]
  return all.flatMap((each) => {
    const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(each.hostname)
    const publicUrl = isName ? readPublicUrl(`https://${each.hostname.toLowerCase()}`) : null
    if (publicUrl === null) return []
    return [{ agent: 'cloudflared' as const, publicUrl, ...leadsTo(each.service, receiverPort) }]
  })
}

/** Agents report a port, a host with a port, a URL, or nothing. */
function leadsTo(text: string, receiverPort: number): Pick<FoundTunnel, 'localUrl' | 'isOurs'> {
  if (text === '') return { localUrl: null, isOurs: null }
  const full = /^\d+$/.test(text) ? `localhost:${text}` : text
  const url = URL.parse(full.includes('://') ? full : `http://${full}`)
  if (url === null) return { localUrl: null, isOurs: false }
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  const isOurs = url.protocol === 'http:' && isLoopback && url.port === String(receiverPort)
  return { localUrl: url.href.replace(/\/$/, ''), isOurs }
}
