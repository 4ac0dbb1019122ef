import { type Context, Hono } from 'hono'
import { answerJson, HttpProblem } from '../http.ts'

type Handler = (context: Context) => Response | Promise<Response>

/** One path with what may be done to it. */
export type Route = {
  /** Of Hono: `/accounts/:account_id` */
  readonly path: string
  readonly get?: Handler
  readonly post?: Handler
}

/**
 * Routes are matched in order, so that of `/accounts/_bulk` and `/accounts/:account_id` the first
 * named wins. Another verb on a known path is 405.
 */
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
