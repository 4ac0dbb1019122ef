/** The result of a webhook's newest check, in one sentence. */
import type { MissedCheck } from '../../../../src-preload/contract/missed-events.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { routeHref } from '../../../app/route.ts'
import { useJobs } from '../../../components/jobs/job-kind.tsx'
import { formatAbsolute, formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { Note, Row } from '../../../ui/layout.tsx'
import { useNow } from '../../../ui/time.tsx'
import { Figure } from '../../../ui/values.tsx'
import { checkRoute } from './checks.ts'

type Found = Pick<MissedCheck, 'from' | 'to' | 'events' | 'counts' | 'unread'>

/** Returns the newest check that has ended. A check proves nothing about a webhook that delivers elsewhere. */
function newestCheck(checks: readonly MissedCheck[], webhook: string): MissedCheck | null {
  const ended = checks.filter(
    (check) => check.webhook === webhook && check.state === 'done' && check.isHere,
  )
  return ended.reduce<MissedCheck | null>(
    (newest, each) => (newest === null || each.to > newest.to ? each : newest),
    null,
  )
}

/** Counts the events without those that are too recent to count as missing. */
const judgedOf = ({ events, counts }: Found) => events - counts.waiting

/** Describes a result: `Nothing missed: 1 676 of 1 676 events from 12 Nov, 10:00 to 13 Nov, 10:00 arrived.` */
export function describeMissed(found: Found, now: number): string {
  const { from, to, counts, unread } = found
  const judged = judgedOf(found)
  const arrived = judged - counts.missing
  const span = `from ${formatAbsolute(fromMs(from), now)} to ${formatAbsolute(fromMs(to), now)}`
  const sum = `${formatNumber(arrived)} of ${formatCount(judged, 'event')} ${span} arrived`
  const left =
    unread === 0
      ? ''
      : ` The history of ${formatCount(unread, 'account')} could not be loaded, so more events may be missing.`
  if (counts.missing > 0) {
    return `${formatCount(counts.missing, 'event')} missed: ${sum}.${left}`
  }
  if (unread > 0) return `No missed event found: ${sum}.${left}`
  return judged === 0 ? `Nothing missed: no events ${span}.` : `Nothing missed: ${sum}.`
}

export function MissedHeadline({ webhook }: { webhook: Webhook }) {
  const check = newestCheck(useJobs('missedEvents', webhook.network).data ?? [], webhook.id)
  const now = useNow()
  if (check === null) return null
  return (
    <Note tone={check.counts.missing > 0 ? 'bad' : check.unread > 0 ? 'warn' : 'ok'}>
      <Row justify="between">
        <b>{describeMissed(check, now)}</b>
        <a href={routeHref(checkRoute(check))}>Show check</a>
      </Row>
    </Note>
  )
}

export function MissedFigure({ webhook, href }: { webhook: Webhook; href: string }) {
  const check = newestCheck(useJobs('missedEvents', webhook.network).data ?? [], webhook.id)
  const now = useNow()
  return (
    <Figure
      name="Missed events"
      value={check === null ? undefined : formatNumber(check.counts.missing)}
      more={
        check === null
          ? 'not checked yet'
          : `of ${formatCount(judgedOf(check), 'event')} since ${formatAbsolute(fromMs(check.from), now)}`
      }
      href={href}
      bad={check !== null && check.counts.missing > 0}
    />
  )
}
