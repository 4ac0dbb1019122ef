import { z } from 'zod'

type Route<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly input: I
  readonly output: O
}

export function route<I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Route<I, O> {
  return { input, output }
}

export const nothing = z.undefined()

/** Increases with each arrival, is never reused, and stays well below 2^53. */
export const captureId = z.int().positive()

/** Microseconds since the Unix epoch; exact in a JS number until the year 2255. */
export const microseconds = z.int().nonnegative()
