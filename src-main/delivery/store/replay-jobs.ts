import type { JobState } from '../../../src-preload/contract/lookup.ts'
import type { ReplayOrder } from '../../../src-preload/contract/replay.ts'
import type { Database } from '../../database/database.ts'
import { createSql, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

/** What is asked of a job, but for what is written elsewhere: its captures, its edit. */
export type ReplayOptions = Omit<ReplayOrder, 'subject' | 'target' | 'edit'> & {
  readonly source:
    | { readonly kind: 'captures' }
    | { readonly kind: 'query'; readonly text: string }
    /** Microseconds. */
    | { readonly kind: 'since'; readonly at: number }
}

/** The first sending that is not finished, and where its capture stands. */
export type ReplayCursor = {
  readonly index: number
  /** How many times all of it has been sent before. */
  readonly round: number
  /** Of the capture: its id, or its place in the plan, from 1. 0: the first there is. */
  readonly key: number
  /** Which of its sendings in a row. */
  readonly copy: number
}

/** A job as it is kept; its pace is known only while it runs. */
export type ReplayRecord = {
  readonly id: number
  readonly target: string
  /** In words. */
  readonly subject: string
  readonly options: ReplayOptions
  /** Captures after it are no part of the job. */
  readonly newestId: number
  /** Microseconds, as `finishedAt`. */
  readonly createdAt: number
  readonly finishedAt: number | null
  readonly state: JobState
  readonly problem: string | null
  readonly remarks: readonly string[]
  readonly total: number
  readonly delivered: number
  readonly failed: number
  readonly seed: number | null
  readonly cursor: ReplayCursor
  /** Sendings before this index may have reached the target. */
  readonly begun: number
  /** Captures in its plan, once that is whole. */
  readonly planned: number | null
  readonly isEdited: boolean
}

/** The one request of an edited replay, ready to be sent. */
export type EditedRequest = {
  readonly method: string
  readonly subpath: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

type NewReplay = Pick<
  ReplayRecord,
  'target' | 'subject' | 'options' | 'newestId' | 'createdAt' | 'total' | 'seed'
> & { readonly request: EditedRequest | null }

/** One key press is a job: they add up. */
const keptJobs = 1000

export type ReplayJobs = ReturnType<typeof createReplayJobs>

type JobRow = Omit<ReplayRecord, 'cursor'> & Omit<ReplayCursor, 'index'> & { nextIndex: number }

export function createReplayJobs(database: Database) {
  const codecs = { options: json, remarks: json, request: json }
  const sql = createSql(database, codecs)
  const select = `SELECT id, target, subject, options, newest_id, created_at, finished_at, state,
    problem, remarks, total, delivered, failed, seed, next_index, round, key, copy, begun, planned,
    request IS NOT NULL AS is_edited FROM replay_jobs WHERE TRUE`

  return {
    ...createJobTable(database, 'replay_jobs', select, toRecord, codecs),
    /** Running. Ids are never used twice. */
    add({ request, ...job }: NewReplay): number {
      const { body: requestBody = null, ...head } = request ?? {}
      return sql.insert('replay_jobs', {
        ...{ ...job, state: 'running' },
        ...{ request: request === null ? null : head, requestBody },
      })
    },
    requestOf(id: number): EditedRequest | null {
      const row = sql.get<{ request: Omit<EditedRequest, 'body'> | null; body: Uint8Array }>(
        'SELECT request, request_body AS body FROM replay_jobs WHERE id = ?',
        id,
      )
      return row?.request ? { ...row.request, body: row.body } : null
    },
    setRemarks: (id: number, remarks: readonly string[]) =>
      void sql.update('replay_jobs', { remarks }, { id }),
    setTotal: (id: number, total: number) => void sql.update('replay_jobs', { total }, { id }),
    /** Ended ones beyond the newest that are kept. */
    surplus: () =>
      sql.column<number>(
        `SELECT id FROM replay_jobs WHERE state IN ('done', 'cancelled', 'failed')
         ORDER BY id DESC LIMIT -1 OFFSET ?`,
        keptJobs,
      ),
    /** True when there is one to go on with. */
    isAnyRunning: () =>
      sql.get("SELECT 1 FROM replay_jobs WHERE state = 'running' LIMIT 1") !== null,
  }
}

function toRecord({ nextIndex: index, round, key, copy, ...job }: JobRow): ReplayRecord {
  return { ...job, cursor: { index, round, key, copy } }
}

/** A capture's place in a plan: what is sent there, and when what stood there at first had arrived. */
export type PlannedCapture = {
  readonly id: number
  /** Microseconds; null where the capture is not there. */
  readonly at: number | null
}

const capturesInPart = 5000

export type ReplayPlans = ReturnType<typeof createReplayPlans>

/** The captures of jobs whose order is not that of arrival. */
export function createReplayPlans(database: Database) {
  const sql = createSql(database, { places: { decode: unpack, encode: pack } })

  function write(jobId: number, captures: readonly PlannedCapture[]): void {
    sql.remove('replay_plans', { jobId })
    for (let from = 0; from < captures.length; from += capturesInPart) {
      const places = captures.slice(from, from + capturesInPart)
      sql.insert('replay_plans', { jobId, part: from / capturesInPart, places })
    }
  }

  return {
    /** Captures in each part but the last. */
    partSize: capturesInPart,
    /** Captures named, in the order of arrival, before they are put in the order of the job. */
    add: (job: number, captures: readonly PlannedCapture[]) =>
      sql.transaction(() => write(job, captures)),
    /** In the place of what was there; with that it is whole. */
    put: (job: number, captures: readonly PlannedCapture[]) =>
      sql.transaction(() => {
        write(job, captures)
        sql.update('replay_jobs', { planned: captures.length }, { id: job })
      }),
    /** Of a part, from 0; empty behind the last. */
    part: (job: number, part: number): PlannedCapture[] =>
      sql.value<PlannedCapture[]>(
        'SELECT places FROM replay_plans WHERE job_id = ? AND part = ?',
        ...[job, part],
      ) ?? [],
    remove: (jobId: number) => void sql.remove('replay_plans', { jobId }),
  }
}

function pack(captures: readonly PlannedCapture[]): Uint8Array {
  const numbers = Float64Array.from(captures.flatMap(({ id, at }) => [id, at ?? NaN]))
  return new Uint8Array(numbers.buffer)
}

function unpack(bytes: unknown): PlannedCapture[] {
  // A copy: SQLite's bytes need not begin where doubles may.
  const numbers = new Float64Array((bytes as Uint8Array).slice().buffer)
  return Array.from({ length: numbers.length / 2 }, (_, index) => {
    const at = numbers[index * 2 + 1] ?? NaN
    return { id: numbers[index * 2] ?? 0, at: Number.isNaN(at) ? null : at }
  })
}
