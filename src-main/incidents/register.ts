import { statfs } from 'node:fs/promises'
import type { Incident } from '../../src-preload/contract/incident.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import { countOf, describeSpan } from '../../src-preload/domain/time-span.ts'
import type { BaseContext } from '../app/context.ts'
import { maskTarget, redact } from '../../src-preload/domain/mask.ts'

const mebibyte = 1024 * 1024
/**
 * The size leaves room for about 100,000 deliveries of 5 kB, and for the journals that SQLite needs
 * to delete old ones.
 */
const minFreeBytes = 500 * mebibyte
/** The incident ends only at this larger size, because free space changes all the time. */
const enoughFreeBytes = 600 * mebibyte
const diskEveryMs = 60_000

export function registerIncidents(context: BaseContext) {
  const { events, incidents, now, paths, resources, settings } = context
  const monitoring = () => settings.get().monitoring

  function notify(incident: Incident, title: string, body: string) {
    const { id, network, subject, snoozedUntil, closedAt } = incident
    const { native, quietHours } = monitoring()
    if (!native || snoozedUntil !== null || isQuietHour(quietHours, new Date(now()))) return
    events.emit('notification.raised', {
      id: `incident.${id}`,
      network,
      subject,
      // Texts are masked, because the lock screen shows notifications to everyone and an error may
      // quote a URL with a secret.
      title: hideSecrets(title),
      body: hideSecrets(body),
      isOver: closedAt !== null,
    })
  }
  const notifyOfProblem = (incident: Incident) =>
    notify(incident, incident.title, `${incident.cause} ${incident.nextStep}`)

  events.on('incident.opened', notifyOfProblem)
  events.on('incident.grown', notifyOfProblem)
  events.on('incident.closed', (incident) => {
    const { title, openedAt, wellSince, count, nextStep } = incident
    if (wellSince === null || !monitoring().recovery) return
    const lasted = describeSpan(Math.max(0, wellSince - openedAt))
    const failures = count > 1 ? `, with ${countOf(count, 'failure')}` : ''
    notify(incident, `Resolved: ${title}`, `It lasted ${lasted}${failures}. ${nextStep}`.trim())
  })

  async function checkDisk(): Promise<void> {
    const { bavail, bsize } = await statfs(paths.directory)
    const freeBytes = bavail * bsize
    if (freeBytes >= enoughFreeBytes) incidents.report(null, 'disk', { condition: null })
    if (freeBytes >= minFreeBytes) return
    incidents.report(null, 'disk', {
      condition: {
        kind: 'low',
        level: 'warning',
        title: 'The disk is nearly full',
        cause: `The disk with ${paths.directory} has ${Math.floor(freeBytes / mebibyte)} MiB left. On a full disk the receiver cannot store deliveries and responds with 503.`,
        nextStep: 'Free some space, or delete captures.',
      },
    })
  }

  let timer: NodeJS.Timeout | undefined
  resources.defer(() => clearInterval(timer))
  return {
    handlers: incidents.handlers,
    start(): void {
      incidents.start()
      const check = () => void checkDisk().catch(context.onBug)
      check()
      timer = setInterval(check, diskEveryMs)
      timer.unref()
    },
  }
}

/** Shortens URLs to their origins, because any other part may be a secret, and masks credentials. */
export function hideSecrets(text: string): string {
  const short = text.replaceAll(
    /\b[a-z][a-z0-9+.-]*:\/\/[^\s<>"'”’)\]]*[^\s<>"'”’)\].,;:!?]/gi,
    (url) => {
      const parsed = URL.parse(url)
      return parsed === null ? '…' : `${parsed.protocol}//${parsed.host}`
    },
  )
  return redact(maskTarget(short))
}

/** Compares local times, so that daylight saving changes do not move the quiet hours. */
export function isQuietHour(hours: Settings['monitoring']['quietHours'], at: Date): boolean {
  if (hours === null) return false
  const { from, to } = hours
  const now = at.toTimeString().slice(0, 5)
  // Hours that end before they begin include midnight.
  return from <= to ? from <= now && now < to : from <= now || now < to
}
