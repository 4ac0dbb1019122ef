/** Tests that docs/security.md names an existing code file and test for each protection. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'

const page = readFileSync('docs/security.md', 'utf8')

type Row = { readonly cells: readonly string[]; readonly code: string; readonly test: string }

/** Returns the rows of the tables with the columns "code" and "test". */
const rows: Row[] = page.split('\n\n').flatMap((block) => {
  const [head = [], , ...others] = block
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  if (head.at(-3) !== 'code' || head.at(-2) !== 'test') return []
  return others.map((cells) => ({ cells, code: cells.at(-3) ?? '', test: cells.at(-2) ?? '' }))
})

/** Returns the paths in a cell; a name without a folder belongs to the folder of the previous path. */
function pathsIn(cell: string): string[] {
  const paths: string[] = []
  for (const [, text = ''] of cell.matchAll(/`([^`]+)`/g)) {
    const isRooted =
      /^(src-(main|preload|renderer)|test|build|docs|\.github)\/|^package\.json$/.test(text)
    const isName = /^[\w.*/-]+(\.(ts|tsx|mjs|cjs|css|json|yml)|\/)$/.test(text)
    const before = paths.at(-1)
    if (isRooted) paths.push(text)
    else if (isName && before !== undefined) paths.push(posix.join(posix.dirname(before), text))
  }
  return paths
}

const isThere = (path: string) =>
  path.includes('*') ? globSync(path).length > 0 : existsSync(path)

test('the check reads more than 60 rows and resolves names beside a path', () => {
  expect(rows.length).toBeGreaterThan(60)
  expect(pathsIn('`src-main/bridge/web.ts`, `web-events.ts`')).toEqual([
    'src-main/bridge/web.ts',
    'src-main/bridge/web-events.ts',
  ])
})

test('every protection names existing code and an existing test', () => {
  const problems = rows.flatMap(({ cells, code, test: by }) => {
    const [named, tested] = [pathsIn(code), pathsIn(by)]
    return [
      ...(named.length === 0 ? ['no code'] : []),
      ...(tested.length === 0 ? ['no test'] : []),
      ...[...named, ...tested].filter((path) => !isThere(path)),
    ].map((problem) => `${cells.slice(1, 3).join(' ')}: ${problem}`)
  })
  expect(problems).toEqual([])
})

test("the table of Electron's checklist has each of the 20 items once", () => {
  const numbers = rows
    .map(({ cells }) => cells[1] ?? '')
    .filter((cell) => /^[\d, –]+$/.test(cell))
    .flatMap((cell) => cell.split(', '))
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('–').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
})

test('docs/electron.md names each spec of the desktop app', () => {
  const text = readFileSync('docs/electron.md', 'utf8')
  const specs = globSync('test/e2e/{desktop,stand-in}/*.spec.ts').map((file) =>
    file.replaceAll('\\', '/'),
  )
  expect(specs.length).toBeGreaterThan(3)
  expect(specs.filter((file) => !text.includes(file))).toEqual([])
})
