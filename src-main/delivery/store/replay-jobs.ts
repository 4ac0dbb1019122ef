import type { JobState } from '../../../src-preload/contract/lookup.ts'
import type { ReplayOrder } from '../../../src-preload/contract/replay.ts'
import type { Database } from '../../database/database.ts'

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

export type ReplayJobs = {
  /** Running. Ids are never used twice. */
  add(job: NewReplay): number
  /** Newest first. */
  list(): ReplayRecord[]
  get(id: number): ReplayRecord | null
  requestOf(id: number): EditedRequest | null
  setState(
    id: number,
    change: {
      readonly state: JobState
      readonly problem: string | null
      readonly finishedAt: number | null
    },
  ): void
  setRemarks(id: number, remarks: readonly string[]): void
  setTotal(id: number, total: number): void
  remove(id: number): void
  /** Ended ones beyond the newest that are kept. */
  surplus(): number[]
  /** True when there is one to go on with. */
  isAnyRunning(): boolean
}

/** One key press is a job: they add up. */
const keptJobs = 1000

export function createReplayJobs(database: Database): ReplayJobs {
  const columns = `id, target, subject, options, newest_id, created_at, finished_at, state, problem,
    remarks, total, delivered, failed, seed, next_index, round, key, copy, begun, planned,
    request IS NOT NULL AS is_edited`
  const insert = database.prepare(
    `INSERT INTO replay_jobs (target, subject, options, newest_id, created_at, state, total, seed,
       request, request_body) VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)`,
  )
  const list = database.prepare(`SELECT ${columns} FROM replay_jobs ORDER BY id DESC`)
  const one = database.prepare(`SELECT ${columns} FROM replay_jobs WHERE id = ?`)
  const request = database.prepare('SELECT request, request_body FROM replay_jobs WHERE id = ?')
  const setState = database.prepare(
    'UPDATE replay_jobs SET state = ?, problem = ?, finished_at = ? WHERE id = ?',
  )
  const setRemarks = database.prepare('UPDATE replay_jobs SET remarks = ? WHERE id = ?')
  const setTotal = database.prepare('UPDATE replay_jobs SET total = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM replay_jobs WHERE id = ?')
  const surplus = database.prepare(
    `SELECT id FROM replay_jobs WHERE state IN ('done', 'cancelled', 'failed')
     ORDER BY id DESC LIMIT -1 OFFSET ?`,
  )
  const running = database.prepare("SELECT 1 FROM replay_jobs WHERE state = 'running' LIMIT 1")

  return {
    add({ target, subject, options, newestId, createdAt, total, seed, request: edited }) {
      const [head, body] = edited === null ? [null, null] : split(edited)
      const texts = [target, subject, JSON.stringify(options)] as const
      const added = insert.run(...texts, newestId, createdAt, total, seed, head, body)
      return Number(added.lastInsertRowid)
    },
    list: () => list.all().map(toRecord),
    get(id) {
      const row = one.get(id)
      return row === undefined ? null : toRecord(row)
    },
    requestOf(id) {
      const row = request.get(id)
      if (typeof row?.['request'] !== 'string') return null
      const head = JSON.parse(row['request']) as Omit<EditedRequest, 'body'>
      return { ...head, body: row['request_body'] as Uint8Array }
    },
    setState: (id, { state, problem, finishedAt }) =>
      void setState.run(state, problem, finishedAt, id),
    setRemarks: (id, remarks) => void setRemarks.run(JSON.stringify(remarks), id),
    setTotal: (id, total) => void setTotal.run(total, id),
    remove: (id) => void remove.run(id),
    surplus: () => surplus.all(keptJobs).map((row) => row['id'] as number),
    isAnyRunning: () => running.get() !== undefined,
  }
}

function split({ method, subpath, headers, body }: EditedRequest): [string, Uint8Array] {
  return [JSON.stringify({ method, subpath, headers }), body]
}

function toRecord(row: Record<string, unknown>): ReplayRecord {
  return {
    id: row['id'] as number,
    target: row['target'] as string,
    subject: row['subject'] as string,
    options: JSON.parse(row['options'] as string) as ReplayOptions,
    newestId: row['newest_id'] as number,
    createdAt: row['created_at'] as number,
    finishedAt: row['finished_at'] as number | null,
    state: row['state'] as JobState,
    problem: row['problem'] as string | null,
    remarks: JSON.parse(row['remarks'] as string) as string[],
    total: row['total'] as number,
    delivered: row['delivered'] as number,
    failed: row['failed'] as number,
    seed: row['seed'] as number | null,
    cursor: {
      index: row['next_index'] as number,
      round: row['round'] as number,
      key: row['key'] as number,
      copy: row['copy'] as number,
    },
    begun: row['begun'] as number,
    planned: row['planned'] as number | null,
    isEdited: row['is_edited'] === 1,
  }
}
