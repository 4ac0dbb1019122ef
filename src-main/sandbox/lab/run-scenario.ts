/** Runs the plan of one scenario against a sandbox and a handler, and compares the outcome with what it expects. */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../../src-preload/domain/app-error.ts'
import { createEffects } from './effects.ts'
import { type Facts, type Moment, chainKey, evaluateExpectation } from './expectations.ts'
import { type Lab, type Run, NotTestedError, describeProbe } from './lab-context.ts'
import { type Effect, fill, planScenario, randomFrom } from './plan.ts'
import type { Expectation, Scenario } from './scenario.ts'
import type { Evidence, Finding, ScenarioResult } from './report.ts'
import { describeReply } from './http.ts'

const pollMs = 40

export async function runScenario(scenario: Scenario, lab: Lab): Promise<ScenarioResult> {
  const began = performance.now()
  const { id, family = null, name, severity, why, fix, example = null } = scenario
  const about = { id, family, name, severity, why, fix, example, note: scenario.evidence ?? null }
  let run: Run | null = null
  let outcome: Pick<ScenarioResult, 'outcome' | 'reason' | 'findings' | 'checked'>
  try {
    const plan = planScenario(scenario, lab.seed, lab.variables)
    run = {
      lab,
      scenario,
      variables: { ...plan.variables },
      replies: {},
      evidence: [],
      random: randomFrom(`${lab.seed}\n${id}\nrun`),
      mark: { call: 0, delivery: 0, moment: { probe: { problem: null, value: {} }, chain: {} } },
    }
    outcome = await perform(run, plan.effects)
  } catch (error) {
    const isUntested = error instanceof NotTestedError
    const reason = lab.mask(messageOf(error))
    outcome = { outcome: isUntested ? 'not tested' : 'failed', reason, findings: [], checked: [] }
  }
  const evidence = run === null ? [] : [...run.evidence, ...(await observations(run))]
  const durationMs = Math.round(performance.now() - began)
  return { ...about, ...outcome, evidence, durationMs }
}

async function perform(run: Run, effects: readonly Effect[]) {
  const { lab, scenario } = run
  const perform = createEffects(run, { mark, check })
  await mark(run)
  for (const effect of effects) {
    lab.signal.throwIfAborted()
    Object.assign(run.variables, await lab.readClock())
    const input = fill(effect.input as unknown, run.variables)
    try {
      await perform[effect.kind](input as never, effect)
    } catch (error) {
      if (error instanceof NotTestedError) throw error
      throw new Error(`step ${effect.step} (${effect.kind}): ${messageOf(error)}`, { cause: error })
    }
  }
  await lab.sandbox.idle({ timeoutMs: 60_000 })
  const { verdicts } = await settle(run, scenario.expect)
  const findings: Finding[] = verdicts.flatMap((verdict, index) => {
    if (verdict.state !== 'fails') return []
    const { finding } = scenario.expect[index] ?? {}
    const variables = { ...run.variables, actual: verdict.actual }
    const sentence = finding === undefined ? null : fill(finding, variables)
    const { subject, wanted, actual } = verdict
    return [{ sentence, subject, wanted, actual: lab.mask(actual) }]
  })
  const unobserved = verdicts.find(({ state }) => state === 'unobservable')
  const checked = verdicts.map(({ subject, wanted, state }) => ({ subject, wanted, state }))
  if (findings.length > 0) return { outcome: 'found' as const, reason: null, findings, checked }
  const reason = unobserved === undefined ? null : lab.mask(unobserved.reason)
  return {
    outcome: reason === null ? ('passed' as const) : ('not tested' as const),
    reason,
    findings,
    checked,
  }
}

/** The state before: all later changes are compared with this moment. */
async function mark(run: Run): Promise<void> {
  const { lab, scenario } = run
  const { last } = await lab.sandbox.calls({ limit: 1 })
  const delivery = lab.relay.deliveries().at(-1)?.number ?? 0
  const checks = scenario.steps.flatMap(({ check = [] }) => check)
  const moment = await observe(run, [...scenario.expect, ...checks])
  run.mark = { call: last, delivery, moment }
}

/** A precondition of the attack. @throws NotTestedError */
async function check(run: Run, expectations: readonly Expectation[]): Promise<void> {
  const { verdicts } = await settle(run, expectations)
  const failed = verdicts.find(({ state }) => state !== 'holds')
  if (failed === undefined) return
  const { subject, wanted, actual, reason } = failed
  throw new NotTestedError(
    reason === '' ? `a precondition did not hold: ${subject} ${wanted}, but is ${actual}` : reason,
  )
}

