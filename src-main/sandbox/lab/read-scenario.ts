/** Reads scenario files. An error names the file, the line and, for an unknown key, the nearest valid one. */
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { LineCounter, isMap, isNode, parseDocument } from 'yaml'
import { z } from 'zod'
import { decodeTextFile } from '../../../src-preload/domain/text-file.ts'
import { messageOf } from '../../../src-preload/domain/app-error.ts'
import { type Scenario, scenarioJsonSchema, scenarioSchema, seedFileSchema } from './scenario.ts'

/** The message states the file, line and path of a mistake. */
export class ScenarioError extends Error {}

const maxFileBytes = 5_000_000
const maxDepth = 8

/** @throws ScenarioError */
export const readScenario = (file: string): Scenario =>
  withSeedFile(parseScenario(readText(file), file), file, [resolve(file)])

function readText(file: string): string {
  try {
    if (statSync(file).size > maxFileBytes) {
      throw new ScenarioError(`${file}: the file has more than ${maxFileBytes / 1e6} MB.`)
    }
    return decodeTextFile([readFileSync(file)])
  } catch (error) {
    if (error instanceof ScenarioError) throw error
    throw new ScenarioError(`${file}: the file cannot be read: ${messageOf(error)}`)
  }
}

/** @param file names the text in errors, and is the id. @throws ScenarioError */
export const parseScenario = (text: string, file: string): Scenario =>
  parse(scenarioSchema, text, file)

/** Variables and steps of the seed file come first. */
function withSeedFile(scenario: Scenario, file: string, read: readonly string[]): Scenario {
  if (scenario.seedFile === undefined) return scenario
  const path = resolve(dirname(file), scenario.seedFile)
  if (read.includes(path)) throw new ScenarioError(`${file}: seedFile: the files name each other.`)
  if (read.length >= maxDepth) {
    throw new ScenarioError(`${file}: seedFile: more than ${maxDepth} files name each other.`)
  }
  const found = { expect: [], ...parse(seedFileSchema, readText(path), path) } as Scenario
  const first = withSeedFile(found, path, [...read, path])
  return {
    ...scenario,
    variables: { ...first.variables, ...scenario.variables },
    steps: [...first.steps, ...scenario.steps],
  }
}

function parse<T extends object>(schema: z.ZodType<T>, text: string, file: string) {
  const lines = new LineCounter()
  const { document, content } = parseYaml(text, file, lines)
  const fail = (offset: number, path: readonly PropertyKey[], message: string) => {
    const { line, col } = lines.linePos(offset)
    const place = path.length === 0 ? '' : `${z.core.toDotPath(path)}: `
    return new ScenarioError(`${file}:${line}:${col}: ${place}${message}`)
  }
  const [broken] = document.errors
  if (broken !== undefined) throw fail(broken.pos[0], [], `this is not YAML: ${broken.message}`)

  function offsetOf(path: readonly PropertyKey[]): number {
    const node = path.length === 0 ? document.contents : document.getIn(path, true)
    if (isNode(node) && node.range) return node.range[0]
    return path.length === 0 ? 0 : offsetOf(path.slice(0, -1))
  }

  const checked = schema.safeParse(content, { reportInput: true })
  if (checked.success) {
    return { ...checked.data, id: basename(file).replace(/(\.scenario)?\.ya?ml$/i, '') }
  }
  const issues = checked.error.issues.map(deepest)
  // An unknown key explains why another one is missing.
  const issue = issues.find((each) => each?.code === 'unrecognized_keys') ?? issues[0]
  if (issue?.code !== 'unrecognized_keys') {
    const path = issue?.path ?? []
    const isMissing = issue !== undefined && path.length > 0 && issue.input === undefined
    const why = isMissing ? 'this value is missing' : (issue?.message ?? 'this is no scenario')
    throw fail(offsetOf(path), path, why)
  }
  const [key = ''] = issue.keys
  const parent = issue.path.length === 0 ? document.contents : document.getIn(issue.path, true)
  const pair = isMap(parent) ? parent.items.find((each) => String(each.key) === key) : undefined
  const offset = isNode(pair?.key) && pair.key.range ? pair.key.range[0] : offsetOf(issue.path)
  const valid = keysAt(scenarioJsonSchema(), issue.path)
  const hint = valid.length === 0 ? '' : ` Did you mean "${nearest(key, valid)}"?`
  throw fail(offset, issue.path, `"${key.slice(0, 80)}" is not a key of the format.${hint}`)
}

function parseYaml(text: string, file: string, lineCounter: LineCounter) {
  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: false, intAsBigInt: true })
    // Without aliases, a short file cannot expand to a large one.
    const content: unknown = document.errors.length > 0 ? null : document.toJS({ maxAliasCount: 0 })
    return { document, content: withNumbers(content) }
  } catch (error) {
    throw new ScenarioError(`${file}: ${messageOf(error).replace(/\.?$/, '.')}`)
  }
}

/** Whole numbers beyond 2^53 stay bigint, so that a `body` carries them exactly. */
function withNumbers(content: unknown): unknown {
  if (typeof content === 'bigint') {
    return Number.isSafeInteger(Number(content)) ? Number(content) : content
  }
  if (Array.isArray(content)) return content.map(withNumbers)
  if (typeof content !== 'object' || content === null) return content
  return Object.fromEntries(Object.entries(content).map(([key, each]) => [key, withNumbers(each)]))
}

type Issue = z.core.$ZodIssue

/** A union reports the errors of each branch: the branch that went furthest names the mistake best. */
function deepest(issue: Issue | undefined): Issue | undefined {
  if (issue?.code !== 'invalid_union') return issue
  const [best] = issue.errors
    .flatMap(([first]) => (first === undefined ? [] : [first]))
    .toSorted((a, b) => b.path.length - a.path.length)
  if (best === undefined || best.path.length === 0) return issue
  return deepest({ ...best, path: [...issue.path, ...best.path] })
}

type JsonSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

function keysAt(root: object, path: readonly PropertyKey[]): string[] {
  let places: readonly JsonSchema[] = [root]
  for (const key of path) {
    places = places.flatMap((place) => {
      const next = typeof key === 'number' ? place.items : place.properties?.[String(key)]
      return next === undefined ? [] : [next, ...(next.anyOf ?? []), ...(next.oneOf ?? [])]
    })
  }
  return places.flatMap(({ properties = {} }) => Object.keys(properties))
}

/** The valid word that shares most pairs of letters with a mistyped one. */
export function nearest(word: string, valid: readonly string[]): string {
  const wanted = pairsOf(word.slice(0, 80))
  const shared = (other: string) => pairsOf(other).filter((pair) => wanted.includes(pair)).length
  const [best = ''] = valid.toSorted((a, b) => shared(b) - shared(a))
  return best
}

const pairsOf = (word: string): string[] =>
  Array.from(word.toLowerCase(), (letter, index) => letter + (word[index + 1] ?? ''))
