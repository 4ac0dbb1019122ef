/** The lab against a real handler and a real sandbox: verdicts with evidence, and the reasons why it stops. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readScenario } from '../../../src-main/sandbox/lab/read-scenario.ts'
import type { LabReport } from '../../../src-main/sandbox/lab/report.ts'
import {
  PreflightError,
  type RunOptions,
  runLab,
  runScenario,
  runScenarios,
} from '../../../src-main/sandbox/lab/run-lab.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { freePort } from '../../fixtures/free-port.ts'

const folder = join(import.meta.dirname, '../../fixtures/lab')
const scenarios = ['duplicate', 'no-token'].map((name) =>
  readScenario(join(folder, `${name}.yaml`)),
)

async function optionsOf(defect = '', more: Partial<RunOptions> = {}): Promise<RunOptions> {
  const origin = `http://127.0.0.1:${await freePort()}`
  const start = `DEFECT=${defect} ${process.execPath} ${join(folder, 'shop.mjs')}`
  return { target: `${origin}/hook`, probe: `${origin}/state`, start, ...more }
}

const outcomesOf = (report: LabReport) => report.scenarios.map(({ outcome }) => outcome)

/** A report without what differs between runs: times and the port of the handler. */
function stable(report: LabReport): string {
  return JSON.stringify(report)
    .replaceAll(/"(durationMs|startedAt)":("[^"]*"|\d+)/g, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'target')
}

test(
  'a correct handler passes, and the same seed gives the same report',
  { timeout: 180_000 },
  async () => {
    const one = await runScenarios(scenarios, await optionsOf())
    const other = await runScenarios(scenarios, await optionsOf())
    expect(outcomesOf(one)).toEqual(['passed', 'passed'])
    expect(stable(one)).toBe(stable(other))
    const kinds = new Set(one.scenarios[0]?.evidence.map(({ kind }) => kind))
    expect([...kinds].toSorted()).toEqual(['call', 'delivery', 'probe', 'request', 'transaction'])
  },
)

test.each([
  ['duplicates', ['found', 'passed']],
  ['token', ['passed', 'found']],
])(
  'a handler with the defect "%s" is found by its scenario only',
  { timeout: 180_000 },
  async (defect, outcomes) => {
    const report = await runScenarios(scenarios, await optionsOf(defect))
    expect(outcomesOf(report)).toEqual(outcomes)
    const [finding] = report.scenarios.flatMap(({ findings }) => findings)
    expect(finding?.actual).toMatch(/^\d+$/)
  },
)

test(
  'nothing is claimed about a delivery that the handler has not accepted',
  { timeout: 180_000 },
  async () => {
    const scenario = `
      name: A payment without a name is not credited
      severity: high
      steps: [{ send: { amount: "1000000000", comment: "\${customer}" } }]
      expect: [{ probe: "credits.\${customer}.TON", change: "0" }]
    `
    const result = await runScenario(scenario, await optionsOf('busy'))
    expect(result).toMatchObject({
      outcome: 'not tested',
      reason:
        'the handler has not accepted the delivery of account_tx (500), which the gateway repeats later',
    })
  },
)

test('without a probe nothing is claimed about credits', { timeout: 180_000 }, async () => {
  const report = await runScenarios(scenarios, await optionsOf('', { probe: undefined }))
  expect(outcomesOf(report)).toEqual(['not tested', 'not tested'])
  expect(report.scenarios[0]?.reason).toContain('the probe is not given')
})

test('an unknown family is refused before anything starts', async () => {
  const options = { ...(await optionsOf()), only: ['nothing'] }
  await expect(runLab(options)).rejects.toThrow('no family or scenario "nothing"')
})

test('a target on another computer is refused before anything starts', async () => {
  const options = await optionsOf('', { target: 'http://192.0.2.1:80/' })
  await expect(runScenarios(scenarios, options)).rejects.toThrow(
    '192.0.2.1 is not on this computer',
  )
})

test(
  'a probe that shows a wrong credit stops the lab before the first attack',
  { timeout: 180_000 },
  async () => {
    const probe = `echo '{"credits":{}}'`
    await expect(runScenarios(scenarios, await optionsOf('', { probe }))).rejects.toThrow(
      'No verdict could rest on this probe',
    )
  },
)

test(
  'a handler that sends no request to the sandbox stops the lab, and its variables stand in the file',
  { timeout: 180_000 },
  async () => {
    using directory = temporaryDirectory()
    const envFile = join(directory.path, 'lab.env')
    let variables = ''
    const server = createServer((_request, response) => {
      variables = readFileSync(envFile, 'utf8')
      response.end('ok')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const options = { target: `http://127.0.0.1:${port}/`, envFile }
    const stopped: unknown = await runScenarios(scenarios, options).catch((error: unknown) => error)
    expect(stopped).toBeInstanceOf(PreflightError)
    expect((stopped as Error).message).toContain('The handler sent no request')
    expect(variables).toMatch(/^TONDESK_LAB_WEBHOOK_TOKEN=\S+$/m)
    server.close()
  },
)

test(
  'a scenario as text runs a restart, a counterfeit jetton and lost deliveries',
  { timeout: 180_000 },
  async () => {
    const text = `
name: Counterfeit coins are not credited, and a restart loses nothing
steps:
  - deploy: { jetton: { symbol: USDT }, as: fake, mint: { to: wallet-2, amount: 5000000 } }
  - send: { from: wallet-2, amount: 5000000, currency: fake, comment: '\${customer}', as: forged }
  - send: { from: wallet-3, amount: 1000000000, notification: { amount: 7, sender: '\${merchant}', comment: '\${customer}' } }
  - idle: {}
  - fault: { deliveries: refuse }
  - send: { amount: 30, comment: '\${customer2}', as: payment }
  - idle: {}
  - restart: { signal: SIGKILL }
  - fault: { deliveries: cut }
  - advance: 5s
  - idle: {}
  - fault: { deliveries: pass }
  - advance: 1h
  - idle: {}
expect:
  - probe: credits.\${customer}.TON
    change: 0
  - probe: credits.\${customer2}.TON
    change: 30
  - deliveries: { of: payment }
    count: 2
  - balance: { account: merchant, currency: fake }
    change: 5000000
`
    const result = await runScenario(text, await optionsOf())
    expect([result.outcome, result.reason, result.findings]).toEqual(['passed', null, []])
  },
)

test('an aborted run ends its handler', { timeout: 180_000 }, async () => {
  const aborted = new AbortController()
  const options = await optionsOf('', { signal: aborted.signal, onResult: () => aborted.abort() })
  await expect(runScenarios(scenarios, options)).rejects.toThrow()
  await expect(fetch(options.target)).rejects.toThrow()
})
