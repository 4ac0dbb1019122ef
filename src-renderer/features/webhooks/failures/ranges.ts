import type { HistoryRange } from '../../../webhooks-route.ts'
import type { Range } from '../../charts/ranges.ts'
import { day, hour, minute } from '../../charts/ranges.ts'

/** How far back history is drawn, and by which steps. */
export const ranges: readonly Range<HistoryRange>[] = [
  {
    name: '6h',
    label: '6 h',
    step: 5 * minute,
    buckets: 72,
    tickStep: hour,
    unit: 'per five minutes',
  },
  {
    name: '24h',
    label: '24 h',
    step: hour / 4,
    buckets: 96,
    tickStep: 4 * hour,
    unit: 'per quarter hour',
  },
  { name: '7d', label: '7 d', step: 2 * hour, buckets: 84, tickStep: day, unit: 'per two hours' },
  {
    name: '30d',
    label: '30 d',
    step: 8 * hour,
    buckets: 90,
    tickStep: 5 * day,
    unit: 'per eight hours',
  },
  { name: '90d', label: '90 d', step: day, buckets: 90, tickStep: 15 * day, unit: 'per day' },
]
