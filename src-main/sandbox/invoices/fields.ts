/** Reading what requests say, with an answer that names the field that is wrong and why. */
import { HttpProblem } from '../http.ts'

export type Fields = Readonly<Record<string, unknown>>

/** @throws HttpProblem 400, as do all of these */
export function readFields(body: unknown): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HttpProblem(400, `the body must be a JSON object, not ${kindOf(body)}`, true)
  }
  return body as Fields
}

export function wrong(field: string, why: string): HttpProblem {
  return new HttpProblem(400, `${field} ${why}`, true)
}

export function required(fields: Fields, name: string): unknown {
  // Only what the body itself says: "constructor" is in every object.
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (value === undefined) throw wrong(name, 'is required')
  return value
}

/** Undefined when it is absent. */
export function optional(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

export function asText(
  value: unknown,
  name: string,
  bounds: { readonly least?: number; readonly most: number },
): string {
  if (typeof value !== 'string') throw wrong(name, `must be a string, not ${kindOf(value)}`)
  const { least = 0, most: max } = bounds
  const length = Array.from(value.slice(0, max * 2 + 1)).length
  if (length < least || length > max) {
    throw wrong(name, `must have ${least > 0 ? `${least} to` : 'at most'} ${max} characters`)
  }
  return value
}

export function asBoolean(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw wrong(name, `must be true or false, not ${kindOf(value)}`)
  return value
}

/** A JSON number without a fraction; beyond 2^53 it comes as a bigint. */
export function asInteger(value: unknown, name: string): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value !== 'number') throw wrong(name, `must be a number, not ${kindOf(value)}`)
  if (!Number.isSafeInteger(value)) throw wrong(name, 'must be a whole number')
  return BigInt(value)
}

export function asOneOf<const T extends string>(
  value: unknown,
  name: string,
  choices: readonly T[],
): T {
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw wrong(name, `must be one of ${choices.join(', ')}`)
  return found
}

/** An http or https URL, as it was given. */
export function asEndpoint(value: unknown, name: string): string {
  const text = asText(value, name, { most: 2048 })
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw wrong(name, 'must be a URL that begins with http:// or https://')
  }
  return text
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`
}
