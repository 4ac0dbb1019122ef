import { z } from 'zod'
import { captureQuery } from './capture.ts'
import { microseconds, returns, takes, orNull } from './route.ts'

/**
 * Only the main process parses the query language (`src-main/captures/query`), for the window and
 * the command line. A query has terms `field:value` and words, all of which must match; `-` negates
 * a term, and a comma separates alternative values.
 */
const queryPart = z.object({
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  kind: z.enum(['term', 'words']),
  field: z.string().nullable(),
  value: z.string(),
  negated: z.boolean(),
  slow: z.boolean(),
})
export type QueryPart = z.infer<typeof queryPart>

const queryProblem = z.object({
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  message: z.string(),
})
export type QueryProblem = z.infer<typeof queryProblem>

const queryCompletion = z.object({ text: z.string(), hint: z.string() })
export type QueryCompletion = z.infer<typeof queryCompletion>

const queryReading = z.object({
  parts: z.array(queryPart),
  problems: z.array(queryProblem),
  completion: z.object({
    from: z.int().nonnegative(),
    to: z.int().nonnegative(),
    choices: z.array(queryCompletion),
  }),
})
export type QueryReading = z.infer<typeof queryReading>

/**
 * When a rule's filter runs: when a delivery arrives, or after its comparison with earlier
 * deliveries. Fields that are known only later are refused and not suggested.
 */
const filterStage = z.enum(['arrival', 'indexed'])
export type FilterStage = z.infer<typeof filterStage>

const captureView = z.object({ id: z.int().positive(), name: z.string(), text: z.string() })
export type CaptureView = z.infer<typeof captureView>

export const captureQueryRoutes = {
  /** Parses a query and suggests completions at the cursor. Never fails: `problems` describes errors. */
  'captureQuery.read': takes({
    text: z.string().max(2000),
    cursor: z.int().nonnegative().optional(),
    stage: filterStage.optional(),
  }).returns(queryReading),
  /**
   * A slow query is counted for a limited time only: then `isExact` is false, and `count` is the
   * number found so far.
   */
  'captureQuery.count': takes({ query: captureQuery.prefault({}) }).returns({
    count: z.int(),
    isExact: z.boolean(),
  }),
  'captureQuery.histogram': takes({
    query: captureQuery.prefault({}),
    from: microseconds,
    to: microseconds,
    buckets: z.int().min(1).max(400),
  }).returns({
    buckets: z.array(
      z.object({ startsAt: microseconds, total: z.int(), refused: z.int(), matching: z.int() }),
    ),
    /** The oldest received capture, matching or not. */
    oldestAt: microseconds.nullable(),
    /** False for a slow query, whose `matching` covers only the captures scanned in time. */
    isExact: z.boolean(),
  }),
  'captureView.list': returns(z.array(captureView)),
  'captureView.save': takes({
    id: orNull(z.int().positive()),
    name: z.string().trim().min(1, 'Enter a name.').max(60, 'At most 60 characters.'),
    text: z.string().max(2000),
  }).returns(captureView),
  'captureView.remove': takes({ id: z.int().positive() }).returns({}),
  'captureView.counts': returns(
    z.array(z.object({ id: z.int().positive(), count: z.int().nullable() })),
  ),
} as const
