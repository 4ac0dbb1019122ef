/** Routes and events that all kinds of jobs have. Those of a single kind are in the file of its feature. */
import { z } from 'zod'
import { captureExport } from './capture-files.ts'
import { historyExport } from './history-export.ts'
import { invoiceExport } from './invoice-export.ts'
import { invoiceJob } from './invoice-job.ts'
import { lookupJob } from './lookup.ts'
import { missedCheck } from './missed-events.ts'
import { networkId } from './network.ts'
import { replayJob } from './replay.ts'
import { byId, takes } from './route.ts'
import { change } from './subscription.ts'
import { webhookMove } from './webhook.ts'

/** The schema of each kind of job, by the kind's name in routes and events. */
export const jobSchemas = {
  captureExport,
  change,
  historyExport,
  invoiceExport,
  invoiceJob,
  lookup: lookupJob,
  missedEvents: missedCheck,
  move: webhookMove,
  replay: replayJob,
}

export type JobName = keyof typeof jobSchemas
export type JobOf<K extends JobName> = z.infer<(typeof jobSchemas)[K]>

/** The total is null until it is known. */
export type JobCounts = readonly [done: number, total: number | null]

/** The progress of a job; moves of webhooks have none. */
export const jobCounts: {
  readonly [K in Exclude<JobName, 'move'>]: (job: JobOf<K>) => JobCounts
} = {
  captureExport: (job) => [job.captures, job.total],
  change: ({ counts }) => [counts.total - counts.waiting, counts.total],
  historyExport: (job) => [job.transactions, null],
  invoiceExport: (job) => [job.rows, job.total],
  invoiceJob: (job) => [job.done + job.failed + job.unclear, job.total],
  lookup: (job) => [job.answered + job.failed, job.counts.valid],
  missedEvents: (job) => [job.checked, job.accounts],
  replay: (job) => [job.sent, job.total],
}

export type ChangedJobs = {
  [K in JobName]: { readonly kind: K; readonly jobs: readonly JobOf<K>[] }
}[JobName]

const kind = z.enum(Object.keys(jobSchemas) as JobName[])
const job = z.union(Object.values(jobSchemas))
const lasting = { kind: kind.exclude(['captureExport', 'invoiceExport', 'move']), ...byId }

export const jobRoutes = {
  /** The jobs of one network, or of all. Exports of captures and invoices are forgotten when the app ends. */
  'job.list': takes({ kind, network: networkId.optional() }).returns(z.array(job)),
  'job.get': takes({ kind, ...byId }).returns(job),
  'job.pause': takes({
    kind: kind.extract(['change', 'historyExport', 'invoiceJob', 'lookup']),
    ...byId,
  }).returns(job),
  /** Resumes a job, even after a failure; only items without a result are requested. */
  'job.resume': takes(lasting).returns(job),
  'job.cancel': takes({ kind: kind.exclude(['move']), ...byId }).returns(job),
  'job.remove': takes(lasting).returns({}),
} as const
