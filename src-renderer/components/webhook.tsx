/** Shows a webhook in the same way on every page. */
import type { SandboxClock } from '../../src-preload/contract/sandbox.ts'
import type { Webhook, WebhookStatus } from '../../src-preload/contract/webhook.ts'
import { classes } from '../ui/classes.ts'
import { formatDuration, formatExact, formatSecond, fromMs } from '../ui/format.ts'
import { type Tone, Tag, Text, textClasses } from '../ui/layout.tsx'
import styles from './webhook.module.css'

/** The scheme is omitted for https, and for http on this computer. */
const plainScheme = /^(https:\/\/|http:\/\/(?=127\.|localhost\b|\[::1\]))/i

/** The last characters are always visible, because webhooks of one host differ there. */
const tailLength = 5

/** Shows an endpoint that is shortened in its middle to fit; the tooltip has the whole URL. */
export function Endpoint({ url, mono = false }: { url: string; mono?: boolean }) {
  const scheme = plainScheme.exec(url)?.[0] ?? ''
  const rest = url.slice(scheme.length)
  const at = Math.max(0, rest.length - tailLength)
  return (
    <span className={classes(styles['endpoint'], textClasses({ mono }))} title={url}>
      {scheme !== '' && <Text hidden>{scheme}</Text>}
      <span className={styles['head']}>{rest.slice(0, at)}</span>
      <span className={styles['tail']}>{rest.slice(at)}</span>
    </span>
  )
}

export const withoutScheme = (endpoint: string) => endpoint.replace(/^https?:\/\//i, '')

export function isFailing({ status, failing }: Pick<Webhook, 'status' | 'failing'>): boolean {
  return failing > 0 && status !== 'offline' && status !== 'suspended'
}

const statusTones: Record<WebhookStatus, Tone> = {
  online: 'ok',
  offline: 'bad',
  suspended: 'warn',
}

/**
 * Shows the state of a webhook at the gateway, which may not report it. An online webhook may still
 * fail for some accounts.
 */
export function StatusTag({ webhook }: { webhook: Pick<Webhook, 'status' | 'failing'> }) {
  const { status } = webhook
  if (isFailing(webhook)) return <Tag tone="bad">failing</Tag>
  if (status === null) return <Tag>not reported</Tag>
  return <Tag tone={statusTones[status]}>{status}</Tag>
}

/**
 * Shows a future time `at` in milliseconds of the sandbox's clock. With a virtual clock it shows
 * the remaining time; with the real clock it shows the time of day, which stays right.
 */
export function SandboxMoment({ at, clock }: { at: number; clock: SandboxClock }) {
  const ms = at - clock.now
  const text = clock.mode === 'real' ? formatSecond(fromMs(at)) : `in ${formatDuration(fromMs(ms))}`
  return <span title={formatExact(fromMs(at))}>{ms <= 0 ? 'now' : text}</span>
}
