import type { ReplayJob, ReplayOrder, ReplaySubject } from '../../../src-preload/contract/replay.ts'
import type { Database } from '../../database/database.ts'
import { slicesOf } from '../../database/pages.ts'
import { createSql, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

export type ReplayOptions = Omit<ReplayOrder, 'subject' | 'target' | 'edit'> & {
  readonly source: { readonly kind: 'captures' } | Exclude<ReplaySubject, { kind: 'captures' }>
}

/** The first incomplete request and the position of its capture. */
export type ReplayCursor = {
  readonly index: number
  readonly round: number
  /** The capture's id, or its position in the plan from 1; 0 before the first capture. */
  readonly key: number
}

export type ReplayRecord = Omit<
  ReplayJob,
  'rate' | 'secondsLeft' | 'sent' | 'edited' | 'order' | 'remarks'
> & {
  readonly remarks: readonly string[]
  readonly options: ReplayOptions
  /** The newest capture of the job; the job ignores later captures. */
  readonly newestId: number
  readonly cursor: ReplayCursor
  /** Requests before this index may have reached the target. */
  readonly begun: number
  readonly planned: number | null
  readonly isEdited: boolean
}

export type EditedRequest = {
  readonly method: string
  readonly subpath: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

type NewReplay = Pick<
  ReplayRecord,
  'target' | 'subject' | 'options' | 'newestId' | 'createdAt' | 'total'
> & { readonly request: EditedRequest | null }

/** The limit exists because each key press may create a job. */
const keptJobs = 1000

export type ReplayJobs = ReturnType<typeof createReplayJobs>

type JobRow = Omit<ReplayRecord, 'cursor'> & Omit<ReplayCursor, 'index'> & { nextIndex: number }

export function createReplayJobs(database: Database) {
  const codecs = { options: json, remarks: json, request: json }
  const sql = createSql(database, codecs)
  const select = `SELECT id, target, subject, options, newest_id, created_at, finished_at, state,
    problem, remarks, total, delivered, failed, next_index, round, key, begun, planned,
    request IS NOT NULL AS is_edited FROM replay_jobs WHERE TRUE`

  return {
    ...createJobTable(database, 'replay_jobs', select, toRecord, codecs),
    add({ request, ...job }: NewReplay): number {
      const { body: requestBody = null, ...head } = request ?? {}
      return sql.insert('replay_jobs', {
        ...job,
        state: 'running',
        request: request === null ? null : head,
        requestBody,
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
    surplus: () =>
      sql.column<number>(
        `SELECT id FROM replay_jobs WHERE state IN ('done', 'cancelled', 'failed')
         ORDER BY id DESC LIMIT -1 OFFSET ?`,
        keptJobs,
      ),
    isAnyRunning: () => sql.exists("replay_jobs WHERE state = 'running'"),
  }
}

const toRecord = ({ nextIndex: index, round, key, ...job }: JobRow): ReplayRecord => ({
  ...job,
  cursor: { index, round, key },
})

/** A position in a plan: its capture, and the arrival of the capture that originally had the position. */
export type PlannedCapture = {
  readonly id: number
  readonly at: number | null
}

const capturesInPart = 5000

export type ReplayPlans = ReturnType<typeof createReplayPlans>

export function createReplayPlans(database: Database) {
  const sql = createSql(database, { places: { decode: unpack, encode: pack } })

  function write(jobId: number, captures: readonly PlannedCapture[]): void {
    sql.remove('replay_plans', { jobId })
    const parts = slicesOf(captures, capturesInPart).toArray()
    const rows = parts.map((places, part) => ({ jobId, part, places }))
    sql.insertAll('replay_plans', rows)
  }

  return {
    partSize: capturesInPart,
    add: (job: number, captures: readonly PlannedCapture[]) =>
      sql.transaction(() => write(job, captures)),
    put: (job: number, captures: readonly PlannedCapture[]) =>
      sql.transaction(() => {
        write(job, captures)
        sql.update('replay_jobs', { planned: captures.length }, { id: job })
      }),
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
  // The bytes are copied, because SQLite's bytes may not be aligned.
  const numbers = new Float64Array((bytes as Uint8Array).slice().buffer)
  return Array.from({ length: numbers.length / 2 }, (_, index) => {
    const at = numbers[index * 2 + 1] ?? NaN
    return { id: numbers[index * 2] ?? 0, at: Number.isNaN(at) ? null : at }
  })
}
