/** Runs the plan of one scenario against a sandbox and a handler, and compares the outcome with what it expects. */
import { messageOf } from '../../../src-preload/domain/app-error.ts'
import { StepRunner } from './effects.ts'
import { type Lab, type Run, NotTestedError, describeProbe } from './lab-context.ts'
import { type Effect, fill, planScenario, randomFrom } from './plan.ts'
import { callsSince, mark, settle } from './observe.ts'
import type { Scenario } from './scenario.ts'
import type { Evidence, Finding, ScenarioResult } from './report.ts'
import { describeReply } from './http.ts'

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
  const steps = new StepRunner(run)
  await mark(run)
  for (const effect of effects) {
    lab.signal.throwIfAborted()
    Object.assign(run.variables, await lab.readClock())
    // The expectations of a check are filled when they are compared.
    const input =
      effect.kind === 'check' ? effect.input : fill(effect.input as unknown, run.variables)
    try {
      await steps[effect.kind](input as never)
    } catch (error) {
      if (error instanceof NotTestedError) throw error
      throw new Error(`step ${effect.step} (${effect.kind}): ${messageOf(error)}`, { cause: error })
    }
  }
  await lab.sandbox.idle({ timeoutMs: 60_000 })
  const verdicts = await settle(run, scenario.expect)
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
  const reason = unobserved === undefined ? undecided(run) : lab.mask(unobserved.reason)
  return {
    outcome: reason === null ? ('passed' as const) : ('not tested' as const),
    reason,
    findings,
    checked,
  }
}

/**
 * Returns why nothing follows from expectations that hold: a handler that responded to the last attempt of a delivery
 * with 5xx, or not at all, has not decided about it, because the gateway repeats it later.
 */
function undecided({ lab, mark: since }: Run): string | null {
  const attempts = lab.relay
    .deliveries()
    .filter(
      ({ number, mode, forwards }) => number > since.delivery && mode === 'pass' && forwards > 0,
    )
  const lastOf = new Map(attempts.map(({ type, body, replies }) => [body, { type, replies }]))
  for (const { type, replies } of lastOf.values()) {
    const status = replies.at(-1)?.status ?? null
    if (status !== null && status < 500) continue
    return `the handler has not accepted the delivery of ${type} (${status ?? 'no response'}), which the gateway repeats later`
  }
  return null
}

const maxEvidence = 200

/** The evidence: deliveries with their responses, calls, and the probe before and after. */
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
