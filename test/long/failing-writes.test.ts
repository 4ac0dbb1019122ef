/**
 * Lets each write and sync of a step fail, alone or with all later ones: the step must end with the
 * right error or a success, the next start must work, and no acknowledged data may be lost.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Output } from '../../src-preload/contract/routes.ts'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { startBulkGateway } from '../fixtures/bulk-gateway.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import type { FailingStep, StepName, StepOutcome } from '../fixtures/failing-step-program.ts'
import { seededRandom } from '../fixtures/seeded.ts'

const resources = new AsyncDisposableStack()
const home = resources.use(temporaryDirectory()).path
/** All failing files are below this directory. */
const places = join(home, 'places')
const filled = join(places, 'filled')
/** The directories of steps that do not begin with `filled`. */
const directories: Partial<Record<StepName, string>> = {
  prune: join(places, 'prune'),
  migration: join(places, 'migration'),
}
const library = join(home, 'failing-disk.so')
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

const stored = Array.from({ length: 12 }, (_, index) => `old ${index} ${'y'.repeat(9_000)}`)
/** As many captures as the lowest limit of the retention. */
const keptAtLeast = Array.from({ length: 100 }, (_, index) => `newer ${index}`)
const migrated: string[] = []
let network = ''

/** Number of concurrent processes, each with its own app. */
const atOnce = 2
const programs: ChildProcess[] = []

function startProgram(index: number): ChildProcess {
  const control = join(home, `control-${index}`)
  writeFileSync(control, new BigInt64Array(5))
  const failing = { LD_PRELOAD: library, FAIL_DIRECTORY: places, FAIL_CONTROL: control }
  // The flags are those of the stories' processes, because each process compiles little.
  const execArgv = ['--no-opt', '--no-maglev', '--single-threaded-gc']
  const env = { ...process.env, ...failing, NODE_COMPILE_CACHE: join(home, 'compiled') }
  return fork(fixture('failing-step-program.ts'), { env, execArgv })
}

/** Unpacks the database of commit 4f8ee14 without its backups, so that its start migrates. */
function unpackOldData(directory: string): void {
  const packed = (name: string) => gunzipSync(readFileSync(fixture(`../data/4f8ee14/${name}.gz`)))
  mkdirSync(directory, { mode: 0o700 })
  writeFileSync(join(directory, 'tondesk.db'), packed('tondesk.db'), { mode: 0o600 })
  const { captures } = JSON.parse(packed('expected.json').toString()) as {
    readonly captures: readonly { readonly body: Output<'capture.body'> }[]
  }
  migrated.push(...captures.map(({ body }) => decode(body)))
}

const decode = ({ base64 }: { readonly base64: string }) => Buffer.from(base64, 'base64').toString()

beforeAll(async () => {
  // If the library cannot be compiled, the run fails, because no test here may be skipped.
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, fixture('failing-disk.c'), '-ldl'])
  mkdirSync(places)
  const gateway = resources.use(await startBulkGateway())
  const { prune: pruned = '', migration = '' } = directories
  {
    await using app = await startApp({ dataDirectory: filled })
    for (const body of stored) expect(await app.post(body)).toBe(200)
    const urls = { query: gateway.url, webhooks: gateway.url, testnetWebhooks: null, console: null }
    network = (await app.request('network.add', { name: 'Ours', urls, testOnly: false })).id
  }
  cpSync(filled, pruned, { recursive: true })
  {
    await using app = await startApp({ dataDirectory: pruned })
    for (const body of keptAtLeast) expect(await app.post(body)).toBe(200)
    await app.request('settings.change', { retention: { maxCount: 100 } })
  }
  unpackOldData(migration)
  programs.push(...Array.from({ length: atOnce }, (_, index) => startProgram(index)))
})
afterAll(async () => {
  for (const program of programs) program.kill()
  await resources.disposeAsync()
})

const ways = [
  ['EIO once', { errno: constants.errno.EIO, goesOn: false }],
  ['ENOSPC once', { errno: constants.errno.ENOSPC, goesOn: false }],
  ['ENOSPC from there on', { errno: constants.errno.ENOSPC, goesOn: true }],
] as const
type Way = (typeof ways)[number][1]

const stepNames = [
  ...(['capture', 'delete', 'prune', 'backup', 'migration', 'import', 'lookup'] as const),
  ...(['settings', 'start'] as const),
]

/** Yields each of the first writes and then a sparser sample, because a long step has hundreds. */
function* numbers(seed: number) {
  const random = seededRandom(seed)
  for (let number = 1; ; number += number < 8 ? 1 : 1 + Math.floor(random() * number)) yield number
}

