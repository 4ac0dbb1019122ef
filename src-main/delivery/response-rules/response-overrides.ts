/** Applies rules that replace the response 200, to test how the gateway handles failures. */
import type { ResponseRule } from '../../../src-preload/contract/response-rule.ts'
import { responseRuleCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers, Parsed } from '../../../src-preload/contract/routes.ts'
import { AppError, messageOf } from '../../../src-preload/domain/app-error.ts'
import type { StoredResponseRule } from '../store/response-rules.ts'
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import type { ResponseUpdates } from '../../threads/writer-messages.ts'
import type { Delivery, DeliveryFilter } from '../../captures/query/searched-capture.ts'
import type { DecideResponse, ResponseOverride } from '../../receiver/overridden-responses.ts'
import { type NetworkOf, deliveryOf } from './arrived.ts'
import { responseConflicts } from '../conflicts.ts'
import type { PassThrough } from '../forwarding/pass-through.ts'

type ResponseOverridesDeps = {
  /** The rules in the database when the thread starts. */
  readonly stored: readonly StoredResponseRule[]
  /** The main thread writes, because a write may wait for the disk and no delivery should wait for that. */
  readonly store: {
    add(rule: Omit<StoredResponseRule, 'id'>): Promise<number>
    change(rule: StoredResponseRule): Promise<void>
    remove(id: number): Promise<void>
    sort(ids: readonly number[]): Promise<void>
  }
  readonly now: () => number
  readonly onBug: (error: unknown) => void
  readonly readFilter: (text: string, now: number) => DeliveryFilter
  readonly networkOf: NetworkOf
  readonly passThrough: Pick<PassThrough, 'isActive' | 'take'>
  readonly write: (answered: ResponseUpdates) => Promise<unknown>
  readonly onChanged: (rules: readonly ResponseRule[]) => void
}

type Rule = ReturnType<typeof ruleOf>

type ReadFilter = {
  readonly takes: DeliveryFilter | null
  readonly problem: string | null
  readonly at: number
}

const maxRules = 100
/** Filters are compiled again after this time, because `received:today` means another day tomorrow. */
const filterGoodMs = 60_000
/** Statuses and uses of rules are written and reported a few times a second instead of per delivery. */
const everyMs = 250

export function createResponseOverrides(deps: ResponseOverridesDeps) {
  const { store } = deps
  let rules = deps.stored.map(toRule)
  let active = rules.filter(isActive)
  const updates = createUpdates(deps, {
    list,
    usesOf: (ids) => rules.map(({ stored }) => stored).filter(({ id }) => ids.has(id)),
  })

  function toRule(stored: StoredResponseRule): Rule {
    return ruleOf(stored, readFilter(stored.filter, deps))
  }

  function set(next: Rule[]): void {
    rules = next
    active = rules.filter(isActive)
    updates.changed()
  }

  function list(): ResponseRule[] {
    const all = rules.map(({ stored }) => stored)
    return rules.map(({ stored, read: { problem } }, index) => {
      const { spent, ...rule } = stored
      const conflicts = responseConflicts(rule, all.slice(0, index))
      return { ...rule, left: leftOf(stored), problem, conflicts }
    })
  }

  function existing(id: number): Rule {
    const rule = rules.find(({ stored }) => stored.id === id)
    if (rule !== undefined) return rule
    const problem = 'Response rule not found. It may have been deleted.'
    throw new AppError(responseRuleCodes.unknown, problem)
  }

  const view = (id: number): ResponseRule => list()[rules.indexOf(existing(id))] as ResponseRule

  function takes(rule: Rule, delivery: () => Delivery): boolean {
    const { filter } = rule.stored
    if (filter.trim() === '') return true
    if (deps.now() - rule.read.at > filterGoodMs) rule.read = readFilter(filter, deps)
    return rule.read.takes?.(delivery()) ?? false
  }

  function takeTurn(rule: Rule): void {
    rule.stored = afterTurn(rule.stored)
    if (!rule.stored.enabled) active = rules.filter(isActive)
    updates.use(rule.stored.id)
  }

  function decideOne(record: CaptureRecord): ResponseOverride | null {
    let read: Delivery | undefined
    const delivery = () => (read ??= deliveryOf(record, deps.networkOf))
    try {
      const rule = active.find((each) => takes(each, delivery))
      if (rule !== undefined) {
        takeTurn(rule)
        return rule.given
      }
      const isWelcome = record.status !== null && record.status < 300
      if (!deps.passThrough.isActive() || !isWelcome) return null
      const ask = deps.passThrough.take(delivery(), record)
      return ask === null ? null : { kind: 'passed', ask }
    } catch (error) {
      deps.onBug(error)
      return null
    }
  }

  async function save({ id, ...fields }: Parsed<'responseRule.save'>): Promise<ResponseRule> {
    deps.readFilter(fields.filter, deps.now())
    if (id === null) {
      if (rules.length >= maxRules) {
        const problem = `There are ${maxRules} response rules, which is the maximum. Delete a rule first.`
        throw new AppError(responseRuleCodes.tooMany, problem)
      }
      const fresh = { ...fields, createdAt: deps.now() * 1000, used: 0, spent: 0 }
      const added = await store.add(fresh)
      set([...rules, toRule({ ...fresh, id: added })])
      return view(added)
    }
    await change(id, (before) => {
      const isSame = before.next === fields.next && leftOf(before) !== 0
      return { ...before, ...fields, spent: isSame ? before.spent : 0 }
    })
    return view(id)
  }

  async function change(
    id: number,
    next: (before: StoredResponseRule) => StoredResponseRule,
  ): Promise<void> {
    await store.change(next(existing(id).stored))
    // Deliveries may have used the rule while it was written.
    const rule = toRule(next(existing(id).stored))
    set(rules.map((each) => (each.stored.id === id ? rule : each)))
    // A pending write may contain the earlier state.
    updates.use(id)
  }

  const setEnabled = (id: number, enabled: boolean) =>
    change(id, (before) => {
      const spent = enabled && leftOf(before) === 0 ? 0 : before.spent
      return { ...before, enabled, spent }
    })

  return {
    handlers: {
      'responseRule.list': list,
      'responseRule.save': save,
      async 'responseRule.setEnabled'({ id, enabled }) {
        await setEnabled(id, enabled)
        return view(id)
      },
      async 'responseRule.remove'({ id }) {
        existing(id)
        await store.remove(id)
        set(rules.filter(({ stored }) => stored.id !== id))
        return {}
      },
      async 'responseRule.sort'({ ids }) {
        await store.sort(ids)
        const place = new Map(ids.map((id, index) => [id, index]))
        const placeOf = ({ stored }: Rule) => place.get(stored.id) ?? ids.length
        set([...rules].sort((a, b) => placeOf(a) - placeOf(b)))
        return list()
      },
      async 'responseRule.allOff'() {
        for (const { stored } of rules) if (stored.enabled) await setEnabled(stored.id, false)
        return list()
      },
    } satisfies Partial<Handlers>,
    decide: (): DecideResponse | null =>
      active.length > 0 || deps.passThrough.isActive() ? decideOne : null,
    ...updates.calls,
  }
}

