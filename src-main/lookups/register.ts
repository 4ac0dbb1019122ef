import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import {
  type LookupRow,
  type RowFilter,
  type RowSort,
  maxLookupJettons,
} from '../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { GatewayTraffic } from '../../src-preload/contract/traffic.ts'
import { AppError, lookupCodes } from '../../src-preload/domain/app-error.ts'
import type { AppContext } from '../app/context.ts'
import type { QueryClient } from '../gateway/query.ts'
import { targetOf } from '../ton/pasted-address.ts'
import { formatDecimal, resolveName } from './looked-up-account.ts'
import { createDrafts } from './drafts.ts'
import { type CheckedJetton, createLookupJettons } from './jettons.ts'
import { addLookupJobs } from './lookup-jobs.ts'
import { type ExportRow, formatLookup, toExportRow } from './lookup-table.ts'
import type { JobRecord, NewJob } from './store/lookup-jobs.ts'
import { type RowSums, type StoredRow, createLookupLines } from './store/lookup-lines.ts'

const rowsAtOnce = 1000
const linesAtOnce = 5000
const linesPerStep = 2000

export function registerLookups(context: AppContext, traffic: () => GatewayTraffic) {
  const { access, database, files, labelsOf, now } = context
  const lines = createLookupLines(database)
  const drafts = createDrafts((network) => access.info(network).testOnly, context.accountsNamed)
  const jettons = createLookupJettons(context)
  const { lookups, table } = addLookupJobs(context, lines, jettons, describePause)
  let last: { readonly key: string; readonly sums: RowSums } | null = null

  function describePause(network: NetworkId): string | null {
    const root = traffic().roots.find((each) => each.network === network && each.root === 'query')
    const seconds = Math.ceil(((root?.limit.pausedUntil ?? 0) - now()) / 1000)
    if (seconds <= 0) return null
    return `The gateway received too many requests. The lookup continues automatically in ${seconds} s.`
  }

  /** @param write writes the lines of a range of indexes */
  function begin(
    { network, name, counts, currency, columns }: Omit<NewJob, 'createdAt' | 'comparedTo'>,
    comparedTo: number | null,
    checked: readonly CheckedJetton[],
    write: (id: number, from: number, to: number) => void,
  ) {
    const total = counts.valid + counts.duplicate + counts.wrongNetwork + counts.invalid
    const id = table.add({ network, name, createdAt: now(), counts, currency, columns, comparedTo })
    table.addJettons(id, checked)
    function* writing(): Generator<void, void> {
      for (let from = 0; from < total; from += linesPerStep) {
        write(id, from, from + linesPerStep)
        yield
      }
      table.finish(id)
    }
    return lookups.begin(id, writing())
  }

  /** Returns the sums of a list. They are cached for the next page, because summing reads every row. */
  function sumUp(job: JobRecord, filter: RowFilter): RowSums {
    const key = JSON.stringify([job.id, job.answered, job.failed, filter])
    // Labels may have changed, so sums filtered by text are not reused.
    if (last?.key === key && filter.text === '') return last.sums
    const sums = lines.sums(job, filter)
    last = { key, sums }
    return sums
  }

  function withLabels(network: NetworkId, found: readonly StoredRow[]): LookupRow[] {
    const addresses = found.flatMap(({ address }) => address ?? [])
    const labels = labelsOf(network, addresses)
    return found.map((row) => ({ ...row, label: labels.get(row.address ?? '') ?? null }))
  }

  async function* batches(
    { id, network, jettons: assets }: JobRecord,
    filter: RowFilter,
    sort: RowSort,
  ): AsyncGenerator<ExportRow[]> {
    const testOnly = isTestOnly(network)
    const order = lines.order(lookups.find(id), filter, sort)
    for (let from = 0; from < order.length; from += rowsAtOnce) {
      // A removed job loses its rows, and a file must contain all of them.
      lookups.find(id)
      const found = lines.rows(id, order.slice(from, from + rowsAtOnce))
      yield withLabels(network, found).map((row) => toExportRow(row, testOnly, assets))
      await yieldToEventLoop()
    }
  }

  /** True if the network accepts test-only addresses; false for a removed network. */
  function isTestOnly(network: NetworkId): boolean {
    try {
      return access.info(network).testOnly
    } catch {
      return false
    }
  }

  return {
    handlers: {
      ...drafts.handlers,
      'lookup.jetton': async ({ network, text }) => (await jettons.check(network, text)).jetton,
      'lookup.usedJettons': ({ network }) => ({
        jettons: table.usedJettons(network),
        most: maxLookupJettons,
      }),
      async 'lookup.start'({ draft, name, currency, jettons: texts }) {
        const { network, list } = await drafts.take(draft)
        const counts = list.counts()
        if (counts.valid === 0) {
          throw new AppError(lookupCodes.nothingValid, 'The list contains no valid address.')
        }
        const checked = await jettons.checkAll(network, texts)
        // A second start of the same list fails here, so that one list starts one job.
        drafts.forget(draft)
        const job = { network, name, counts, currency, columns: list.columns() }
        return begin(job, null, checked, (id, from) =>
          lines.add(id, list.lines(null, from, linesPerStep)),
        )
      },
      async 'lookup.rerun'({ id: other }) {
        const job = lookups.find(other)
        const minters = job.jettons.map(({ address }) => address)
        const checked = await jettons.checkAll(job.network, minters)
        const write = (id: number, from: number, to: number) => lines.copy(id, other, from, to)
        return begin(job, other, checked, write)
      },
      'lookup.rows'({ id, filter, sort, offset, limit }) {
        const job = lookups.find(id)
        const indexes = lines.order(job, filter, sort, { offset, limit })
        const { total, ...sums } = sumUp(job, filter)
        return {
          total,
          rows: withLabels(job.network, lines.rows(id, indexes)),
          sums: {
            ...sums,
            balance: sums.balance.toString(),
            inCurrency: sums.inCurrency === null ? null : formatSum(sums.inCurrency),
          },
        }
      },
      'lookup.export'({ id, format, filter, sort }) {
        const job = lookups.find(id)
        const chunks = formatLookup(format, job, batches(job, filter, sort))
        return files.make(`lookup-${id}.${format}`, chunks)
      },
    } satisfies Partial<Handlers>,
    /**
     * Returns the valid addresses of a draft in order, with resolved names and without duplicates,
     * and forgets the draft.
     * @throws AppError LOOKUP_DRAFT_UNKNOWN, LOOKUP_NAME_UNKNOWN
     */
    takeDraft: async (id: string) => {
      const { network, list } = await drafts.take(id)
      const addresses = new Set<string>()
      for (let from = 0; from < list.total('valid'); from += linesAtOnce) {
        for (const { address, text } of list.lines('valid', from, linesAtOnce))
          addresses.add(address ?? (await resolve(access.query(network), targetOf(text).text)))
        await yieldToEventLoop()
      }
      // A second call for the same list fails here. A list with an unknown name is kept, so that
      // the user can correct it.
      drafts.forget(id)
      return { network, addresses: [...addresses] }
    },
  }
}

/** Formats a sum of floats without its rounding noise. */
const formatSum = (value: number): string => formatDecimal(Number(value.toPrecision(15)))

async function resolve(query: QueryClient, name: string): Promise<string> {
  const address = await resolveName(query, name, { priority: 'job' })
  if (address !== null) return address
  throw new AppError(
    lookupCodes.nameUnknown,
    `No wallet on this network has the name ${name}. Remove the name from the list, or enter an address instead.`,
  )
}
