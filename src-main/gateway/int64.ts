import { z } from 'zod'

/** An int64 of an answer, as the decimal string that the bridge carries. */
export const int64 = z.union([z.int(), z.bigint()]).transform((value) => value.toString())
