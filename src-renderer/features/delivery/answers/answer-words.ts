import type { AnswerAction, AnswerRule } from '../../../../src-preload/contract/answer-rule.ts'
import { formatCount, formatDuration, formatNumber } from '../../../ui/format.ts'

/** Statuses that gateways take in different ways, with what they mean to a sender. */
export const statusPresets = [
  [200, 'OK'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [408, 'Request Timeout'],
  [410, 'Gone'],
  [429, 'Too Many Requests'],
  [500, 'Internal Server Error'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Timeout'],
] as const

export const kindSentences: Readonly<Record<AnswerAction['kind'], string>> = {
  answer: 'A status, headers and a body of your choice, at once or late.',
  hang: 'The request is taken and never answered, until the sender gives up or ten minutes are over.',
  cut: 'The connection ends before the answer, or in the middle of it.',
}

/** `500`, `200 after 3 s`, `no answer`: what the gateway gets. */
export function sayAction(action: AnswerAction): string {
  switch (action.kind) {
    case 'answer':
      return action.delayMs === 0
        ? String(action.status)
        : `${action.status} after ${formatDuration(action.delayMs * 1000)}`
    case 'hang':
      return 'no answer'
    case 'cut':
      return action.after === 0
        ? 'connection cut'
        : `cut after ${formatCount(action.after, 'byte')}`
  }
}

/** Which of the deliveries that match: `all`, `the next 3 of 10`, `25 % of them`. */
export function sayExtent({ next, left, sharePercent }: AnswerRule): string {
  const share = sharePercent === null ? null : `${sharePercent} % of them`
  if (next === null) return share ?? 'all of them'
  const count =
    left === 0
      ? `${formatNumber(next)}, all used`
      : `the next ${formatNumber(left ?? next)} of ${formatNumber(next)}`
  return share === null ? count : `${count}, ${share}`
}

/** A rule in a few words, for where there is room for one line. */
export function sayRule(rule: AnswerRule): string {
  const what = rule.filter.trim() === '' ? 'everything' : rule.filter
  const extent = rule.next === null && rule.sharePercent === null ? '' : ` (${sayExtent(rule)})`
  return `${what} → ${sayAction(rule.action)}${extent}`
}

export function isActive({ enabled, problem }: AnswerRule): boolean {
  return enabled && problem === null
}
