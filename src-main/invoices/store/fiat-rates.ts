import type { Currency } from '../../../src-preload/domain/amount.ts'
import type { FiatCurrency } from '../../../src-preload/domain/fiat.ts'
import { type Database, createSql } from '../../database/sql.ts'

/** Times are milliseconds. The rate is null if the gateway has none near the payment. */
export type StoredRate = { readonly rate: string | null; readonly rateAt: number | null }

export type RatesOf = Readonly<{ network: string; asset: Currency; fiat: FiatCurrency }>

export function createFiatRates(database: Database) {
  const sql = createSql(database)
  return {
    get: ({ network, asset, fiat }: RatesOf, at: number) =>
      sql.get<StoredRate>(
        'SELECT rate, rate_at FROM fiat_rates WHERE network = ? AND asset = ? AND fiat = ? AND at = ?',
        ...[network, asset, fiat, at],
      ),
    addAll: (of: RatesOf, rates: readonly (StoredRate & { readonly at: number })[]) =>
      sql.transaction(() =>
        sql.insertAll(
          'fiat_rates',
          rates.map((each) => ({ ...of, ...each })),
          'INSERT OR REPLACE',
        ),
      ),
    newestPayment: () => sql.value<number>('SELECT max(key) FROM payments') ?? 0,
    /** Returns payments without a stored rate, with keys after the first and up to the second. */
    missing: (network: string, fiat: FiatCurrency, after: number, upTo: number) =>
      sql.all<{ readonly at: number; readonly currency: Currency }>(
        `SELECT p.at, p.currency FROM payments p
         WHERE p.key > $after AND p.key <= $upTo AND +p.network = $network AND NOT EXISTS
           (SELECT 1 FROM fiat_rates r WHERE r.network = p.network AND r.asset = p.currency
              AND r.fiat = $fiat AND r.at = p.at)`,
        { network, fiat, after, upTo },
      ),
    forgetSome: (network: string) =>
      sql.removeSome('fiat_rates', 'network, asset, fiat, at', { network }),
  }
}
