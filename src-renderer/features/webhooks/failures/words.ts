import type { Explanation, SamplerState, Streak } from '../../../../src-preload/contract/failure.ts'
import type { Lag } from '../../../../src-preload/contract/subscription.ts'
import type { WebhookStatus } from '../../../../src-preload/contract/webhook.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { printSpan } from '../../../components/time-span.ts'
import type { Tone } from '../../../ui/tag.tsx'

export const statusWords: Record<WebhookStatus | 'unknown', string> = {
  online: 'online',
  offline: 'offline',
  suspended: 'suspended',
  unknown: 'no reading',
}

/** How long it lasted, or has lasted until now. */
export function streakMs({ from, to }: Streak, now: number): number {
  return Math.max(0, (to ?? now) - from)
}

/** `3 transactions`; empty where they were not counted. */
export function sayTransactions({ transactions, more }: Lag): string {
  if (transactions === null) return ''
  return `${formatCount(transactions, 'transaction')}${more ? ' or more' : ''}`
}

/** What the sampler is doing, in a few words. */
export function saySampler({ status, requests, rowsLeft }: SamplerState): string {
  switch (status) {
    case 'reading':
      return 'Reading the counters'
    case 'paused':
      return 'Reading is paused'
    case 'off':
      return 'Reading is switched off'
    case 'waiting': {
      const left = rowsLeft === 0 ? '' : `, ${formatCount(rowsLeft, 'row')} still to be read`
      return `Last round: ${formatCount(requests, 'request')}${left}`
    }
  }
}

/** `3 of 12`, or how many there are. */
export function sayPlace(index: number, total: number): string {
  return index < 0
    ? `${formatNumber(total)} failing`
    : `${formatNumber(index + 1)} of ${formatNumber(total)} failing`
}

type SeenHere = Explanation['seen']['what']

export const seenWords: Record<SeenHere, string> = {
  elsewhere: 'not ours',
  nothing: 'nothing came',
  taken: 'taken',
  unauthorized: 'refused: 401',
  'too-large': 'refused: 413',
  slow: 'broken off',
  other: 'refused',
}

export const seenTones: Record<SeenHere, Tone> = {
  elsewhere: 'plain',
  nothing: 'warn',
  taken: 'ok',
  unauthorized: 'bad',
  'too-large': 'bad',
  slow: 'bad',
  other: 'bad',
}

const minute = 60_000

/** What one step of a chart stands for: `per hour`, `per 10 min`. */
export function sayStep(milliseconds: number): string {
  if (milliseconds === minute) return 'per minute'
  if (milliseconds === 60 * minute) return 'per hour'
  if (milliseconds === 24 * 60 * minute) return 'per day'
  return `per ${printSpan(milliseconds)}`
}