async function run(index: number, step: FailingStep): Promise<StepOutcome> {
  const before = programs[index]
  const program = before?.connected === true ? before : startProgram(index)
  programs[index] = program
  const over = new AbortController()
  const { signal } = over
  const ended = once(program, 'exit', { signal }).then(([code]) => {
    throw new Error(`The program ended with ${String(code)}.`)
  })
  program.send(step)
  try {
    const [outcome] = (await Promise.race([once(program, 'message', { signal }), ended])) as [
      StepOutcome,
    ]
    return outcome
  } finally {
    ended.catch(() => undefined)
    over.abort()
  }
}

/** A full disk has its own error code, or is named in the problem of a job. */
function checkOutcome({ code, message, isReached }: StepOutcome, { errno }: Way): void {
  if (code === null) return
  expect([isReached, code, message]).toEqual([true, code, message])
  expect([code, message]).not.toEqual([expect.stringMatching(/INTERNAL|unexplained/), message])
  if (errno === constants.errno.EIO) {
    expect([code, message]).not.toEqual(['DISK_FULL', message])
  } else {
    expect([code, message]).not.toEqual(['DATABASE_UNWRITABLE', message])
    expect([code, message]).toEqual([code, expect.stringMatching(/full|MB free/)])
  }
}

/** Captures that each start must still have. */
const kept: Partial<Record<StepName, readonly string[]>> = {
  migration: migrated,
  prune: keptAtLeast,
  delete: stored.slice(3),
}

async function checkStart(step: StepName, app: TestApp, acknowledged: readonly string[]) {
  expect(await app.request('app.checkIntegrity')).toMatchObject({ ok: true })
  if (step === 'prune') {
    await app.until(async () => (await app.request('capture.counts')).total === 100)
  }
  const { rows } = await app.request('capture.list', { limit: 500 })
  const bodies = await Promise.all(
    rows.map(async ({ id }) => decode(await app.request('capture.body', { id }))),
  )
  const wanted = kept[step] ?? stored
  const added = step === 'capture' || step === 'import' ? acknowledged : []
  expect([...wanted, ...added].filter((body) => !bodies.includes(body))).toEqual([])
  const [first = ''] = acknowledged
  if (step === 'settings' && first !== '') {
    expect((await app.request('settings.get')).appearance.theme).toBe('dark')
  }
  if (step === 'delete' && first !== '') {
    expect(bodies.filter((body) => /^old [012] /.test(body))).toEqual([])
  }
  if (step === 'import') {
    expect([0, 3]).toContain(bodies.filter((body) => body.startsWith('new ')).length)
  }
  if (step === 'lookup' && first !== '') {
    const id = Number(first)
    const { state } = await app.job('lookup', id)
    if (state !== 'done' && state !== 'running')
      await app.request('job.resume', { kind: 'lookup', id })
    await app.until(async () => (await app.job('lookup', id)).state === 'done')
    const { answered, failed } = await app.job('lookup', id)
    expect({ answered, failed }).toEqual({ answered: 40, failed: 0 })
  }
  if (step === 'backup') {
    const backups = (await app.request('backup.list')).map(({ name }) => name)
    expect(backups).toEqual(first === '' ? [] : [first])
    if (first !== '') await app.request('backup.restore', { name: first })
  }
}

/** @returns whether the step has this many writes */
async function failAt(at: number, step: StepName, way: Way, program: number): Promise<boolean> {
  using place = temporaryDirectory(places)
  const directory = place.path
  cpSync(directories[step] ?? filled, directory, { recursive: true })
  const outcome = await run(program, { step, directory, at, network, ...way })
  checkOutcome(outcome, way)
  // The app resumes jobs; commands do not.
  await using app = await startApp({
    dataDirectory: directory,
    startSandbox: false,
    host: 'browser',
  })
  await checkStart(step, app, outcome.acknowledged)
  return outcome.isReached
}

const rows = stepNames.flatMap((step) => ways.map(([name, way]) => [step, name, way] as const))

test.each(rows.map((row, seed) => [...row, seed] as const))(
  'the step %s with failing writes (%s) ends with the right error and loses no acknowledged data',
  async (step, name, way, seed) => {
    const each = numbers(seed)
    let isOver = false
    const worker = async (program: number) => {
      while (!isOver) {
        const at = each.next().value ?? 0
        try {
          if (!(await failAt(at, step, way, program))) isOver = true
        } catch (error) {
          isOver = true
          throw new Error(`${step}, ${name}, write ${at}`, { cause: error })
        }
      }
    }
    await Promise.all(programs.map((_, index) => worker(index)))
  },
)
