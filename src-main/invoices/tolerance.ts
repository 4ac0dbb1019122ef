import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import {
  type Currency,
  decimalsOf,
  formatMoney,
  parseAmount,
} from '../../src-preload/domain/amount.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { invoiceCurrencies } from '../../src-preload/domain/invoice-values.ts'
import type { InvoiceStore } from './store/invoice-store.ts'

type Tolerances = Settings['invoices']['tolerances']

/** The amount in minimal units; null for none. */
export function toleranceIn(
  tolerances: Tolerances,
  network: NetworkId,
  currency: Currency,
): bigint | null {
  const text = tolerances[network]?.[currency]
  return text === undefined ? null : parseAmount(text, decimalsOf[currency])
}

/** @throws AppError INVALID_INPUT if a tolerance reaches a pending invoice's amount, so that no payment would pay it */
export function refuseTolerances(
  { leastPending }: Pick<InvoiceStore['rows'], 'leastPending'>,
  tolerances: Tolerances = {},
): void {
  for (const network of Object.keys(tolerances)) {
    for (const currency of invoiceCurrencies) {
      const units = toleranceIn(tolerances, network, currency) ?? 0n
      const least = leastPending(network, currency)
      if (least === null || units < least.amount) continue
      const much = formatMoney(least.amount, currency)
      const message = `Enter less than ${much}, the amount of the pending invoice ${least.id}.`
      throw new AppError(bridgeCodes.invalidInput, message)
    }
  }
}
