import { z } from 'zod'
import { controlOperations, splitRoute } from '../../../src-preload/contract/sandbox-control.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const json = (schema: JsonSchema) => ({ content: { 'application/json': { schema } } })
const problem = {
  description: 'The request failed: {error} says why',
  ...json({
    type: 'object',
    properties: { error: { type: 'string' } },
    required: ['error'],
  }),
}

/** The OpenAPI 3.1 document of the control API, built from the schemas that validate its requests. */
export function createOpenApi() {
  const paths: Record<string, Record<string, unknown>> = {
    '/events': describeGet(
      'events',
      'Server-sent events: the head of each network, then each change',
      { 'text/event-stream': { schema: { type: 'string' } } },
    ),
    '/openapi.json': describeGet('openapi', 'This document', {
      'application/json': { schema: { type: 'object' } },
    }),
  }
  for (const [operationId, operation] of Object.entries(controlOperations)) {
    const { route, input, output, summary } = operation
    const { method, path } = splitRoute(route)
    const schema = z.toJSONSchema(input, { io: 'input' })
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }))
    const hasFields = Object.keys(schema.properties ?? schema.anyOf ?? {}).length > 0
    const inQuery = Object.entries(method === 'GET' ? (schema.properties ?? {}) : {}).map(
      ([name, field]) => ({ name, in: 'query', schema: field }),
    )
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId,
        summary,
        parameters: [...inPath, ...inQuery],
        ...(method !== 'GET' && hasFields && { requestBody: json(withoutDialect(schema)) }),
        responses: {
          200: { description: 'Done', ...json(withoutDialect(z.toJSONSchema(output))) },
          default: problem,
        },
      },
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the Tondesk sandbox',
      version: '1',
      description:
        'Amounts are decimal strings of minimal units, logical times decimal strings, moments Unix milliseconds.',
    },
    servers: [{ url: '/sandbox' }],
    security: [{ controlKey: [] }],
    paths,
    components: { securitySchemes: { controlKey: { type: 'http', scheme: 'bearer' } } },
  }
}

function describeGet(operationId: string, summary: string, content: object) {
  const responses = { 200: { description: 'Done', content }, default: problem }
  return { get: { operationId, summary, parameters: [], responses } }
}

/** OpenAPI 3.1 has one dialect for the whole document. */
const withoutDialect = ({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema => schema
