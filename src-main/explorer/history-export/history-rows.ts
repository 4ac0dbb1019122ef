/** The rows and sums that a page of transactions or events adds to an export. */
import type { Moved } from './movements.ts'
import type {
  HistoryExportStore,
  HistoryJob,
  PageSums,
  Source,
  StoredRow,
} from './store/history-exports.ts'

export type Move = Moved & Pick<StoredRow, 'lt' | 'hash' | 'at'>

const noSums = { received: '0', sent: '0', fees: '0', later: '0' }
const ofTransaction = { action: null, sentence: null, transactions: null, isScam: false }
const plus = (text: string, units: bigint) => (BigInt(text) + units).toString()

/** @param before the sums of the source's assets before the page */
function collectRows(
  moves: readonly Move[],
  source: number,
  toAt: number,
  before: readonly PageSums[],
) {
  const sums = new Map(before.map((each) => [each.asset, each]))
  const rows: StoredRow[] = []

  const change = (key: string, part: (own: PageSums) => Partial<PageSums>) => {
    const own = sums.get(key)
    if (own !== undefined) sums.set(key, { ...own, ...part(own) })
  }
  for (const { lt, hash, at, movements, assets } of moves) {
    const last = rows.at(-1)
    // Events of the same logical time follow each other.
    const begin = last?.lt === lt ? last.n + 1 : 0
    for (const [asset, { symbol, decimals }] of assets) {
      if (!sums.has(asset)) sums.set(asset, { source, asset, symbol, decimals, ...noSums })
    }
    for (const [index, { asset, units, fee, ...shown }] of movements.entries()) {
      if (at > toAt) {
        change(asset, ({ later }) => ({ later: plus(later, units) }))
        if (fee !== 0n) change('TON', ({ later }) => ({ later: plus(later, -fee) }))
        continue
      }
      change(asset, ({ received, sent }) =>
        units > 0n ? { received: plus(received, units) } : { sent: plus(sent, -units) },
      )
      if (fee !== 0n) change('TON', ({ fees }) => ({ fees: plus(fees, fee) }))
      const place = { asset, lt, hash, at, source, n: begin + index }
      const amounts = { units: units.toString(), fee: fee.toString() }
      rows.push({ ...ofTransaction, ...shown, ...place, ...amounts })
    }
  }
  return { rows, sums: [...sums.values()] }
}

export function writeRows(
  store: HistoryExportStore,
  { id, toAt }: HistoryJob,
  { idx }: Source,
  moves: readonly Move[],
): void {
  const before = store.assets(id).filter(({ source }) => source === idx)
  const { rows, sums } = collectRows(moves, idx, toAt, before)
  for (const asset of sums.slice(before.length)) store.addAsset(id, asset)
  store.setSums(id, sums)
  store.addRows(id, rows, moves.filter(({ at }) => at <= toAt).length)
}
