/** Rules that replace the response 200, to test how the gateway handles failures. */
import type { AppContext } from '../../app/context.ts'
import type { AnswerRule } from '../../../src-preload/contract/answer-rule.ts'
import { answerRuleCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers, Parsed } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { AnswerRules, StoredAnswerRule } from '../store/response-rules.ts'
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import type { Answered } from '../../threads/writer-messages.ts'
import type { Delivery, DeliveryFilter } from '../../captures/query/subject.ts'
import { type ArrivedDeps, deliveryOf } from './arrived.ts'
import { responseConflicts } from '../conflicts.ts'
import type { Passed, PassThrough } from '../forwarding/pass-through.ts'
import { createWrittenBehind } from './written-behind.ts'

type AnswersDeps = ArrivedDeps &
  Pick<AppContext, 'now' | 'onBug'> & {
    readonly rules: AnswerRules
    readonly readFilter: (text: string, now: number) => DeliveryFilter
    readonly passThrough: Pick<PassThrough, 'isActive' | 'take'> | null
    readonly write: (answered: Answered) => Promise<unknown>
    readonly onStatuses: (captures: number[]) => Promise<void>
    readonly onChanged: (rules: readonly AnswerRule[]) => void
  }

type GivenAnswer =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: readonly (readonly [string, string])[]
      readonly body: Uint8Array
      readonly delayMs: number
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut'; readonly after: number }
  | { readonly kind: 'passed'; readonly ask: (capture: number) => Promise<Passed> }

type Answers = {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `answerRule.${string}`>>
  decide(): ((record: CaptureRecord) => GivenAnswer | null) | null
  answered(capture: number, status: number | null): void
  stop(): Promise<void>
}

type Rule = { stored: StoredAnswerRule; read: ReadFilter; given: GivenAnswer }

type ReadFilter = {
  readonly takes: DeliveryFilter | null
  readonly problem: string | null
  readonly at: number
}

const maxRules = 100
/** Filters are compiled again after this time, since `received:today` means another day tomorrow. */
const filterGoodMs = 60_000
const notifyEveryMs = 250

