import type { HttpBindings } from '@hono/node-server'
import { controlDialect, invoicesDialect, queryDialect, webhooksDialect } from './dialects.ts'
import { type DoorDeps, type Lock, createDoor } from './auth.ts'
import type { Keys } from './keys.ts'
import type { ListenerRoot } from './listener.ts'

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
