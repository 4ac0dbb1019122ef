import { readJsonTree } from '../../../components/body/json-tree.ts'

/** Of a text that is JSON: a string, a sign, or a number or word. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Above this a text is shown as it is: laying it out at each look would be felt. */
const mostLength = 2_000_000

/** What is wrong with a text that looks like JSON, with its place; null where nothing is. */
export function findJsonProblem(text: string): string | null {
  if (!/^\ufeff?\s*[{[]/.test(text) || text.length > mostLength) return null
  const { problem } = readJsonTree(text)
  return problem === null
    ? null
    : `No JSON in line ${problem.line}, column ${problem.column}: ${problem.message}`
}

function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text) && text.length <= mostLength && readJsonTree(text).problem === null
}

/**
 * One member a line. Nothing is converted: numbers keep their digits, strings their escapes, objects
 * their order and their duplicate keys. @returns null for what is no JSON
 */
export function layOutJson(text: string): string | null {
  if (!isJson(text)) return null
  const parts: string[] = []
  let depth = 0
  let before = ''
  for (const [each] of text.matchAll(token)) {
    const closes = each === '}' || each === ']'
    if (closes) depth -= 1
    const isEmpty = closes && (before === '{' || before === '[')
    const breaks = (before === '{' || before === '[' || before === ',' || closes) && !isEmpty
    if (breaks && before !== '') parts.push(`\n${'  '.repeat(depth)}`)
    parts.push(each === ':' ? ': ' : each)
    if (each === '{' || each === '[') depth += 1
    before = each
  }
  return parts.join('')
}

/** Without the spaces between its signs, as machines write it. @returns null for what is no JSON */
export function compactJson(text: string): string | null {
  if (!isJson(text)) return null
  return Array.from(text.matchAll(token), ([each]) => each).join('')
}
