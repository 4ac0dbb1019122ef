/** Builds responses that an OpenAPI document allows from its schemas. */

type Json = { readonly [key: string]: unknown }

/** Which of the allowed responses to create. */
export type Variant = {
  readonly name: string
  /** If true, optional properties are present, and lists have elements. */
  readonly isFull: boolean
  /** If true, nullable properties are null. */
  readonly isNull: boolean
  /** The value of integers with 64 bits. */
  readonly int64: bigint
  /** The index of an enumeration's value; the last one if there are fewer. */
  readonly choice: number
}

const maxDepth = 7

/** Times in seconds; the document declares them as int64, but they never exceed 2^53. */
const isMoment = (name: string) => /(time|timestamp|date|_at|_activity|_until)$/.test(name)
const moment = 1_767_323_045

/** @param choices the number of values in the document's largest enumeration */
export function exampleVariants(choices: number): Variant[] {
  const full = { isFull: true, isNull: false, int64: 9_007_199_254_740_993n, choice: 0 }
  return [
    { ...full, name: 'full' },
    { ...full, name: 'required properties only, empty lists', isFull: false },
    { ...full, name: 'null where it is allowed', isNull: true },
    { ...full, name: 'the largest int64', int64: 2n ** 63n - 1n },
    { ...full, name: 'the smallest int64', int64: -(2n ** 63n) },
    ...Array.from({ length: choices }, (_, choice) => ({
      ...full,
      name: `value ${choice + 1} of each enumeration`,
      choice,
    })),
  ]
}

/** @param follow resolves a `$ref` of the document */
export function exampleOf(
  schema: Json,
  variant: Variant,
  follow: (reference: string) => Json,
  depth = 0,
): unknown {
  const within = (inner: unknown) => exampleOf(inner as Json, variant, follow, depth + 1)
  if (typeof schema['$ref'] === 'string') return within(follow(schema['$ref']))
  if (variant.isNull && schema['nullable'] === true) return null
  const options = (schema['oneOf'] ?? schema['anyOf']) as Json[] | undefined
  if (options !== undefined) return within(options[Math.min(variant.choice, options.length - 1)])
  if (Array.isArray(schema['allOf'])) return Object.assign({}, ...schema['allOf'].map(within))
  const values = schema['enum'] as unknown[] | undefined
  if (values !== undefined) return values[Math.min(variant.choice, values.length - 1)]
  switch (schema['type']) {
    case 'array':
      return listOf(schema, variant, depth, within)
    case 'integer':
      return integerOf(schema, variant)
    case 'number':
      return 1.5
    case 'boolean':
      return variant.choice % 2 === 0
    case 'string':
      return stringOf(schema)
    default:
      return objectOf(schema, variant, depth, within)
  }
}

function objectOf(
  schema: Json,
  { isFull }: Variant,
  depth: number,
  within: (inner: unknown) => unknown,
): unknown {
  const required = new Set((schema['required'] ?? []) as string[])
  const properties = Object.entries((schema['properties'] ?? {}) as Json).filter(
    ([name]) => required.has(name) || (isFull && depth < maxDepth),
  )
  const object = Object.fromEntries(
    properties.map(([name, inner]) => {
      const isInteger = (inner as Json)['type'] === 'integer'
      return [name, isInteger && isMoment(name) ? moment : within(inner)]
    }),
  )
  const others = schema['additionalProperties']
  if (isFull && typeof others === 'object' && others !== null) object['other'] = within(others)
  return object
}

function listOf(
  schema: Json,
  { isFull }: Variant,
  depth: number,
  within: (inner: unknown) => unknown,
): unknown[] {
  const least = (schema['minItems'] ?? 0) as number
  const length = isFull && depth < maxDepth ? Math.max(least, 1) : least
  return Array.from({ length }, () => within(schema['items']))
}

function integerOf(schema: Json, { int64 }: Variant): unknown {
  if (schema['format'] === 'int64') {
    const least = schema['minimum'] as number | undefined
    return least !== undefined && int64 < BigInt(least) ? BigInt(least) : int64
  }
  return schema['minimum'] ?? 1
}

function stringOf(schema: Json): string {
  if (typeof schema['example'] === 'string') return schema['example']
  switch (schema['format']) {
    case 'address':
    case 'maybe-address':
      return `0:${'ab'.repeat(32)}`
    case 'date-time':
      return '2026-01-02T03:04:05Z'
    case 'bigint':
      return '115792089237316195423570985008687907853269984665640564039457584007913129639935'
    default:
      return 'text'
  }
}
