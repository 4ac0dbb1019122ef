/** The only fixture of the stories: a started app with its open window, on the host of the project. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type Page, test as base, expect } from '@playwright/test'
import type { ReadyLine } from '../../src-main/sandbox/sandbox.ts'
import { deadlines } from '../deadlines.ts'
import { chromiumArguments, chromiumPath, nodeArguments } from '../stand-in/chromium.ts'
import { createBrowserHost } from './hosts/browser-host.ts'
import { startElectron } from './hosts/electron-host.ts'
import { type HostName, type Running, type Start, withDeadline } from './hosts/host.ts'
import { createStandInHost } from './hosts/stand-in-host.ts'
import { frame } from './pages/frame.ts'

export type HostOptions = { hostName: HostName }

export type Tondesk = {
  readonly host: HostName
  /** The window’s page, which changes with a restart. */
  readonly page: Page
  /** The full URL for deliveries; its port changes with a restart. */
  readonly receiverUrl: string
  readonly dataDirectory: string
  readonly running: Running
  /** Ends the app like `kill -9`. */
  kill(): Promise<void>
  quit(): Promise<number | null>
  /** Starts the app again in the same data directory; a running app is ended first. */
  restart(args?: readonly string[]): Promise<void>
  /** Continues with the new app after a requested restart. */
  followRestart(): Promise<void>
  readonly readClipboard: () => Promise<string>
  /** Problems of the page that this test causes on purpose. */
  expectProblem(pattern: RegExp): void
}

const anyPort = ['--receiver-port', '0']

/** `test.use({ withSandbox: true })` starts the sandbox beside the app. */
type TestFixtures = { tondesk: Tondesk; withSandbox: boolean }
type SharedBrowser = { readonly browser: Browser; readonly endpoint: string }
type WorkerFixtures = HostOptions & {
  sharedBrowser: () => Promise<SharedBrowser>
  /** Creates the data directory of an unused sandbox. */
  newSandbox: () => Promise<string>
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  hostName: ['browser', { option: true, scope: 'worker' }],

  // All tests of a worker share one browser, in which each app has its own context.
  sharedBrowser: [
    async ({ playwright }, use) => {
      let started: Promise<SharedBrowser> | undefined
      const path = chromiumPath()
      const launch = async (): Promise<SharedBrowser> => {
        const port = await freePort()
        const browser = await playwright.chromium.launch({
          args: [...chromiumArguments, `--remote-debugging-port=${port}`],
          timeout: deadlines.wait,
          ...(path === undefined ? {} : { executablePath: path }),
        })
        return { browser, endpoint: `http://127.0.0.1:${port}` }
      }
      await use(() => (started ??= launch()))
      await (await started)?.browser.close()
    },
    { scope: 'worker' },
  ],

  // The genesis is computed once for all tests of a worker: each sandbox starts on a copy.
  newSandbox: [
    // Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      let made: Promise<string> | undefined
      await use(() => (made ??= startSandboxOnce()))
      if (made !== undefined) rmSync(await made, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],

  withSandbox: [false, { option: true }],

  tondesk: async ({ hostName, sharedBrowser, newSandbox, withSandbox }, use) => {
    // The path is short, because the path of a Unix socket may have only about a hundred characters.
    const dataDirectory = mkdtempSync(join(tmpdir(), 'tondesk-e2e-'))
    if (withSandbox) {
      cpSync(await newSandbox(), join(dataDirectory, 'sandbox'), { recursive: true })
    }
    const problems: string[] = []
    const expected: RegExp[] = []
    const hosts: Record<HostName, Start> = {
      browser: createBrowserHost(async () => (await sharedBrowser()).browser),
      'stand-in': createStandInHost(async () => (await sharedBrowser()).endpoint),
      electron: startElectron,
    }
    const sandbox = withSandbox ? ['--sandbox-port', '0'] : ['--without-sandbox']
    using started = new DisposableStack()
    started.defer(() =>
      rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
    )
    const ending = new AbortController()
    started.defer(() => ending.abort())
    const start = (args: readonly string[]) =>
      withDeadline(
        hosts[hostName]({
          dataDirectory,
          // Arguments after a link are not read as options, so the options come first.
          args: [...sandbox, ...args],
          onProblem: (text) => problems.push(text),
          signal: ending.signal,
        }),
        `Starting ${hostName}`,
      )
    const now = { running: await start(anyPort), isRunning: true }
    const follow = (running: Running) => {
      Object.assign(now, { running, isRunning: true })
      // The app may also end itself, or end because a test closes its window.
      void running.exit.then(() => {
        if (now.running === running) now.isRunning = false
      })
    }
    follow(now.running)

    const tondesk: Tondesk = {
      host: hostName,
      dataDirectory,
      get running() {
        return now.running
      },
      get page() {
        return now.running.page
      },
      get receiverUrl() {
        const { receiverUrl } = now.running
        if (receiverUrl === null) throw new Error('The receiver is not listening.')
        return receiverUrl
      },
      async kill() {
        now.isRunning = false
        await now.running.kill()
      },
      quit() {
        now.isRunning = false
        return now.running.quit()
      },
      async restart(args = anyPort) {
        if (now.isRunning) await now.running.quit()
        follow(await start(args))
      },
      async followRestart() {
        follow(await now.running.afterRestart())
      },
      readClipboard: () => now.running.readClipboard(),
      expectProblem: (pattern) => void expected.push(pattern),
    }
    try {
      await frame(now.running.page).navigation.waitFor()
      await use(tondesk)
      const stray = now.isRunning ? await now.running.standIn?.ask('report') : undefined
      expect(stray?.strayRequests ?? [], 'requests that left the app').toEqual([])
      const unexpected = problems.filter((text) => !expected.some((each) => each.test(text)))
      expect(unexpected, 'console errors, uncaught errors and CSP violations').toEqual([])
    } finally {
      if (now.isRunning) {
        // After a kill, the sandbox would keep using the directory for a moment.
        const end: Promise<unknown> = withSandbox ? now.running.quit() : now.running.kill()
        await withDeadline(end, 'Ending the app').catch(() => now.running.kill())
      }
    }
  },
})

export { expect }

/** Starts a sandbox in a new directory as the app does, and ends it. @returns the directory */
async function startSandboxOnce(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'tondesk-e2e-'))
  const sandbox = await startSandboxProcess(directory)
  await sandbox.end()
  return directory
}

/** Starts a separate sandbox in a directory, as the app does, and returns its ready line. */
export async function startSandboxProcess(directory: string) {
  const child = spawn(
    process.execPath,
    [...nodeArguments, 'out/main/sandbox-process.js', '--data-dir', directory, '--port', '0'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exit = once(child, 'exit')
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  if (!line.includes('"ready"')) throw new Error(`The sandbox did not start: ${line}`)
  return {
    ready: JSON.parse(line) as ReadyLine,
    async end() {
      child.kill('SIGTERM')
      await exit
    },
  }
}

/** Finds a port on which no program listens at present. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port.')
  return address.port
}
