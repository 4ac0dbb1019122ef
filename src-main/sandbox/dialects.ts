/** Each root says errors in its own way; these are for what is refused before the root itself is asked. */
import { answerJson } from './http.ts'

export type Dialect = (status: number, message: string) => Response

/** The service's framework answers these: a capital letter. What a handler refuses has a small one. */
export const queryDialect: Dialect = (status, message) =>
  answerJson(isFrameworks(status) ? { Error: message } : { error: message }, status)

export const webhooksDialect: Dialect = (status, message) => answerJson({ error: message }, status)

export const invoicesDialect: Dialect = (status, message) =>
  answerJson({ error: message, code: status }, status)

export const controlDialect: Dialect = webhooksDialect

function isFrameworks(status: number): boolean {
  return status === 400 || status === 413 || status === 429
}
