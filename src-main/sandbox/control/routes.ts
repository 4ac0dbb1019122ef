import { type Context, Hono } from 'hono'
import type { z } from 'zod'
import { HttpProblem, answerJson, readJson } from '../http.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Handler = (context: Context) => unknown
/** Handlers by path and method. A returned Response is sent as it is, other values as JSON. */
type RouteTable = Readonly<Record<string, Readonly<Partial<Record<Method, Handler>>>>>

const bodyLimitBytes = 1024 * 1024

/** Routes whose errors are `{error}`. */
export function createRoutes(table: RouteTable, onError: (error: unknown) => void): Hono {
  const routes = new Hono()
  for (const [path, methods] of Object.entries(table)) {
    for (const [method, handler] of Object.entries(methods)) {
      routes.on(method, path, async (context) => {
        const answer = await handler(context)
        return answer instanceof Response ? answer : answerJson(answer)
      })
    }
    const allow = Object.keys(methods).join(', ')
    routes.all(path, ({ req }) =>
      answerJson({ error: `${req.method} is not allowed here` }, 405, { Allow: allow }),
    )
  }
  routes.notFound(() => answerJson({ error: 'not found' }, 404))
  routes.onError((error) => {
    if (error instanceof HttpProblem) return answerJson({ error: error.message }, error.status)
    onError(error)
    return answerJson({ error: 'something went wrong inside the sandbox' }, 500)
  })
  return routes
}

/** An empty body is an empty object. @throws HttpProblem 400, 413 */
export async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  const isEmpty = context.req.header('content-length') === '0' || context.req.raw.body === null
  return check(schema, isEmpty ? {} : await readJson(context, bodyLimitBytes))
}

export function readQuery<T>(context: Context, schema: z.ZodType<T>): T {
  return check(schema, context.req.query())
}

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') ?? ''
  const what = issue?.message ?? 'is not as it should be'
  throw new HttpProblem(400, where === '' ? what : `${where}: ${what}`, true)
}
