/** Observes what the expectations of a scenario name, and waits until they hold. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Facts,
  type Moment,
  type Verdict,
  chainKey,
  evaluateExpectation,
} from './expectations.ts'
import { type Run, NotTestedError } from './lab-context.ts'
import { fill } from './plan.ts'
import type { Expectation } from './scenario.ts'

const pollMs = 40

/** The state before: all later changes are compared with this moment. */
export async function mark(run: Run): Promise<void> {
  const { lab, scenario } = run
  const { last } = await lab.sandbox.calls({ limit: 1 })
  const delivery = lab.relay.deliveries().at(-1)?.number ?? 0
  const checks = scenario.steps.flatMap(({ check = [] }) => check)
  const moment = await observe(run, [...scenario.expect, ...checks])
  run.mark = { call: last, delivery, moment }
}

/** A precondition of the attack. @throws NotTestedError */
export async function check(run: Run, expectations: readonly Expectation[]): Promise<void> {
  const verdicts = await settle(run, expectations)
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
export async function settle(run: Run, expectations: readonly Expectation[]): Promise<Verdict[]> {
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
    if ((isFinal && wasQuiet) || performance.now() > until) return verdicts
    await sleep(isFinal ? quietMs : pollMs)
    wasQuiet = isFinal
  }
}

/** The text of a finding is filled later, when the actual value is known. */
const fillExpectation = ({ finding: _, ...expectation }: Expectation, run: Run): Expectation =>
  fill(expectation, run.variables)

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

export async function callsSince({ lab, mark: { call } }: Run) {
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
