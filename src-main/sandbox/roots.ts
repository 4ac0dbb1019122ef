import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { STATUS_CODES } from 'node:http'
import type { FaultRoot, Faults } from './faults.ts'
import type { Gate } from './gate.ts'
import {
  type Dialect,
  hasOtherAuthorization,
  invoicesDialect,
  keyOf,
  queryDialect,
  plainDialect,
} from './http.ts'
import { type Keys, isSameKey } from './keys.ts'
import type { Fetch, ListenerRoot } from './listener.ts'

type Api = {
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>
}

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
  /** Anonymous requests are allowed, as on the service. */
  const queryLock: Lock = { kind: 'key', key: keys.apiKey, parameter: null, isOptional: true }
  const webhooksLock: Lock = {
    kind: 'key',
    key: keys.apiKey,
    parameter: 'token',
    isOptional: false,
  }
  const query = { dialect: queryDialect, lock: queryLock, isOpenToPages: true, hasOwnGate: false }
  const webhooks = {
    dialect: plainDialect,
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
      dialect: plainDialect,
      // No query parameter: URLs end up in logs, and this key allows the most.
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

/** `own`: the root checks its key. */
type Lock =
  | { readonly kind: 'own' }
  | {
      readonly kind: 'key'
      readonly key: string
      /** Query parameter for the key, used without a Bearer key. */
      readonly parameter: string | null
      /** A missing key is accepted, a wrong one is not. */
      readonly isOptional: boolean
    }

type Root = {
  readonly prefix: string
  readonly fetch: Fetch
  readonly dialect: Dialect
  readonly lock: Lock
  readonly faultRoot: FaultRoot | null
  /** Allows CORS. */
  readonly isOpenToPages: boolean
  /** The root passes the gate itself. */
  readonly hasOwnGate: boolean
}

type DoorDeps = {
  readonly faults: Faults
  readonly gate: Gate
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

/** Checks preflight, key, faults and gate before a root, and reports its errors. */
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
