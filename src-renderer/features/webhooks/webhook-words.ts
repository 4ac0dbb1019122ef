import type { Webhook, WebhookStatus } from '../../../src-preload/contract/webhook.ts'
import type { Tone } from '../../ui/tag.tsx'

export const statusTones: Record<WebhookStatus, Tone> = {
  online: 'ok',
  offline: 'bad',
  suspended: 'warn',
}

/** The gateway may leave it out. */
export function statusWord(status: WebhookStatus | null): string {
  return status ?? 'not told'
}

export const withoutScheme = (endpoint: string) => endpoint.replace(/^https?:\/\//i, '')

export function onOff(flag: boolean | null): string {
  if (flag === null) return ''
  return flag ? 'on' : 'off'
}

/** Accounts that fail, over all of them. */
export function countFailing(webhooks: readonly Webhook[]): number {
  return webhooks.reduce((sum, { failing }) => sum + failing, 0)
}
