import { expect, it } from 'vitest'
import {
  countCycles,
  countFeatureImports,
  countLines,
  functionLengths,
  measureRooms,
  readImports,
} from '../../build/lib/size.mjs'

it.each([
  ['blank lines are not counted', 'a.ts', 'a()\n\n \nb()\n', 2],
  ['a line with code and a comment counts', 'a.ts', 'a() // why\n', 1],
  ['comments alone do not count', 'a.ts', '// one\n/* two\n\n three */\na()\n', 1],
  ['a comment sign in a string is not a comment', 'a.ts', "a('/*')\nb('//')\nc(`\n// d`)\n", 4],
  ['a URL in the text of a page is not a comment', 'a.tsx', 'http://host/\n', 1],
  ['a line that begins with slashes is code in CSS', 'a.css', '/* a */\n.b {\n}\n//c\n', 3],
  ['a number sign begins a comment in Python', 'a.py', '# why\na()\n', 1],
])('%s', (_name, path, text, lines) => {
  expect(countLines(path, text)).toBe(lines)
})

it('each folder of a root and each feature is a room, and the files beside the folders are another room', () => {
  const sources = new Map([
    ['src-main/main.ts', 'a()\nb()\n'],
    ['src-main/a/a.ts', 'c()\n'],
    ['src-main/a/b/b.ts', '// why\n'],
    ['src-renderer/features/c/c.css', '.c {\n}\n'],
    ['src-renderer/features/loose.ts', 'd()\n'],
  ])
  expect(Object.fromEntries(measureRooms(sources))).toEqual({
    'src-main': { lines: 2, files: 1 },
    'src-main/a': { lines: 1, files: 2 },
    'src-renderer/features/c': { lines: 2, files: 1 },
    'src-renderer/features': { lines: 1, files: 1 },
  })
})

it('the length of a function counts its first and last line, and closures have their own', () => {
  const text = 'function a() {\n  const b = () => {\n    c()\n  }\n\n  return b\n}\n'
  expect(functionLengths('a.ts', text).map(({ name, lines }) => [name, lines])).toEqual([
    ['a', 7],
    ['b', 3],
  ])
})

it('imports between features and cycles are counted from the import statements, types included', () => {
  const imports = readImports(
    new Map([
      ['src-main/captures/a.ts', "import type { B } from '../delivery/b.ts'\n"],
      ['src-main/delivery/b.ts', "import { c } from '../jobs/c.ts'\nimport { z } from 'zod'\n"],
      ['src-main/jobs/c.ts', "import { a } from '../captures/a.ts'\n"],
      ['src-renderer/features/d/d.tsx', "import { e } from '../e/e.tsx'\n"],
      ['src-renderer/features/e/e.tsx', "import { f } from './f.ts'\n"],
      ['src-renderer/features/e/f.ts', ''],
    ]),
  )
  expect(countFeatureImports(imports)).toBe(2)
  expect(countCycles(imports)).toBe(1)
})
