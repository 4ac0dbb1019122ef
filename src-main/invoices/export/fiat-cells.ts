/** Writes the columns and fields with the fiat value of payments. */
import type { PaymentFiat } from '../../../src-preload/contract/payment.ts'
import { type FiatCurrency, addFiat } from '../../../src-preload/domain/fiat.ts'
import { fiatColumns } from '../../../src-preload/domain/invoice-values.ts'
import type { Column } from '../../exports/table.ts'
import type { ZoneTimes } from '../../exports/zone-times.ts'

export type FiatCells = Readonly<Record<(typeof fiatColumns)[number], string | null>>

const none: FiatCells = {
  fiat_value: null,
  fiat_currency: null,
  fiat_rate: null,
  fiat_rate_at: null,
  fiat_source: null,
}

export const isFiatColumn = (name: string): name is keyof FiatCells =>
  fiatColumns.some((column) => column === name)

/**
 * The sum of the payments' rounded values; null unless all values are known. Rates and their times
 * are in the order of the payments, separated by spaces; `none` stands for a missing rate.
 */
export function fiatCells(
  payments: readonly (PaymentFiat | null)[],
  times: Pick<ZoneTimes, 'print'>,
): FiatCells {
  const known = payments.filter((payment) => payment !== null)
  const [first] = known
  if (first === undefined) return none
  const problem = known.find((each) => each.problem !== null)?.problem ?? null
  const values = known.map(({ value }) => value ?? '0')
  return {
    fiat_value: problem === null ? addFiat(values, first.currency) : null,
    fiat_currency: first.currency,
    fiat_rate: joined(known.map(({ rate }) => rate)),
    fiat_rate_at: joined(known.map(({ rateAt }) => (rateAt === null ? null : times.print(rateAt)))),
    fiat_source: problem === null ? 'gateway' : `unknown: ${problem}`,
  }
}

const joined = (texts: readonly (string | null)[]): string | null =>
  texts.every((text) => text === null) ? null : texts.map((text) => text ?? 'none').join(' ')

export const fiatColumn = <R>(name: keyof FiatCells, cells: (row: R) => FiatCells): Column<R> => ({
  name,
  kind: name === 'fiat_value' ? 'amount' : 'text',
  width: name === 'fiat_rate_at' ? 26 : undefined,
  value: (row) => cells(row)[name],
})

export const fiatNote = (fiat: FiatCurrency) =>
  `Fiat values are in ${fiat}, at the rate of the gateway that is nearest to each payment. Its time is in fiat_rate_at. Where a value is unknown, fiat_source says why.`
