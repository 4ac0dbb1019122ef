import { z } from 'zod'

const decimal = z.string().regex(/^-?\d+$/, 'not a whole number')

/**
 * An int64 of an answer, as the decimal string that the bridge carries. Taken as such a string too:
 * what was read once can be stored and read again.
 */
export const int64 = z.union([z.int(), z.bigint(), decimal]).transform((value) => value.toString())
