/** Shows a webhook in the same way on every page. */
import type { SandboxClock } from '../../src-preload/contract/sandbox.ts'
import type { Webhook, WebhookStatus } from '../../src-preload/contract/webhook.ts'
import { webhookState } from '../../src-preload/domain/webhook-state.ts'
import { classes } from '../ui/classes.ts'
import { formatDuration, formatExact, formatSince, fromMs } from '../ui/format.ts'
import { type Tone, Tag, Text, textClasses } from '../ui/layout.tsx'
import styles from './webhook.module.css'

/** The scheme is omitted for https, and for http on this computer. */
const plainScheme = /^(https:\/\/|http:\/\/(?=127\.|localhost\b|\[::1\]))/i

/** Webhooks of one host often differ in these last characters, so they are cut after the rest of the path. */
const tailLength = 5

/** An endpoint that is shortened in its path to fit, never in host and port; the tooltip has the whole URL. */
export function Endpoint({ url, mono = false }: { url: string; mono?: boolean }) {
  const scheme = plainScheme.exec(url)?.[0] ?? ''
  const [host = ''] = /^([a-z]+:\/\/)?[^/?#]*\/?/i.exec(url.slice(scheme.length)) ?? []
  const path = url.slice(scheme.length + host.length)
  const at = Math.max(0, path.length - tailLength)
  return (
    <span className={classes(styles['endpoint'], textClasses({ mono }))} title={url}>
      {scheme !== '' && <Text hidden>{scheme}</Text>}
      <span className={styles['host']}>{host}</span>
      {at > 0 && <span className={styles['path']}>{path.slice(0, at)}</span>}
      {path !== '' && <span className={styles['tail']}>{path.slice(at)}</span>}
    </span>
  )
}

export const withoutScheme = (endpoint: string) => endpoint.replace(/^https?:\/\//i, '')

const stateTones: Record<WebhookStatus | 'failing', Tone> = {
  failing: 'bad',
  online: 'ok',
  offline: 'bad',
  suspended: 'warn',
}

/** The gateway may not report a status. */
export function StatusTag({ webhook }: { webhook: Webhook }) {
  const state = webhookState(webhook)
  if (state === null) return <Tag>not reported</Tag>
  return <Tag tone={stateTones[state]}>{state}</Tag>
}

/**
 * Shows a future time `at` in milliseconds of the sandbox's clock. With a virtual clock it shows
 * the remaining time; with the real clock it shows the time of day, which stays right.
 */
export function SandboxMoment({ at, clock }: { at: number; clock: SandboxClock }) {
  const ms = at - clock.now
  const text =
    clock.mode === 'real'
      ? formatSince(fromMs(at), fromMs(clock.now))
      : `in ${formatDuration(fromMs(ms))}`
  return <span title={formatExact(fromMs(at))}>{ms <= 0 ? 'now' : text}</span>
}
