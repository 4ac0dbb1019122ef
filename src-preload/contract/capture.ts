import {
  captureKinds,
  captureOrigins,
  bodyCompleteness,
  forwardSummaries,
  explanationStates,
  tokenVerdicts,
} from '../domain/capture-values.ts'
import { z } from 'zod'
import { asset } from './chain/references.ts'
import { networkId } from './network.ts'
import { captureId, microseconds, moment, returns, takes } from './route.ts'

/** The type that a delivery claims; it is not verified until the gateway confirms the event. */
const captureKind = z.enum(captureKinds)

/**
 * The result of comparing the bearer token with the webhook tokens known at arrival. `unchecked`:
 * no token is known, or this kind of delivery has none.
 */
const tokenVerdict = z.enum(tokenVerdicts)

const completeness = z.enum(bodyCompleteness)
export type Completeness = z.infer<typeof completeness>

const captureOrigin = z.enum(captureOrigins)

const meaningState = z.enum(explanationStates)

const movedAmount = z.object({
  units: z.string().regex(/^\d+$/),
  asset,
  /** The direction from the point of view of the delivery's account. */
  direction: z.enum(['in', 'out']),
})
export type MovedAmount = z.infer<typeof movedAmount>

export const explanationFacts = z.object({
  state: meaningState,
  amount: movedAmount.nullable(),
  sender: z.string().nullable(),
  recipient: z.string().nullable(),
  comment: z.string().nullable(),
  /** The opcode of the message that the account received: `0x` and eight digits. */
  opcode: z.string().nullable(),
  exitCode: z.int().nullable(),
  success: z.boolean().nullable(),
  invoice: z.string().nullable(),
})
export type ExplanationFacts = z.infer<typeof explanationFacts>

/** The worst state over all rules and targets; null when no rule forwards the capture. */
const forwardSummary = z.enum(forwardSummaries)

const captureRow = z.object({
  id: captureId,
  origin: captureOrigin,
  receivedAt: microseconds,
  method: z.string(),
  /** Path and query after `/hook/<token>`; empty for the receiver URL itself. */
  subpath: z.string(),
  bodyBytes: z.int(),
  completeness,
  /** Response status; null if the sender disconnected before the response. */
  status: z.int().nullable(),
  /**
   * The number of microseconds from the first byte of the request to its commit; null for an
   * imported capture without it.
   */
  durationUs: z.int().nullable(),
  token: tokenVerdict,
  kind: captureKind.nullable(),
  account: z.string().nullable(),
  lt: z.string().nullable(),
  txHash: z.string().nullable(),
  summary: z.string(),
  duplicateOf: captureId.nullable(),
  /** True if an event of the same account with a later logical time arrived before. */
  outOfOrder: z.boolean(),
  pinned: z.boolean(),
  note: z.string(),
  network: networkId.nullable(),
  meaning: explanationFacts,
  /** Describes the delivery in words; never empty. Money is named only as the value flow shows it. */
  message: z.string(),
  /** Its trace, by the hash of the first transaction; null while that is unknown, and for duplicates. */
  payment: z.object({ trace: z.string(), deliveries: z.int() }).nullable(),
  forward: forwardSummary.nullable(),
})
export type CaptureRow = z.infer<typeof captureRow>

const via = z.object({ source: z.string(), value: z.string() })

const captureDetail = captureRow.extend({
  target: z.string(),
  httpVersion: z.string(),
  /** Headers in the received order and case, with duplicates; values are masked unless revealed. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  masked: z.boolean(),
  remoteAddress: z.string(),
  via: z.array(via),
  encoding: z.string().nullable(),
  contentType: z.string().nullable(),
  incident: z.string().nullable(),
  /** Changes on disk before this time would not be noticed; null if every change since the arrival would be. */
  unverifiedBefore: moment.nullable(),
})
export type CaptureDetail = z.infer<typeof captureDetail>

const captureBody = z.object({
  base64: z.string(),
  totalBytes: z.int(),
  offset: z.int(),
  decodeProblem: z.string().nullable(),
})

export const captureQuery = z.object({ text: z.string().max(2000).default('') })

const capturePage = z.object({
  rows: z.array(captureRow),
  nextBefore: captureId.nullable(),
  /**
   * The scan has covered everything newer than this time. It stops after a limited time even with
   * few rows, so that it can be continued or cancelled.
   */
  scannedBack: microseconds.nullable(),
  /** Number of new captures that are not indexed yet, if there are too many to scan; usually 0. */
  notYetSearchable: z.int(),
})
export type CapturePage = z.infer<typeof capturePage>

const captureCounts = z.object({
  total: z.int(),
  others: z.int(),
  unread: z.int(),
  /** Captures up to this id are read. */
  readTo: z.int(),
  pinned: z.int(),
  newestId: captureId.nullable(),
})
export type CaptureCounts = z.infer<typeof captureCounts>

const shell = z.enum(['posix', 'powershell', 'cmd'])
export type Shell = z.infer<typeof shell>

const ids = z.array(captureId).min(1).max(10_000)

export const captureRoutes = {
  'capture.list': takes({
    query: captureQuery.prefault({}),
    before: captureId.optional(),
    after: captureId.optional(),
    limit: z.int().min(1).max(500).default(100),
  }).returns(capturePage),
  'capture.counts': returns(captureCounts),
  'capture.get': takes({
    id: captureId,
    /** Reveals masked secrets; only at the user's explicit request. */
    reveal: z.boolean().default(false),
  }).returns(captureDetail),
  'capture.body': takes({
    id: captureId,
    /** `raw`: the body as received. `decoded`: the decompressed body, up to a limit. */
    form: z.enum(['raw', 'decoded']).default('raw'),
    offset: z.int().nonnegative().default(0),
    limit: z.int().min(1).max(4_194_304).default(1_048_576),
  }).returns(captureBody),
  'capture.markRead': takes({ upTo: captureId }).returns(captureCounts),
  'capture.pin': takes({ ids, pinned: z.boolean() }).returns({}),
  'capture.note': takes({ id: captureId, note: z.string().max(10_000) }).returns({}),
  'capture.delete': takes({ ids }).returns({ deleted: z.int() }),
  'capture.clear': takes({ keepPinned: z.boolean() }).returns({ deleted: z.int() }),
} as const
