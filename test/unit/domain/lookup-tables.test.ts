/**
 * Names of `Object.prototype` must not be found in a table, because `constructor` would be a field
 * type otherwise.
 */
import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']

test.each(inherited)('a lookup table finds %s only if it is an entry', (name) => {
  expect(lookupTable({ a: 1 })[name]).toBeUndefined()
  expect(lookupTable(JSON.parse(`{"${name}":1}`) as Record<string, number>)[name]).toBe(1)
})

/** Accesses whose keys are listed or validated by the code itself. */
const castKeys = [
  'src-main/app/store/settings.ts defaultSettings',
  'src-main/app/store/settings.ts patch',
  'src-main/invoices/matching/discrepancies.ts kept',
  'src-main/lookups/store/lookup-lines.ts sortColumns',
  'src-renderer/features/settings/settings-page.tsx sections',
]

function bare(node: ts.Expression): ts.Expression {
  let inner = node
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner)
  ) {
    inner = inner.expression
  }
  return inner
}

const isRecord = (type: ts.TypeNode | undefined) =>
  type !== undefined &&
  /^(Readonly<)?(Partial<)?Record<string,/.test(type.getText().replaceAll(/\s/g, ''))

/** @returns why the expression can find a name of `Object.prototype`, or null */
function problemOf(node: ts.Node, file: ts.SourceFile): string | null {
  if (ts.isVariableDeclaration(node) && node.initializer !== undefined) {
    const isOfModule = node.parent.parent.parent === file
    const isLiteral = ts.isObjectLiteralExpression(bare(node.initializer))
    const cast = ts.isAsExpression(node.initializer) ? node.initializer.type : undefined
    if (isOfModule && isLiteral && (isRecord(node.type) || isRecord(cast))) {
      return `table ${node.name.getText()}: use lookupTable`
    }
  }
  if (ts.isElementAccessExpression(node)) {
    const key = node.argumentExpression
    const isTyped = ts.isIdentifier(key) || ts.isStringLiteral(key)
    if (ts.isObjectLiteralExpression(bare(node.expression)) && !isTyped) {
      return `table without a name, at ${key.getText()}: use lookupTable`
    }
    const table = node.expression.getText()
    const isCast = ts.isAsExpression(key) && key.type.getText().startsWith('keyof')
    const isNamed = isCast || (ts.isAsExpression(key) && /^[A-Z]\w+s$/.test(key.type.getText()))
    if (isNamed && !file.text.includes(`Object.hasOwn(${table},`)) return table
  }
  const isIn = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword
  if (isIn && !ts.isStringLiteral(node.left) && !ts.isPrivateIdentifier(node.left)) {
    return `${node.getText()}: use Object.hasOwn`
  }
  return null
}

function problemsIn(path: string, text: string): string[] {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const found: string[] = []
  const visit = (node: ts.Node) => {
    const problem = problemOf(node, file)
    if (problem !== null) found.push(`${path} ${problem}`)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

test('no table of the product finds names of Object.prototype', () => {
  const paths = globSync('src-{main,preload,renderer}/**/*.{ts,tsx}').map((path) =>
    path.replaceAll('\\', '/'),
  )
  expect(paths.length).toBeGreaterThan(500)
  const found = paths.flatMap((path) => problemsIn(path, readFileSync(path, 'utf8')))
  expect(found.toSorted()).toEqual(castKeys)
})

test.each([
  'const a: Record<string, number> = { b: 1 }',
  'export const a: Readonly<Record<string, () => void>> = {}',
  'const a = { b: 1 } as Record<string, number>',
  'const a = ({ b: 1 } as Record<string, number>)[event.key]',
  'const a = { b: 1 }[event.key]',
  'if (name in table) use(table)',
  'use(table[name as keyof typeof table])',
])('the check reports a table that finds names of Object.prototype: %s', (text) => {
  expect(problemsIn('a.ts', text)).toHaveLength(1)
})
