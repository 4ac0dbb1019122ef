/** Tests that a run which skipped all tests of a file does not look like a success. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { join } from 'node:path'
import process from 'node:process'
import SkippedFiles from '../fixtures/skipped-files.ts'

type Tests = Readonly<Record<string, readonly ('passed' | 'skipped')[]>>

let written = ''
const before = process.exitCode
beforeEach(() => {
  written = ''
  vi.stubEnv('TONDESK_SKIP_FILES', undefined)
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text)
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = before
})

type Module = Parameters<SkippedFiles['onTestRunEnd']>[0][number]

function runVitest(tests: Tests, testNamePattern?: RegExp) {
  process.exitCode = 0
  const reporter = new SkippedFiles()
  reporter.onInit({ config: { testNamePattern } })
  const modules = Object.entries(tests).map(([file, states]) => ({
    moduleId: join(process.cwd(), file),
    children: { allTests: () => states.map((state) => ({ result: () => ({ state }) })) },
  }))
  reporter.onTestRunEnd(modules as unknown as readonly Module[], [], 'passed')
  return process.exitCode
}

function runPlaywright(tests: Tests): string {
  const reporter = new SkippedFiles()
  const all = Object.entries(tests).flatMap(([file, states]) =>
    states.map((state) => ({
      location: { file: join(process.cwd(), file) },
      outcome: () => (state === 'passed' ? 'expected' : state),
    })),
  )
  reporter.onBegin({}, { allTests: () => all as never })
  return reporter.onEnd({ status: 'passed' }).status
}

const [here, other] = ['test/main/here.test.ts', 'test/main/other.test.ts']

test.each<[fails: boolean, tests: Tests]>([
  [false, { [here]: ['passed'], [other]: ['skipped', 'passed'] }],
  [true, { [here]: ['passed'], [other]: ['skipped', 'skipped'] }],
  [true, { [here]: ['skipped'], [other]: ['passed', 'skipped'] }],
  // This file tests features that only some computers have.
  [false, { [here]: ['passed'], 'test/electron/electron.spec.ts': ['skipped'] }],
  [false, {}],
])('a run fails (%s) by the tests that it skipped: %j', (fails, tests) => {
  expect(runVitest(tests)).toBe(fails ? 1 : 0)
  expect(runPlaywright(tests)).toBe(fails ? 'failed' : 'passed')
  expect(written !== '').toBe(fails)
})

test('the message names each file that was skipped, and how to allow that', () => {
  runVitest({ [here]: ['skipped'], [other]: ['skipped'], 'test/main/third.test.ts': ['passed'] })
  expect(written).toContain(`All tests of ${here}, ${other} were skipped.`)
  expect(written).toContain('TONDESK_SKIP_FILES=1')
})

test('skipping is allowed by the environment, and for tests chosen by their name', () => {
  expect(runVitest({ [here]: ['skipped'] }, /a name/)).toBe(0)
  vi.stubEnv('TONDESK_SKIP_FILES', '1')
  expect(runVitest({ [here]: ['skipped'] })).toBe(0)
  expect(runPlaywright({ [here]: ['skipped'] })).toBe('passed')
  expect(written).toBe('')
})

test('a run that failed keeps its own reason', () => {
  const reporter = new SkippedFiles()
  expect(reporter.onEnd({ status: 'interrupted' })).toEqual({ status: 'interrupted' })
  expect(written).toBe('')
})
