import type { ReplayOrder, ReplaySubject } from '../../../src-preload/contract/replay.ts'
import { replayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { TargetVerdict } from '../../../src-preload/contract/target.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { ReplayCaptures } from '../store/replay-captures.ts'
import { countWithNoun, maxOrdered, tooManyToOrder } from './plan.ts'
import { type Finder, arrivalSource } from './sequence.ts'

type Subject = Awaited<ReturnType<typeof readReplaySubject>>

const sample = 1000

export async function readReplaySubject(
  { subject, edit }: ReplayOrder,
  { captures, finder }: { readonly captures: ReplayCaptures; readonly finder: Finder },
) {
  if (subject.kind === 'captures') {
    const ids = [...new Set(subject.ids)]
    const look = captures.look(ids)
    const [only] = ids
    const edited = edit === null ? '' : ', edited'
    return {
      words: (ids.length === 1 ? `capture ${only}` : countWithNoun(ids.length, 'capture')) + edited,
      captures: look.found,
      isExact: true,
      missing: ids.length - look.found,
      look,
      isLookWhole: true,
    }
  }
  const page = await arrivalSource(subject, Number.MAX_SAFE_INTEGER, captures, finder)(0, sample)
  const { words, found } = await countSubject(subject, captures, finder)
  return {
    words,
    captures: found.count,
    isExact: found.isExact,
    missing: 0,
    look: captures.look(page.captures.map(({ id }) => id)),
    isLookWhole: page.captures.length >= found.count,
  }
}

async function countSubject(
  subject: Exclude<ReplaySubject, { kind: 'captures' }>,
  captures: ReplayCaptures,
  finder: Finder,
) {
  if (subject.kind === 'since') {
    const since = new Date(subject.at / 1000).toISOString().slice(0, 19).replace('T', ' ')
    const found = { count: captures.countSince(subject.at), isExact: true }
    return { words: `captures since ${since} UTC`, found }
  }
  const words = subject.text.trim()
  if (words !== '') return { words, found: await finder.count(words) }
  return { words: 'all captures', found: { count: captures.count(), isExact: true } }
}

export const totalOf = ({ times }: ReplayOrder, captures: number): number => captures * times

/**
 * @param max maximum number of requests of one job @throws AppError REPLAY_BAD_EDIT,
 * REPLAY_NOTHING, REPLAY_TOO_MANY
 */
export function checkReplaySubject(order: ReplayOrder, subject: Subject, max: number): void {
  const isOne = order.subject.kind === 'captures' && order.subject.ids.length === 1
  if (order.edit !== null && !isOne) {
    throw new AppError(replayCodes.badEdit, 'You can edit only one capture at a time.')
  }
  // For a slow query, counting may have stopped before the first match.
  if (subject.captures === 0 && subject.isExact) {
    throw new AppError(
      replayCodes.nothing,
      order.subject.kind === 'captures'
        ? 'There is nothing to send: the captures were deleted.'
        : 'There is nothing to send: no capture matches.',
    )
  }
  const total = totalOf(order, subject.captures)
  if (total > max) {
    throw new AppError(
      replayCodes.tooMany,
      `This replay would send ${total.toLocaleString('en')} requests, but one job can send at most ${max.toLocaleString('en')}. Narrow the query, or send each capture fewer times.`,
    )
  }
  if (order.order === 'lt' && subject.captures > maxOrdered) throw tooManyToOrder()
}

export function warningsOf(
  order: ReplayOrder,
  subject: Subject,
  target: TargetVerdict,
  ofEdit: readonly string[],
): string[] {
  const { look } = subject
  const warnings = [...ofEdit]
  const add = (isSo: boolean, warning: string) => {
    if (isSo) warnings.push(warning)
  }
  const ofThem = subject.isLookWhole ? '' : ` of the first ${sample.toLocaleString('en')}`
  add(target.problem !== null, target.problem ?? '')
  add(
    target.kind === 'public',
    `${target.host} is not this computer. It receives the requests with their bearer tokens.`,
  )
  add(
    subject.missing > 0,
    `${countWithNoun(subject.missing, 'capture')} no longer ${subject.missing === 1 ? 'exists' : 'exist'}.`,
  )
  add(!subject.isExact, 'The query is slow, so this count may be too low.')
  add(
    look.incomplete > 0,
    `${countWithNoun(look.incomplete, 'capture')}${ofThem} ${isAre(look.incomplete)} truncated; only the stored part is sent.`,
  )
  add(
    look.bodiless > 0,
    `${countWithNoun(look.bodiless, 'capture')}${ofThem} ${look.bodiless === 1 ? 'has' : 'have'} no body, because the imported file does not contain it; without an edited body, nothing is sent for ${look.bodiless === 1 ? 'it' : 'them'}.`,
  )
  add(
    look.others > 0,
    `${countWithNoun(look.others, 'capture')}${ofThem} ${isAre(look.others)} imported, rebuilt or a test.`,
  )
  add(
    order.parallel > 1 && totalOf(order, subject.captures) > 1,
    'Requests that are sent in parallel may arrive in a different order.',
  )
  add(
    order.edit !== null && !order.appendPath && !/^\/?$/.test(order.edit.subpath),
    'The edited path is not sent, because the target’s URL stays unchanged. Turn on appending the path to send it.',
  )
  const seconds = durationSeconds(order, subject)
  add(seconds > 3600, `At this pace the replay takes about ${inWords(seconds)}.`)
  return warnings
}

const isAre = (n: number) => (n === 1 ? 'is' : 'are')

function durationSeconds(order: ReplayOrder, { captures, look, isLookWhole }: Subject): number {
  const { pace } = order
  switch (pace.kind) {
    case 'fast':
      return 0
    case 'rate':
      return totalOf(order, captures) / pace.perSecond
    case 'original':
      if (!isLookWhole || look.first === null || look.last === null) return 0
      return ((look.last - look.first) / 1e6 / pace.factor) * order.times
  }
}

function inWords(seconds: number): string {
  const hours = seconds / 3600
  return hours < 48 ? `${Math.round(hours)} hours` : `${Math.round(hours / 24)} days`
}
