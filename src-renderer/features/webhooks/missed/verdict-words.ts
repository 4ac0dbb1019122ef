import type { LedgerEvent, MissedCheck, Verdict } from '../../../../src-preload/contract/ledger.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import type { IconName } from '../../../ui/icons.tsx'
import type { Tone } from '../../../ui/tag.tsx'
import type { Point, Series } from '../../../components/charts/series.ts'

type VerdictLook = {
  readonly word: string
  readonly icon: IconName
  readonly tone: Tone
  readonly colour: Series['colour']
  /** What it means, as a sentence. */
  readonly meaning: string
}

export const verdicts: Record<Verdict, VerdictLook> = {
  delivered: {
    word: 'delivered',
    icon: 'check',
    tone: 'ok',
    colour: 2,
    meaning: 'Taken here once, in time and in order.',
  },
  missing: {
    word: 'missing',
    icon: 'close',
    tone: 'bad',
    colour: 4,
    meaning: 'It is on the chain, and no delivery of it was taken here.',
  },
  late: {
    word: 'late',
    icon: 'clock',
    tone: 'warn',
    colour: 3,
    meaning: 'Taken here, but longer after its block than this check allows.',
  },
  duplicate: {
    word: 'duplicate',
    icon: 'copy',
    tone: 'plain',
    colour: 1,
    meaning: 'Taken here more than once.',
  },
  'out-of-order': {
    word: 'out of order',
    icon: 'transactions',
    tone: 'warn',
    colour: 5,
    meaning: 'Taken here after a later event of its account.',
  },
  unauthenticated: {
    word: 'unauthenticated',
    icon: 'key',
    tone: 'bad',
    colour: 6,
    meaning: 'Deliveries came, and none of them with the right token.',
  },
  waiting: {
    word: 'waiting',
    icon: 'more',
    tone: 'plain',
    colour: 7,
    meaning: 'Too young to be called missing.',
  },
}

/** In the order they are told. */
export const verdictOrder: readonly Verdict[] = [
  'missing',
  'unauthenticated',
  'late',
  'out-of-order',
  'duplicate',
  'waiting',
  'delivered',
]

/** Those that occur, delivered at the foot of each bar. */
export function verdictSeries(counts: MissedCheck['counts']): Series[] {
  return verdictOrder
    .filter((verdict) => counts[verdict] > 0)
    .toReversed()
    .map((key) => ({ key, name: verdicts[key].word, colour: verdicts[key].colour }))
}

export function verdictPoints({ steps }: Output<'ledger.histogram'>): Point[] {
  return steps.map(({ startsAt, counts }) => ({ startsAt: fromMs(startsAt), values: counts }))
}

/** `2 missing, 1 late of 40 events`; what is well is told by what is not. */
export function sayCounts({ counts, events }: Pick<MissedCheck, 'counts' | 'events'>): string {
  const wrong = verdictOrder
    .filter((verdict) => verdict !== 'delivered' && counts[verdict] > 0)
    .map((verdict) => `${formatNumber(counts[verdict])} ${verdicts[verdict].word}`)
  if (events === 0) return 'no events'
  if (wrong.length === 0) return `all ${formatCount(events, 'event')} delivered`
  return `${wrong.join(', ')} of ${formatCount(events, 'event')}`
}

const gatewayWords: Record<LedgerEvent['gateway'], string> = {
  delivered: 'delivered',
  failed: 'failed',
  behind: 'not yet delivered',
  unknown: 'not known',
}

/** What the gateway's counters say of an event. */
export function sayGateway({ gateway }: Pick<LedgerEvent, 'gateway'>): string {
  return gatewayWords[gateway]
}

/** How many deliveries of it came here. Twenty are listed at most. */
export function sayHere({ captures }: Pick<LedgerEvent, 'captures'>): string {
  if (captures.length === 0) return 'nothing'
  return `${captures.length >= 20 ? '20 or more' : formatNumber(captures.length)} came`
}
