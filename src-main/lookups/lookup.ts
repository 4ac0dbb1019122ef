/** Bulk lookup: lists of addresses understood, asked about in jobs, and what came of it. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers, Parsed } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import {
  type LookupRows,
  type RowsAsked,
  type RowSums,
  createLookupRows,
} from './store/lookup-rows.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import { targetOf } from '../ton/pasted-address.ts'
import { createDrafts } from './drafts.ts'
import { type JobsDeps, createRunningJobs } from './lookup-jobs.ts'
import type { AppContext } from '../app/context.ts'
import type { LookupRow, RowFilter, RowSort } from '../../src-preload/contract/lookup.ts'
import { readAddressRange } from '../ton/address-range.ts'
import { type JobRecord, createLookupJobs } from './store/lookup-jobs.ts'
import { createLookupLines } from './store/lookup-lines.ts'
import type { StoredRow } from './store/lookup-row.ts'
import { formatDecimal } from './account-answer.ts'
import { type ExportRow, formatLookup, toExportRow } from './lookup-table.ts'

type RowsDeps = Pick<AppContext, 'files' | 'labelsOf'> & {
  readonly rows: LookupRows
  /** @throws AppError LOOKUP_JOB_UNKNOWN */
  readonly find: (id: number) => JobRecord
  /** False for a network that was removed. */
  readonly isTestOnly: (network: NetworkId) => boolean
}

const rowsAtOnce = 1000

/** What came of a job: pages of it, its sums, and the whole as a file. */
function createJobRows(deps: RowsDeps): Pick<Handlers, 'lookup.rows' | 'lookup.export'> {
  let last: { readonly key: string; readonly sums: RowSums } | null = null

  function ask({ id, network }: JobRecord, filter: RowFilter): RowsAsked {
    return { job: id, network, filter, range: readAddressRange(filter.text.trim()) }
  }

  /** Reads every row, so the next page of the same list goes by what is known. */
  function sumUp({ id, answered, failed }: JobRecord, asked: RowsAsked): RowSums {
    const key = JSON.stringify([id, answered, failed, asked.filter])
    // A label may have changed meanwhile.
    if (last?.key === key && asked.filter.text === '') return last.sums
    const sums = deps.rows.sums(asked)
    last = { key, sums }
    return sums
  }

  function withLabels(network: NetworkId, rows: readonly StoredRow[]): LookupRow[] {
    const labels = deps.labelsOf(
      network,
      rows.flatMap(({ address }) => address ?? []),
    )
    return rows.map((row) => ({ ...row, label: labels.get(row.address ?? '') ?? null }))
  }

  async function* batches(
    job: JobRecord,
    filter: RowFilter,
    sort: RowSort,
  ): AsyncGenerator<ExportRow[]> {
    const testOnly = deps.isTestOnly(job.network)
    const order = deps.rows.order(ask(deps.find(job.id), filter), sort)
    for (let from = 0; from < order.length; from += rowsAtOnce) {
      // Once it is removed its rows go, and a file with holes in it is none.
      deps.find(job.id)
      const rows = deps.rows.rows(job.id, order.slice(from, from + rowsAtOnce))
      yield withLabels(job.network, rows).map((row) => toExportRow(row, testOnly))
      await breathe()
    }
  }

  return {
    'lookup.rows'({ id, filter, sort, offset, limit }: Parsed<'lookup.rows'>) {
      const job = deps.find(id)
      const asked = ask(job, filter)
      const indexes = deps.rows.order(asked, sort, { offset, limit })
      const { total, balance, inCurrency, byStatus, changed } = sumUp(job, asked)
      return {
        total,
        rows: withLabels(job.network, deps.rows.rows(id, indexes)),
        sums: {
          balance: balance.toString(),
          inCurrency: inCurrency === null ? null : formatSum(inCurrency),
          byStatus,
          changed,
        },
      }
    },
    'lookup.export'({ id, format, filter, sort }) {
      const job = deps.find(id)
      return deps.files.make(
        `lookup-${id}.${format}`,
        formatLookup(format, job, batches(job, filter, sort)),
      )
    },
  }
}

/** Sums of fractions end in noise, which is cut. */
function formatSum(value: number): string {
  return formatDecimal(Number(value.toPrecision(15)))
}

type LookupDeps = Omit<JobsDeps, 'drafts' | 'lines' | 'stored'> &
  Pick<AppContext, 'database' | 'files' | 'labelsOf'> & {
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
}

const linesAtOnce = 5000

export function createLookup(deps: LookupDeps): Lookup {
  const { database } = deps
  const drafts = createDrafts(deps)
  const stored = createLookupJobs(database)
  const jobs = createRunningJobs({ ...deps, stored, drafts, lines: createLookupLines(database) })
  const rows = createJobRows({
    ...deps,
    rows: createLookupRows(database),
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
  }
}