/**
 * Waits until all expectations hold, and still hold after a quiet time, because a late second credit is a finding.
 * Gives up after `settle.timeoutMs`.
 */
async function settle(run: Run, expectations: readonly Expectation[]) {
  const { timeoutMs, quietMs } = run.scenario.settle
  const until = performance.now() + timeoutMs
  let wasQuiet = false
  for (;;) {
    run.lab.signal.throwIfAborted()
    const filled = expectations.map((each) => fillExpectation(each, run))
    const facts = await gather(run, filled)
    const verdicts = filled.map((each) => evaluateExpectation(each, facts))
    const isProblem = facts.after.probe.problem !== null && run.lab.hasProbe
    // More time does not help a probe that lacks a field.
    const isFinal = verdicts.every(
      ({ state }) => state === 'holds' || (state === 'unobservable' && !isProblem),
    )
    if ((isFinal && wasQuiet) || performance.now() > until) return { verdicts, facts }
    await sleep(isFinal ? quietMs : pollMs)
    wasQuiet = isFinal
  }
}

/** The text of a finding is filled later, when the actual value is known. */
function fillExpectation({ finding: _, ...expectation }: Expectation, run: Run): Expectation {
  return fill(expectation, run.variables)
}

async function gather(run: Run, expectations: readonly Expectation[]): Promise<Facts> {
  const { lab, mark: since } = run
  return {
    before: since.moment,
    after: await observe(run, expectations),
    replies: run.replies,
    deliveries: lab.relay.deliveries().filter(({ number }) => number > since.delivery),
    calls: await callsSince(run),
    variables: run.variables,
  }
}

async function callsSince({ lab, mark: { call } }: Run) {
  const { calls } = await lab.sandbox.calls({ after: call, client: 'others', limit: 10_000 })
  return calls
}

/** Reads what the expectations name, and nothing else. A name that is not set yet reads as zero. */
async function observe(run: Run, expectations: readonly Expectation[]): Promise<Moment> {
  const chain: Record<string, string> = {}
  for (const each of expectations) {
    if (each.balance === undefined && each.messages === undefined) continue
    let filled: Expectation
    try {
      filled = fillExpectation(each, run)
    } catch {
      continue
    }
    const { balance, messages } = filled
    const read =
      balance === undefined
        ? run.lab.chain.messages(messages?.from ?? 'merchant', messages?.to)
        : run.lab.chain.balance(balance.account, balance.currency, run.variables)
    chain[chainKey(filled)] = await read
  }
  const isProbed = expectations.some(({ probe }) => probe !== undefined)
  const probe = isProbed ? await run.lab.probe() : { problem: null, value: {} }
  return { probe, chain }
}

const maxEvidence = 200

/** What the lab saw: deliveries with their responses, calls, and the probe before and after. */
async function observations(run: Run): Promise<Evidence[]> {
  const { lab, mark: since } = run
  const deliveries = lab.relay.deliveries().map(({ type, body, mode, replies }): Evidence => ({
    kind: 'delivery',
    text: `${type} (${mode}): ${replies.map(describeReply).join('; ') || 'not forwarded'}`,
    detail: lab.mask(body).slice(0, 2_000),
  }))
  const calls = await callsSince(run).catch(() => [])
  const shownCalls = calls.map(
    ({ method, path, status }) => `${method} ${path} ${status ?? 'aborted'}`,
  )
  const after = await lab.probe()
  const paths = [
    ...new Set(run.scenario.expect.flatMap(({ probe }) => (probe === undefined ? [] : [probe]))),
  ]
  const probes = paths.map((path): Evidence => {
    const filled = fill(path, run.variables)
    const [before, now] = [since.moment.probe, after].map((state) => describeProbe(state, filled))
    const text = typeof filled === 'string' ? filled : filled.join('.')
    return { kind: 'probe', text, detail: `before: ${before}\nafter: ${now}` }
  })
  return [
    ...limited(deliveries.map((each) => ({ ...each, text: lab.mask(each.text) }))),
    // Several calls at once are logged in any order.
    ...limited(shownCalls.map(lab.mask).toSorted()).map((each): Evidence =>
      typeof each === 'string' ? { kind: 'call', text: each, detail: '' } : each,
    ),
    ...probes,
  ]
}

function limited<T>(items: readonly T[]): (T | Evidence)[] {
  if (items.length <= maxEvidence) return [...items]
  const more: Evidence = { kind: 'note', text: `${items.length - maxEvidence} more`, detail: '' }
  return [...items.slice(0, maxEvidence), more]
}
