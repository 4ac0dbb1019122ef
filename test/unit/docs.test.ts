/**
 * Compares the pages of docs/ with the code: error codes, notices, exit codes, commands, shortcuts
 * and links.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodes } from '../../src-main/command-line/command.ts'
import { commands } from '../../src-main/command-line/run.ts'
import { readSources, shortcutFacts } from '../fixtures/inventory.ts'

// This runs before the tests, which have a time limit each, because it parses every source of the window.
const shortcuts = shortcutFacts()

const page = (name: string) => readFileSync(`docs/${name}.md`, 'utf8')

/** Returns the part of a page from a heading to the next heading of its level or above. */
function section(text: string, heading: string): string {
  const level = heading.indexOf(' ')
  const [, after = ''] = text.split(`\n${heading}\n`)
  return after.split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? ''
}

/** Returns the first cells of all rows of tables in a text. */
function firstCells(text: string): string[] {
  return [...text.matchAll(/^\| (.*?) +\|/gm)]
    .map(([, cell = '']) => cell)
    .filter((cell) => !/^-+$/.test(cell))
}

/** Names that look like an error code but are not: those of Node, its libraries and the environment. */
const foreign = /^(ERR_|HPE_|UND_|EAI_|Z_|TON_|TONDESK_)|^(DUPLICATE_KEY|MULTIPLE_DOCS)$/

function codesOfSources(): Set<string> {
  const sources = ['src-main/**/*.ts', 'src-preload/**/*.ts', 'src-renderer/**/*.{ts,tsx}']
  const texts = sources.flatMap((pattern) => [...readSources(pattern).values()])
  const found = texts.flatMap((text) => {
    const code = text.replaceAll(/\benv\??\.?\['\w+'\]/g, '')
    return (
      code.match(/(?<=')(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|USAGE|INTERNAL|DISCONNECTED)(?=')/g) ?? []
    )
  })
  return new Set(found.filter((code) => !foreign.test(code)))
}

