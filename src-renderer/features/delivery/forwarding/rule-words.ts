import type { ForwardDelivery, ForwardRule } from '../../../../src-preload/contract/forward.ts'
import { formatCount, formatDuration, formatNumber } from '../../../ui/format.ts'
import type { Tone } from '../../../ui/tag.tsx'
import { shortTarget } from '../targets/target-words.ts'

type TargetHealth = ForwardRule['health'][number]

/** Its name, or what it does where it has none. */
export function titleOf({ name, targets }: Pick<ForwardRule, 'name' | 'targets'>): string {
  if (name !== '') return name
  const [first = '', ...others] = targets
  return others.length === 0
    ? `To ${shortTarget(first)}`
    : `To ${shortTarget(first)} and ${formatNumber(others.length)} more`
}

export const modeWords: Readonly<Record<ForwardRule['mode'], string>> = {
  after: 'after the answer',
  through: 'passed through',
}

/** What a person has to know to choose between the two. */
export const modeSentences: Readonly<Record<ForwardRule['mode'], string>> = {
  after:
    'The gateway gets 200 at once. Each delivery is kept and tried again until the target answers 2xx, in the order of logical time for each account, across restarts.',
  through:
    'The gateway waits for the target and gets its status, so that it is the gateway that tries again. One try each; a capture is kept whatever comes of it.',
}

export const healthTones: Readonly<Record<TargetHealth['state'], Tone>> = {
  up: 'ok',
  down: 'bad',
  unknown: 'plain',
}

export const healthWords: Readonly<Record<TargetHealth['state'], string>> = {
  up: 'up',
  down: 'down',
  unknown: 'not tried yet',
}

/** Of all its targets, the one that needs the eye most. */
export function worstHealth({ health }: Pick<ForwardRule, 'health'>): TargetHealth['state'] {
  if (health.some(({ state }) => state === 'down')) return 'down'
  return health.length > 0 && health.every(({ state }) => state === 'up') ? 'up' : 'unknown'
}

export function countWaiting({ health }: Pick<ForwardRule, 'health'>): number {
  return health.reduce((sum, { waiting }) => sum + waiting, 0)
}

/** `200.`, or why there was none: a sentence either way. */
export function sayLast({ lastStatus, lastProblem }: TargetHealth): string {
  const said = lastProblem ?? (lastStatus === null ? 'no answer' : String(lastStatus))
  return said.endsWith('.') ? said : `${said}.`
}

/** `in 12 s`, `now`: when the next try is due. Moments are microseconds. */
export function sayNext(at: number, now: number): string {
  return at - now < 1e6 ? 'now' : `in ${formatDuration(Math.round((at - now) / 1e6) * 1e6)}`
}

export const deliveryTones: Readonly<Record<ForwardDelivery['state'], Tone>> = {
  waiting: 'warn',
  sending: 'plain',
  delivered: 'ok',
  dropped: 'bad',
}

export function sayTries({ attempts }: Pick<ForwardDelivery, 'attempts'>): string {
  return attempts === 0 ? 'not tried yet' : formatCount(attempts, 'try', 'tries')
}

/** What removing a rule takes with it. */
export function sayRemoval(rule: ForwardRule): string {
  const waiting = countWaiting(rule)
  const stays = 'What it has delivered stays with the captures.'
  return waiting === 0
    ? `Nothing waits for its targets. ${stays}`
    : `${formatCount(waiting, 'delivery', 'deliveries')} that ${waiting === 1 ? 'waits' : 'wait'} for its targets ${waiting === 1 ? 'is' : 'are'} dropped with it and never sent. ${stays}`
}
