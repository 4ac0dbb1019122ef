/**
 * Checks Tondesk's query client against OpenAPI documents: each request must be documented, and the
 * client must read all rows of each response that the documents allow.
 */
import { ZodError } from 'zod'
import type { HttpClient } from '../../src-main/gateway/http.ts'
import { createQueryClient } from '../../src-main/gateway/query.ts'
import { formatJson, parseJson } from '../../src-main/ton/lossless-json.ts'
import type { readDocument } from './document.ts'
import { type Variant, exampleVariants } from './examples.ts'
import { clientOperations } from './walk.ts'

const address = `0:${'ab'.repeat(32)}`
const sample = {
  account: address,
  wallets: [address],
  jetton: address,
  transaction: 'cd'.repeat(32),
  message: 'ef'.repeat(32),
  block: '(-1,8000000000000000,1)',
  boc: 'b5ee9c724101010100020000004cacb9cd',
}

/** @returns the problems of each operation of the client, without duplicates */
export async function checkClient(
  documents: readonly ReturnType<typeof readDocument>[],
): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>()
  for (const variant of exampleVariants(Math.max(...documents.map(({ choices }) => choices)))) {
    let problems = new Set<string>()
    const http = createDocumentedHttp(documents, variant, (problem) => problems.add(problem))
    const operations = clientOperations(createQueryClient(http), sample)
    for (const [name, request] of Object.entries(operations)) {
      problems = found.get(name) ?? new Set()
      found.set(name, problems)
      try {
        const rows = unreadRows(await request())
        if (rows.length > 0) problems.add(`${variant.name}: not read: ${rows.join(', ')}`)
      } catch (error) {
        problems.add(`${variant.name}: ${describeError(error)}`)
      }
    }
  }
  return found
}

/** Responds to each request as the document describes. */
function createDocumentedHttp(
  documents: readonly ReturnType<typeof readDocument>[],
  variant: Variant,
  onProblem: (problem: string) => void,
): HttpClient {
  const http: Pick<HttpClient, 'call'> = {
    async call({ method = 'GET', path, query = {}, body, answer }) {
      for (const document of documents) {
        const operation = document.find(method, path)
        if (operation === null) continue
        for (const problem of document.requestProblems(operation, query, body)) onProblem(problem)
        const example = document.example(operation, variant)
        return await answer.parseAsync(example === undefined ? '' : parseJson(formatJson(example)))
      }
      throw new Error(`${method} ${path} is not documented`)
    },
  }
  return http as HttpClient
}

function describeError(error: unknown): string {
  if (error instanceof ZodError) {
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  }
  return error instanceof Error ? error.message : String(error)
}

/** Returns rows that a tolerant list of the client could not parse. */
function unreadRows(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value as Readonly<Record<string, unknown>>).flatMap(([name, inner]) =>
    name === 'unread' ? [formatJson(inner)] : unreadRows(inner),
  )
}
