import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { run, runQuietly } from './child.mjs'
import { ensureInstalled } from './install.mjs'
import { ensureBuilt } from './output.mjs'
import { Problem } from './problem.mjs'
import { nodeBinary, root, toolEnvironment } from './runtime.mjs'
import { ensurePackages } from './system-packages.mjs'
import {
  addTallies,
  describeTally,
  exitCodeFor,
  noTests,
  tallyCommand,
  tallyPlaywright,
  tallyVitest,
} from './tally.mjs'

const tool = (...path) => join(root, 'node_modules', ...path)
const reportOf = (part) => join(root, 'test-results', `${part}.json`)

function readReport(part) {
  try {
    return JSON.parse(readFileSync(reportOf(part), 'utf8'))
  } catch {
    return undefined
  }
}

async function node(args, { env = {} } = {}) {
  const { exitCode, signal } = await run(nodeBinary(), args, {
    cwd: root,
    env: toolEnvironment(env),
  })
  throwIfInterrupted(signal)
  return exitCode
}

function throwIfInterrupted(signal) {
  if (signal === 'SIGINT' || signal === 'SIGTERM') {
    throw new Problem('The tests were interrupted.', 'Run `npm test` again.')
  }
}

async function check() {
  const step = async (name, ...args) => {
    const { exitCode, signal, output } = await runQuietly(nodeBinary(), args, {
      cwd: root,
      env: toolEnvironment(),
    })
    throwIfInterrupted(signal)
    console.log(`\n== check: ${name}\n${output.trimEnd()}`)
    return tallyCommand(exitCode)
  }
  const format = tool('oxfmt', 'bin', 'oxfmt')
  return addTallies([
    await step('types and lint', tool('oxlint', 'bin', 'oxlint')),
    await step('formatting', format, '-c', '.prettierrc.json', '--check'),
    await step('size of the product', join(root, 'build', 'check-size.mjs')),
  ])
}

async function vitest(part, projects, options) {
  rmSync(reportOf(part), { force: true })
  const exitCode = await node(
    [
      tool('vitest', 'vitest.mjs'),
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      `--reporter=${join(root, 'test', 'fixtures', 'skipped-files.ts')}`,
      '--reporter=json',
      `--outputFile.json=${reportOf(part)}`,
    ],
    options,
  )
  return tallyVitest(readReport(part), exitCode)
}

// On Linux the part gets its own home directory, with the keychain of test/fixtures/keychain.ts.
async function atHome(part, projects) {
  if (process.platform !== 'linux') return vitest(part, projects)
  const home = mkdtempSync(join(tmpdir(), 'tondesk-home-'))
  const runtime = join(home, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  const env = { HOME: home, XDG_RUNTIME_DIR: runtime }
  for (const name of ['DATA', 'CONFIG', 'CACHE', 'STATE']) env[`XDG_${name}_HOME`] = undefined
  try {
    return await vitest(part, projects, { env })
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

// Playwright's workers inherit these flags. Optimizing code that runs only for seconds costs more
// than it saves, and further threads of the garbage collector take time from the browsers.
const playwrightNodeArguments = ['--no-opt', '--no-maglev', '--single-threaded-gc']

async function e2e(args = [], env = {}) {
  rmSync(reportOf('e2e'), { force: true })
  const playwright = tool('@playwright', 'test', 'cli.js')
  const exitCode = await node([...playwrightNodeArguments, playwright, 'test', ...args], { env })
  return tallyPlaywright(readReport('e2e'), exitCode)
}

const parts = {
  check,
  unit: () => vitest('unit', ['unit']),
  main: () => atHome('main', ['main', 'main-apart']),
  e2e: () => e2e(),
  long: async () =>
    addTallies([
      await atHome('long', ['long']),
      // Runs the stories again with axe, and those of the desktop app.
      await e2e(['--project=views', '--project=browser', '--project=stand-in'], {
        TONDESK_LONG: '1',
      }),
    ]),
}
/** The parts that `npm test` runs; `npm run test:long` runs the rest. */
const usual = Object.keys(parts).filter((part) => part !== 'long')

/** Prepares the requirements of the chosen parts, runs them and prints the totals. */
export async function test(args) {
  const unknown = args.filter((arg) => !Object.hasOwn(parts, arg))
  if (unknown.length > 0) {
    throw new Problem(
      `There is no part of the tests named ${unknown.join(', ')}.`,
      `The parts are: ${Object.keys(parts).join(', ')}; without a name all but long run.`,
    )
  }
  const wanted =
    args.length === 0 ? usual : Object.keys(parts).filter((part) => args.includes(part))
  await ensureInstalled()
  await ensurePackages(wanted)
  await ensureBuilt()
  const total = await withCompileCache(() => runParts(wanted))
  console.log(`\n${describeTally(total)}`)
  return exitCodeFor(total)
}

async function runParts(wanted) {
  const tallies = []
  // Two chains run at a time, because each part sometimes waits for a disk, a process or a page.
  const inOrder = async (chain) => {
    for (const part of chain) if (wanted.includes(part)) tallies.push(await runPart(part))
  }
  const chains = [
    ['check', 'e2e'],
    ['unit', 'main'],
  ]
  await Promise.all(chains.map(inOrder))
  await inOrder(['long'])
  return addTallies(tallies.length > 0 ? tallies : [noTests])
}

async function runPart(part) {
  console.log(`\n== ${part}`)
  const began = Date.now()
  const tally = await parts[part]()
  const seconds = Math.round((Date.now() - began) / 1000)
  console.log(`${part}: ${describeTally(tally)} in ${seconds} s`)
  return tally
}

// The tests start the app some hundreds of times, mostly as TypeScript. The cache avoids repeated
// compilation, and belongs to one run, so that runs do not affect each other.
async function withCompileCache(work) {
  const folder = mkdtempSync(join(tmpdir(), 'tondesk-compiled-'))
  process.env.NODE_COMPILE_CACHE = folder
  try {
    return await work()
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
