import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { HistoryExport } from '../../../src-preload/contract/history-export.ts'
import type { Handlers, Output } from '../../../src-preload/contract/routes.ts'
import type { AppContext } from '../../app/context.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { historyExportCodes } from '../../../src-preload/domain/error-codes.ts'
import { type RatePoint, nearestPoint, reachMs } from '../../../src-preload/domain/fiat.ts'
import { requireAccount } from '../../chain/addresses.ts'
import { type HistoryRow, fileEndings, formatHistory } from './history-files.ts'
import { addHistoryJobs } from './history-jobs.ts'
import type { StoredRow } from './store/history-exports.ts'

const rowsAtOnce = 1000
/** Number of points of a chart. */
const balanceSteps = 120
const unfinished: readonly string[] = ['running', 'paused', 'failed']

export function registerHistory(context: AppContext) {
  const { access, chainNow, files, labelsOf, now, settings } = context
  const { exports, store } = addHistoryJobs(context)

  /** Finds the stored rates near these rows, by asset. */
  function ratesFor({ id, fiat }: HistoryExport, rows: readonly StoredRow[]) {
    const moments = rows.map(({ at }) => at)
    const [from, to] = [Math.min(...moments) - reachMs, Math.max(...moments) + reachMs]
    const known = new Map<string, readonly RatePoint[]>()
    return (asset: string, at: number): RatePoint | null => {
      if (fiat === null) return null
      const points = known.get(asset) ?? store.rates(id, asset, from, to)
      known.set(asset, points)
      return nearestPoint(points, at)
    }
  }

  async function* pages(id: number): AsyncGenerator<StoredRow[]> {
    for (let last: StoredRow | null = null; ;) {
      // A removed job loses its rows, and a file must contain all of them.
      exports.find(id)
      const found: StoredRow[] = store.rows(id, last, rowsAtOnce)
      last = found.at(-1) ?? null
      if (last === null) return
      yield found
      await yieldToEventLoop()
    }
  }

  async function* batches(job: HistoryExport): AsyncGenerator<HistoryRow[]> {
    const { id, network } = job
    for await (const found of pages(id)) {
      const labels = labelsOf(
        network,
        found.flatMap(({ peer }) => peer ?? []),
      )
      const rateOf = ratesFor(job, found)
      yield found.map((row) => ({
        ...row,
        peerLabel: labels.get(row.peer ?? '') ?? null,
        rate: rateOf(row.asset, row.at),
        feeRate: row.fee === '0' ? null : rateOf('TON', row.at),
      }))
    }
  }

  const handlers = {
    async 'historyExport.start'({ network, address: text, from, to, view, resumes }) {
      // An unknown network throws before any data is stored.
      access.info(network)
      const address = await requireAccount(context, network, text, true)
      const present = await chainNow(network).catch(now)
      const isSame = (job: HistoryExport) =>
        job.view === view &&
        job.from === from &&
        (to === null || job.to === to) &&
        unfinished.includes(job.state)
      const earlier = resumes ? exports.list({ network, address }).find(isSame) : undefined
      if (earlier !== undefined) return exports.resume(earlier.id)
      const toAt = Math.min(to ?? present, present)
      if (from !== null && from > toAt) throw endsBeforeStart()
      const fiat = settings.get().reports.fiatCurrency
      const job = { network, address, view, fiat, fromAt: from, toAt, createdAt: now() }
      return exports.begin(store.add(job))
    },
    async 'historyExport.balances'({ id, asset }) {
      const job = exports.get(id)
      const opening = job.assets.find(({ key }) => key === asset)?.opening ?? null
      const [first] = store.rows(id, null, 1)
      if (opening === null || first === undefined) return { stepMs: 0, steps: [] }
      return balancesOver(pages(id), asset, BigInt(opening), job.from ?? first.at, job.to)
    },
    'historyExport.write'({ id, format }) {
      const job = exports.get(id)
      const subject = {
        ...job,
        sums: store.assets(id),
        testOnly: access.info(job.network).testOnly,
      }
      // A table has no place for notes, so the file's name says that it is incomplete.
      const mark = job.problem === null ? '' : '-incomplete'
      const name = `history-${job.address.slice(-8)}-${id}${mark}.${fileEndings[format]}`
      return files.make(name, formatHistory(format, subject, batches(job)))
    },
  } satisfies Partial<Handlers>
  return { handlers }
}

/** Times are Unix milliseconds, both inclusive. */
async function balancesOver(
  pages: AsyncIterable<readonly StoredRow[]>,
  asset: string,
  opening: bigint,
  from: number,
  to: number,
): Promise<Output<'historyExport.balances'>> {
  const stepMs = Math.max(1000, Math.ceil((to + 1 - from) / balanceSteps))
  const changes = new Map<number, bigint>()
  for await (const rows of pages) {
    for (const { at, asset: moved, units, fee } of rows) {
      const change = (moved === asset ? BigInt(units) : 0n) - (asset === 'TON' ? BigInt(fee) : 0n)
      const step = Math.max(0, Math.floor((at - from) / stepMs))
      if (change !== 0n) changes.set(step, (changes.get(step) ?? 0n) + change)
    }
  }
  let balance = opening
  const count = Math.min(balanceSteps, Math.floor((to - from) / stepMs) + 1)
  const steps = Array.from({ length: count }, (_, step) => {
    balance += changes.get(step) ?? 0n
    return { startsAt: from + step * stepMs, units: balance.toString() }
  })
  return { stepMs, steps }
}

const endsBeforeStart = () =>
  new AppError(
    historyExportCodes.period,
    'The period ends before it starts. Choose an end that is after the start.',
  )
