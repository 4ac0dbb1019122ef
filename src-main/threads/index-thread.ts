/**
 * The index thread classifies captures, makes them searchable and runs queries that would block the
 * main thread. It is a separate entry point that composes the store with the classifier, and it writes the
 * index file only, so its failures neither delay nor lose a capture.
 */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { lowerPriority } from './priority.ts'
import { serveCalls } from './rpc.ts'
import { createIndexer } from '../captures/indexer.ts'
import { createIndexedCapture } from '../captures/indexed-capture.ts'
import { createSelfRefreshingNetworkOf } from '../captures/explanation/network-of.ts'
import { type SentTerm, receiveTerms } from '../captures/query/query.ts'
import { createSearch } from '../captures/search.ts'
import { classify } from '../receiver/classify.ts'
import { createArrivalRate, burstPerSecond } from '../captures/store/arrival-rate.ts'
import { createFactsReader } from '../captures/store/index/facts.ts'
import { createIndexWriter } from '../captures/store/index/index-writer.ts'
import { createFinder } from '../captures/store/index/finder.ts'
import {
  type LoggedCapture,
  createLogReader,
  newestIdEver,
} from '../captures/store/index/log-reader.ts'
import { openIndex } from '../captures/store/index/schema.ts'
import { createTerms } from '../captures/store/index/terms.ts'
import { fitCheckpoints, isDamage, transaction } from '../database/database.ts'
import { createWebhookHooks } from '../webhooks/store/webhooks.ts'

export type IndexData = { readonly database: string; readonly index: string }

type Search = {
  readonly terms: readonly SentTerm[]
  readonly after: number | null
  readonly before: number | null
  readonly newestFirst: boolean
  readonly limit: number
}

type Histogram = {
  readonly terms: readonly SentTerm[]
  /** The time in microseconds since the epoch. */
  readonly from: number
  readonly to: number
  readonly buckets: number
}

export type IndexReports = {
  readonly indexed: (upTo: number) => void
  readonly deletionsFollowed: (upTo: number) => void
}

const paths = workerData as IndexData

/** Linux has a priority per thread; elsewhere this would slow the whole process. */
if (process.platform === 'linux') lowerPriority()

const database = openIndex(paths.index, newestIdEver(paths.database))
const log = createLogReader(database, paths.database)
const writer = createIndexWriter(database)
const terms = createTerms(database)
const forwardOf = (id: number) => log.forwardOf(id)
const networkOf = createSelfRefreshingNetworkOf(createWebhookHooks(database))
const read = (capture: LoggedCapture) =>
  createIndexedCapture(capture, { classify, networkOf, forwardOf })
const indexer = createIndexer({
  log,
  facts: createFactsReader(database),
  writer,
  terms,
  read,
  // A deferred transaction does not lock the attached log, for which deliveries would have to wait.
  transaction: (work) => transaction(database, work, 'DEFERRED'),
})
const searcher = createSearch({
  log,
  finder: createFinder(database),
  terms,
  indexedTo: () => indexer.indexedTo(),
  read,
})

const burstPauseMs = 500
/** Above this rate the index uses at most a fifth of a core. */
const trafficPerSecond = 500
const trafficPauseFactor = 4

const reachPauseMs = 10

let wanted = false
let working = false
let closing = false

async function work(): Promise<void> {
  wanted = true
  if (working) return
  working = true
  try {
    while (wanted && !closing) {
      wanted = false
      await catchUp()
    }
  } catch (error) {
    app.report(error)
  } finally {
    working = false
  }
}

async function catchUp(): Promise<void> {
  fitCheckpoints(database, paths.index)
  const arrivals = createArrivalRate()
  let newest = log.newestId()
  while (!closing) {
    const started = performance.now()
    const deletions = indexer.followDeletions()
    if (deletions !== null) app.notify('deletionsFollowed', deletions)
    const indexedTo = await indexer.indexSlice()
    if (indexedTo !== null) app.notify('indexed', indexedTo)
    if (indexedTo === null && deletions === null) break
    const before = newest
    newest = log.newestId()
    arrivals.add(newest - before)
    const perSecond = arrivals.perSecond()
    if (perSecond > burstPerSecond) {
      await pause(burstPauseMs)
      continue
    }
    writer.tidy()
    if (perSecond > trafficPerSecond) {
      await pause((performance.now() - started) * trafficPauseFactor)
    } else await nextTurn()
  }
  while (!closing && !wanted && writer.tidy()) await nextTurn()
}

async function reach({ id }: { readonly id: number }): Promise<void> {
  const isBehind = () => !closing && indexer.indexedTo() < Math.min(id, log.newestId())
  if (isBehind()) void work()
  while (isBehind() && working) await pause(reachPauseMs)
  if (isBehind()) throw new Error('The search index cannot be updated.')
}

/** SQLite's errors do not name the attached file that is damaged. */
function isIndexDamaged(): boolean {
  try {
    // Without this, SQLite would verify cached pages instead of those in the file.
    database.exec('PRAGMA shrink_memory')
    const finding = database.prepare('PRAGMA main.quick_check(1)').get()
    if (Object.values(finding ?? {})[0] === 'ok') return false
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  try {
    database.exec('PRAGMA main.user_version = 0')
  } catch {
    // The index is created again, even if the first page is damaged.
  }
  return true
}

const functions = {
  /** The app calls this first; nothing is reported before its reply. */
  start: () => void setImmediate(() => void work()),
  logChanged: () => void work(),
  search({ terms: sent, after, before, newestFirst, limit }: Search) {
    const window = { after: after ?? 0, before: before ?? Number.MAX_SAFE_INTEGER }
    return searcher.page(receiveTerms(sent), window, newestFirst, limit)
  },
  count: ({ terms: sent }: { readonly terms: readonly SentTerm[] }) =>
    searcher.count(receiveTerms(sent)),
  histogram: ({ terms: sent, from, to, buckets }: Histogram) =>
    searcher.histogram(receiveTerms(sent), from, to, buckets),
  /** Call this when explanations, notes or statuses of these captures have changed. */
  reindex: ({ ids }: { readonly ids: readonly number[] }) => indexer.reindex(ids),
  /** Replies when the captures up to this id have been classified. */
  reach,
  /** A damaged index file is rebuilt at the next start. */
  isIndexDamaged,
  checkIntegrity: () => log.integrity(),
  copyDatabase: ({ to }: { readonly to: string }) => log.copyTo(to),
  close() {
    closing = true
    database.close()
  },
}

export type IndexCalls = typeof functions

const app = serveCalls<IndexReports>(functions)
