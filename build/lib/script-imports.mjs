// This file needs Node 24, because it uses the bundler's own parser.
import { parseSync } from 'vite'

function* nodesOf(value) {
  if (value === null || typeof value !== 'object') return
  if (typeof value.type === 'string') yield value
  for (const child of Object.values(value)) yield* nodesOf(child)
}

const text = (node) =>
  node?.type === 'Literal' && typeof node.value === 'string' ? [node.value] : []

function specifierOf(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
      return text(node.source)
    case 'CallExpression':
      return /^(__)?require$/.test(node.callee.name ?? '') ? text(node.arguments[0]) : []
    // A thread is started with `new URL('./x.js', import.meta.url)`.
    case 'NewExpression':
      return node.callee.name === 'URL' && node.arguments[1]?.type === 'MemberExpression'
        ? text(node.arguments[0]).filter((name) => name.endsWith('.js'))
        : []
    default:
      return []
  }
}

/** Returns every module that a script imports or starts. */
export function importsOf(file, code) {
  return [...new Set([...nodesOf(parseSync(file, code).program)].flatMap(specifierOf))]
}
