import type { AppContext } from '../../app/context.ts'
import { isNotFound } from '../../chain/access.ts'
import type { QueryClient, QueryOptions, TransactionsPage } from '../../gateway/query.ts'
import type { JobControl } from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { HistoryExportStore, HistoryJob } from './store/history-exports.ts'

/** Transactions per request: the most that the service returns, fewer where a response would be too large. */
const maxTransactions = 1000
/** Events per request; the service accepts no more. */
const maxEvents = 100
const minPageSize = 20

/** One run of a job: its requests, which are repeated as the job's backoff says, and where their results go. */
export type HistoryRun = ReturnType<typeof createHistoryRun>

export function createHistoryRun(
  job: HistoryJob,
  { abort, backoff, count }: JobControl,
  { access, now }: Pick<AppContext, 'access' | 'now'>,
  store: HistoryExportStore,
) {
  const options: QueryOptions = { signal: abort, priority: 'job' }
  let pageSize = job.view === 'events' ? maxEvents : maxTransactions

  return {
    job,
    store,
    abort,
    count,
    now,
    options,
    answered: () => backoff.answered(),
    pageSize: () => pageSize,
    query: (): QueryClient => access.query(job.network),
    testOnly: () => access.info(job.network).testOnly,
    /** Stores what the requests of one step returned, as a whole. */
    keep: (requests: number, write: () => void) => store.keep(job.id, requests, write),
    /** Null for an account that the gateway does not know. */
    async orNull<T>(request: Promise<T>): Promise<T | null> {
      try {
        const response = await request
        backoff.answered()
        return response
      } catch (error) {
        if (!isNotFound(error)) throw error
        backoff.answered()
        return null
      }
    },
    /** @returns null where a smaller page is to be requested */
    async requestPage<T>(
      bound: TransactionsPage,
      request: (page: TransactionsPage & { readonly limit: number }) => Promise<T>,
    ): Promise<T | null> {
      try {
        return await request({ limit: pageSize, ...bound })
      } catch (error) {
        const refusal = readRefusal(error)
        const isTooLarge =
          refusal.kind === 'request' || (refusal.kind === 'passing' && refusal.isOwn)
        if (!isTooLarge || pageSize <= minPageSize || abort.aborted) throw error
        // The response of a smaller page may be accepted.
        pageSize = Math.max(minPageSize, Math.floor(pageSize / 4))
        store.keep(job.id, 1, () => undefined)
        if (refusal.kind === 'passing') backoff.pause(refusal.message, refusal.retryAfterMs)
        return null
      }
    },
  }
}
