import { globSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import ts from 'typescript'
import { root } from './runtime.mjs'

const sizeFile = 'build/size.json'
/** The source files that ship, in any language; pictures and other data are not counted. */
const sourceFiles = 'src-{main,preload,renderer}/**/*.{ts,tsx,mjs,css,html,tolk,go,php,py}'
/** A function over the first limit should be reviewed; one over the second needs a reason in a comment. */
const functionLimits = [100, 150]

/**
 * Prints the size and structure of the product and compares its lines with the limit; returns the
 * exit code.
 */
export function checkSize() {
  const sources = readSources()
  const { maxLines } = JSON.parse(readFileSync(join(root, sizeFile), 'utf8'))
  const rooms = measureRooms(sources)
  const lines = [...rooms.values()].reduce((sum, room) => sum + room.lines, 0)
  for (const [room, { lines: inRoom, files }] of [...rooms].sort(
    ([, a], [, b]) => b.lines - a.lines,
  )) {
    console.log(`${room.padEnd(36)}${format(inRoom).padStart(8)} lines ${format(files)} files`)
  }
  const lengths = [...sources].flatMap(([path, text]) => functionLengths(path, text))
  const [long = [], tooLong = []] = functionLimits.map((limit) =>
    lengths.filter((each) => each.lines > limit),
  )
  for (const { name, path, lines: length } of tooLong.sort((a, b) => b.lines - a.lines)) {
    console.log(`${path}: ${name} has ${length} lines`)
  }
  const imports = readImports(sources)
  console.log(`functions over 100 lines: ${long.length}, over 150 lines: ${tooLong.length}`)
  console.log(`imports between features: ${countFeatureImports(imports)}`)
  console.log(`import cycles: ${countCycles(imports)}`)
  console.log(`product lines: ${format(lines)} of at most ${format(maxLines)}`)
  if (lines <= maxLines) return 0
  console.error(
    `The product has ${format(lines - maxLines)} lines too many. The ceiling in ${sizeFile} is not raised: remove what the change made unnecessary.`,
  )
  return 1
}

const format = (count) => count.toLocaleString('en')

function readSources() {
  const paths = globSync(sourceFiles, { cwd: root })
  return new Map(
    paths.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(root, path), 'utf8')]),
  )
}

/**
 * Returns the lines and files of each room. A room is a folder of a source root or of `features`;
 * files next to the folders form a separate room.
 * @param sources texts by path from the root
 */
export function measureRooms(sources) {
  const rooms = new Map()
  for (const [path, text] of sources) {
    const name = roomOf(path)
    const room = rooms.get(name) ?? { lines: 0, files: 0 }
    rooms.set(name, { lines: room.lines + countLines(path, text), files: room.files + 1 })
  }
  return rooms
}

function roomOf(path) {
  const folders = path.split('/').slice(0, -1)
  return folders.slice(0, folders[1] === 'features' ? 3 : 2).join('/')
}

// Strings are matched first, so that `//` in a string is no comment. A URL in the text of a page is
// no comment either.
const quoted = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/
const blockComment = /\/\*[^]*?\*\//
const comments = {
  '.css': new RegExp(`${quoted.source}|(${blockComment.source})`, 'g'),
  '.py': new RegExp(`${quoted.source}|(#.*)`, 'g'),
  '.html': new RegExp(`${quoted.source}|(<!--[^]*?-->)`, 'g'),
}
const codeComments = new RegExp(
  `\`(?:\\\\[^]|[^\`\\\\])*\`|${quoted.source}|(${blockComment.source}|(?<!:)//.*)`,
  'g',
)

/** Counts lines that are neither blank nor comments alone. */
export function countLines(path, text) {
  const code = text.replace(comments[posix.extname(path)] ?? codeComments, (token, comment) =>
    comment === undefined ? token : token.replace(/[^\n]/g, ' '),
  )
  return code.split('\n').filter((line) => line.trim() !== '').length
}

/** Lists every function, method and closure with its length in lines, including blank lines and comments. */
export function functionLengths(path, text) {
  if (!/\.(tsx?|mjs)$/.test(path)) return []
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found = []
  const lineOf = (position) => file.getLineAndCharacterOfPosition(position).line
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const named = node.name ?? node.parent.name
      const name = named === undefined ? 'a function without a name' : named.getText(file)
      found.push({ path, name, lines: lineOf(node.end) - lineOf(node.getStart(file)) + 1 })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** Lists the modules that each module imports, including types. */
export function readImports(sources) {
  return new Map(
    [...sources].map(([path, text]) => {
      const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^'?]+)[^']*'/g)
      const targets = [...found].map(([, to]) => posix.join(posix.dirname(path), to))
      return [path, new Set(targets.filter((to) => sources.has(to)))]
    }),
  )
}

const feature =
  /^src-(main\/(alerts|captures|delivery|explorer|lookups|watches|webhooks|invoices)|renderer\/features\/.+)$/

/**
 * Counts imports of one feature by another; the features of main are those of the diagram in
 * docs/architecture.md.
 */
export function countFeatureImports(imports) {
  const rooms = [...imports].flatMap(([from, targets]) =>
    [...targets].map((to) => [roomOf(from), roomOf(to)]),
  )
  return rooms.filter(([from, to]) => from !== to && feature.test(from) && feature.test(to)).length
}

/**
 * Counts groups of modules that import each other (strongly connected components with more than one
 * module).
 */
export function countCycles(imports) {
  const reached = new Map()
  const onPath = []
  let cycles = 0
  const visit = (path) => {
    const own = reached.size
    reached.set(path, own)
    onPath.push(path)
    let lowest = own
    for (const to of imports.get(path) ?? []) {
      if (!reached.has(to)) lowest = Math.min(lowest, visit(to))
      else if (onPath.includes(to)) lowest = Math.min(lowest, reached.get(to))
    }
    if (lowest === own && onPath.splice(onPath.lastIndexOf(path)).length > 1) cycles += 1
    return lowest
  }
  for (const path of imports.keys()) if (!reached.has(path)) visit(path)
  return cycles
}
