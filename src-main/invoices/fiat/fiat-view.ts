/** Computes the value of a payment from stored rates, without a request. */
import type { PaymentFiat } from '../../../src-preload/contract/payment.ts'
import { type Currency, decimalsOf } from '../../../src-preload/domain/amount.ts'
import { type FiatCurrency, fiatValue } from '../../../src-preload/domain/fiat.ts'
import type { StoredRate } from '../store/fiat-rates.ts'

/** The chosen currency, and why the rates of an asset could not be requested. */
export type ChosenFiat = {
  readonly currency: FiatCurrency
  readonly problems: Readonly<Partial<Record<Currency, string | undefined>>>
}

export function describeFiat(
  { currency: fiat, problems }: ChosenFiat,
  { currency, amount }: { readonly currency: Currency; readonly amount: bigint },
  stored: StoredRate | null,
): PaymentFiat {
  const { rate = null, rateAt = null } = stored ?? {}
  if (rate !== null) {
    const value = fiatValue(amount, decimalsOf[currency], rate, fiat)
    return { currency: fiat, value, rate, rateAt, problem: null }
  }
  const failure = problems[currency]
  const problem =
    stored !== null
      ? `The gateway has no rate in ${fiat} near the payment’s time.`
      : failure === undefined
        ? 'The rate is not loaded yet.'
        : `The rate could not be loaded: ${failure}`
  return { currency: fiat, value: null, rate, rateAt, problem }
}
