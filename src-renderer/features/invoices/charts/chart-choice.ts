import { create } from 'zustand'
import type { PeriodStep } from '../period.ts'
import { type OverTimeName, overTimeNames } from './over-time.ts'

export const besideNames = ['payment-time', 'open-TON', 'open-USDT'] as const
export type BesideName = (typeof besideNames)[number]

/** Which charts are drawn, and how. */
type ChartChoice = {
  readonly over: OverTimeName
  readonly beside: BesideName
  /** Null: as fits the period. */
  readonly step: PeriodStep | null
  /** The time before is drawn, too. */
  readonly compares: boolean
}

const storageKey = 'tondesk.invoice-charts'
const usual: ChartChoice = {
  over: 'states',
  beside: 'payment-time',
  step: null,
  compares: false,
}

export const useChartChoice = create<ChartChoice>(() => readKept())

export function chooseCharts(next: Partial<ChartChoice>): void {
  useChartChoice.setState(next)
  window.localStorage.setItem(storageKey, JSON.stringify(useChartChoice.getState()))
}

/** What was written by another version, or by hand, is as good as nothing. */
function readKept(): ChartChoice {
  try {
    const kept = JSON.parse(window.localStorage.getItem(storageKey) ?? '{}') as Partial<ChartChoice>
    return {
      over: overTimeNames.find((each) => each === kept.over) ?? usual.over,
      beside: besideNames.find((each) => each === kept.beside) ?? usual.beside,
      step: (['hour', 'day', 'week', 'month'] as const).find((each) => each === kept.step) ?? null,
      compares: kept.compares === true,
    }
  } catch {
    return usual
  }
}
