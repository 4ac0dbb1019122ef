import { z } from 'zod'

type Shape = Readonly<Record<string, z.ZodType>>
type Schema<S extends z.ZodType | Shape> = S extends z.ZodType
  ? S
  : S extends Shape
    ? z.ZodObject<S>
    : never

const toSchema = <S extends z.ZodType | Shape>(given: S): Schema<S> =>
  (given instanceof z.ZodType ? given : z.object(given)) as Schema<S>

/** Defines a route by its input, as a schema or as the fields of an object. `returns` adds its output. */
export function takes<I extends z.ZodType | Shape>(input: I) {
  return {
    returns: <O extends z.ZodType | Shape>(output: O) => ({
      input: toSchema(input),
      output: toSchema(output),
    }),
  }
}

/** Defines a route without an input. */
export const returns = <O extends z.ZodType | Shape>(output: O) =>
  takes(z.undefined()).returns(output)

/** The id increases with each arrival, is never reused, and stays well below 2^53. */
export const captureId = z.int().positive()

/** The time in microseconds since the Unix epoch; exact as a JavaScript number until the year 2255. */
export const microseconds = z.int().nonnegative()

/** Unix milliseconds. */
export const moment = z.int()

/** An amount in minimal units as a decimal string: TON has 9 decimals, USDT 6. */
export const units = z.string().regex(/^\d{1,30}$/, 'Enter a whole number of the smallest unit.')

export const logicalTime = z.string().regex(/^\d+$/)

export const rawAddress = z.string().regex(/^-?\d+:[0-9a-f]{64}$/)

export const addressText = z
  .string()
  .trim()
  .min(1, 'Enter an address.')
  .max(100, 'The address is too long.')

export const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** The input of a route for one record. */
export const byId = { id: z.int().positive() }

export const page = { offset: z.int().nonnegative(), limit: z.int().min(1).max(500) }

/** An optional input with the default null. */
export const orNull = <S extends z.ZodType>(schema: S) => z.nullable(schema).default(null)
