/** Bulk lookup: lists of addresses understood, asked about in jobs, and what came of it. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { LookupRows } from './store/lookup-rows.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import { targetOf } from '../ton/pasted-address.ts'
import { createDrafts } from './drafts.ts'
import type { ExportFiles } from '../exports/export-files.ts'
import { type RowsDeps, createJobRows } from './job-rows.ts'
import { type JobsDeps, createRunningJobs } from './lookup-jobs.ts'

type LookupDeps = Omit<JobsDeps, 'drafts'> &
  Pick<RowsDeps, 'labelsOf'> & {
    readonly rows: LookupRows
    readonly files: ExportFiles
    /** @throws AppError NETWORK_UNKNOWN */
    readonly isTestOnly: (network: string) => boolean
  }

type LookupHandlers = Pick<Handlers, Extract<keyof Handlers, `lookup.${string}`>>

/** Raw addresses, each once. */
type TakenAddresses = {
  readonly network: NetworkId
  readonly addresses: readonly string[]
}

export type Lookup = {
  readonly handlers: LookupHandlers
  /**
   * What a draft understood as valid, in its order, names resolved; with that it is forgotten.
   * @throws AppError LOOKUP_DRAFT_UNKNOWN, LOOKUP_NAME_UNKNOWN
   */
  readonly takeDraft: (id: string) => Promise<TakenAddresses>
  /** Goes on with the jobs that ran when the app ended. */
  resumeAll(): void
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
}

const linesAtOnce = 5000

export function createLookup(deps: LookupDeps): Lookup {
  const drafts = createDrafts(deps)
  const jobs = createRunningJobs({ ...deps, drafts })
  const rows = createJobRows({
    ...deps,
    find: (id) => jobs.find(id),
    isTestOnly(network) {
      try {
        return deps.isTestOnly(network)
      } catch {
        return false
      }
    },
  })
  async function resolve(network: NetworkId, name: string): Promise<string> {
    const { signal } = new AbortController()
    const address = await deps.resolveName(network, name, { signal })
    if (address !== null) return address
    throw new AppError(
      lookupCodes.nameUnknown,
      `The name ${name} leads to no wallet on this network. Take it off the list, or give its address.`,
    )
  }

  return {
    handlers: { ...drafts.handlers, ...jobs.handlers, ...rows },
    async takeDraft(id) {
      const { network, list } = await drafts.take(id)
      const addresses = new Set<string>()
      for (let from = 0; from < list.total('valid'); from += linesAtOnce) {
        for (const { address, text } of list.lines('valid', from, linesAtOnce))
          addresses.add(address ?? (await resolve(network, targetOf(text).text)))
        await breathe()
      }
      // Whoever takes it a second time meanwhile ends here: one list is one job. A list with a name
      // that cannot be resolved stays, to be corrected.
      drafts.forget(id)
      return { network, addresses: [...addresses] }
    },
    resumeAll: () => jobs.resumeAll(),
    stop: () => jobs.stop(),
  }
}
