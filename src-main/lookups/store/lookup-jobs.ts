import type { LineCounts, LookupJetton, LookupJob } from '../../../src-preload/contract/lookup.ts'
import { type Database, createSql, json } from '../../database/sql.ts'
import type { CheckedJetton } from '../jettons.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

export type JobRecord = Omit<LookupJob, 'rate' | 'secondsLeft'>

export type NewJob = Pick<
  LookupJob,
  'network' | 'name' | 'createdAt' | 'counts' | 'currency' | 'columns' | 'comparedTo'
>

const maxUsed = 20

type JobRow = Omit<JobRecord, 'counts'> & LineCounts

export type LookupJobTable = ReturnType<typeof createLookupJobTable>

export function createLookupJobTable(database: Database) {
  const codecs = { columns: json, jettons: json, jetton: json, libraries: json }
  const sql = createSql(database, codecs)
  const select = `SELECT id, network, name, created_at, finished_at, state, problem, answered, failed,
    currency, columns, (SELECT json_group_array(json(jetton)) FROM (SELECT jetton FROM lookup_jettons
      WHERE job_id = lookup_jobs.id ORDER BY place)) AS jettons, chunk, requests, compared_to, valid, duplicate, wrong_network, invalid, lines,
    beyond FROM lookup_jobs WHERE is_whole = 1`

  return {
    ...createJobTable(database, 'lookup_jobs', select, toJob, codecs),
    /** Adds a running job that is not listed until `finish`, because its lines are still being written. */
    add: ({ counts, ...job }: NewJob): number =>
      sql.insert('lookup_jobs', { ...job, ...counts, state: 'running' }),
    addJettons(jobId: number, jettons: readonly CheckedJetton[]): void {
      const rows = jettons.map(({ jetton, minter: { code, data, libraries } }, place) => {
        return { jobId, place, jetton, code, data, libraries }
      })
      if (rows.length > 0) sql.insertAll('lookup_jettons', rows)
    },
    jettons: (id: number): CheckedJetton[] =>
      sql
        .all<StoredJetton>(
          'SELECT jetton, code, data, libraries FROM lookup_jettons WHERE job_id = ? ORDER BY place',
          id,
        )
        .map(({ jetton, ...minter }) => ({
          jetton,
          minter: { address: jetton.address, ...minter },
        })),
    /** Returns at most twenty jettons, those used last first. */
    usedJettons(network: string): LookupJetton[] {
      const rows = sql.all<{ jetton: LookupJetton }>(
        `SELECT jetton FROM lookup_jettons WHERE job_id IN (
           SELECT id FROM lookup_jobs WHERE network = ? AND is_whole = 1) ORDER BY job_id DESC, place`,
        network,
      )
      const used = new Map<string, LookupJetton>()
      for (const { jetton } of rows) if (!used.has(jetton.address)) used.set(jetton.address, jetton)
      return [...used.values()].slice(0, maxUsed)
    },
    setLibraries: (jobId: number, place: number, libraries: CheckedJetton['minter']['libraries']) =>
      void sql.update('lookup_jettons', { libraries }, { jobId, place }),
    finish: (id: number) => void sql.update('lookup_jobs', { isWhole: true }, { id }),
  }
}

type StoredJetton = Omit<CheckedJetton['minter'], 'address'> & { readonly jetton: LookupJetton }

function toJob(row: JobRow): JobRecord {
  const { valid, duplicate, wrongNetwork, invalid, lines, beyond, ...job } = row
  return { ...job, counts: { valid, duplicate, wrongNetwork, invalid, lines, beyond } }
}
