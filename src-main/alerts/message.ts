/** Formats an alert as JSON for programs and as text for people. */
import { createHmac } from 'node:crypto'
import type { AlertEvent } from '../../src-preload/contract/alert.ts'
import type { Incident } from '../../src-preload/contract/incident.ts'
import { countOf, describeSpan } from '../../src-preload/domain/time-span.ts'

/**
 * The payload in the form of Standard Webhooks: `type`, `timestamp` and `data`. The field names are
 * published, so they never change.
 */
export type AlertPayload = ReturnType<typeof toPayload>

/** @param networkName null for an incident of the whole app */
export function toPayload(
  event: AlertEvent | 'test',
  incident: Incident,
  networkName: string | null,
  at: number,
) {
  const { id, network, subject, kind, level, title, cause, nextStep } = incident
  const { openedAt, closedAt, wellSince, count } = incident
  return {
    type: event === 'test' ? ('test' as const) : (`incident.${event}` as const),
    timestamp: new Date(at).toISOString(),
    data: {
      id,
      network,
      networkName,
      subject,
      kind,
      level,
      title,
      cause,
      nextStep,
      openedAt: new Date(openedAt).toISOString(),
      closedAt: closedAt === null ? null : new Date(closedAt).toISOString(),
      /** False for an incident that ended because its webhook, target or tunnel was turned off or removed. */
      recovered: closedAt !== null && wellSince !== null,
      failures: count,
    },
  }
}

export function testPayload(at: number): AlertPayload {
  const test: Incident = {
    id: 0,
    network: null,
    subject: 'test',
    kind: 'failing',
    level: 'warning',
    title: 'Test alert from Tondesk',
    cause: 'You pressed “Send test” in the settings of Tondesk.',
    nextStep: 'You do not need to do anything.',
    openedAt: at,
    closedAt: null,
    wellSince: null,
    count: 0,
    snoozedUntil: null,
  }
  return toPayload('test', test, null, at)
}

/** Telegram accepts at most 4096 characters. */
const maxCharacters = 4000

export function describeAlert({ type, data }: AlertPayload): string {
  const { title, cause, nextStep, networkName, openedAt, closedAt, failures } = data
  const since = `Since ${openedAt.slice(0, 16).replace('T', ' ')} UTC`
  const lines = [
    `${titlePrefix(type, data)}${title}`,
    closedAt === null ? cause : describeEnd(openedAt, closedAt, failures),
    nextStep,
    networkName === null ? '' : `Network: ${networkName}`,
    type === 'test' || closedAt !== null ? '' : since,
  ]
  return lines
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, maxCharacters)
}

function titlePrefix(type: AlertPayload['type'], { level, recovered }: AlertPayload['data']) {
  switch (type) {
    case 'test':
      return ''
    case 'incident.opened':
      return level === 'alarm' ? 'Alarm: ' : 'Warning: '
    case 'incident.grown':
      return 'Worse: '
    case 'incident.closed':
      return recovered ? 'Resolved: ' : 'Ended: '
  }
}

function describeEnd(openedAt: string, closedAt: string, failures: number): string {
  const lasted = describeSpan(Math.max(0, Date.parse(closedAt) - Date.parse(openedAt)))
  return `It lasted ${lasted}${failures > 1 ? `, with ${countOf(failures, 'failure')}` : ''}.`
}

/**
 * The headers of https://www.standardwebhooks.com, so that the receiver can verify who sent an alert and
 * ignore a repeated one by its id.
 * @param secret `whsec_` and the key in base64
 */
export function signedHeaders(secret: string, id: string, body: string, at: number) {
  const timestamp = String(Math.floor(at / 1000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return [
    ['webhook-id', id],
    ['webhook-timestamp', timestamp],
    ['webhook-signature', `v1,${signature}`],
  ] as const
}
