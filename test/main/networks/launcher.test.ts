/** Tests the sandbox’s process as the app controls it, when it works and when it fails. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import {
  type LauncherState,
  type Backoff,
  createSandboxLauncher,
} from '../../../src-main/networks/sandbox-launcher.ts'
import { forkProcess } from '../../../src-main/networks/sandbox-process.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const entry = new URL('../../fixtures/odd-sandbox.ts', import.meta.url)
const left: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const leave of left.splice(0)) await leave()
})

function launch(moods: readonly string[], patience: Partial<Backoff> = {}, port = 0) {
  const directory = temporaryDirectory()
  writeFileSync(join(directory.path, 'mood.txt'), moods.join('\n'))
  const states: LauncherState[] = []
  const logged: string[] = []
  let changed = Promise.withResolvers<undefined>()
  const launcher = createSandboxLauncher({
    entry,
    startProcess: forkProcess,
    dataDirectory: directory.path,
    port: () => port,
    onChanged(state) {
      states.push(state)
      changed.resolve(undefined)
    },
    log: (message, fields) => logged.push(JSON.stringify([message, fields])),
    backoff: { firstWaitMs: 5, longestWaitMs: 20, ...patience },
  })
  left.push(async () => {
    await launcher.stop()
    directory[Symbol.dispose]()
  })
  async function until(condition: () => boolean): Promise<LauncherState> {
    while (!condition()) {
      changed = Promise.withResolvers()
      await changed.promise
    }
    return launcher.state()
  }
  return {
    launcher,
    states,
    logged,
    until,
    status: (status: LauncherState['status']) => until(() => launcher.state().status === status),
    processIds: () =>
      readFileSync(join(directory.path, 'started.txt'), 'utf8').trim().split('\n').map(Number),
  }
}

function isAlive(processId: number | undefined): boolean {
  try {
    process.kill(processId ?? -1, 0)
    return true
  } catch {
    return false
  }
}

test('the launcher starts the sandbox, reports its URLs and keys, and stops its process', async () => {
  const { launcher, status, processIds } = launch(['ready'])
  expect(launcher.state().status).toBe('stopped')
  launcher.start()
  expect(launcher.state().status).toBe('starting')
  const { ready, problem } = await status('running')
  expect(problem).toBeNull()
  expect(ready?.urls.control).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sandbox$/)
  expect(ready?.keys.control).toBe('the-control-key-of-odd')
  await launcher.stop()
  expect(launcher.state()).toMatchObject({ status: 'stopped', problem: null, ready: null })
  expect(isAlive(processIds()[0])).toBe(false)
})

test('a sandbox that is killed is restarted automatically', async () => {
  const { launcher, states, status, until, processIds } = launch(['ready'])
  launcher.start()
  await status('running')
  process.kill(processIds()[0] ?? -1, 'SIGKILL')
  await until(() => states.filter((state) => state.status === 'running').length === 2)
  expect(processIds()).toHaveLength(2)
  const between = states.find((state) => state.problem !== null)
  expect(between).toMatchObject({
    status: 'starting',
    problem: 'The sandbox exited with signal SIGKILL.',
  })
})

test('a sandbox that cannot start fails after some tries, with its own message', async () => {
  const { launcher, status, processIds } = launch(['refuses'], { tries: 3 })
  launcher.start()
  expect((await status('failed')).problem).toBe('The data is of a newer sandbox.')
  expect(processIds()).toHaveLength(3)
  // A restart by the user resets the count of attempts.
  launcher.start()
  expect(launcher.state().status).toBe('starting')
  await status('failed')
  expect(processIds()).toHaveLength(6)
})

test('the last line of a crashed sandbox is logged, without its keys', async () => {
  const { launcher, status, logged } = launch(['crashes', 'crashes', 'ready'], { tries: 5 })
  launcher.start()
  await status('running')
  expect(logged.filter((line) => line.includes('the sandbox ended'))).toHaveLength(2)
  expect(logged.join()).toContain('it fell over')
  expect(logged.join()).not.toContain('of-odd')
})

test('a sandbox that does not become ready is ended after the time limit', async () => {
  const { launcher, status, processIds } = launch(['hangs'], { readyMs: 3000, tries: 1 })
  launcher.start()
  expect((await status('failed')).problem).toContain('did not start within')
  expect(isAlive(processIds()[0])).toBe(false)
})

test('a sandbox that ignores the request to end is killed', async () => {
  const { launcher, status, processIds } = launch(['stubborn'], { endMs: 100 })
  launcher.start()
  await status('running')
  await launcher.stop()
  expect(isAlive(processIds()[0])).toBe(false)
})

test('a sandbox that is stopped while it starts, or between two tries, stays stopped', async () => {
  const { launcher, states, until } = launch(['crashes'], { firstWaitMs: 60_000, tries: 9 })
  launcher.start()
  await launcher.stop()
  expect(launcher.state().status).toBe('stopped')
  launcher.start()
  await until(() => states.some(({ problem }) => problem !== null))
  await launcher.stop()
  expect(launcher.state().status).toBe('stopped')
})

test('the sandbox uses the next free port if its port is taken, and reports that', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  left.push(async () => {
    await new Promise((resolve) => other.close(resolve))
  })
  const address = other.address()
  const taken = typeof address === 'object' ? (address?.port ?? 0) : 0
  const { launcher, status } = launch(['ready'], {}, taken)
  launcher.start()
  const { wantedPort, ready } = await status('running')
  expect(wantedPort).toBe(taken)
  expect(new URL(ready?.urls.query ?? '').port).not.toBe(String(taken))
})

test('a process that cannot be created is reported like a process that died', async () => {
  const states: LauncherState[] = []
  const failed = Promise.withResolvers<undefined>()
  const launcher = createSandboxLauncher({
    entry,
    startProcess() {
      throw new Error('no more processes')
    },
    dataDirectory: '/nowhere',
    port: () => 0,
    onChanged(state) {
      states.push(state)
      if (state.status === 'failed') failed.resolve(undefined)
    },
    log: () => undefined,
    backoff: { firstWaitMs: 1, tries: 2 },
  })
  launcher.start()
  await failed.promise
  expect(launcher.state().problem).toBe('no more processes')
})

test.skipIf(process.platform === 'win32')(
  'a signal does not open a debugger in the sandbox’s process',
  async () => {
    const { launcher, status, processIds, logged } = launch(['ready'])
    launcher.start()
    await status('running')
    process.kill(processIds()[0] ?? -1, 'SIGUSR1')
    await launcher.stop()
    expect(logged.join()).not.toContain('Debugger listening')
  },
)
