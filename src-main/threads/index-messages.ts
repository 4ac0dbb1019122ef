import type { HistogramBucket } from '../../src-preload/contract/capture.ts'
import type { SentTerm } from '../captures/query/sent-query.ts'

export type IndexData = { readonly database: string; readonly index: string }

type Search = {
  /** All of which must hold. */
  readonly terms: readonly SentTerm[]
  /** Ids between these two, both excluded; null is open. */
  readonly after: number | null
  readonly before: number | null
  readonly newestFirst: boolean
  readonly limit: number
}

export type SearchResult = {
  /** In the order asked for. */
  readonly ids: readonly number[]
  /** Where the next page begins; null at the end. */
  readonly next: number | null
  /** How far back a scan has come, in microseconds since the epoch; null for an index search. */
  readonly scannedBack: number | null
  readonly notYetSearchable: number
}

type Histogram = {
  readonly terms: readonly SentTerm[]
  /** Microseconds since the epoch. */
  readonly from: number
  readonly to: number
  readonly buckets: number
}

export type FilteredBucket = HistogramBucket & { matching: number }

/** Questions the index thread answers between its own work. */
export type IndexCalls = {
  search: { question: Search; answer: SearchResult }
  count: {
    question: { readonly terms: readonly SentTerm[] }
    answer: { readonly count: number; readonly isExact: boolean }
  }
  histogram: {
    question: Histogram
    answer: { readonly buckets: FilteredBucket[]; readonly isExact: boolean }
  }
  /** Something has been learnt of these captures: their meaning, a note, a status. */
  reindex: { question: { readonly ids: readonly number[] }; answer: null }
  /** Answers when captures up to this id have been classified. */
  reach: { question: { readonly id: number }; answer: null }
  /** True when the index file is damaged; it is then made anew at the next start. */
  isIndexDamaged: { question: null; answer: boolean }
  /** SQLite's findings on the captures' file. */
  checkIntegrity: { question: null; answer: string[] }
  /** Writes a compact copy of the captures' file. */
  copyDatabase: { question: { readonly to: string }; answer: null }
}

export type IndexRequest =
  | { readonly type: 'appended' }
  | { readonly type: 'deleted' }
  | { readonly type: 'close' }
  | {
      [N in keyof IndexCalls]: {
        readonly type: 'call'
        readonly call: number
        readonly name: N
        readonly question: IndexCalls[N]['question']
      }
    }[keyof IndexCalls]

export type IndexReport =
  | { readonly type: 'ready' }
  /** Facts and words of captures up to this id are there. */
  | { readonly type: 'indexed'; readonly upTo: number }
  /** Deletions up to this number have been followed. */
  | { readonly type: 'deletionsFollowed'; readonly upTo: number }
  | { readonly type: 'answer'; readonly call: number; readonly answer: unknown }
  | {
      readonly type: 'failed'
      readonly call: number | null
      readonly message: string
      readonly damage: boolean
      readonly errcode: number | null
    }
  | { readonly type: 'closed' }
