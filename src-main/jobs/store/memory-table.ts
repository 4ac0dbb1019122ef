import { isDeepStrictEqual } from 'node:util'
import type { JobTable, StoredJob } from './job-table.ts'

export type MemoryTable<J extends StoredJob> = ReturnType<typeof createMemoryTable<J>>

/** A table in memory for jobs that end with the app. It keeps the last `maxEnded` ended jobs. */
export function createMemoryTable<J extends StoredJob>(maxEnded: number) {
  const jobs = new Map<number, J>()
  let lastId = 0

  /** Does nothing once the job was removed. */
  function change(id: number, part: Partial<J>): void {
    const job = jobs.get(id)
    if (job !== undefined) jobs.set(id, { ...job, ...part })
  }

  const table: JobTable<J> = {
    get: (id) => jobs.get(id) ?? null,
    list: (where) =>
      [...jobs.values()].filter((job) => isDeepStrictEqual({ ...job, ...where }, job)).reverse(),
    setState: (id, state) => change(id, state as unknown as Partial<J>),
    remove: (id) => void jobs.delete(id),
  }
  return {
    ...table,
    change,
    /** @returns the id of the new job */
    add(job: Omit<J, 'id'>): number {
      lastId += 1
      jobs.set(lastId, { ...job, id: lastId } as J)
      const ended = [...jobs.values()].filter(({ state }) => state !== 'running')
      for (const { id } of ended.slice(0, -maxEnded)) jobs.delete(id)
      return lastId
    },
  }
}
