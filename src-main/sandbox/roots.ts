import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import { STATUS_CODES } from 'node:http'
import type { Gate } from './snapshots.ts'
import {
  hasOtherAuthorization,
  invoicesDialect,
  keyOf,
  queryDialect,
  plainDialect,
} from './http.ts'
import { type Keys, isSameKey } from './start-options.ts'
import type { Fetch, ListenerRoot } from './listener.ts'
import { setTimeout as wait } from 'node:timers/promises'
import type { z } from 'zod'
import type { faultSchema } from '../../src-preload/contract/sandbox-control.ts'

type RootName = Fault['root'] | 'control'

type Root = Pick<ListenerRoot, 'prefix' | 'paths' | 'dialect'> & {
  /** Null if the root checks its key itself. */
  readonly key: string | null
  /** Query parameter with the key, used if there is no Bearer key. */
  readonly parameter?: string
  /** Allows CORS and requests without a key, as on the service; a wrong key is refused. */
  readonly isPublic?: true
}

/** A revert may replace an API. */
type Api = () => Hono

type RootDeps = {
  readonly faults: Faults
  readonly gate: Gate
  readonly onServed: () => void
  readonly onError: (error: unknown) => void
}

/** The first root with a matching path serves it. */
export function createRoots(
  apis: Readonly<Record<RootName, Api>>,
  keys: Keys,
  deps: RootDeps,
): readonly ListenerRoot[] {
  const query = { dialect: queryDialect, key: keys.apiKey, isPublic: true } as const
  const webhooks = {
    dialect: plainDialect,
    key: keys.apiKey,
    parameter: 'token',
    paths: ['/webhooks', '/usage-stats'],
  }
  const roots: Readonly<Record<RootName, Root>> = {
    query: { ...query, prefix: '/v2' },
    'testnet-query': { ...query, prefix: '/testnet/v2' },
    invoices: { prefix: '/api/v1/services/invoices', dialect: invoicesDialect, key: null },
    // There is no query parameter for this key, because URLs end up in logs and this key allows the most.
    control: { prefix: '/sandbox', dialect: plainDialect, key: keys.controlKey },
    'testnet-webhooks': { ...webhooks, prefix: '/testnet' },
    webhooks: { ...webhooks, prefix: '' },
  }
  return (Object.keys(roots) as RootName[]).map((name) => ({
    ...roots[name],
    name,
    templateOf: (...request) => templateOf(apis[name](), roots[name].prefix, ...request),
    fetch: guard(name, roots[name], apis[name], deps),
  }))
}

function templateOf({ router }: Hono, prefix: string, method: string, path: string): string | null {
  const [handlers] = router.match(method, path.slice(prefix.length) || '/')
  const route = handlers.map(([[, each]]) => each.path).find((each) => !each.endsWith('*'))
  return route === undefined ? null : prefix + route.replaceAll(/:(\w+)/g, '{$1}')
}

const preflight = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Allow-Headers':
    'Content-Type, X-Capability, Authorization, Accept-Language, X-TonConnect-Auth',
  'Access-Control-Max-Age': '600',
}

/** Checks preflight requests, key, faults and gate before an API, and reports its errors. */
function guard(name: RootName, root: Root, api: Api, deps: RootDeps): Fetch {
  const { dialect, isPublic = false } = root

  const handle: Fetch = async (request, env) => {
    // The invoices API has one key, which it checks itself.
    let caller: string | null = 'invoices'
    if (root.key !== null) {
      caller = keyOf(request, root.parameter ?? null)
      if (caller === null && hasOtherAuthorization(request)) {
        return unauthorized(
          'the Authorization header has no Bearer key: send "Authorization: Bearer <key>"',
        )
      }
      if (caller === null && !isPublic) return unauthorized('an API key is required')
      if (caller !== null && !isSameKey(caller, root.key))
        return unauthorized('this API key is unknown')
    }
    // The control API uses the gate itself and has no simulated faults.
    if (name === 'control') return await api().fetch(request, env)
    const fault = await deps.faults.meet(name, caller, request.signal)
    if (fault?.kind === 'reset') {
      env.incoming.socket.resetAndDestroy()
      return RESPONSE_ALREADY_SENT
    }
    if (fault?.kind === 'status') return dialect(fault.status, faultMessage(fault.status))
    return await deps.gate.shared(async () => await api().fetch(request, env))
  }

  const unauthorized = (message: string): Response =>
    dialect(401, message, { 'WWW-Authenticate': 'Bearer' })

  return async (request, env) => {
    if (isPublic && request.method === 'OPTIONS') {
      return new Response(null, { status: 204, headers: preflight })
    }
    let response: Response
    try {
      response = await handle(request, env)
    } catch (error) {
      deps.onError(error)
      response = dialect(500, 'an internal error of the sandbox occurred')
    }
    if (isPublic && response !== RESPONSE_ALREADY_SENT) {
      response.headers.set('Access-Control-Allow-Origin', '*')
    }
    if (request.method !== 'GET') deps.onServed()
    return response
  }
}

const faultMessage = (status: number): string =>
  status === 429 ? 'rate limit' : (STATUS_CODES[status] ?? 'error').toLowerCase()

export type Fault = z.infer<typeof faultSchema>

type FaultVerdict = { readonly kind: 'status'; readonly status: number } | { kind: 'reset' }

export type Faults = ReturnType<typeof createFaults>

const anonymousPerSecond = 0.25
const freePerSecond = 1

export function createFaults(now: () => number = () => performance.now()) {
  let active: { readonly fault: Fault; owed: number; readonly buckets: Map<string, Bucket> }[] = []

  return {
    list: () => active.map(({ fault }) => fault),
    set(faults: readonly Fault[]): void {
      active = faults.map((fault) => ({ fault, owed: 0, buckets: new Map<string, Bucket>() }))
    },
    /**
     * Waits for simulated delays, then returns another fault, if any.
     * @param caller the caller's key; null without a key
     */
    async meet(
      root: Fault['root'],
      caller: string | null,
      signal: AbortSignal,
    ): Promise<FaultVerdict | null> {
      for (const one of active) {
        const { fault } = one
        if (fault.root !== root) continue
        // Faults are evenly spaced, not random: with 0.25 every fourth request fails.
        one.owed += fault.share
        if (one.owed < 1 - 1e-9) continue
        one.owed -= 1
        switch (fault.kind) {
          case 'delay':
            await wait(fault.delayMs, undefined, { signal }).catch(() => undefined)
            break
          case 'status':
            return { kind: 'status', status: fault.status }
          case 'reset':
            return { kind: 'reset' }
          case 'rate-limit': {
            const rate = fault.perSecond ?? (caller === null ? anonymousPerSecond : freePerSecond)
            if (!take(one.buckets, caller ?? '', rate, now())) {
              return { kind: 'status', status: 429 }
            }
          }
        }
      }
      return null
    },
  }
}

type Bucket = { tokens: number; at: number }

/** A bucket contains the requests of one second, but at least one. */
function take(buckets: Map<string, Bucket>, caller: string, rate: number, at: number): boolean {
  const limit = Math.max(1, rate)
  const bucket = buckets.get(caller) ?? { tokens: limit, at }
  bucket.tokens = Math.min(limit, bucket.tokens + ((at - bucket.at) / 1000) * rate)
  bucket.at = at
  buckets.set(caller, bucket)
  if (bucket.tokens < 1) return false
  bucket.tokens -= 1
  return true
}
