import { type Context, Hono } from 'hono'
import type { Chain } from '../chain/create-chain.ts'
import { jsonResponse } from '../http.ts'
import { usdtMaster } from '../chain/contracts.ts'
import { createAccountBook, createContracts } from './accounts.ts'
import { createJettons } from './jettons.ts'
import { problemOf } from './request.ts'

type Handler = (context: Context) => Response | Promise<Response>

export type Route = {
  readonly path: string
  readonly get?: Handler
  readonly post?: Handler
}

/** The first matching route wins; other methods of its path get 405. */
export function createRoutes(routes: readonly Route[]): Hono {
  const app = new Hono()
  for (const { path, get, post } of routes) {
    if (get !== undefined) app.get(path, get)
    if (post !== undefined) app.post(path, post)
    const allowed = [get && 'GET', post && 'POST'].filter(Boolean).join(', ')
    app.all(path, () => new Response(null, { status: 405, headers: { Allow: allowed } }))
  }
  app.notFound((context) => jsonResponse({ error: `no such path: ${context.req.path}` }, 404))
  app.onError((error) => {
    const { status, message, isMalformed } = problemOf(error)
    return jsonResponse(isMalformed ? { Error: message } : { error: message }, status)
  })
  return app
}

export type QueryDeps = ReturnType<typeof createQueryDeps>

export function createQueryDeps(chain: Chain, names: ReadonlyMap<string, string>) {
  const usdt = usdtMaster.toRawString()
  return {
    chain,
    contracts: createContracts(chain),
    jettons: createJettons(chain, usdt),
    usdt,
    names,
    book: createAccountBook(chain, names),
  }
}
