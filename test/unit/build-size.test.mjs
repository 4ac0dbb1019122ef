import { describe, expect, it } from 'vitest'
import { compareWithBudget, countLines, measureRooms } from '../../build/lib/size.mjs'

describe('the lines of a file', () => {
  it.each([
    ['blank lines are not counted', 'a()\n\n \nb()\n', 2, 0],
    ['a line with code and a comment counts as code', 'a() // why\n', 1, 0],
    [
      'comments of one line and of several lines count as comments',
      '// one\n/* two\n\n three */\na()\n',
      1,
      4,
    ],
    ['a comment sign in a string is not a comment', "a('/*')\nb('//')\nc(`\n// d`)\n", 4, 0],
    ['a URL in the text of a page is not a comment', 'http://host/\n', 1, 0],
  ])('%s', (_name, text, code, comments) => {
    expect(countLines(text)).toEqual({ code, comments })
  })

  it('a line that begins with slashes is code in a style sheet', () => {
    expect(countLines('/* a */\n.b {\n}\n//c\n', true)).toEqual({ code: 3, comments: 1 })
  })
})

it('each folder of a root and each feature is a room, and the files beside the folders are another room', () => {
  const sources = new Map([
    ['src-main/main.ts', "import { a } from './a/a.ts'\nimport { b } from './a/b/b.ts'\n"],
    ['src-main/a/a.ts', "import type { B } from './b/b.ts'\n"],
    ['src-main/a/b/b.ts', '// why\n'],
    ['src-main/a/migrations/0001.ts', 'one()\n'],
    ['src-main/a/all.ts', "import { one } from './migrations/0001.ts'\n"],
    ['src-renderer/features/c/c.css', '.c {\n}\n'],
    ['src-renderer/features/loose.ts', 'd()\n'],
  ])
  expect(measureRooms(sources)).toEqual({
    'src-main': { lines: 2, files: 1, comments: 0, singleImporter: 0 },
    'src-main/a': { lines: 3, files: 4, comments: 1, singleImporter: 1 },
    'src-renderer/features/c': { lines: 2, files: 1, comments: 0, singleImporter: 0 },
    'src-renderer/features': { lines: 1, files: 1, comments: 0, singleImporter: 0 },
  })
})

describe('the size budget', () => {
  const of = (lines) => ({ 'src-main/a': { lines, files: 1, comments: 0, singleImporter: 0 } })

  it('a room of its budgeted size or slightly less is within the budget', () => {
    expect(compareWithBudget(of(9819), of(9819))).toEqual([])
    expect(compareWithBudget(of(9500), of(9819))).toEqual([])
  })

  it('a room with one line more than its budget fails the check', () => {
    expect(compareWithBudget(of(9820), of(9819))).toEqual([
      'src-main/a has 9,820 lines of code, its budget is 9,819: make the room smaller or change build/size-budget.json.',
    ])
  })

  it('a room that has shrunk a lot fails the check until its budget is lowered', () => {
    expect(compareWithBudget(of(9000), of(9819))).toEqual([
      'src-main/a has 9,000 lines of code, its budget is 9,819: lower the budget in build/size-budget.json.',
    ])
  })

  it('a room without a budget and a budget without a room fail the check', () => {
    expect(compareWithBudget(of(1), { 'src-main/b': {} })).toEqual([
      'src-main/a has no budget: add it to build/size-budget.json.',
      'src-main/b is gone: remove it from build/size-budget.json.',
    ])
  })
})
