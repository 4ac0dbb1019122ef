import { type Context, Hono } from 'hono'
import type { Chain } from '../chain/create-chain.ts'
import { answerJson, HttpProblem } from '../http.ts'
import {
  type AccountBook,
  type Contracts,
  type NamedAccount,
  createAccountBook,
  createContracts,
} from './accounts.ts'
import { type Jettons, createJettons } from './jettons.ts'

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
  app.notFound((context) => answerJson({ error: `no such path: ${context.req.path}` }, 404))
  app.onError((error) => {
    if (!(error instanceof HttpProblem)) throw error
    const { status, message, isMalformed } = error
    return answerJson(isMalformed ? { Error: message } : { error: message }, status)
  })
  return app
}

export type EventDeps = {
  readonly book: AccountBook
  readonly contracts: Contracts
  readonly jettons: Jettons
  readonly language: 'en' | 'ru'
}

export type QueryDeps = {
  readonly chain: Chain
  readonly contracts: Contracts
  readonly jettons: Jettons
  readonly usdt: string
  readonly names: readonly NamedAccount[]
  readonly book: () => AccountBook
  readonly eventDeps: (context: Context) => EventDeps
}

export function createQueryDeps(
  chain: Chain,
  usdt: string,
  names: readonly NamedAccount[],
): QueryDeps {
  const contracts = createContracts(chain)
  const jettons = createJettons(chain, usdt)
  const byAddress = new Map(names.map(({ address, name }) => [address, name]))
  const book = () => createAccountBook(chain, byAddress)
  return {
    chain,
    contracts,
    jettons,
    usdt,
    names,
    book,
    eventDeps: (context) => ({ book: book(), contracts, jettons, language: languageOf(context) }),
  }
}

function languageOf(context: Context): 'en' | 'ru' {
  const [first = ''] = (context.req.header('accept-language') ?? '').split(',')
  return /^\s*ru\b/i.test(first) ? 'ru' : 'en'
}
