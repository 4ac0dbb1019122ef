/** What agents on this computer say of their tunnels. Whoever has the port may say anything. Pure. */
import { z } from 'zod'
import type { FoundTunnel } from '../../../src-preload/contract/tunnel.ts'
import { receiverSettings } from '../../../src-preload/contract/settings.ts'

/** More than anybody has. */
const maxTunnels = 50

/** @returns null where it is no such URL as the settings take */
export function readPublicUrl(text: string): string | null {
  const url = receiverSettings.shape.publicUrl.safeParse(text).data ?? null
  return url === null ? null : url.replace(/\/+$/, '')
}

const ngrokAnswer = z.object({ tunnels: z.array(z.unknown()) })
const ngrokTunnel = z.object({
  public_url: z.string().max(500),
  config: z.object({ addr: z.string().max(500) }),
})

/**
 * `GET /api/tunnels` of ngrok's agent.
 * @returns null where it is not one
 */
export function readNgrok(answer: unknown, receiverPort: number): FoundTunnel[] | null {
  const list = ngrokAnswer.safeParse(answer)
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
 * `GET /quicktunnel` and `GET /config` of cloudflared's metrics server: a quick tunnel has the name
 * of the first and leads where the rule without a name says; named ones are among the rules.
 * @param config null where it does not tell
 * @returns null where it is not one
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

/** Agents take a port, a host with a port, or a URL; and say nothing of some. */
function leadsTo(text: string, receiverPort: number): Pick<FoundTunnel, 'localUrl' | 'isOurs'> {
  if (text === '') return { localUrl: null, isOurs: null }
  const full = /^\d+$/.test(text) ? `localhost:${text}` : text
  const url = URL.parse(full.includes('://') ? full : `http://${full}`)
  if (url === null) return { localUrl: null, isOurs: false }
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  const isOurs = url.protocol === 'http:' && isLoopback && url.port === String(receiverPort)
  return { localUrl: url.href.replace(/\/$/, ''), isOurs }
}