test('every error code has an entry in docs/troubleshooting.md, and every entry has an error code', () => {
  const text = section(page('troubleshooting'), '## Error codes')
  const entries = [...text.matchAll(/^#### (\S+)$/gm)].map(([, code = '']) => code)
  const codes = [...codesOfSources()]
  expect(codes.length).toBeGreaterThan(100)
  expect(entries.toSorted()).toEqual(codes.toSorted())
})

test('each entry of an error code has a description and a solution', () => {
  const text = section(page('troubleshooting'), '## Error codes')
  const entries = text.split(/^#### /m).slice(1)
  const isComplete = (entry: string) => /^\S+\n\n\S.*\.\n\n\*\*What to do:\*\* \S.*\.\n/.test(entry)
  const incomplete = entries.filter((entry) => !isComplete(entry))
  expect(incomplete).toEqual([])
})

test('docs/troubleshooting.md lists the title of every notice and no other', () => {
  const text = [...readSources('src-main/**/*.ts').values()].join('\n')
  const raised = [
    ...text.matchAll(
      /(?:notices\.raise\(|show\(notices,[^;]*?)\{\s+id[^;]*?title: ([`'])(.*?)\1/gs,
    ),
  ]
  const others = [...text.matchAll(/\braise\(\w+, ([`'])(.*?)\1/g)]
  const titles = [...raised, ...others].map(([, , title = '']) =>
    title.replaceAll(/\$\{[^}]*\}/g, '…'),
  )
  const listed = firstCells(section(page('troubleshooting'), '## Notices'))
  expect(titles.length).toBeGreaterThan(10)
  expect([...new Set(titles)].filter((title) => !listed.includes(title))).toEqual([])
  expect(listed.slice(1).filter((title) => !titles.includes(title))).toEqual([])
})

test('every exit code is documented', async () => {
  const loaded = await Promise.all(commands.map((command) => command.load()))
  const own = loaded.flatMap(({ exits = {} }) => Object.keys(exits))
  const codes = [...new Set([...Object.values(exitCodes).map(String), ...own])].toSorted()
  const listed = (name: string) => {
    const cells = firstCells(section(page(name), '## Exit codes'))
    return cells.filter((cell) => /^\d+$/.test(cell)).toSorted()
  }
  expect([listed('command-line'), listed('troubleshooting')]).toEqual([codes, codes])
})

test('docs/command-line.md lists every command', () => {
  const text = section(page('command-line'), '## Commands')
  const listed = new Set([...text.matchAll(/`tondesk ([a-z]+)/g)].map(([, name]) => name))
  expect([...listed].toSorted()).toEqual(commands.map(({ name }) => name).toSorted())
})

/** Keys as the page writes them, such as `Ctrl+K`, `g` `i`, `↓`. */
const printed: Readonly<Record<string, string>> = {
  '↓': 'ArrowDown',
  '↑': 'ArrowUp',
  '→': 'ArrowRight',
  '←': 'ArrowLeft',
  Space: ' ',
  Esc: 'Escape',
}

function keysOf(text: string): string[] {
  const cells = firstCells(text).join(' ')
  return [...cells.matchAll(/`([^`]+)`/g)].map(([, key = '']) => {
    const parts = key
      .replace('Ctrl+', 'mod+')
      .replace('Shift+', 'shift+')
      .split(/\+(?=.)/)
    return parts.map((part) => printed[part] ?? part).join('+')
  })
}

test('docs/keyboard.md lists the shortcuts of every page and no other', () => {
  const text = page('keyboard')
  const listKeys = keysOf(section(text, '## Lists'))
  const selectionKeys = keysOf(section(text, '## Selection'))
  // For some shortcuts the sources do not name the page in one word.
  const { 'the page': anywhere = [], ...groupsOfSources } = shortcuts
  const documented = Object.keys(groupsOfSources).map((group) => {
    const own = section(text, `### ${group}`)
    const keys = [
      ...keysOf(own),
      ...(own.includes('(#lists)') ? listKeys : []),
      ...(own.includes('(#selection)') ? selectionKeys : []),
    ]
    const offered = groupsOfSources[group] ?? []
    const known = keys.filter((key) => offered.includes(key) || !anywhere.includes(key))
    return [group, [...new Set(known)].toSorted()]
  })
  const offered = Object.entries(groupsOfSources).map(([group, keys]) => [group, keys.toSorted()])
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(offered))
  expect(anywhere.filter((key) => !keysOf(text).includes(key))).toEqual([])
  const groups = [...text.matchAll(/^### (.+)$/gm)].map(([, group = '']) => group)
  expect(groups.filter((group) => shortcuts[group] === undefined)).toEqual([])
})

test('every link of the docs leads to an existing page and heading', () => {
  const pages = [...globSync('*.md'), ...globSync('docs/**/*.md')]
  const anchors = new Map(
    pages.map((path) => [
      path,
      [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
      ),
    ]),
  )
  const broken = pages.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/(?:\]\(|srcset="|src=")([^)"#\s]*)(#[^)"\s]+)?[)"]/g)]
      .filter(([, file = '']) => !/^\w+:/.test(file))
      .filter(([, file = '', anchor]) => {
        const target = file === '' ? path : join(dirname(path), file)
        if (!existsSync(target)) return true
        return anchor !== undefined && anchors.get(target)?.includes(anchor.slice(1)) !== true
      })
      .map(([link]) => `${path}: ${link}`),
  )
  expect(broken).toEqual([])
})

test('every reference to a setting in the docs names an existing topic', () => {
  const sources = ['src-renderer/app/app-settings.ts', 'src-renderer/features/*/register.ts']
  const text = sources.flatMap((pattern) => [...readSources(pattern).values()]).join('\n')
  const topics = [...text.matchAll(/^ +(?:\w+|title): '([A-Z][^']+)',$/gm)].map(
    ([, title = '']) => title,
  )
  const pages = [...globSync('*.md'), ...globSync('docs/*.md')]
  const unknown = pages.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/Settings › ([\w\s]+)/g)]
      .map(([, words = '']) => words.replaceAll(/\s+/g, ' '))
      .filter((words) => !topics.some((topic) => words.startsWith(topic)))
      .map((words) => `${path}: ${words}`),
  )
  expect(topics.length).toBeGreaterThan(10)
  expect(unknown).toEqual([])
})

test('docs/README.md links to every page of the docs', () => {
  const index = page('README')
  const pages = globSync('*.md', { cwd: 'docs' }).filter((name) => name !== 'README.md')
  expect(pages.filter((name) => !index.includes(`](${name})`))).toEqual([])
})

test('the numbers of operations in docs/sandbox.md equal the lengths of its lists', () => {
  const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8')
  const [, text = ''] = page.split('## Query operations, one by one')
  const [served = 0, refused = 0] = [...text.matchAll(/```\n([\s\S]*?)```/g)].map(
    ([, list = '']) => list.trim().split('\n').length,
  )
  const [, all, implemented] =
    /has (\d+) operations\. The sandbox\s+implements (\d+)/.exec(text) ?? []
  const [, other] = /The other (\d+) respond 501/.exec(text) ?? []
  // The two GET forms belong to another document.
  expect(served).toBe(Number(implemented) + 2)
  expect(refused).toBe(Number(other))
  expect(Number(implemented) + Number(other)).toBe(Number(all))
})

test('the examples on the pages are the files that the tests run', () => {
  const pages = globSync('docs/sandbox-*.md').map((path) => readFileSync(path, 'utf8'))
  const shown = pages.flatMap((text) => [
    ...text.matchAll(/<!-- examples\/(\S+) -->\n\n```\w+\n(.*?)```\n/gs),
  ])
  // The handlers of the lab are programs of their own, which docs/lab.md describes.
  const files = globSync('examples/!(lab)/*').map((path) => path.replace('examples/', ''))
  expect(shown.map(([, name]) => name).sort()).toEqual(files.sort())
  for (const [, name = '', text] of shown) {
    expect(text, name).toBe(readFileSync(`examples/${name}`, 'utf8'))
  }
})
