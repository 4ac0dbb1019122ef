import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import {
  type RowsAsked,
  type RowSums,
  createLookupRows,
  createLookupLines,
  type StoredRow,
} from './store/lookup-lines.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import { targetOf } from '../ton/pasted-address.ts'
import { createDrafts, type JobsDeps, createRunningJobs } from './lookup-jobs.ts'
import type { AppContext } from '../app/context.ts'
import type { LookupRow, RowFilter, RowSort } from '../../src-preload/contract/lookup.ts'
import { readAddressRange } from '../ton/address-range.ts'
import { type JobRecord, createLookupJobs } from './store/lookup-jobs.ts'
import { formatDecimal } from './account-answer.ts'
import { formatLookup, type ExportRow, toExportRow } from './lookup-table.ts'

import type { GatewayTraffic } from '../../src-preload/contract/traffic.ts'
import { createLearnedLimits } from '../app/store/settings.ts'
import { isRefusal } from '../explorer/chain-access.ts'
import type { Asking, QueryClient } from '../gateway/query.ts'
import { readAddress } from '../ton/address.ts'

export function registerLookups(
  context: AppContext,
  traffic: () => GatewayTraffic,
): RegisteredLookups {
  const { access, events } = context
  return createLookup({
    ...context,
    bulk: async (network, addresses, options) =>
      access.query(network).accountsBulk(addresses, { ...options, priority: 'job' }),
    resolveName: (network, name, { signal }) =>
      resolveName(access.query(network), name, { signal, priority: 'job' }),
    isTestOnly: (network) => access.info(network).testOnly,
    pausedUntil: (network) => pausedUntil(traffic(), network),
    limits: createLearnedLimits(context.values, (network) => `lookup.chunk.${network}`),
    onChanged: (jobs) => events.emit('lookup.changed', { jobs }),
    onRemoved: (id) => events.emit('lookup.removed', { id }),
  })
}

/** @throws AppError as the query client does, except for a name that the gateway does not know */
async function resolveName(query: QueryClient, name: string, asking: Asking) {
  try {
    const { wallet } = await query.dnsResolve(name, asking)
    return wallet ? (readAddress(wallet.address)?.raw ?? null) : null
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) return null
    throw error
  }
}

function pausedUntil({ roots }: GatewayTraffic, network: string): number | null {
  const asked = roots.find((each) => each.network === network && each.root === 'query')
  return asked?.limit.pausedUntil ?? null
}

type LookupDeps = Omit<JobsDeps, 'drafts' | 'lines' | 'stored'> &
  Pick<AppContext, 'database' | 'files' | 'labelsOf'> & {
    /** @throws AppError NETWORK_UNKNOWN for a network that was removed */
    readonly isTestOnly: (network: string) => boolean
  }

/** Raw addresses without duplicates. */
type TakenAddresses = { readonly network: NetworkId; readonly addresses: readonly string[] }

export type RegisteredLookups = {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `lookup.${string}`>>
  /**
   * The valid addresses of a draft in its order, names resolved; forgets the draft.
   * @throws AppError LOOKUP_DRAFT_UNKNOWN, LOOKUP_NAME_UNKNOWN
   */
  readonly takeDraft: (id: string) => Promise<TakenAddresses>
}

const rowsAtOnce = 1000
const linesAtOnce = 5000

export function createLookup(deps: LookupDeps): RegisteredLookups {
  const { database, files } = deps
  const drafts = createDrafts(deps)
  const stored = createLookupJobs(database)
  const rows = createLookupRows(database)
  const jobs = createRunningJobs({ ...deps, stored, drafts, lines: createLookupLines(database) })
  let last: { readonly key: string; readonly sums: RowSums } | null = null

  function ask({ id, network }: JobRecord, filter: RowFilter): RowsAsked {
    return { job: id, network, filter, range: readAddressRange(filter.text.trim()) }
  }

  /** Summing reads every row, so the sums are cached for the next page of the same list. */
  function sumUp({ id, answered, failed }: JobRecord, asked: RowsAsked): RowSums {
    const key = JSON.stringify([id, answered, failed, asked.filter])
    // Labels may have changed, so sums filtered by text are not reused.
    if (last?.key === key && asked.filter.text === '') return last.sums
    const sums = rows.sums(asked)
    last = { key, sums }
    return sums
  }

  function withLabels(network: NetworkId, found: readonly StoredRow[]): LookupRow[] {
    const labels = deps.labelsOf(
      network,
      found.flatMap(({ address }) => address ?? []),
    )
    return found.map((row) => ({ ...row, label: labels.get(row.address ?? '') ?? null }))
  }

  async function* batches(
    job: JobRecord,
    filter: RowFilter,
    sort: RowSort,
  ): AsyncGenerator<ExportRow[]> {
    const testOnly = isTestOnly(job.network)
    const order = rows.order(ask(jobs.find(job.id), filter), sort)
    for (let from = 0; from < order.length; from += rowsAtOnce) {
      // A removed job loses its rows, and a file must have all.
      jobs.find(job.id)
      const found = rows.rows(job.id, order.slice(from, from + rowsAtOnce))
      yield withLabels(job.network, found).map((row) => toExportRow(row, testOnly))
      await breathe()
    }
  }

  function isTestOnly(network: NetworkId): boolean {
    try {
      return deps.isTestOnly(network)
    } catch {
      return false
    }
  }

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
    handlers: {
      ...drafts.handlers,
      ...jobs.handlers,
      'lookup.rows'({ id, filter, sort, offset, limit }) {
        const job = jobs.find(id)
        const asked = ask(job, filter)
        const indexes = rows.order(asked, sort, { offset, limit })
        const { total, balance, inCurrency, byStatus, changed } = sumUp(job, asked)
        return {
          total,
          rows: withLabels(job.network, rows.rows(id, indexes)),
          sums: {
            balance: balance.toString(),
            inCurrency: inCurrency === null ? null : formatSum(inCurrency),
            byStatus,
            changed,
          },
        }
      },
      'lookup.export'({ id, format, filter, sort }) {
        const job = jobs.find(id)
        return files.make(
          `lookup-${id}.${format}`,
          formatLookup(format, job, batches(job, filter, sort)),
        )
      },
    },
    async takeDraft(id) {
      const { network, list } = await drafts.take(id)
      const addresses = new Set<string>()
      for (let from = 0; from < list.total('valid'); from += linesAtOnce) {
        for (const { address, text } of list.lines('valid', from, linesAtOnce))
          addresses.add(address ?? (await resolve(network, targetOf(text).text)))
        await breathe()
      }
      // A second call for the same list fails here, so that one list is one job. A list with an
      // unresolvable name stays for correction.
      drafts.forget(id)
      return { network, addresses: [...addresses] }
    },
  }
}

/** Sums of floats end in rounding noise, which is cut. */
function formatSum(value: number): string {
  return formatDecimal(Number(value.toPrecision(15)))
}
