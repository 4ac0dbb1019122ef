import { create } from 'zustand'
import type { CaptureCounts, CaptureDetail } from '../../../src-preload/contract/capture.ts'
import type { ErrorBody } from '../../../src-preload/domain/app-error.ts'
import { type ListQuery, emptyQuery } from '../../app/route.ts'
import type { CapturePages } from './list/capture-pages.ts'

export type Query = ListQuery

export const everything: Query = emptyQuery

/** What goes on at the old end of the list. */
type Tail =
  | { readonly status: 'idle' }
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: ErrorBody }
  /** A slow scan the person has stopped; it can go on. */
  | { readonly status: 'stopped' }
  /** A slow scan holds all it finds, so it ends somewhere. */
  | { readonly status: 'full' }

export type ReadyList = {
  readonly status: 'ready'
  readonly pages: CapturePages
  /** Where the next older page begins; null at the end. */
  readonly nextBefore: number | null
  readonly tail: Tail
  /** Everything up to this id was considered when the head was last fetched. */
  readonly seenUpTo: number
  /** What has arrived since and is not shown yet. */
  readonly waiting: Waiting
  /** How far back a slow scan has looked; null for what an index answers. */
  readonly scannedBack: number | null
  readonly notYetSearchable: number
}

/** A query that is not answered: the list keeps showing what it last found. */
export type Refusal = { readonly query: Query; readonly error: ErrorBody }

/** `atLeast`: a whole page matched and nobody looked further. */
type Waiting = { readonly count: number; readonly atLeast: boolean }

type ListState =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: ErrorBody }
  | ReadyList

export type BodyForm = 'raw' | 'decoded'

export type BodyView = 'tree' | 'text' | 'hex'

export type LoadedBody = {
  readonly form: BodyForm
  /** From the beginning; fewer than `totalBytes` where more can be fetched. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly totalBytes: number
  readonly decodeProblem: string | null
}

export type BodyState =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: ErrorBody }
  | { readonly status: 'ready'; readonly body: LoadedBody; readonly loadingMore: boolean }

export type OpenCapture = {
  readonly status: 'ready'
  readonly id: number
  readonly capture: CaptureDetail
  /** Secrets are shown: only for this capture, until one leaves it. */
  readonly revealed: boolean
  readonly body: BodyState
}

type DetailState =
  | { readonly status: 'closed' }
  /** The former capture stays in sight until the next is there, so nothing flickers. */
  | { readonly status: 'loading'; readonly id: number; readonly former: OpenCapture | null }
  | { readonly status: 'gone'; readonly id: number }
  | { readonly status: 'failed'; readonly id: number; readonly error: ErrorBody }
  | OpenCapture

export type InspectorState = {
  /** What the list shows. */
  readonly query: Query
  readonly list: ListState
  /** What is asked for, where the list still shows what was found before. */
  readonly asked: Query | null
  readonly refusal: Refusal | null
  readonly counts: CaptureCounts | null
  /** What was read when the page was opened; newer rows carry the mark of the unread. */
  readonly readUpTo: number | null
  /** The row keys act on. */
  readonly cursor: number | null
  readonly marked: ReadonlySet<number>
  readonly detail: DetailState
  /** The view chosen by hand; null lets each body choose the one that suits it. */
  readonly bodyView: BodyView | null
  /** True while the first row is in sight and nothing above it is hidden. */
  readonly atTop: boolean
  /** Grows when the list must go to its top, as when new rows are asked for. */
  readonly topAsked: number
}

const closedInspector: InspectorState = {
  query: everything,
  list: { status: 'loading' },
  asked: null,
  refusal: null,
  counts: null,
  readUpTo: null,
  cursor: null,
  marked: new Set(),
  detail: { status: 'closed' },
  bodyView: null,
  atTop: true,
  topAsked: 0,
}

export function createInspectorStore() {
  return create<InspectorState>()(() => closedInspector)
}
export type InspectorStore = ReturnType<typeof createInspectorStore>

/** Whether captures are read one by one for it, which takes long. */
export function isScan({ scannedBack }: ReadyList): boolean {
  return scannedBack !== null
}

/** Which capture is open, whatever its state. */
export function openId(detail: DetailState): number | null {
  return detail.status === 'closed' ? null : detail.id
}

/**
 * Whether new rows may come in by themselves: only while the newest are in sight and nobody is
 * reading, choosing or looking for something that new rows could push away.
 */
export function isFollowing(state: InspectorState): boolean {
  if (state.list.status === 'ready' && isScan(state.list)) return false
  return (
    state.atTop &&
    state.detail.status === 'closed' &&
    state.cursor === null &&
    state.marked.size === 0
  )
}
