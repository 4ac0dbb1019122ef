import type { ReplayJob } from '../../../../src-preload/contract/replay.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import type { Tone } from '../../../ui/tag.tsx'
import { sayOutcome, stateTones } from '../../../components/jobs/job-state.ts'
import { shortTarget } from '../targets/target-words.ts'

/** `Replay of capture 12 to localhost:3000`. */
export function titleOf({
  subject,
  target,
  edited,
}: Pick<ReplayJob, 'subject' | 'target' | 'edited'>): string {
  // Its subject says so already.
  return `Replay of ${subject}${edited ? ',' : ''} to ${shortTarget(target)}`
}

/** `480 delivered, 5 failed`, and what was left out where it was stopped. */
export function sayCounts({ delivered, failed, sent, total, state }: ReplayJob): string {
  const left = total - sent
  const parts = [
    `${formatNumber(delivered)} delivered`,
    failed > 0 && `${formatNumber(failed)} failed`,
    state !== 'running' && left > 0 && `${formatNumber(left)} not sent`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** What is to be told of one that has come to an end or a stop; null while it runs. */
export function outcomeOf(job: ReplayJob): string | null {
  return sayOutcome(job, sayCounts(job), 'it could not go on.')
}

/** One that went through, but not all of which was taken, is no success. */
export function toneOf({ state, failed }: ReplayJob): Tone {
  return state === 'done' && failed > 0 ? 'warn' : stateTones[state]
}

export function canStop({ state }: ReplayJob): boolean {
  return state === 'running' || state === 'paused'
}

/** It goes on where it stopped, as long as there is something left. */
export function canResume({ state, sent, total }: ReplayJob): boolean {
  return state !== 'running' && state !== 'done' && sent < total
}

export function sayTotal({ total }: Pick<ReplayJob, 'total'>): string {
  return formatCount(total, 'request')
}

const orderWords: Readonly<Record<ReplayJob['order'], string | null>> = {
  arrival: null,
  lt: 'by logical time',
  shuffled: 'shuffled',
  doubled: 'doubled',
}

/** How its order is unusual: `shuffled, seed 4711`; null where it is not. */
export function sayOrder({ order, seed }: ReplayJob): string | null {
  const ordered = orderWords[order]
  return ordered === null || seed === null ? ordered : `${ordered}, seed ${String(seed)}`
}
