import { type Range, day, hour, minute } from '../../components/charts/ranges.ts'

export type RangeName = '1h' | '24h' | '7d' | '30d'

export const ranges: readonly Range<RangeName>[] = [
  {
    name: '1h',
    label: '1 h',
    step: minute,
    buckets: 60,
    tickStep: 10 * minute,
    unit: 'per minute',
  },
  {
    name: '24h',
    label: '24 h',
    step: hour / 4,
    buckets: 96,
    tickStep: 3 * hour,
    unit: 'per quarter hour',
  },
  { name: '7d', label: '7 d', step: 2 * hour, buckets: 84, tickStep: day, unit: 'per two hours' },
  { name: '30d', label: '30 d', step: day, buckets: 30, tickStep: 5 * day, unit: 'per day' },
]
