import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { Problem } from './problem.mjs'
import { root } from './runtime.mjs'

const budgetFile = 'build/size-budget.json'

/** What is counted in each room, and how a message names it. */
const measures = {
  lines: 'lines of code',
  files: 'files',
  comments: 'lines of comments',
  singleImporter: 'modules with only one importer',
}

/** A budget above the size by more than this share of it, and by more than ten, no longer limits a room. */
const maxSlack = 0.05

/** Compares the rooms with their budgets and prints what differs; the result is the exit code. */
export function checkSize(args) {
  const rooms = measureRooms(readSources())
  if (args.includes('--write')) {
    writeFileSync(join(root, budgetFile), formatBudget(rooms))
    console.log(`${budgetFile} holds the present sizes of ${Object.keys(rooms).length} rooms.`)
    return 0
  }
  const problems = compareWithBudget(rooms, readBudget())
  if (problems.length > 0) {
    console.error(problems.join('\n'))
    console.error(
      `\n\`node build/check-size.mjs --write\` sets ${budgetFile} to the present sizes.`,
    )
    return 1
  }
  const lines = Object.values(rooms).reduce((sum, room) => sum + room.lines, 0)
  console.log(
    `${lines.toLocaleString('en')} lines of code in ${Object.keys(rooms).length} rooms, each within its budget.`,
  )
  return 0
}

function readSources() {
  const paths = globSync('src-{main,preload,renderer}/**/*.{ts,tsx,css}', { cwd: root })
  return new Map(
    paths.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(root, path), 'utf8')]),
  )
}

function readBudget() {
  try {
    return JSON.parse(readFileSync(join(root, budgetFile), 'utf8'))
  } catch (error) {
    throw new Problem(
      `${budgetFile} cannot be read: ${error.message}`,
      'Restore it from git, or write it again: node build/check-size.mjs --write',
    )
  }
}

// One line a room, so that changes of different rooms merge without a conflict.
function formatBudget(rooms) {
  const lines = Object.keys(rooms)
    .sort()
    .map((room) => {
      const sizes = Object.entries(rooms[room]).map(([measure, size]) => `"${measure}": ${size}`)
      return `  "${room}": { ${sizes.join(', ')} }`
    })
  return `{\n${lines.join(',\n')}\n}\n`
}

/**
 * The size of each room. A room is a folder of a source root or of `features`; files beside the
 * folders are a room of their own.
 * @param sources texts by path from the root
 */
export function measureRooms(sources) {
  const importers = countImporters(sources)
  const rooms = {}
  for (const [path, text] of sources) {
    const isCss = path.endsWith('.css')
    const { code, comments } = countLines(text, isCss)
    const room = (rooms[roomOf(path)] ??= { lines: 0, files: 0, comments: 0, singleImporter: 0 })
    room.lines += code
    room.files += 1
    room.comments += comments
    // A migration has one importer by nature: the list of migrations.
    const isCounted = !isCss && !path.includes('/migrations/')
    if (isCounted && importers.get(path) === 1) room.singleImporter += 1
  }
  return rooms
}

function roomOf(path) {
  const folders = path.split('/').slice(0, -1)
  return folders.slice(0, folders[1] === 'features' ? 3 : 2).join('/')
}

function countImporters(sources) {
  const importers = new Map()
  for (const [path, text] of sources) {
    const imports = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^'?]+)[^']*'/g)
    const targets = [...imports].map(([, to]) => posix.join(posix.dirname(path), to))
    for (const to of new Set(targets)) importers.set(to, (importers.get(to) ?? 0) + 1)
  }
  return importers
}

// Strings come first, so that `//` inside one is no comment. A URL in the text of a page is none either.
const quoted = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/
const blockComment = /\/\*[^]*?\*\//
const inCss = new RegExp(`${quoted.source}|(${blockComment.source})`, 'g')
const inCode = new RegExp(
  `\`(?:\\\\[^]|[^\`\\\\])*\`|${quoted.source}|(${blockComment.source}|(?<!:)//.*)`,
  'g',
)

/** Lines that hold code, and lines that hold nothing but a comment. */
export function countLines(text, isCss = false) {
  const marked = text.replace(isCss ? inCss : inCode, (token, comment) =>
    comment === undefined ? token : token.replace(/.+|^$/gm, '\0'),
  )
  let code = 0
  let comments = 0
  for (const line of marked.split('\n')) {
    if (/[^\s\0]/.test(line)) code += 1
    else if (line.includes('\0')) comments += 1
  }
  return { code, comments }
}

/** One sentence for each room that has outgrown its budget or lies far below it. */
export function compareWithBudget(rooms, budget) {
  const problems = []
  for (const [room, sizes] of Object.entries(rooms)) {
    if (budget[room] === undefined) {
      problems.push(`${room} has no budget: add it to ${budgetFile}.`)
      continue
    }
    for (const [measure, size] of Object.entries(sizes)) {
      const allowed = budget[room][measure] ?? 0
      const has = `${room} has ${size.toLocaleString('en')} ${measures[measure]}`
      const limit = `its budget is ${allowed.toLocaleString('en')}`
      if (size > allowed) {
        problems.push(`${has}, ${limit}: make the room smaller or change ${budgetFile}.`)
      } else if (allowed - size > Math.max(10, size * maxSlack)) {
        problems.push(`${has}, ${limit}: lower the budget in ${budgetFile}.`)
      }
    }
  }
  for (const room of Object.keys(budget)) {
    if (rooms[room] === undefined) problems.push(`${room} is gone: remove it from ${budgetFile}.`)
  }
  return problems
}
