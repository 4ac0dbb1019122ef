/** Tests whether the tests notice enough mutants of a module. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { problemsOf, scoresOf } from '../../build/lib/mutants.mjs'

const file = 'src-preload/domain/amount.ts'
const reportOf = (...mutants) => ({
  files: {
    [file]: {
      mutants: mutants.map(([status, statusReason], index) => ({
        status,
        statusReason,
        location: { start: { line: index + 1 } },
      })),
    },
  },
})
const score = (threshold, ...mutants) => scoresOf(reportOf(...mutants), { [file]: threshold })

test('killed mutants and those that never end are noticed; what is no program does not count', () => {
  const [found] = score(50, ['Killed'], ['Timeout'], ['Survived'], ['NoCoverage'], ['CompileError'])
  expect(found).toMatchObject({ killed: 2, mutants: 4, score: 50 })
})

test('a disabled mutant counts as survived, and needs a reason', () => {
  const scores = score(
    50,
    ['Killed'],
    ['Ignored', 'Sorting is stable.'],
    ['Ignored', 'Ignored using a comment'],
    ['Ignored'],
  )
  expect(scores).toMatchObject([{ score: 25 }])
  expect(problemsOf(scores)).toEqual([
    `${file}: 25.0 % is below 50 %.`,
    `${file}:3 disables a mutant without a reason.`,
    `${file}:4 disables a mutant without a reason.`,
  ])
})

test('a score at its threshold passes, and one that would be rounded up to it does not', () => {
  const half = score(50, ['Killed'], ['Survived'])
  expect(problemsOf(half)).toEqual([])
  const below = score(67, ['Killed'], ['Killed'], ['Survived'])
  expect(problemsOf(below)).toEqual([`${file}: 66.6 % is below 67 %.`])
})

test('every module in the list exists and has a threshold of at least 85 %', () => {
  const modules = JSON.parse(readFileSync('test/mutants/modules.json', 'utf8'))
  expect(Object.keys(modules).filter((each) => !existsSync(each))).toEqual([])
  expect(Object.entries(modules).filter(([, each]) => each < 85 || each > 100)).toEqual([])
})
