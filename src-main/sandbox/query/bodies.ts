/** Request bodies of the query API. */
import type { Cell } from '@ton/core'
import type { Context } from 'hono'
import { z } from 'zod'
import { BocError, parseBoc, readBytes } from '../../ton/boc.ts'
import { readJson } from '../http.ts'
import { malformed, refusal } from './parameters.ts'

const bodyLimitBytes = 1024 * 1024

/** @throws HttpProblem with what is wrong and where */
export async function readBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
): Promise<z.infer<Schema>> {
  return parseBody(schema, await readJson(context, bodyLimitBytes))
}

export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.infer<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const path = issue === undefined || issue.path.length === 0 ? '' : `"${issue.path.join('.')}": `
  throw malformed(`decode request: ${path}${issue?.message ?? 'not as expected'}`)
}

/** Whole numbers come as numbers, or as bigint beyond 2^53. */
export const int64 = z
  .union([z.int(), z.bigint()])
  .transform((value) => BigInt(value))
  .refine((value) => value >= -(2n ** 63n) && value < 2n ** 63n, 'not an int64')

export const bocBody = z.object({ boc: z.string() })

export const accountsBody = z.object({ account_ids: z.array(z.string()) })

/** @throws HttpProblem 400 when the text is no BOC */
export function readCell(text: string): Cell {
  const bytes = readBytes(text)
  if (bytes === null) throw refusal('boc must be a base64 encoded string or hex string')
  try {
    return parseBoc(bytes)
  } catch (error) {
    if (error instanceof BocError) throw refusal(error.message)
    throw error
  }
}
