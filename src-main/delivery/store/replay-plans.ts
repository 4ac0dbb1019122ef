import { type Database, transaction } from '../../database/database.ts'

/** A capture's place in a plan: what is sent there, and when what stood there at first had arrived. */
export type PlannedCapture = {
  readonly id: number
  /** Microseconds; null where the capture is not there. */
  readonly at: number | null
}

export type ReplayPlans = {
  /** Captures in each part but the last. */
  readonly partSize: number
  /** Captures named, in the order of arrival, before they are put in the order of the job. */
  add(job: number, captures: readonly PlannedCapture[]): void
  /** In the place of what was there; with that it is whole. */
  put(job: number, captures: readonly PlannedCapture[]): void
  /** Of a part, from 0; empty behind the last. */
  part(job: number, part: number): PlannedCapture[]
  remove(job: number): void
}

const capturesInPart = 5000

export function createReplayPlans(database: Database): ReplayPlans {
  const insert = database.prepare(
    'INSERT INTO replay_plans (job_id, part, places) VALUES (?, ?, ?)',
  )
  const one = database.prepare('SELECT places FROM replay_plans WHERE job_id = ? AND part = ?')
  const remove = database.prepare('DELETE FROM replay_plans WHERE job_id = ?')
  const whole = database.prepare('UPDATE replay_jobs SET planned = ? WHERE id = ?')

  function write(job: number, captures: readonly PlannedCapture[]): void {
    remove.run(job)
    for (let from = 0; from < captures.length; from += capturesInPart) {
      const places = captures.slice(from, from + capturesInPart)
      insert.run(job, from / capturesInPart, pack(places))
    }
  }

  return {
    partSize: capturesInPart,
    add: (job, captures) => transaction(database, () => write(job, captures)),
    put: (job, captures) =>
      transaction(database, () => {
        write(job, captures)
        whole.run(captures.length, job)
      }),
    part(job, part) {
      const places = one.get(job, part)?.['places']
      return places instanceof Uint8Array ? unpack(places) : []
    },
    remove: (job) => void remove.run(job),
  }
}

function pack(captures: readonly PlannedCapture[]): Uint8Array {
  const numbers = Float64Array.from(captures.flatMap(({ id, at }) => [id, at ?? NaN]))
  return new Uint8Array(numbers.buffer)
}

function unpack(bytes: Uint8Array): PlannedCapture[] {
  // A copy: SQLite's bytes need not begin where doubles may.
  const numbers = new Float64Array(bytes.slice().buffer)
  return Array.from({ length: numbers.length / 2 }, (_, index) => {
    const at = numbers[index * 2 + 1] ?? NaN
    return { id: numbers[index * 2] ?? 0, at: Number.isNaN(at) ? null : at }
  })
}