/** Writes the statuses of captures and the uses of rules, and reports changed rules. */
function createUpdates(
  deps: Pick<ResponseOverridesDeps, 'write' | 'onBug' | 'onChanged'>,
  rules: {
    readonly list: () => readonly ResponseRule[]
    readonly usesOf: (ids: ReadonlySet<number>) => ResponseUpdates['uses']
  },
) {
  let statuses = new Map<number, number | null>()
  let used = new Set<number>()
  let timer: NodeJS.Timeout | undefined
  let isChanged = false
  let isStopped = false

  function flushSoon(): void {
    if (isStopped) void flush()
    else timer ??= setTimeout(() => void flush(), everyMs)
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (isChanged && !isStopped) deps.onChanged(rules.list())
    isChanged = false
    const answered = {
      statuses: [...statuses].map(([capture, status]) => ({ capture, status })),
      uses: rules.usesOf(used),
    }
    statuses = new Map()
    used = new Set()
    if (answered.statuses.length + answered.uses.length === 0) return
    try {
      await deps.write(answered)
    } catch (error) {
      // The capture writer already reports a full disk.
      if (!isStopped) deps.onBug(error)
    }
  }

  function changed(): void {
    isChanged = true
    flushSoon()
  }

  return {
    changed,
    use(rule: number): void {
      used.add(rule)
      changed()
    },
    calls: {
      answered(capture: number, status: number | null): void {
        statuses.set(capture, status)
        flushSoon()
      },
      async stop(): Promise<void> {
        isStopped = true
        await flush()
      },
    },
  }
}

function readFilter(
  text: string,
  deps: Pick<ResponseOverridesDeps, 'now' | 'readFilter'>,
): ReadFilter {
  const at = deps.now()
  try {
    return { takes: deps.readFilter(text, at), problem: null, at }
  } catch (error) {
    return { takes: null, problem: messageOf(error), at }
  }
}

/** The state of the rule after it has responded to a delivery. */
function afterTurn(rule: StoredResponseRule): StoredResponseRule {
  const spent = rule.spent + 1
  const isOver = rule.next !== null && spent >= rule.next
  return { ...rule, used: rule.used + 1, spent, enabled: !isOver }
}

const isActive = ({ stored, read }: Rule): boolean => stored.enabled && read.takes !== null

function ruleOf(stored: StoredResponseRule, read: ReadFilter) {
  const { action } = stored
  const given: ResponseOverride =
    action.kind === 'answer' ? { ...action, body: Buffer.from(action.body) } : action
  return { stored, read, given }
}

const leftOf = ({ next, spent }: Pick<StoredResponseRule, 'next' | 'spent'>): number | null =>
  next === null ? null : Math.max(0, next - spent)