export function createAnswers(deps: AnswersDeps): Answers {
  let rules = deps.rules.list().map(toRule)
  let active = rules.filter(isActive)
  let notifyTimer: NodeJS.Timeout | undefined
  let isStopped = false
  const behind = createWrittenBehind(deps)

  function toRule(stored: StoredAnswerRule): Rule {
    return { stored, read: readFilter(stored.filter), given: givenBy(stored.action) }
  }

  function readFilter(text: string): ReadFilter {
    const at = deps.now()
    try {
      return { takes: deps.readFilter(text, at), problem: null, at }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { takes: null, problem, at }
    }
  }

  function set(next: Rule[]): void {
    rules = next
    active = rules.filter(isActive)
    notifySoon()
  }

  /** Also needed after a change by the user: a pending write may contain the earlier state. */
  function keepUse(rule: Rule): void {
    behind.use(rule.stored.id, () => (rules.includes(rule) ? rule.stored : null))
  }

  function notifySoon(): void {
    if (isStopped) return
    notifyTimer ??= setTimeout(() => {
      notifyTimer = undefined
      deps.onChanged(list())
    }, notifyEveryMs)
  }

  function list(): AnswerRule[] {
    return rules.map(({ stored, read: { problem } }, index) => ({
      id: stored.id,
      filter: stored.filter,
      action: stored.action,
      next: stored.next,
      sharePercent: stored.sharePercent,
      enabled: stored.enabled,
      createdAt: stored.createdAt,
      used: stored.used,
      left: leftOf(stored),
      problem,
      conflicts: responseConflicts(
        stored,
        rules.slice(0, index).map((rule) => rule.stored),
      ),
    }))
  }

  function existing(id: number): Rule {
    const rule = rules.find(({ stored }) => stored.id === id)
    if (rule !== undefined) return rule
    throw new AppError(answerRuleCodes.unknown, 'This answer rule is not there any more.')
  }

  function told(id: number): AnswerRule {
    const rule = list().find((each) => each.id === id)
    if (rule === undefined) throw new AppError(answerRuleCodes.unknown, 'It is gone.')
    return rule
  }

  function takes(rule: Rule, delivery: () => Delivery): boolean {
    if (rule.stored.filter.trim() === '') return true
    if (deps.now() - rule.read.at > filterGoodMs) rule.read = readFilter(rule.stored.filter)
    return rule.read.takes?.(delivery()) ?? false
  }

  function takeTurn(rule: Rule): boolean {
    const isMine = isTurn(rule.stored)
    const used = rule.stored.used + Number(isMine)
    const spent = rule.stored.spent + Number(isMine)
    const isOver = rule.stored.next !== null && spent >= rule.stored.next
    rule.stored = { ...rule.stored, seen: rule.stored.seen + 1, used, spent, enabled: !isOver }
    if (isOver) active = rules.filter(isActive)
    keepUse(rule)
    notifySoon()
    return isMine
  }

  function decideOne(record: CaptureRecord): GivenAnswer | null {
    let read: Delivery | undefined
    const delivery = () => (read ??= deliveryOf(record, deps))
    const rule = active.find((each) => takes(each, delivery) && takeTurn(each))
    if (rule !== undefined) return rule.given
    const isWelcome = record.status !== null && record.status < 300
    if (deps.passThrough?.isActive() !== true || !isWelcome) return null
    const ask = deps.passThrough.take(delivery(), record)
    return ask === null ? null : { kind: 'passed', ask }
  }

  function decideSafely(record: CaptureRecord): GivenAnswer | null {
    try {
      return decideOne(record)
    } catch (error) {
      deps.onBug(error)
      return null
    }
  }

  function save({ id, ...fields }: Parsed<'answerRule.save'>): AnswerRule {
    deps.readFilter(fields.filter, deps.now())
    if (id === null) {
      if (rules.length >= maxRules) {
        throw new AppError(
          answerRuleCodes.tooMany,
          `There are ${maxRules} answer rules already. Remove some first.`,
        )
      }
      const createdAt = deps.now() * 1000
      const fresh = { ...fields, createdAt, used: 0, spent: 0, seen: 0 }
      const added = deps.rules.add(fresh)
      set([...rules, toRule({ ...fresh, id: added })])
      return told(added)
    }
    const before = existing(id).stored
    const isSame = before.next === fields.next && leftOf(before) !== 0
    change({ ...before, ...fields, spent: isSame ? before.spent : 0 })
    return told(id)
  }

  function change(stored: StoredAnswerRule): void {
    deps.rules.change(stored)
    const rule = toRule(stored)
    set(rules.map((each) => (each.stored.id === stored.id ? rule : each)))
    keepUse(rule)
  }

  function setEnabled({ stored }: Rule, enabled: boolean): void {
    const spent = enabled && leftOf(stored) === 0 ? 0 : stored.spent
    change({ ...stored, enabled, spent })
  }

  return {
    handlers: {
      'answerRule.list': list,
      'answerRule.save': save,
      'answerRule.setEnabled'({ id, enabled }) {
        setEnabled(existing(id), enabled)
        return told(id)
      },
      'answerRule.remove'({ id }) {
        const gone = existing(id)
        deps.rules.remove(id)
        set(rules.filter((rule) => rule !== gone))
        return {}
      },
      'answerRule.sort'({ ids }) {
        deps.rules.sort(ids)
        const place = new Map(ids.map((id, index) => [id, index]))
        const placeOf = ({ stored }: Rule) => place.get(stored.id) ?? ids.length
        set([...rules].sort((a, b) => placeOf(a) - placeOf(b)))
        return list()
      },
      'answerRule.allOff'() {
        for (const rule of rules.filter(({ stored }) => stored.enabled)) setEnabled(rule, false)
        return list()
      },
    },
    decide() {
      const isNeeded = active.length > 0 || deps.passThrough?.isActive() === true
      return isNeeded ? decideSafely : null
    },
    answered: (capture, status) => behind.status(capture, status),
    async stop() {
      isStopped = true
      clearTimeout(notifyTimer)
      await behind.stop()
    },
  }
}

function isActive({ stored, read }: Rule): boolean {
  return stored.enabled && read.takes !== null
}

function givenBy(action: StoredAnswerRule['action']): GivenAnswer {
  switch (action.kind) {
    case 'answer':
      return { ...action, body: Buffer.from(action.body) }
    case 'hang':
      return { kind: 'hang' }
    case 'cut':
      return { kind: 'cut', after: action.after }
  }
}

export type Counters = {
  readonly next: number | null
  readonly sharePercent: number | null
  readonly used: number
  readonly spent: number
  readonly seen: number
}

/**
 * True if the rule takes the next delivery. Its turns are evenly distributed, begin with the first
 * delivery, and add up to the exact percentage of each hundred.
 */
export function isTurn({ sharePercent, seen }: Counters): boolean {
  if (sharePercent === null) return true
  const share = (count: number) => Math.ceil((count * sharePercent) / 100)
  return share(seen + 1) > share(seen)
}

function leftOf({ next, spent }: Counters): number | null {
  return next === null ? null : Math.max(0, next - spent)
}
