/** Bulk lookup: lists of addresses understood, asked about in jobs, and what came of it. */
import type { Handlers } from '../../../src-preload/contract/index.ts'
import type { LookupRows } from '../../store/lookup-rows.ts'
import { createDrafts } from './drafts.ts'
import { createExportFiles } from './export-files.ts'
import type { RowsDeps } from './job-rows.ts'
import { createJobRows } from './job-rows.ts'
import type { JobsDeps } from './lookup-jobs.ts'
import { createRunningJobs } from './lookup-jobs.ts'

export type LookupDeps = Omit<JobsDeps, 'drafts'> &
  Pick<RowsDeps, 'labelsOf'> & {
    readonly rows: LookupRows
    /** Where files stand until they have been read. */
    readonly exportDirectory: string
    /** @throws AppError NETWORK_UNKNOWN */
    readonly isTestOnly: (network: string) => boolean
  }

type LookupHandlers = Pick<Handlers, Extract<keyof Handlers, `lookup.${string}` | 'export.read'>>

export type Lookup = {
  readonly handlers: LookupHandlers
  /** Goes on with the jobs that ran when the app ended. */
  resumeAll(): void
  /** Ends what runs, to be gone on with, and removes what was not read. */
  stop(): Promise<void>
}

export function createLookup(deps: LookupDeps): Lookup {
  const drafts = createDrafts(deps)
  const files = createExportFiles(deps.exportDirectory)
  const jobs = createRunningJobs({ ...deps, drafts })
  const rows = createJobRows({
    ...deps,
    files,
    find: (id) => jobs.find(id),
    isTestOnly(network) {
      try {
        return deps.isTestOnly(network)
      } catch {
        return false
      }
    },
  })
  return {
    handlers: { ...drafts.handlers, ...jobs.handlers, ...rows, ...files.handlers },
    resumeAll: () => jobs.resumeAll(),
    async stop() {
      await jobs.stop()
      await files.clear()
    },
  }
}
