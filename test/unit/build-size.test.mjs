import { describe, expect, it } from 'vitest'
import { compareWithBudget, countLines, measureRooms } from '../../build/lib/size.mjs'

describe('the lines of a file', () => {
  it.each([
    ['blank lines are nothing', 'a()\n\n \nb()\n', 2, 0],
    ['a comment behind code is code', 'a() // why\n', 1, 0],
    ['comments of one line and of several', '// one\n/* two\n\n three */\na()\n', 1, 4],
    ['a comment sign in a string is no comment', "a('/*')\nb('//')\nc(`\n// d`)\n", 4, 0],
    ['a URL in the text of a page is no comment', 'http://host/\n', 1, 0],
  ])('%s', (_name, text, code, comments) => {
    expect(countLines(text)).toEqual({ code, comments })
  })

  it('of a style sheet have no comments with slashes', () => {
    expect(countLines('/* a */\n.b {\n}\n//c\n', true)).toEqual({ code: 3, comments: 1 })
  })
})

it('a room is a folder of a root, a feature, or the files beside the folders', () => {
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

describe('the budget', () => {
  const of = (lines) => ({ 'src-main/a': { lines, files: 1, comments: 0, singleImporter: 0 } })

  it('is kept by a room of its size, or a little smaller', () => {
    expect(compareWithBudget(of(9819), of(9819))).toEqual([])
    expect(compareWithBudget(of(9500), of(9819))).toEqual([])
  })

  it('is broken by one line more', () => {
    expect(compareWithBudget(of(9820), of(9819))).toEqual([
      'src-main/a has 9,820 lines of code, its budget is 9,819: make the room smaller or change build/size-budget.json.',
    ])
  })

  it('follows a room that shrinks, or it could grow again unseen', () => {
    expect(compareWithBudget(of(9000), of(9819))).toEqual([
      'src-main/a has 9,000 lines of code, its budget is 9,819: lower the budget in build/size-budget.json.',
    ])
  })

  it('names each room there is, and no other', () => {
    expect(compareWithBudget(of(1), { 'src-main/b': {} })).toEqual([
      'src-main/a has no budget: add it to build/size-budget.json.',
      'src-main/b is gone: remove it from build/size-budget.json.',
    ])
  })
})
