import { z } from 'zod'

/** One thing the window may ask of the main process: the shape of the question and of the answer. */
type Route<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly input: I
  readonly output: O
}

export function route<I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Route<I, O> {
  return { input, output }
}

/** The input of a route that takes none. Over JSON it is simply absent. */
export const nothing = z.undefined()

/** A capture's id: grows with each arrival, never used twice, well below 2^53. */
export const captureId = z.int().positive()

/** A moment, in microseconds since the Unix epoch. Fits a JS number exactly until the year 2255. */
export const microseconds = z.int().nonnegative()
