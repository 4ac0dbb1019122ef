import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { labScenarios } from '../../../src-main/sandbox/lab/run-lab.ts'
import { families } from '../../../src-main/sandbox/lab/scenario.ts'
import { labDefects } from '../../fixtures/lab-defects.ts'

const scenarios = labScenarios()

test('the lab has at least 36 scenarios, in each of its five families', () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(36)
  expect([...new Set(scenarios.map(({ family }) => family))]).toEqual([...families])
  const ids = scenarios.map(({ id }) => id)
  expect([...new Set(ids)]).toEqual(ids)
})

test('each scenario has its reason, its evidence and the fix of the handler', () => {
  for (const { id, why, fix, evidence = '', expect: expected } of scenarios) {
    for (const text of [why, fix, evidence]) expect(text, id).toMatch(/^[A-Z].+\.$/s)
    for (const { finding = '' } of expected) expect(finding, id).toContain('The backend')
  }
})

test('each expectation is broken by a defect of the sample handlers', () => {
  const broken = new Set(
    Object.values(labDefects).flatMap(({ finds }) =>
      Object.entries(finds).flatMap(([id, places]) => places.map((place) => `${id} ${place}`)),
    ),
  )
  const expected = scenarios.flatMap(({ id, expect: all }) =>
    all.map((_, place) => `${id} ${place}`),
  )
  expect([...broken].toSorted()).toEqual(expected.toSorted())
})

test.for([
  ['examples/lab/handler.mjs', /defect\('([\w-]+)'\)/g],
  ['examples/lab/handler.py', /defect\("([\w-]+)"\)/g],
] as const)('%s has exactly the defects that the tests switch on', ([file, pattern]) => {
  const text = readFileSync(file, 'utf8')
  const named = [...text.matchAll(pattern)].map(([, name = '']) => name)
  const known = new Set([...named].filter((name) => name !== 'name'))
  expect([...known].toSorted()).toEqual(Object.keys(labDefects).toSorted())
})

test('docs/lab.md lists every scenario with its severity', () => {
  const page = readFileSync('docs/lab.md', 'utf8')
  const rows = scenarios.map(({ id, severity, name }) => [`\`${id}\``, severity, name])
  const listed = [...page.matchAll(/^\| (`[\w-]+`) +\| (\w+) +\| (.*?) +\|$/gm)]
  expect(listed.map(([, ...cells]) => cells)).toEqual(rows)
})
