/**
 * The thread that follows the log: it classifies captures, makes them searchable, and answers what
 * would take the main thread too long. It is a fourth entry, composing the store with the
 * classifier as compose.ts does for the app, and writes the index file only; whatever happens here
 * can neither delay nor lose a capture.
 */
import { setPriority } from 'node:os'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { IndexData, IndexReport, IndexRequest } from './index-messages.ts'
import { createIndexer } from '../captures/indexer.ts'
import { readSubject } from '../captures/captured-subject.ts'
import { createLastingNetworkOf } from '../captures/explanation/network-of.ts'
import { receiveTerms } from '../captures/query/sent-query.ts'
import { createSearch } from '../captures/search.ts'
import { classify } from '../receiver/classify.ts'
import { subpathOf } from '../receiver/hook-path.ts'
import { createArrivalRate, burstPerSecond } from '../captures/store/arrival-rate.ts'
import { createFactsReader, createFactsWriter } from '../captures/store/index/facts.ts'
import { createFinder } from '../captures/store/index/finder.ts'
import {
  type LoggedCapture,
  createLogReader,
  newestIdEver,
} from '../captures/store/index/log-reader.ts'
import { createProgress } from '../captures/store/index/progress.ts'
import { openIndex } from '../captures/store/index/schema.ts'
import { createSearchWriter } from '../captures/store/index/search.ts'
import { createTerms } from '../captures/store/index/terms.ts'
import { createTraitsWriter } from '../captures/store/index/traits.ts'
import { errcodeOf, isDamage, transaction } from '../database/database.ts'
import { createWebhookHooks } from '../webhooks/store/webhook-hooks.ts'

if (parentPort === null) throw new Error('The index runs as a worker thread.')
const port = parentPort
const paths = workerData as IndexData

/** On Linux a thread can stand behind the others; elsewhere this would slow the whole app. */
const lowPriority = 10
if (process.platform === 'linux') setPriority(0, lowPriority)

const database = openIndex(paths.index, newestIdEver(paths.database))
const log = createLogReader(database, paths.database)
const words = createSearchWriter(database)
const terms = createTerms(database)
const forwardOf = (id: number) => log.forwardOf(id)
const networkOf = createLastingNetworkOf(createWebhookHooks(database))
const read = (capture: LoggedCapture) =>
  readSubject(capture, { classify, subpathOf, networkOf, forwardOf })
const indexer = createIndexer({
  log,
  facts: { ...createFactsWriter(database), ...createFactsReader(database) },
  traits: createTraitsWriter(database),
  search: words,
  terms,
  progress: createProgress(database),
  read,
  // Deferred: an immediate one would lock the attached log too, and deliveries would wait for it.
  transaction: (work) => transaction(database, work, 'DEFERRED'),
})
const search = createSearch({
  log,
  finder: createFinder(database),
  terms,
  indexedTo: () => indexer.indexedTo(),
  read,
})

/** In a rush a slice that often is all. */
const burstPauseMs = 500
/** More than this a second is traffic: the index keeps to a fifth of a core, which is enough for it. */
const trafficPerSecond = 500
const trafficPauseFactor = 4

const reachPauseMs = 10

let wanted = false
let working = false
let closing = false

function report(message: IndexReport): void {
  port.postMessage(message)
}

function fail(call: number | null, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  report({ type: 'failed', call, message, damage: isDamage(error), errcode: errcodeOf(error) })
}

/** Follows the log until it has caught up, giving way to questions after each slice. */
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
    fail(null, error)
  } finally {
    working = false
  }
}

async function catchUp(): Promise<void> {
  const arrivals = createArrivalRate()
  let newest = log.newestId()
  while (!closing) {
    const started = performance.now()
    const deletions = indexer.followDeletions()
    if (deletions !== null) report({ type: 'deletionsFollowed', upTo: deletions })
    const indexedTo = await indexer.indexSlice()
    if (indexedTo !== null) report({ type: 'indexed', upTo: indexedTo })
    if (indexedTo === null && deletions === null) break
    const before = newest
    newest = log.newestId()
    arrivals.add(newest - before)
    const perSecond = arrivals.perSecond()
    if (perSecond > burstPerSecond) {
      await pause(burstPauseMs)
      continue
    }
    words.tidy()
    if (perSecond > trafficPerSecond) {
      await pause((performance.now() - started) * trafficPauseFactor)
    } else await nextTurn()
  }
  while (!closing && !wanted && words.tidy()) await nextTurn()
}

async function reach(id: number): Promise<void> {
  const isBehind = () => !closing && indexer.indexedTo() < Math.min(id, log.newestId())
  if (isBehind()) void work()
  while (isBehind() && working) await pause(reachPauseMs)
  if (isBehind()) throw new Error('The index cannot follow the captures.')
}

async function answer(request: Extract<IndexRequest, { type: 'call' }>): Promise<unknown> {
  switch (request.name) {
    case 'search': {
      const { terms: sent, after, before, newestFirst, limit } = request.question
      const window = { after: after ?? 0, before: before ?? Number.MAX_SAFE_INTEGER }
      return search.page(receiveTerms(sent), window, newestFirst, limit)
    }
    case 'count':
      return search.count(receiveTerms(request.question.terms))
    case 'histogram': {
      const { terms: sent, from, to, buckets } = request.question
      return search.histogram(receiveTerms(sent), from, to, buckets)
    }
    case 'reindex':
      await indexer.reindex(request.question.ids)
      return null
    case 'reach':
      await reach(request.question.id)
      return null
    case 'isIndexDamaged':
      return isIndexDamaged()
    case 'checkIntegrity':
      return log.integrity()
    case 'copyDatabase':
      log.copyTo(request.question.to)
      return null
  }
}

/** Errors do not say which of the two attached files they are of. */
function isIndexDamaged(): boolean {
  try {
    // Pages this connection remembers would be checked as it remembers them.
    database.exec('PRAGMA shrink_memory')
    const finding = database.prepare('PRAGMA main.quick_check(1)').get()
    if (Object.values(finding ?? {})[0] === 'ok') return false
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  try {
    // An index of another version is made anew.
    database.exec('PRAGMA main.user_version = 0')
  } catch {
    // With its first page damaged it is made anew anyway.
  }
  return true
}

function close(): void {
  closing = true
  database.close()
  report({ type: 'closed' })
  port.close()
}

port.on('message', (request: IndexRequest) => {
  switch (request.type) {
    case 'appended':
    case 'deleted':
      void work()
      return
    case 'call':
      answer(request).then(
        (answered) => report({ type: 'answer', call: request.call, answer: answered }),
        (error: unknown) => fail(request.call, error),
      )
      return
    case 'close':
      close()
      return
  }
})

report({ type: 'ready' })
void work()
