/** Rates of the assets at the times of their rows. */
import { type FiatCurrency, rateSpanMs, reachMs } from '../../../src-preload/domain/fiat.ts'
import { unlessRefused } from '../../chain/access.ts'
import type { HistoryRun } from './history-run.ts'
import type { AssetSums, StoredRow } from './store/history-exports.ts'

/** Assets whose rates are requested: anyone can send jettons that have no market. */
const maxRated = 100

/** Returns null when the rates of all rows were requested. */
export function requestRates(run: HistoryRun, fiat: FiatCurrency): Promise<null> | null {
  const { job, store } = run
  const assets = store.assets(job.id)
  let requested = assets.filter(({ ratesAt }) => ratesAt !== null).length
  for (const sums of assets) {
    if (sums.isRated) continue
    const isFirst = sums.ratesAt === null
    const isRequested = !sums.asset.startsWith('extra:') && (!isFirst || requested < maxRated)
    const row = isRequested ? store.nextToRate(job.id, sums) : null
    if (row !== null) return loadRates(run, fiat, sums, row)
    store.setRated(job.id, sums, { isRated: true })
    if (isFirst && isRequested) requested += 1
  }
  return null
}

async function loadRates(
  run: HistoryRun,
  currency: FiatCurrency,
  sums: AssetSums,
  { lt, at }: Pick<StoredRow, 'lt' | 'at'>,
): Promise<null> {
  const { job, store } = run
  const { asset, ratesAt } = sums
  const token = asset === 'TON' ? 'ton' : asset
  const until = at + rateSpanMs
  // There are no rates of the future.
  const to = Math.min(until + reachMs, Math.max(at, run.now()))
  const span = { token, currency, from: at - reachMs, to }
  const points = (await unlessRefused(run.query().ratesChart(span, run.options))) ?? []
  run.answered()
  // Most jettons have no market, as the response to their first request shows.
  const isRated = ratesAt === null && asset !== 'TON' && points.length === 0
  run.keep(1, () => {
    store.addRates(job.id, asset, points)
    store.setRated(job.id, sums, { ratesLt: lt, ratesAt: until, isRated })
  })
  return null
}
