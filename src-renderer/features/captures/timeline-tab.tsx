import type { CaptureTimeline } from '../../../src-preload/contract/meaning.ts'
import { useData } from '../../app/bridge.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { type TimelineStep, Timeline } from '../../components/charts/timeline.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { formatDuration } from '../../ui/format.ts'
import { Tag } from '../../ui/layout.tsx'

type Moment = CaptureTimeline[number]

/** From the block to every target that the delivery was forwarded to. */
export function TimelineTab({ id }: { id: number }) {
  const query = useData('meaning.timeline', { id })
  return (
    <Loaded query={query} of="the timeline" rows={5}>
      {(moments) =>
        moments.length === 0 ? (
          <EmptyState title="No timeline" detail="When this capture was received is unknown." />
        ) : (
          <Timeline steps={stepsOf(moments)} />
        )
      }
    </Loaded>
  )
}

function stepsOf(moments: readonly Moment[]): TimelineStep[] {
  const arrivedAt = (moments.find(({ what }) => what === 'arrived') ?? moments[0])?.at ?? 0
  return moments.map(({ at, what, text, ok }) => ({
    at,
    name: stepNames[what],
    isBad: !ok,
    since: sinceArrival(at - arrivedAt, what),
    detail: (
      <>
        {!ok && <Tag tone="bad">failed</Tag>} <UntrustedText text={text} />
      </>
    ),
  }))
}

const stepNames: Readonly<Record<Moment['what'], string>> = {
  block: 'In a block',
  arrived: 'Arrived',
  stored: 'Stored',
  answered: 'Response sent',
  understood: 'Decoded',
  'forward-queued': 'Forward queued',
  'forward-attempt': 'Forward attempt',
  replayed: 'Replayed',
}

/** A block has whole seconds only, by another clock. */
function sinceArrival(us: number, what: Moment['what']): string {
  if (what === 'arrived') return ''
  const sign = us < 0 ? '−' : '+'
  return `${what === 'block' ? '≈ ' : ''}${sign}${formatDuration(Math.abs(us))}`
}
