import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { STATUS_CODES } from 'node:http'
import type { FaultRoot, Faults } from './faults.ts'
import type { Gate } from './gate.ts'
import {
  type Dialect,
  controlDialect,
  hasOtherAuthorization,
  invoicesDialect,
  keyOf,
  queryDialect,
  webhooksDialect,
} from './http.ts'
import { type Keys, isSameKey } from './keys.ts'
import type { Fetch, ListenerRoot } from './listener.ts'

/** What Hono has for asking it. */
type Api = {
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>
}

/** Where each API is, what opens it and how it says errors. */
export function createRoots(
  apis: {
    readonly query: Api
    readonly testnetQuery: Api
    readonly webhooks: Api
    readonly testnetWebhooks: Api
    readonly invoices: Api
    readonly control: Api
  },
  keys: Keys,
  door: DoorDeps,
): readonly ListenerRoot[] {
  /** Anonymous requests are allowed, as on the service; it has no key in the query string. */
  const queryLock: Lock = { kind: 'key', key: keys.apiKey, parameter: null, isOptional: true }
  const webhooksLock: Lock = {
    kind: 'key',
    key: keys.apiKey,
    parameter: 'token',
    isOptional: false,
  }
  const query = { dialect: queryDialect, lock: queryLock, isOpenToPages: true, hasOwnGate: false }
  const webhooks = {
    dialect: webhooksDialect,
    lock: webhooksLock,
    isOpenToPages: false,
    hasOwnGate: false,
    paths: ['/webhooks', '/usage-stats'],
  }
  const roots = [
    { ...query, prefix: '/v2', api: apis.query, faultRoot: 'query' },
    { ...query, prefix: '/testnet/v2', api: apis.testnetQuery, faultRoot: 'testnet-query' },
    {
      prefix: '/api/v1/services/invoices',
      api: apis.invoices,
      dialect: invoicesDialect,
      lock: { kind: 'own' },
      faultRoot: 'invoices',
      isOpenToPages: false,
      hasOwnGate: false,
    },
    {
      prefix: '/sandbox',
      api: apis.control,
      dialect: controlDialect,
      // Not in a query string: addresses end up in logs, and this key does more than all others.
      lock: { kind: 'key', key: keys.controlKey, parameter: null, isOptional: false },
      faultRoot: null,
      isOpenToPages: false,
      hasOwnGate: true,
    },
    {
      ...webhooks,
      prefix: '/testnet',
      api: apis.testnetWebhooks,
      faultRoot: 'testnet-webhooks',
    },
    { ...webhooks, prefix: '', api: apis.webhooks, faultRoot: 'webhooks' },
  ] as const
  return roots.map(({ api, ...root }): ListenerRoot => ({
    prefix: root.prefix,
    ...('paths' in root ? { paths: root.paths } : {}),
    dialect: root.dialect,
    fetch: createDoor({ ...root, fetch: (request, env) => api.fetch(request, env) }, door),
  }))
}

/** How a root is opened. `own`: it looks at the key itself. */
type Lock =
  | { readonly kind: 'own' }
  | {
      readonly kind: 'key'
      readonly key: string
      /** Name of the query parameter that may hold the key where there is no Bearer key. */
      readonly parameter: string | null
      /** No key at all is let in, as on the service; a wrong one never is. */
      readonly isOptional: boolean
    }

type Root = {
  /** Without a slash at its end. */
  readonly prefix: string
  readonly fetch: Fetch
  readonly dialect: Dialect
  readonly lock: Lock
  readonly faultRoot: FaultRoot | null
  /** Pages of other origins may ask. */
  readonly isOpenToPages: boolean
  /** It sees itself to when it may work. */
  readonly hasOwnGate: boolean
}

type DoorDeps = {
  readonly faults: Faults
  readonly gate: Gate
  /** After a request that may have changed something. */
  readonly onServed: () => void
  readonly onError: (error: unknown) => void
}

const cors = { 'Access-Control-Allow-Origin': '*' }
const preflight = {
  ...cors,
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Allow-Headers':
    'Content-Type, X-Capability, Authorization, Accept-Language, X-TonConnect-Auth',
  'Access-Control-Max-Age': '600',
}

/** What stands before every root: preflight, key, faults, the gate; and behind it: what it threw. */
function createDoor(root: Root, deps: DoorDeps): Fetch {
  const { dialect, lock } = root
  const ownCaller = lock.kind === 'own' ? 'own' : null

  async function enter(request: Request, env: HttpBindings): Promise<Response> {
    const key = lock.kind === 'key' ? keyOf(request, lock.parameter) : null
    if (lock.kind === 'key') {
      if (key === null && hasOtherAuthorization(request)) {
        return unauthorized(
          'the Authorization header holds no Bearer key: send "Authorization: Bearer <key>"',
        )
      }
      if (key === null && !lock.isOptional) return unauthorized('an API key is needed')
      if (key !== null && !isSameKey(key, lock.key))
        return unauthorized('this API key is not known')
    }
    const verdict =
      root.faultRoot === null
        ? null
        : // A root that looks at the key itself has one key only.
          await deps.faults.meet(root.faultRoot, key ?? ownCaller, request.signal)
    if (verdict?.kind === 'reset') {
      env.incoming.socket.resetAndDestroy()
      return RESPONSE_ALREADY_SENT
    }
    if (verdict?.kind === 'status') return dialect(verdict.status, faultMessage(verdict.status))
    if (root.hasOwnGate) return await root.fetch(request, env)
    return await deps.gate.shared(async () => await root.fetch(request, env))
  }

  function unauthorized(message: string): Response {
    const response = dialect(401, message)
    response.headers.set('WWW-Authenticate', 'Bearer')
    return response
  }

  return async (request, env) => {
    if (root.isOpenToPages && request.method === 'OPTIONS') {
      return new Response(null, { status: 204, headers: preflight })
    }
    let response: Response
    try {
      response = await enter(request, env)
    } catch (error) {
      deps.onError(error)
      response = dialect(500, 'something went wrong inside the sandbox')
    }
    if (root.isOpenToPages && response !== RESPONSE_ALREADY_SENT) {
      response.headers.set('Access-Control-Allow-Origin', '*')
    }
    if (request.method !== 'GET') deps.onServed()
    return response
  }
}

function faultMessage(status: number): string {
  return status === 429 ? 'rate limit' : (STATUS_CODES[status] ?? 'error').toLowerCase()
}
