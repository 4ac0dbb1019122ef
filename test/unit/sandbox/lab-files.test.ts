/** Scenario files: their errors, their plan and their JSON Schema. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planScenario } from '../../../src-main/sandbox/lab/plan.ts'
import { parseScenario, readScenario } from '../../../src-main/sandbox/lab/read-scenario.ts'
import { scenarioJsonSchema } from '../../../src-main/sandbox/lab/scenario.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const given = { merchant: '0:aa', usdt: '0:bb', target: 'http://127.0.0.1:1/' }

function scenarioOf(steps: string, more = '') {
  const text = `name: A scenario\n${more}steps:\n${steps}\nexpect:\n  - messages: {}\n    is: 0\n`
  return parseScenario(text, 'a.yaml')
}

const planOf = (steps: string, more = '', seed = 's') =>
  planScenario(scenarioOf(steps, more), seed, given)

test.each([
  [
    '  - send: { amuont: 1 }',
    'a.yaml:3:13: steps[0].send: "amuont" is not a key of the format. Did you mean "amount"?',
  ],
  [
    '  - advanec: 5',
    'a.yaml:3:5: steps[0]: "advanec" is not a key of the format. Did you mean "advance"?',
  ],
  ['  - idle: {}\n    mark: {}', 'a.yaml:3:5: steps[0]: needs exactly one of send, deploy'],
  ['  - advance: soon', 'a.yaml:3:14: steps[0].advance:'],
  ['  - restart: { signal: SIGHUP }', 'a.yaml:3:24: steps[0].restart.signal:'],
  ['  - send: {', 'this is not YAML'],
])('a mistake is reported with its line, path and nearest key: %s', (steps, message) => {
  expect(() => scenarioOf(steps)).toThrow(message)
})

test('an unknown key of the file itself, of an expectation and of a check names the nearest one', () => {
  expect(() => scenarioOf('  - idle: {}', 'sead: a\n')).toThrow(
    'a.yaml:2:1: "sead" is not a key of the format. Did you mean "seed"?',
  )
  expect(() => scenarioOf('  - check: [{ prob: a, is: 1 }]')).toThrow('Did you mean "probe"?')
  expect(() =>
    scenarioOf('  - fault: { gateway: [{ root: query, kind: status, stats: 500 }] }'),
  ).toThrow('"stats"')
})

test('an alias, which could expand a short file without limit, is refused', () => {
  expect(() => scenarioOf('  - idle: &a {}\n  - idle: *a')).toThrow('a.yaml')
})

test('the same seed gives the same plan, and another seed other customers and amounts', () => {
  const more = 'variables:\n  price: { from: 1000, to: 1000000000 }\n'
  const steps = "  - send: { amount: '${price}', comment: '${customer}' }"
  expect(planOf(steps, more)).toEqual(planOf(steps, more))
  const [one, other] = ['a', 'b'].map((seed) => planOf(steps, more, seed).variables)
  expect(one?.['price']).not.toBe(other?.['price'])
  expect(one?.['customer']).not.toBe(other?.['customer'])
})

test('variables are whole numbers of any size, with the usual order of operations', () => {
  const more = `variables:
  big: "1329227995784915872903807060280344576"
  sum: \${1 + 2 * 3}
  part: \${(big - 6) / 10}
  name: order-\${sum}
`
  expect(planOf('  - idle: {}', more).variables).toMatchObject({
    sum: '7',
    part: '132922799578491587290380706028034457',
    name: 'order-7',
  })
})

test.each([
  [
    "  - send: { amount: '${prcie}' }",
    'the variable "prcie" is not set here. Did you mean "price"?',
  ],
  ["  - send: { amount: '${price / 0}' }", 'divides by zero'],
  ["  - send: { amount: '${price + merchant}' }", '"merchant" is no whole number'],
  [
    "  - deliver: { body: { lt: '${payment.lt}' } }\n  - send: { amount: 1, as: payment }",
    '"payment.lt" is not set here',
  ],
])('a wrong expression is refused before anything runs: %s', (steps, message) => {
  expect(() => planOf(steps, 'variables:\n  price: 5\n')).toThrow(message)
})

test('a label is known after its step, and its value is filled while the scenario runs', () => {
  const { effects } = planOf(
    "  - send: { amount: 1, as: payment }\n  - deliver: { body: { lt: '${payment.lt}' } }",
  )
  expect(effects[1]?.input).toMatchObject({ body: { lt: '${payment.lt}' } })
})

test('a repeated step has its number, and more than 10,000 steps are refused', () => {
  const { effects } = planOf("  - send: { amount: 1, comment: 'n${index}' }\n    times: 3")
  expect(effects.map(({ input }) => (input as { comment: string }).comment)).toEqual([
    'n1',
    'n2',
    'n3',
  ])
  expect(() => planOf('  - idle: {}\n    times: 9999\n  - mark: {}\n    times: 2')).toThrow(
    'more than 10000 steps',
  )
})

test('the steps of a seed file come first, and files that name each other are refused', () => {
  using folder = temporaryDirectory()
  const file = (name: string) => join(folder.path, name)
  const body = 'name: A scenario\nsteps:\n  - idle: {}\nexpect:\n  - messages: {}\n    is: 0\n'
  writeFileSync(file('first.yaml'), 'name: First\nvariables:\n  price: 5\nsteps:\n  - mark: {}\n')
  writeFileSync(file('second.yaml'), `seedFile: first.yaml\n${body}`)
  const { steps, variables } = readScenario(file('second.yaml'))
  expect(steps.map((step) => Object.keys(step)[0])).toEqual(['mark', 'idle'])
  expect(variables).toEqual({ price: '5' })
  writeFileSync(file('one.yaml'), `seedFile: other.yaml\n${body}`)
  writeFileSync(file('other.yaml'), `seedFile: one.yaml\n${body}`)
  expect(() => readScenario(file('one.yaml'))).toThrow('the files name each other')
  expect(() => readScenario(file('none.yaml'))).toThrow('cannot be read')
})

test('the published JSON Schema is that of the sources', () => {
  const path = 'docs/schemas/scenario.schema.json'
  const text = `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`
  if (process.env['TONDESK_WRITE_SCHEMA'] === '1') writeFileSync(path, text)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(text))
})
