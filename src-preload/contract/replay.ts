import { z } from 'zod'
import { jobFields } from './lookup.ts'
import { captureId, microseconds, takes, byId, orNull } from './route.ts'
import { shownResponse, targetUrl } from './target.ts'

/** The captures to replay, the oldest first. */
const replaySubject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('captures'), ids: z.array(captureId).min(1).max(10_000) }),
  z.object({ kind: z.literal('query'), text: z.string().max(2000) }),
  z.object({ kind: z.literal('since'), at: microseconds }),
])
export type ReplaySubject = z.infer<typeof replaySubject>

/** A request edited by the user. Hop-by-hop headers and Content-Length are recomputed. */
const replayEdit = z.object({
  method: z.string().regex(/^[A-Z]{1,20}$/, 'Enter a method such as POST.'),
  subpath: z.string().max(8000),
  headers: z.array(z.tuple([z.string().max(200), z.string().max(65_536)])).max(500),
  body: z.string().max(90_000_000),
  /**
   * `text` is UTF-8 and refused for a body that is not UTF-8, because editing would change other
   * bytes too. `bytes` (hex, base64) are used unchanged.
   */
  bodyAs: z.enum(['text', 'bytes']).default('bytes'),
})
export type ReplayEdit = z.infer<typeof replayEdit>

const replayPace = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fast') }),
  /** The original intervals between arrivals, divided by `factor`. */
  z.object({ kind: z.literal('original'), factor: z.number().min(0.1).max(1000).default(1) }),
  z.object({ kind: z.literal('rate'), perSecond: z.number().min(0.01).max(10_000) }),
])
export type ReplayPace = z.infer<typeof replayPace>

export const replayOrder = z.object({
  subject: replaySubject,
  target: targetUrl,
  /** An edit is possible for a single capture only. */
  edit: orNull(replayEdit),
  pace: replayPace.prefault({ kind: 'fast' }),
  parallel: z.int().min(1).max(256).default(1),
  times: z.int().min(1).max(1000).default(1),
  /** `arrival`: as received. `lt`: by logical time. */
  order: z.enum(['arrival', 'lt']).default('arrival'),
  keepHost: z.boolean().default(false),
  appendPath: z.boolean().default(false),
  timeoutSeconds: z.int().min(1).max(120).default(15),
  stopAtFailure: z.boolean().default(false),
})
export type ReplayOrder = z.infer<typeof replayOrder>

export const replayJob = z.object({
  ...jobFields,
  target: z.string(),
  subject: z.string(),
  createdAt: microseconds,
  finishedAt: microseconds.nullable(),
  total: z.int(),
  sent: z.int(),
  delivered: z.int(),
  failed: z.int(),
  edited: z.boolean(),
  order: replayOrder.shape.order,
  /** Notes that do not stop the replay, such as requests repeated after a crash. */
  remarks: z.array(z.string()),
})
export type ReplayJob = z.infer<typeof replayJob>

const replaySending = z.object({
  /** The value of the header `X-Tondesk-Replay`: `<job>-<index>`. */
  replayId: z.string(),
  job: z.int().positive(),
  index: z.int().nonnegative(),
  capture: captureId,
  at: microseconds,
  target: z.string(),
  edited: z.boolean(),
  /** True if Tondesk ended during the request, so the target may have received it before with the same id. */
  again: z.boolean(),
  answer: shownResponse,
})
export type ReplaySending = z.infer<typeof replaySending>

const diffLine = z.object({
  kind: z.enum(['same', 'changed', 'left', 'right']),
  left: z.string().nullable(),
  right: z.string().nullable(),
})
export type DiffLine = z.infer<typeof diffLine>

const comparable = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('capture'), id: captureId }),
  z.object({ kind: z.literal('replay'), replayId: z.string() }),
  z.object({ kind: z.literal('forward'), deliveryId: z.string() }),
])
export type Comparable = z.infer<typeof comparable>

const side = z.object({ title: z.string(), at: microseconds, bodyBytes: z.int() })

export const replayRoutes = {
  /** Counts the requests and lists warnings without sending anything. */
  'replay.preview': takes(replayOrder).returns({ total: z.int(), warnings: z.array(z.string()) }),
  'replay.start': takes(replayOrder).returns(replayJob),
  'replay.sendings': takes({
    ...byId,
    onlyFailed: z.boolean().default(false),
    after: z.int().min(-1).default(-1),
    limit: z.int().min(1).max(500).default(100),
  }).returns({ sendings: z.array(replaySending), nextAfter: z.int().nullable() }),
  'replay.ofCapture': takes({ id: captureId }).returns(z.array(replaySending)),
  'replay.draft': takes({ id: captureId, reveal: z.boolean().default(false) }).returns(
    replayEdit.extend({
      isText: z.boolean(),
      textProblem: z.string().nullable(),
      masked: z.boolean(),
    }),
  ),
  'replay.diff': takes({ id: captureId, edit: replayEdit }).returns({
    head: z.array(diffLine),
    body: z.array(diffLine),
    isSame: z.boolean(),
  }),
  /** Compares requests with requests or responses with responses. JSON is formatted first, without loss. */
  'replay.compare': takes({ left: comparable, right: comparable }).returns({
    left: side,
    right: side,
    head: z.array(diffLine),
    body: z.array(diffLine),
    isSame: z.boolean(),
    /** A sentence if only the beginnings were compared. */
    cut: z.string().nullable(),
  }),
} as const
