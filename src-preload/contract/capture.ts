import {
  captureKinds,
  captureOrigins,
  completenesses,
  forwardSummaries,
  meaningStates,
  tokenVerdicts,
} from '../domain/capture-words.ts'
import { z } from 'zod'
import { asset } from './chain.ts'
import { networkId } from './network.ts'
import { captureId, microseconds, nothing, route } from './route.ts'

/** What a delivery says it is. A claim until confirmed with the gateway. */
const captureKind = z.enum(captureKinds)

/**
 * The bearer token against the webhook tokens known when the request arrived.
 * `unchecked`: no token is known to compare with, or the delivery is of a kind that carries none.
 */
const tokenVerdict = z.enum(tokenVerdicts)

const completeness = z.enum(completenesses)
export type Completeness = z.infer<typeof completeness>

/** Only what was `received` counts as a delivery; the others were put here by the person. */
const captureOrigin = z.enum(captureOrigins)

/** How far a capture's meaning is known; `none`: there is nothing to ask a gateway for. */
const meaningState = z.enum(meaningStates)

/** What a delivery moved, as its transaction has it: exact. */
const movedAmount = z.object({
  /** Minimal units, never negative. */
  units: z.string().regex(/^\d+$/),
  asset,
  /** As the account of the delivery sees it. */
  direction: z.enum(['in', 'out']),
})
export type MovedAmount = z.infer<typeof movedAmount>

/** The part of a capture's meaning that lists, filters and searches use. */
export const meaningFacts = z.object({
  state: meaningState,
  amount: movedAmount.nullable(),
  sender: z.string().nullable(),
  recipient: z.string().nullable(),
  comment: z.string().nullable(),
  /** `0x` and eight digits, of the message that the account received. */
  opcode: z.string().nullable(),
  exitCode: z.int().nullable(),
  success: z.boolean().nullable(),
  /** Id of the invoice it tells of or pays, on the capture's network. */
  invoice: z.string().nullable(),
})
export type MeaningFacts = z.infer<typeof meaningFacts>

/** Over all rules and targets: the worst wins. Null: no rule forwards it. */
const forwardSummary = z.enum(forwardSummaries)

const captureRow = z.object({
  id: captureId,
  origin: captureOrigin,
  receivedAt: microseconds,
  method: z.string(),
  /** Path and query below the receiver's own `/hook/<token>`; empty when posted to it exactly. */
  subpath: z.string(),
  bodyBytes: z.int(),
  completeness,
  /** Status answered; null when the other side was gone before an answer. */
  status: z.int().nullable(),
  /** From the first byte of the request to its commit, in microseconds. */
  durationUs: z.int(),
  token: tokenVerdict,
  kind: captureKind.nullable(),
  account: z.string().nullable(),
  /** Logical time claimed, as a decimal string; null when the kind has none. */
  lt: z.string().nullable(),
  txHash: z.string().nullable(),
  summary: z.string(),
  /** Id of the first capture of the same event; null when this is the first. */
  duplicateOf: captureId.nullable(),
  /** True when an event of the same account with a later logical time had arrived before. */
  outOfOrder: z.boolean(),
  pinned: z.boolean(),
  note: z.string(),
  network: networkId.nullable(),
  meaning: meaningFacts,
  forward: forwardSummary.nullable(),
})
export type CaptureRow = z.infer<typeof captureRow>

const via = z.object({ source: z.string(), value: z.string() })

const captureDetail = captureRow.extend({
  /** The request target exactly as received. Secrets in it are masked unless revealed. */
  target: z.string(),
  httpVersion: z.string(),
  /** In order, case and duplicates kept, values masked unless revealed. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  masked: z.boolean(),
  remoteAddress: z.string(),
  via: z.array(via),
  encoding: z.string().nullable(),
  contentType: z.string().nullable(),
  incident: z.string().nullable(),
})
export type CaptureDetail = z.infer<typeof captureDetail>

const captureBody = z.object({
  base64: z.string(),
  totalBytes: z.int(),
  offset: z.int(),
  decodeProblem: z.string().nullable(),
})
export type CaptureBody = z.infer<typeof captureBody>

/** Terms `field:value` and free words, all of which must hold; see `capture-query.ts`. */
export const captureQuery = z.object({ text: z.string().max(2000).default('') })

const capturePage = z.object({
  rows: z.array(captureRow),
  nextBefore: captureId.nullable(),
  /**
   * How far back a scan has looked: everything newer than this moment has been seen. A scan returns after a
   * bounded time even with few rows, so that it can be continued, shown and cancelled.
   */
  scannedBack: microseconds.nullable(),
  /** Captures newer than the index reaches that were too many to scan; 0 normally. */
  notYetSearchable: z.int(),
})
export type CapturePage = z.infer<typeof capturePage>

const captureCounts = z.object({
  total: z.int(),
  others: z.int(),
  unread: z.int(),
  pinned: z.int(),
  newestId: captureId.nullable(),
})
export type CaptureCounts = z.infer<typeof captureCounts>

const histogramBucket = z.object({
  startsAt: microseconds,
  total: z.int(),
  refused: z.int(),
})
export type HistogramBucket = z.infer<typeof histogramBucket>

const shell = z.enum(['posix', 'powershell', 'cmd'])
export type Shell = z.infer<typeof shell>

const ids = z.array(captureId).min(1).max(10_000)

export const captureRoutes = {
  'capture.list': route(
    z.object({
      query: captureQuery.prefault({}),
      before: captureId.optional(),
      after: captureId.optional(),
      limit: z.int().min(1).max(500).default(100),
    }),
    capturePage,
  ),
  'capture.counts': route(nothing, captureCounts),
  'capture.get': route(
    z.object({
      id: captureId,
      /** Show what is masked (a delivery's bearer, tokens in the address): an explicit act. */
      reveal: z.boolean().default(false),
    }),
    captureDetail,
  ),
  'capture.body': route(
    z.object({
      id: captureId,
      /** `raw`: exactly as received. `decoded`: decompressed, up to a limit. */
      form: z.enum(['raw', 'decoded']).default('raw'),
      offset: z.int().nonnegative().default(0),
      limit: z.int().min(1).max(4_194_304).default(1_048_576),
    }),
    captureBody,
  ),
  'capture.curl': route(
    z.object({ id: captureId, shell, reveal: z.boolean().default(false) }),
    z.object({ command: z.string(), masked: z.boolean() }),
  ),
  'capture.histogram': route(
    z.object({ from: microseconds, to: microseconds, buckets: z.int().min(1).max(400) }),
    z.array(histogramBucket),
  ),
  'capture.markRead': route(z.object({ upTo: captureId }), captureCounts),
  'capture.pin': route(z.object({ ids, pinned: z.boolean() }), z.object({})),
  'capture.note': route(z.object({ id: captureId, note: z.string().max(10_000) }), z.object({})),
  'capture.delete': route(z.object({ ids }), z.object({ deleted: z.int() })),
  'capture.clear': route(z.object({ keepPinned: z.boolean() }), z.object({ deleted: z.int() })),
} as const

export type CaptureEvents = {
  /** New captures are on disk. Batched: at most ten of these a second. */
  'capture.added': { counts: CaptureCounts }
  /** Classification has reached this id: rows up to it can be refetched for their meaning. */
  'capture.classified': { upTo: number }
  /** Pins, notes or deletions; `ids` is null when it may be any. */
  'capture.changed': { ids: number[] | null; counts: CaptureCounts }
}
