/** The report of a run, as text, JUnit XML and one HTML file. The same seed gives the same report, apart from times. */
import { createHash } from 'node:crypto'

export type Evidence = {
  readonly kind: 'step' | 'request' | 'transaction' | 'delivery' | 'call' | 'probe' | 'note'
  readonly text: string
  readonly detail: string
}

export type Finding = {
  /** The scenario's own sentence about the mistake, or null. */
  readonly sentence: string | null
  readonly subject: string
  readonly wanted: string
  readonly actual: string
}

export type ScenarioResult = {
  readonly id: string
  readonly family: string | null
  readonly name: string
  readonly severity: 'critical' | 'high' | 'medium' | 'low'
  readonly outcome: 'passed' | 'found' | 'not tested' | 'failed'
  /** Why the scenario was not tested, or failed; else null. */
  readonly reason: string | null
  readonly why: string
  readonly fix: string
  readonly example: { readonly text: string; readonly url: string } | null
  readonly note: string | null
  readonly findings: readonly Finding[]
  readonly checked: readonly {
    readonly subject: string
    readonly wanted: string
    readonly state: string
  }[]
  readonly evidence: readonly Evidence[]
  readonly durationMs: number
}

export type LabReport = {
  readonly format: 'tondesk-lab-report'
  readonly version: string
  readonly seed: string
  readonly startedAt: string
  readonly durationMs: number
  readonly counts: Readonly<Record<ScenarioResult['outcome'], number>>
  readonly scenarios: readonly ScenarioResult[]
}

/** 0: nothing was found; 1: something was found; 3: a scenario failed, or nothing was tested. */
export function exitCodeOf({ counts }: LabReport): number {
  if (counts.found > 0) return 1
  return counts.failed > 0 || counts.passed === 0 ? 3 : 0
}

export const countOutcomes = (scenarios: readonly ScenarioResult[]): LabReport['counts'] => {
  const count = (outcome: ScenarioResult['outcome']) =>
    scenarios.filter((each) => each.outcome === outcome).length
  return {
    passed: count('passed'),
    found: count('found'),
    'not tested': count('not tested'),
    failed: count('failed'),
  }
}

export function summarize({ counts, seed }: LabReport): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  return `${parts.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}. Seed: ${seed}.`
}

const describeFinding = ({ sentence, subject, wanted, actual }: Finding): string =>
  `${sentence === null ? '' : `${sentence} `}(${subject}: expected ${wanted}, was ${actual})`

/** @param repeat the command that repeats one scenario, by its id */
export function formatResult(result: ScenarioResult, repeat: (id: string) => string): string {
  const { id, name, outcome, reason, severity, findings, fix, why, evidence } = result
  if (outcome === 'passed') return `passed      ${id}: ${name}`
  if (outcome === 'not tested') return `not tested  ${id}: ${name}\n            because ${reason}`
  if (outcome === 'failed') return `failed      ${id}: ${name}\n            ${reason}`
  const shown = evidence.map(({ kind, text }) => `  ${kind}: ${text}`)
  const lines = [
    ...findings.map(describeFinding),
    ...(why === '' ? [] : [`Why it matters: ${why.trim()}`]),
    ...(fix === '' ? [] : [`Fix: ${fix.trim()}`]),
    'Evidence:',
    ...(shown.length > 40
      ? [...shown.slice(0, 40), `  ${shown.length - 40} more: see --html`]
      : shown),
    `Repeat: ${repeat(id)}`,
  ]
  const indented = lines.flatMap((line) => line.split('\n')).map((line) => `            ${line}`)
  return [`FOUND       ${id} (${severity}): ${name}`, ...indented].join('\n')
}

export function formatJunit(report: LabReport): string {
  const { counts, scenarios, durationMs } = report
  const cases = scenarios.map((each) => {
    const { id, family, name, outcome, reason, findings } = each
    const text = [
      ...findings.map(describeFinding),
      ...each.evidence.map(({ kind, text }) => `${kind}: ${text}`),
    ]
    const content = {
      passed: '',
      found: `<failure message="${escape(findings[0] ? describeFinding(findings[0]) : '')}">${escape(text.join('\n'))}</failure>`,
      'not tested': `<skipped message="${escape(reason ?? '')}"/>`,
      failed: `<error message="${escape(reason ?? '')}"/>`,
    }[outcome]
    const time = (each.durationMs / 1_000).toFixed(3)
    return `  <testcase classname="${escape(family ?? 'scenario')}" name="${escape(`${id}: ${name}`)}" time="${time}">${content}</testcase>`
  })
  const totals = `tests="${scenarios.length}" failures="${counts.found}" errors="${counts.failed}" skipped="${counts['not tested']}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="tondesk-lab" ${totals} time="${(durationMs / 1_000).toFixed(3)}">
${cases.join('\n')}
</testsuite>
`
}

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}summary{cursor:pointer;padding:.3rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f5f7;padding:.5rem;border-radius:4px}
b{display:inline-block;min-width:6.5rem}.found b,.failed b{color:#b3261e}.passed b{color:#1a6b3a}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181b}pre{background:#23262b}.found b,.failed b{color:#ff8a80}.passed b{color:#7ddba3}}`

/** No script, and only this style: text of a handler cannot run anything. */
export function formatHtml(report: LabReport): string {
  const hash = createHash('sha256').update(style).digest('base64')
  const groups = Map.groupBy(report.scenarios, ({ family }) => family ?? 'scenarios')
  const sections = [...groups].map(
    ([family, scenarios]) => `<h2>${escape(family)}</h2>\n${scenarios.map(htmlOf).join('\n')}`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width"><title>Lab report</title><style>${style}</style></head>
<body><h1>Lab report</h1><p>${escape(summarize(report))} ${escape(report.startedAt)}, tondesk-sandbox ${escape(report.version)}.</p>
${sections.join('\n')}
</body></html>
`
}

function htmlOf(result: ScenarioResult): string {
  const { id, name, outcome, severity, reason, why, fix, example, findings, evidence, note } =
    result
  const isFound = outcome === 'found'
  const paragraphs = [
    ...findings.map(describeFinding),
    reason === null ? '' : `${outcome === 'not tested' ? 'Not tested, because ' : ''}${reason}`,
    why === '' ? '' : `Why it matters: ${why}`,
    example === null ? '' : `Public example: ${example.text} ${example.url}`,
    isFound && fix !== '' ? `Fix: ${fix}` : '',
    note ?? '',
  ].filter((text) => text !== '')
  const checked = result.checked.map(
    ({ subject, wanted, state }) => `${state}: ${subject} ${wanted}`,
  )
  const shown = evidence.map(
    ({ kind, text, detail }) =>
      `<details><summary>${escape(`${kind}: ${text}`)}</summary><pre>${escape(detail)}</pre></details>`,
  )
  return `<details class="${outcome.replace(' ', '-')}"${isFound ? ' open' : ''}><summary><b>${outcome}</b> ${escape(`${id} (${severity}): ${name}`)}</summary>
${paragraphs.map((text) => `<p>${escape(text)}</p>`).join('\n')}
<pre>${escape(checked.join('\n'))}</pre>
${shown.join('\n')}</details>`
}

const entities = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }))

/** Control characters are not allowed in XML. */
const escape = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replaceAll(/[&<>"]/g, (sign) => entities.get(sign) ?? sign)
