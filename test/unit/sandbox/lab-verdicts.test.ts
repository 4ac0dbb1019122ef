/** Expectations over what was observed, and the reports of a run. */
import { expect, test } from 'vitest'
import { type Facts, evaluateExpectation } from '../../../src-main/sandbox/lab/expectations.ts'
import { parseScenario } from '../../../src-main/sandbox/lab/read-scenario.ts'
import {
  type LabReport,
  type ScenarioResult,
  countOutcomes,
  exitCodeOf,
  formatHtml,
  formatJunit,
  formatResult,
} from '../../../src-main/sandbox/lab/report.ts'

const probeOf = (value: object) => ({ problem: null, value })
const reply = (status: number | null, body = '') => ({ status, body, isCut: false })

const facts: Facts = {
  before: {
    probe: probeOf({ credits: { ann: { TON: '9007199254740993' } } }),
    chain: { 'balance merchant TON': '10' },
  },
  after: {
    probe: probeOf({ credits: { ann: { TON: '9007199254740995' } }, state: 'open' }),
    chain: { 'balance merchant TON': '25', 'messages merchant ': '2' },
  },
  replies: {
    forged: [reply(401), reply(403)],
    mixed: [reply(401), reply(200)],
    silent: [reply(null, 'gone')],
  },
  deliveries: [
    {
      number: 1,
      type: 'account_tx',
      headers: {},
      body: '{"tx_hash":"h1"}',
      mode: 'pass',
      replies: [reply(200), reply(200)],
      forwards: 2,
    },
    {
      number: 2,
      type: 'invoice',
      headers: {},
      body: '{"id":"i1"}',
      mode: 'lose',
      replies: [],
      forwards: 0,
    },
  ],
  calls: [],
  variables: { 'payment.hash': 'h1', 'invoice.id': 'i1' },
}

function verdictOf(expectation: string, observed = facts) {
  const {
    expect: [first],
  } = parseScenario(`name: A\nsteps: []\nexpect:\n  - ${expectation}\n`, 'a.yaml')
  if (first === undefined) throw new Error('no expectation')
  const { state, actual, reason } = evaluateExpectation(first, observed)
  return [state, state === 'unobservable' ? reason : actual]
}

test.each([
  ['{ probe: credits.ann.TON, change: 2 }', 'holds', '2'],
  ['{ probe: credits.ann.TON, change: 1 }', 'fails', '2'],
  ['{ probe: [credits, ann, TON], is: "9007199254740995" }', 'holds', '9007199254740995'],
  ['{ probe: credits.bob.TON, change: 0 }', 'holds', '0'],
  ['{ probe: credits.bob.TON, is: 0 }', 'holds', 'null'],
  ['{ probe: state, oneOf: [open, paid] }', 'holds', 'open'],
  ['{ probe: state, not: open }', 'fails', 'open'],
  ['{ probe: state, atLeast: 1 }', 'fails', 'open'],
  ['{ probe: invoices.i1.status, is: paid }', 'unobservable', 'the probe does not show invoices'],
  ['{ response: forged, status: 4xx }', 'holds', '401, 403'],
  ['{ response: mixed, status: [401, 403] }', 'fails', '401, 200'],
  ['{ response: silent, status: 200 }', 'fails', 'no response'],
  ['{ response: never, status: 200 }', 'unobservable', 'no request was sent for "never"'],
  ['{ deliveries: { of: payment }, count: 2 }', 'holds', '2'],
  ['{ deliveries: { of: invoice }, atMost: 0 }', 'holds', '0'],
  ['{ deliveries: { type: account_tx }, status: 500 }', 'fails', '200'],
  ['{ calls: { root: query }, atLeast: 1 }', 'fails', '0'],
  ['{ balance: { account: merchant }, change: 15 }', 'holds', '15'],
  ['{ messages: {}, changeAtMost: 1 }', 'fails', '2'],
])('%s: %s', (expectation, state, actual) => {
  expect(verdictOf(expectation)).toEqual([state, actual])
})

test('a probe that fails gives no verdict', () => {
  const after = { ...facts.after, probe: { problem: 'did not print JSON', value: {} } }
  expect(verdictOf('{ probe: state, is: open }', { ...facts, after })).toEqual([
    'unobservable',
    'the probe did not print JSON',
  ])
})

const result: ScenarioResult = {
  id: 'duplicate',
  family: 'delivery-reality',
  name: 'A duplicate is credited once',
  severity: 'critical',
  outcome: 'found',
  reason: null,
  why: 'Money is paid out twice.',
  fix: 'Use a unique key.',
  example: { text: 'A shop', url: 'https://example.com/' },
  note: null,
  findings: [
    { sentence: 'Credited <b>2</b> & "more"', subject: 'probe a', wanted: 'is 1', actual: '2' },
  ],
  checked: [{ subject: 'probe a', wanted: 'is 1', state: 'fails' }],
  evidence: [
    { kind: 'request', text: 'POST: 200 </pre><script>alert(1)</script>\u0000', detail: '{}' },
  ],
  durationMs: 12,
}

function reportOf(...scenarios: ScenarioResult[]): LabReport {
  const about = { format: 'tondesk-lab-report', version: '1', seed: 's' } as const
  return {
    ...about,
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 1,
    counts: countOutcomes(scenarios),
    scenarios,
  }
}

const passed = { ...result, outcome: 'passed' as const, findings: [] }
const untested = {
  ...passed,
  outcome: 'not tested' as const,
  reason: 'the probe does not show credits',
}
const failed = { ...passed, outcome: 'failed' as const, reason: 'step 1' }

test('the exit code is 0 only if nothing was found, something passed and nothing failed', () => {
  const codes = [[passed], [passed, untested], [result, passed], [untested], [passed, failed]].map(
    (each) => exitCodeOf(reportOf(...each)),
  )
  expect(codes).toEqual([0, 0, 1, 3, 3])
})

test('the HTML report has a strict policy and no markup of a handler', () => {
  const html = formatHtml(reportOf(result))
  expect(html).toMatch(/default-src 'none'; style-src 'sha256-[\w+/=]{44}'/)
  expect(html).not.toContain('<script')
  expect(html).toContain('Credited &lt;b&gt;2&lt;/b&gt; &amp; &quot;more&quot;')
  expect(html).not.toContain('\u0000')
})

test('the JUnit report has a failure, a skipped test and an error', () => {
  const xml = formatJunit(reportOf(result, untested, failed, passed))
  expect(xml).toContain('tests="4" failures="1" errors="1" skipped="1"')
  expect(xml).toContain('<failure message="Credited &lt;b&gt;2')
  expect(xml).toContain('<skipped message="the probe does not show credits"/>')
  expect(xml).toContain('<error message="step 1"/>')
})

test('a finding is printed with its evidence, its fix and the command that repeats it', () => {
  const text = formatResult(result, (id) => `tondesk-sandbox lab --only ${id}`)
  for (const part of [
    'FOUND',
    'Fix: Use a unique key.',
    'request: POST: 200',
    'Repeat: tondesk-sandbox lab --only duplicate',
  ]) {
    expect(text).toContain(part)
  }
  expect(formatResult(untested, String)).toContain('because the probe does not show credits')
})
