/** Requests of the lab. Threat model: a target or probe may hang, respond without end, or break the connection. */
import { once } from 'node:events'
import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { addressKind } from '../../net/address.ts'
import { messageOf } from '../../../src-preload/domain/app-error.ts'
import { ScenarioError } from './read-scenario.ts'

export type Exchange = {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly timeoutMs?: number
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/** The status is null if no response came; `body` then says why. */
export type Reply = {
  readonly status: number | null
  readonly body: string
  readonly isCut: boolean
}

const defaultTimeoutMs = 15_000
const defaultBytes = 64 * 1024

/** Never rejects. A body beyond `maxBytes` is cut, and the connection closed. */
export async function exchange(url: string, sent: Exchange): Promise<Reply> {
  const { timeoutMs = defaultTimeoutMs, maxBytes = defaultBytes } = sent
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = sent.signal === undefined ? timeout : AbortSignal.any([timeout, sent.signal])
  try {
    const start = url.startsWith('https:') ? requestHttps : requestHttp
    const outgoing = start(url, {
      method: sent.method,
      // A connection per request, so that a restarted handler never meets an old one.
      agent: false,
      signal,
      headers: {
        ...sent.headers,
        ...(sent.body === undefined ? {} : { 'Content-Length': Buffer.byteLength(sent.body) }),
      },
    })
    outgoing.end(sent.body)
    const [response] = (await once(outgoing, 'response', { signal })) as [IncomingMessage]
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).byteLength
      if (bytes > maxBytes) break
    }
    const body = Buffer.concat(chunks).subarray(0, maxBytes).toString()
    return { status: response.statusCode ?? null, body, isCut: bytes > maxBytes }
  } catch (error) {
    const why = timeout.aborted ? `no response within ${timeoutMs / 1000} s` : messageOf(error)
    return { status: null, body: why, isCut: false }
  }
}

/**
 * Refuses a URL that does not lead to this computer, because the lab attacks what it reaches.
 * @param allowed host names that the user confirmed
 * @throws ScenarioError
 */
export async function assertLocal(url: string, what: string, allowed: readonly string[]) {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '') {
    throw new ScenarioError(
      `${what}: "${url.slice(0, 200)}" is not a URL with http:// or https://.`,
    )
  }
  const name = parsed.hostname.replace(/^\[|\]$/g, '')
  if (allowed.includes(name)) return
  const found = await lookup(name, { all: true }).catch(() => [])
  const isLocal =
    found.length > 0 && found.every((each) => addressKind(each.address).kind === 'loopback')
  if (isLocal) return
  throw new ScenarioError(
    `${what}: ${name} is not on this computer. The lab attacks its target: confirm with --allow-target ${name}.`,
  )
}

export function describeReply({ status, body, isCut }: Reply): string {
  if (status === null) return `no response (${body})`
  const text = body.slice(0, 200).trim()
  return `${status}${text === '' ? '' : ` ${text}`}${isCut ? '…' : ''}`
}
