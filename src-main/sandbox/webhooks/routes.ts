import { type Context, Hono } from 'hono'
import { HttpProblem, answerJson } from '../http.ts'

type Handler = (context: Context) => unknown
type Method = 'GET' | 'POST' | 'DELETE'
/** Handlers by path and method; results are sent as JSON. */
type RouteTable = Readonly<Record<string, Readonly<Partial<Record<Method, Handler>>>>>

/** Errors are `{error}`. */
export function createRoutes(table: RouteTable, onError: (error: unknown) => void): Hono {
  const routes = new Hono()
  for (const [path, methods] of Object.entries(table)) {
    for (const [method, handler] of Object.entries(methods)) {
      routes.on(method, path, async (context) => answerJson(await handler(context)))
    }
    const allow = Object.keys(methods).flatMap((method) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    )
    routes.all(path, ({ req }) =>
      answerJson({ error: `${req.method} is not allowed here` }, 405, { Allow: allow.join(', ') }),
    )
  }
  routes.all('/webhooks/*', () => answerJson({ error: 'not found' }, 404))
  routes.notFound(() => answerJson({ error: 'not found' }, 404))
  routes.onError((error) => {
    if (error instanceof HttpProblem) return answerJson({ error: error.message }, error.status)
    onError(error)
    return answerJson({ error: 'internal error' }, 500)
  })
  return routes
}
