import type { Context, Hono } from 'hono'
import { answerJson } from '../http.ts'

type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Handler = (context: Context) => Response | Promise<Response>

/** This root's way of saying errors: `{error, code}`, the code being the status. */
export function refusal(
  status: number,
  error: string,
  headers: Record<string, string> = {},
): Response {
  return answerJson({ error, code: status }, status, headers)
}

/** One path with all its verbs; any other is told which there are. */
export function resource(
  routes: Hono,
  path: string,
  handlers: Readonly<Partial<Record<Verb, Handler>>>,
): void {
  const verbs = Object.keys(handlers)
  for (const [verb, handler] of Object.entries(handlers)) routes.on(verb, path, handler)
  const allow = verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])).join(', ')
  routes.all(path, ({ req }) =>
    refusal(405, `${req.method} is not allowed here, only ${allow}`, { Allow: allow }),
  )
}
