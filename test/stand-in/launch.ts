/** Starts the built app on the stand-in and drives it, for tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type Page, chromium } from '@playwright/test'
import { deadlines } from '../deadlines.ts'
import { profileIn, untilFree } from './browser.ts'
import { nodeArguments } from './chromium.ts'
import type { CommandName, Commands, DialogRecord, FromStandIn } from './report.ts'

type LaunchOptions = {
  readonly dataDirectory: string
  readonly args?: readonly string[]
  /** The folder of an unpacked archive of the app; without it the build of this clone is started. */
  readonly appFolder?: string
  readonly env?: Readonly<Record<string, string>>
  /** Node's switches; by default those for a process that lives for seconds. */
  readonly nodeFlags?: readonly string[]
  /** Shows its windows in this Chromium instead of a new one; web storage ends with the app. */
  readonly browserEndpoint?: string
  /** Called with each error of the page, from its first script on. */
  readonly onProblem?: (text: string) => void
}

export type StandIn = {
  readonly processId: number
  /** Resolves with the fields of the app's ready line; rejects if the app ended without one. */
  readonly ready: Promise<{ receiverUrl: string | null }>
  /** Resolves when the process and its own Chromium have ended. */
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** True once the app has requested a restart after its end. */
  readonly wantsRelaunch: () => boolean
  /** The arguments of the requested restart. */
  readonly relaunchArgs: () => readonly string[]
  /** Resolves with the window's page when it is loaded. */
  readonly page: () => Promise<Page>
  /** Performs an action that loads the window again, and attaches to the new page. */
  readonly reloaded: (act: () => Promise<unknown>) => Promise<Page>
  readonly ask: <N extends CommandName>(
    command: N,
    ...input: Commands[N]['input'] extends null ? [] : [Commands[N]['input']]
  ) => Promise<Commands[N]['output']>
  /** Resolves with the next dialog, or with the last one if it is open already. */
  readonly dialog: () => Promise<DialogRecord>
  readonly stderr: () => string
  readonly kill: () => Promise<void>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const register = new URL('./register.ts', import.meta.url).href

export function launchStandIn(options: LaunchOptions): StandIn {
  const { args = [], appFolder = root } = options
  const child = spawn(
    process.execPath,
    [
      ...(options.nodeFlags ?? nodeArguments),
      '--import',
      register,
      join(appFolder, 'out', 'main', 'main.js'),
      '--json',
      '--data-dir',
      options.dataDirectory,
      // The sandbox starts only for tests that set its port, because starting it takes time and
      // most tests do not use it.
      ...(args.includes('--sandbox-port') ? [] : ['--without-sandbox']),
      ...args,
    ],
    {
      cwd: appFolder,
      env: {
        ...process.env,
        TONDESK_CHECK_OUTPUT: '1',
        STAND_IN_BROWSER: options.browserEndpoint ?? '',
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  )
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => {
      const profile = profileIn(join(options.dataDirectory, 'electron'))
      void untilFree(profile).then(() => resolve({ code, signal }))
    }),
  )
  const output = readOutput(child)
  const channel = openChannel(child, options.onProblem, exit)
  const ready = Promise.race([
    output.firstLine.then((line) => JSON.parse(line) as { receiverUrl: string | null }),
    exit.then(({ code }) => {
      throw new Error(
        `The app ended with ${code ?? 'a signal'} and no ready line.\n${output.stderr()}`,
      )
    }),
  ])
  // A test may not wait for it.
  ready.catch(() => undefined)

  return {
    processId: child.pid ?? -1,
    ready,
    exit,
    wantsRelaunch: channel.wantsRelaunch,
    relaunchArgs: channel.relaunchArgs,
    ask: channel.ask,
    dialog: channel.dialog,
    stderr: output.stderr,
    async page() {
      const address = await channel.window()
      return attach(await connection(address.endpoint), address)
    },
    async reloaded(act) {
      const next = channel.nextWindow()
      await act()
      const address = await next
      // Playwright gives up a page that crashed, so the test attaches to it again.
      return attach(
        await chromium.connectOverCDP(address.endpoint, { timeout: deadlines.wait }),
        address,
      )
    },
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

type WindowAddress = { readonly endpoint: string; readonly targetId: string }

/** All windows in one Chromium share a connection to it. */
const connections = new Map<string, Promise<Browser>>()

function connection(endpoint: string): Promise<Browser> {
  const known = connections.get(endpoint)
  if (known) return known
  const fresh = chromium.connectOverCDP(endpoint, { timeout: deadlines.wait }).then((browser) => {
    browser.once('disconnected', () => connections.delete(endpoint))
    return browser
  })
  connections.set(endpoint, fresh)
  return fresh
}

async function attach(browser: Browser, { targetId }: WindowAddress): Promise<Page> {
  const [context] = browser.contexts()
  if (!context) throw new Error('Chromium has no context.')
  const arrived = context.waitForEvent('page', { timeout: deadlines.wait, predicate: isIt })
  // The window may exist already, so that no caller waits for this promise.
  arrived.catch(() => undefined)
  for (const page of context.pages()) if (await isIt(page)) return page
  return arrived

  async function isIt(page: Page): Promise<boolean> {
    try {
      const session = await page.context().newCDPSession(page)
      const { targetInfo } = await session.send('Target.getTargetInfo')
      await session.detach()
      return targetInfo.targetId === targetId
    } catch {
      // The window has just been closed.
      return false
    }
  }
}

function readOutput(child: ChildProcess) {
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  let stdout = ''
  const firstLine = new Promise<string>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      const end = stdout.indexOf('\n')
      if (end >= 0) resolve(stdout.slice(0, end))
    })
  })
  return { firstLine, stderr: () => stderr }
}

function openChannel(
  child: ChildProcess,
  onProblem: ((text: string) => void) | undefined,
  exit: Promise<unknown>,
) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let window = newWindow()
  let nextDialog = Promise.withResolvers<DialogRecord>()
  let relaunchArgs: readonly string[] | null = null
  let nextId = 1

  child.on('message', (message: FromStandIn) => {
    switch (message.event) {
      case 'window':
        window.resolve(message)
        return
      case 'dialog':
        nextDialog.resolve(message.dialog)
        return
      case 'problem':
        onProblem?.(message.text)
        return
      case 'relaunch':
        relaunchArgs = message.args
        return
      case 'answer': {
        const asked = waiting.get(message.id)
        waiting.delete(message.id)
        if (message.ok) asked?.resolve(message.output)
        else asked?.reject(new Error(message.message))
      }
    }
  })
  void exit.then(() => {
    const gone = new Error('The app has ended.')
    window.reject(gone)
    for (const asked of waiting.values()) asked.reject(gone)
  })

  return {
    window: () => window.promise,
    nextWindow() {
      window = newWindow()
      return window.promise
    },
    wantsRelaunch: () => relaunchArgs !== null,
    relaunchArgs: () => relaunchArgs ?? [],
    dialog: async () => {
      const record = await nextDialog.promise
      nextDialog = Promise.withResolvers()
      return record
    },
    ask: (<N extends CommandName>(command: N, input?: Commands[N]['input']) => {
      const id = nextId++
      const asked = Promise.withResolvers<unknown>()
      waiting.set(id, asked)
      child.send({ id, command, input: input ?? null }, (error) => {
        if (error) asked.reject(error)
      })
      return asked.promise
    }) as StandIn['ask'],
  }
}

/** Resolves with the window's address when a window is loaded; a test may not wait for it. */
function newWindow(): PromiseWithResolvers<WindowAddress> {
  const window = Promise.withResolvers<WindowAddress>()
  window.promise.catch(() => undefined)
  return window
}
