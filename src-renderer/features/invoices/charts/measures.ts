import { formatUnits } from '../../../components/amount.ts'
import { decimalsOf } from '../../../../src-preload/domain/amount.ts'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { Measure } from '../../../components/charts/series.ts'

/**
 * Amounts in the smallest unit. Only heights go by the float: what stands in tooltip and table is the
 * exact text of a point, and labels of the axis are round.
 */
export function amountsOf(currency: InvoiceCurrency): Measure {
  const decimals = decimalsOf[currency]
  return {
    print: (value) => trimZeros(formatUnits(String(BigInt(Math.round(value))), decimals)),
    ticks: (most) => {
      const step = roundStep(most === 0 ? 10 ** decimals : most / 4)
      const count = Math.max(1, Math.ceil(most / step))
      return Array.from({ length: count + 1 }, (_, index) => index * step)
    },
  }
}

/** Thousandths, written as percent. */
export const shares: Measure = {
  print: (value) => `${value / 10} %`,
  ticks: () => [0, 250, 500, 750, 1000],
}

/** `12.500000000` as `12.5`. */
export function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** The next of 1, 2, 5, 10, 20, … that is not smaller. */
function roundStep(least: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  const [step = 10 * size] = [size, 2 * size, 5 * size].filter((each) => each >= least)
  return step
}
