/** Parses an OpenAPI 3.0 document, finds the operation of a path, and validates its responses. */
import { readFileSync } from 'node:fs'
import { type ValidateFunction, Ajv } from 'ajv'
import { parse } from 'yaml'
import { type Variant, exampleOf } from './examples.ts'

type Json = { readonly [key: string]: unknown }

export type Operation = {
  readonly id: string
  readonly method: string
  /** The path in the form of the document, such as `/v2/accounts/{account_id}`. */
  readonly template: string
}

type Document = {
  readonly operations: readonly Operation[]
  /**
   * Finds the operation of a request by its path without query; static parts take precedence over
   * parameters.
   */
  find(method: string, path: string): Operation | null
  /** Returns the problems of a response; empty if the response is as documented. */
  problems(operation: Operation, status: number, contentType: string, text: string): string[]
  /** Returns the problems of a request; empty if the request is as documented. */
  requestProblems(operation: Operation, query: Query, body: unknown): string[]
  /** Returns a successful JSON response that the document allows; undefined if it documents none. */
  example(operation: Operation, variant: Variant): unknown
  /** The number of values in the document’s largest enumeration. */
  readonly choices: number
}

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** @throws if the file is not an OpenAPI document */
export function readDocument(path: string): Document {
  const text = readFileSync(path, 'utf8')
  const root = parse(text) as Json
  const paths = root['paths'] as Record<string, Json> | undefined
  if (paths === undefined) throw new Error(`${path} holds no paths: it is no OpenAPI document.`)

  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true })
  const integer = (least: bigint, most: bigint) => ({
    type: 'number' as const,
    validate: (value: number) =>
      Number.isInteger(value) && BigInt(value) >= least && BigInt(value) <= most,
  })
  ajv.addFormat('int32', integer(-(2n ** 31n), 2n ** 31n - 1n))
  ajv.addFormat('uint32', integer(0n, 2n ** 32n - 1n))
  // Parsed as a double, the largest int64 is 2^63 itself.
  ajv.addFormat('int64', integer(-(2n ** 63n), 2n ** 63n))
  ajv.addFormat('address', /^-?\d+:[0-9a-f]{64}$/)
  ajv.addFormat('cell', /^(b5ee9c72|[0-9a-f])[0-9a-f]*$/)
  ajv.addFormat('date-time', (value: string) =>
    /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value),
  )
  for (const any of [
    'float',
    'double',
    'int',
    'maybe-address',
    'cell-base64',
    'byte',
    'uri',
    'bigint',
    'tuple-item',
  ]) {
    ajv.addFormat(any, true)
  }
  ajv.addSchema(root, 'document')

  const operations = Object.entries(paths).flatMap(([template, item]) =>
    methods
      .filter((method) => item[method] !== undefined)
      .map((method) => ({
        id: String((item[method] as Json)['operationId']),
        method: method.toUpperCase(),
        template,
      })),
  )
  /** References within the schema are resolved against the document. */
  const validate = (schema: Json, value: unknown) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
    return errorsOf(ajv.compile(JSON.parse(text) as Json), JSON.parse(toPlainJson(value)))
  }
  const compiled = new Map<string, ValidateFunction | null>()

  function validatorOf(operation: Operation, status: number, contentType: string) {
    const key = `${operation.method} ${operation.template} ${status} ${contentType}`
    const known = compiled.get(key)
    if (known !== undefined) return known
    const made = compile(operation, status, contentType)
    compiled.set(key, made)
    return made
  }

  const follow = (reference: string) =>
    reference
      .replace('#/', '')
      .split('/')
      .reduce<Json>((node, part) => node[part] as Json, root)
  const resolved = (node: Json): Json =>
    typeof node['$ref'] === 'string' ? follow(node['$ref']) : node
  const describe = ({ method, template }: Operation) =>
    (paths[template] as Record<string, Json>)[method.toLowerCase()] as Json

  /** Null if the document gives this response no content. */
  function compile(operation: Operation, status: number, contentType: string) {
    const responses = describe(operation)['responses'] as Json
    const name = responses[status] === undefined ? 'default' : String(status)
    let at = ['paths', operation.template, operation.method.toLowerCase(), 'responses', name]
    let response = responses[name] as Json | undefined
    if (response === undefined) throw new Error(`the document has no answer ${status}`)
    if (typeof response['$ref'] === 'string') {
      at = response['$ref'].replace('#/', '').split('/')
      response = follow(response['$ref'])
    }
    const content = response['content'] as Json | undefined
    if (content === undefined) return null
    const type = Object.keys(content).find((each) => contentType.startsWith(each))
    if (type === undefined) {
      throw new Error(
        `${contentType || 'no content type'} instead of ${Object.keys(content).join(', ')}`,
      )
    }
    const pointer = [...at, 'content', type, 'schema'].map(escape).join('/')
    return ajv.compile({ $ref: `document#/${pointer}` })
  }

  return {
    operations,
    choices: Math.max(
      ...[...text.matchAll(/enum:\s*((?:\s*-.*\n)+)/g)].map(
        ([, values = '']) => values.split('\n').filter((line) => line.trim() !== '').length,
      ),
    ),
    requestProblems(operation, query, body) {
      const item = describe(operation)
      const inherited = (paths[operation.template]?.['parameters'] ?? []) as Json[]
      const parameters = [...inherited, ...((item['parameters'] ?? []) as Json[])]
        .map(resolved)
        .filter((parameter) => parameter['in'] === 'query')
      const problems = Object.entries(query).flatMap(([name, value]) => {
        if (value === undefined) return []
        const parameter = parameters.find((each) => each['name'] === name)
        if (parameter === undefined) return [`the query has no ${name}`]
        const schema = resolved(parameter['schema'] as Json)
        return validate(schema, queryValue(value, schema)).map((each) => `${name} ${each}`)
      })
      for (const parameter of parameters) {
        const name = String(parameter['name'])
        if (parameter['required'] === true && query[name] === undefined) {
          problems.push(`${name} is missing`)
        }
      }
      const content = item['requestBody'] as Json | undefined
      if (body === undefined) return problems
      if (content === undefined) return [...problems, 'a body is sent']
      const types = resolved(content)['content'] as Record<string, Json>
      return [...problems, ...validate(types['application/json']?.['schema'] as Json, body)]
    },
    example(operation, variant) {
      const responses = describe(operation)['responses'] as Record<string, Json>
      const response = responses['200']
      if (response === undefined) return undefined
      const content = resolved(response)['content'] as Record<string, Json> | undefined
      const schema = content?.['application/json']?.['schema'] as Json | undefined
      return schema === undefined ? undefined : exampleOf(schema, variant, follow)
    },
    find(method, path) {
      const matching = operations.filter(
        (operation) => operation.method === method && matches(operation.template, path),
      )
      const parameters = ({ template }: Operation) => template.split('{').length
      return matching.sort((a, b) => parameters(a) - parameters(b))[0] ?? null
    },
    problems(operation, status, contentType, body) {
      try {
        const validate = validatorOf(operation, status, contentType)
        if (validate === null) return []
        const value = contentType.includes('json') ? (JSON.parse(body) as unknown) : body
        return errorsOf(validate, value)
      } catch (error) {
        return [error instanceof Error ? error.message : String(error)]
      }
    },
  }
}

/** Converts the text of a query parameter to the list or integer that the document describes. */
function queryValue(value: Query[string], { type }: Json): unknown {
  // Only the description mentions that the native coin is allowed among the addresses of jettons.
  if (type === 'array') {
    const list = typeof value === 'string' ? value.split(',') : [value].flat()
    return list.filter((each) => each !== 'ton')
  }
  return type === 'integer' && /^\d+$/.test(String(value)) ? Number(value) : value
}

/** Serializes a bigint as a number, as it is sent. */
function toPlainJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? Number(each) : each,
  )
}

function errorsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || '/'} ${message ?? ''} ${JSON.stringify(params)}`,
  )
}

function matches(template: string, path: string): boolean {
  const expected = template.split('/')
  const given = path.split('/')
  return (
    expected.length === given.length &&
    expected.every((part, index) =>
      part.startsWith('{') ? given[index] !== '' : part === given[index],
    )
  )
}

function escape(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
