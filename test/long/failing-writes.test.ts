/**
 * Each write and sync of a step fails once with EIO: the process ends with a clear error or
 * a success, the next start works, and nothing that was acknowledged is lost.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { seeded } from '../fixtures/seeded.ts'

const resources = new DisposableStack()
const home = resources.use(temporaryDirectory()).path
const library = join(home, 'failing-disk.so')
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

const stored = Array.from({ length: 12 }, (_, index) => `old ${index} ${'y'.repeat(9_000)}`)

beforeAll(async () => {
  // Where it cannot be compiled, the run fails: nothing here is skipped.
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, fixture('failing-disk.c'), '-ldl'])
  await using app = await startApp({ dataDirectory: join(home, 'filled') })
  for (const body of stored) expect(await app.post(body)).toBe(200)
})
afterAll(() => resources.dispose())

type Ended = { readonly acknowledged: readonly string[]; readonly code: string | null }

/** The same as for the processes of the stories: each compiles little and runs briefly. */
const nodeArguments = ['--no-opt', '--no-maglev', '--single-threaded-gc']

/** @returns what the step came to, and whether its n-th write exists */
async function run(step: string, place: string, env: Record<string, string>) {
  const directory = join(place, 'data')
  const reached = join(place, 'reached')
  const armed = join(place, 'armed')
  const program = [fixture('failing-step-program.ts'), directory, step]
  const child = spawn(process.execPath, [...nodeArguments, ...program], {
    env: {
      ...process.env,
      ...{ LD_PRELOAD: library, FAIL_DIRECTORY: directory, FAIL_COUNT: reached, FAIL_ARMED: armed },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number | null]
  const last = text.trim().split('\n').at(-1) ?? ''
  const ended = last === '' ? null : (JSON.parse(last) as Ended)
  return { status, ended, isReached: existsSync(reached) }
}

const kept: Readonly<Record<string, (body: string, index: number) => boolean>> = {
  delete: (_, index) => index > 2,
}

const steps = ['delete', 'settings', 'start']

/** Processes at the same time. */
const atOnce = 4

/** Each of the first 40 writes, and then a sample that thins out: a long step has thousands. */
function* numbers() {
  const random = seeded(4_711)
  for (let number = 1; ; number += number < 40 ? 1 : 1 + Math.floor(random() * number)) yield number
}

/** @returns whether the step has so many writes */
async function failAt(number: number, step: string, env: Record<string, string>) {
  using place = temporaryDirectory()
  const directory = join(place.path, 'data')
  cpSync(join(home, 'filled'), directory, { recursive: true })
  const { status, ended, isReached } = await run(step, place.path, {
    ...env,
    FAIL_AT: String(number),
  })
  const at = `${step}, write ${number}`
  expect([at, status === 0 || status === 1, ended !== null]).toEqual([at, true, true])
  expect([at, ended?.code ?? '']).toEqual([at, expect.not.stringMatching(/INTERNAL|unexplained/)])
  await using app = await startApp({ dataDirectory: directory })
  expect([at, await app.request('app.checkIntegrity')]).toMatchObject([at, { ok: true }])
  const { rows } = await app.request('capture.list', { limit: 500 })
  const bodies = await Promise.all(
    rows.map(async ({ id }) => {
      const { base64 } = await app.request('capture.body', { id })
      return Buffer.from(base64, 'base64').toString()
    }),
  )
  const wanted = stored.filter(kept[step] ?? (() => true))
  expect([at, wanted.filter((body) => !bodies.includes(body))]).toEqual([at, []])
  if (step === 'settings' && ended?.acknowledged.length === 1) {
    expect((await app.request('settings.get')).appearance.theme).toBe('dark')
  }
  if (!isReached) expect([at, ended?.code]).toEqual([at, null])
  return isReached
}

test.each(steps)(
  '%s with each write failing once with EIO: a clear end, a start, and all that was acknowledged',
  async (step) => {
    const env = { FAIL_ERRNO: String(constants.errno.EIO) }
    const each = numbers()
    let isOver = false
    const worker = async () => {
      while (!isOver) {
        if (!(await failAt(each.next().value ?? 0, step, env))) isOver = true
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  },
)
