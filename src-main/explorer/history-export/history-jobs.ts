/**
 * Reads the whole history of an account and its jetton wallets, or the account's events, page by
 * page. Each page is stored at once.
 */
import type { HistoryExport } from '../../../src-preload/contract/history-export.ts'
import { historyExportCodes } from '../../../src-preload/domain/error-codes.ts'
import { type FiatCurrency, rateSpanMs, reachMs } from '../../../src-preload/domain/fiat.ts'
import type { AppContext } from '../../app/context.ts'
import { unlessRefused } from '../../chain/access.ts'
import { type JobWork, done } from '../../jobs/job-run.ts'
import {
  listJettons,
  recheckBalance,
  requestBalance,
  requestJettonBalances,
  requestOpening,
  verifyClaimed,
} from './balances.ts'
import { readEvents } from './event-pages.ts'
import { type HistoryRun, createHistoryRun } from './history-run.ts'
import { describeSums, notesOf, ratesNote, sumsOf } from './history-sums.ts'
import {
  type AssetSums,
  type HistoryExportStore,
  type HistoryJob,
  type Source,
  type StoredRow,
  createHistoryExportStore,
} from './store/history-exports.ts'
import { readNewerPage, readOlderPage } from './transaction-pages.ts'

/** Begins the next piece of work: the remaining pages, then the job's steps in order. */
function nextPiece(run: HistoryRun): ReturnType<JobWork['next']> {
  const { job, store } = run
  const find = (state: Source['state']) => store.nextSource(job.id, state)
  const isOfEvents = job.view === 'events'
  const reading = find('reading')
  if (reading !== null) {
    return isOfEvents ? readEvents(run, reading, false) : readOlderPage(run, reading)
  }
  switch (store.table.get(job.id)?.step ?? 'compare') {
    case 'account':
    case 'jettons':
      return isOfEvents ? requestOpening(run) : listJettons(run)
    case 'wallets': {
      const claimed = find('claimed')
      return claimed === null ? requestBalance(run) : verifyClaimed(run, claimed)
    }
    case 'jettonBalances':
      return requestJettonBalances(run)
    case 'compare': {
      const unchecked = find('recheck')
      if (unchecked !== null) return recheckBalance(run, unchecked)
      const behind = find('behind')
      if (behind === null) return job.fiat === null ? null : requestRates(run, job.fiat)
      return isOfEvents ? readEvents(run, behind, true) : readNewerPage(run, behind)
    }
  }
}

/** Maximum number of assets whose rates are requested, because anyone can send jettons that have no market. */
const maxRated = 100

/** Returns null when the rates of all rows have been requested. */
function requestRates(run: HistoryRun, fiat: FiatCurrency): Promise<null> | null {
  const { job, store } = run
  const assets = store.assets(job.id)
  async function loadRates(
    sums: AssetSums,
    { lt, at }: Pick<StoredRow, 'lt' | 'at'>,
  ): Promise<null> {
    const { asset, ratesAt } = sums
    const token = asset === 'TON' ? 'ton' : asset
    const until = at + rateSpanMs
    // The future has no rates.
    const to = Math.min(until + reachMs, Math.max(at, run.now()))
    const span = { token, currency: fiat, from: at - reachMs, to }
    const points = (await unlessRefused(run.query().ratesChart(span, run.options))) ?? []
    run.answered()
    // Most jettons have no market, which the response to their first request shows.
    const isRated = ratesAt === null && asset !== 'TON' && points.length === 0
    run.keep(1, () => {
      store.addRates(job.id, asset, points)
      store.changeAsset(job.id, sums, { ratesLt: lt, ratesAt: until, isRated })
    })
    return null
  }

  let requested = assets.filter(({ ratesAt }) => ratesAt !== null).length
  for (const sums of assets) {
    if (sums.isRated) continue
    const isFirst = sums.ratesAt === null
    const isRequested = !sums.asset.startsWith('extra:') && (!isFirst || requested < maxRated)
    const row = isRequested ? store.nextToRate(job.id, sums) : null
    if (row !== null) return loadRates(sums, row)
    store.changeAsset(job.id, sums, { isRated: true })
    if (isFirst && isRequested) requested += 1
  }
  return null
}

export function addHistoryJobs(context: AppContext) {
  const { database, jobs, labelsOf, networks } = context
  const store = createHistoryExportStore(database)

  function show(job: HistoryJob & Pick<HistoryExport, 'rate' | 'secondsLeft'>): HistoryExport {
    const { fromAt, toAt, step, rowCount, unreadJettons, ...shown } = job
    const sources = store.countSources(job.id)
    const network = networks.state().networks.find(({ id }) => id === job.network)
    const hasEnded = step === 'compare' && job.state !== 'running'
    return {
      ...shown,
      label: labelsOf(job.network, [job.address]).get(job.address) ?? null,
      from: fromAt,
      to: toAt,
      rows: rowCount,
      contracts: sources.all,
      contractsRead: sources.read,
      assets: hasEnded ? assetsOf(store, job) : [],
      notes: hasEnded
        ? [
            ...notesOf(store.sources(job.id), unreadJettons, job.view, network?.testOnly === true),
            ...ratesNote(store, job),
          ]
        : [],
    }
  }

  const exports = jobs.add('historyExport', {
    noun: 'history export',
    unknownCode: historyExportCodes.unknown,
    table: store.table,
    items: store,
    work(job, control) {
      const run = createHistoryRun(job, control, context, store)
      return {
        next: () => nextPiece(run),
        finish: () => ({ ...done, problem: describeSums(store, job) }),
      }
    },
    left: () => null,
    show,
    beforeResume: ({ state }) => state !== 'done',
    cancelGraceMs: 0,
  })
  return { exports, store }
}

function assetsOf(store: HistoryExportStore, { id, view }: HistoryJob): HistoryExport['assets'] {
  const sources = new Map(store.sources(id).map((source) => [source.idx, source]))
  return store.assets(id).flatMap((sums) => {
    const source = sources.get(sums.source)
    if (source === undefined) return []
    const { asset: key, symbol, decimals, received, sent, fees } = sums
    const { reason, ...computed } = sumsOf(sums, source, view)
    const opening = computed.opening?.toString() ?? null
    const closing = computed.closing?.toString() ?? null
    const difference = computed.difference?.toString() ?? null
    const stored = { key, symbol, decimals, received, sent, fees }
    return [{ ...stored, opening, closing, difference, reason }]
  })
}
