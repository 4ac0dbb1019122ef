import process from 'node:process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import * as read from './options.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { App } from '../app/create-app.ts'
import { readRunRecord, updateRun } from '../app/run-record.ts'
import { appVersion } from '../app/version.ts'
import { caller } from '../bridge/dispatch.ts'
import { findOrCreate } from '../bridge/find-or-create.ts'
import { type LocalSocketClient, connectLocalSocket } from '../bridge/local-socket-client.ts'
import { localSocketPath } from '../bridge/local-socket.ts'
import type { WebHost } from '../bridge/web.ts'
import { type CommandBody, type Invocation, exitCodes } from './command.ts'
import { isRestarted, reportServing } from './supervised.ts'
import { waitForAbort, isClosed, writeEvent } from './terminal.ts'

const defaultPort = 4800

export const serveCommand: CommandBody = {
  options: {
    port: read.text(
      'N',
      `port of the window (default ${defaultPort}; if taken, the next free one)`,
    ),
    'receiver-port': read.text(
      'N',
      'port of the webhook receiver, for this run (default: from the settings)',
    ),
    'sandbox-port': read.text(
      'N',
      'port of the sandbox gateway, for this run (default: from the settings)',
    ),
    'alert-program': read.text(
      'PROGRAM',
      'a program that you allow alerts to start, with any arguments; add it in Settings',
    ),
    'without-sandbox': read.flag('do not start the sandbox gateway'),
    'no-open': read.flag('print the URL without opening a browser'),
    json: read.jsonOption,
  },
  detail: [
    'Prints the URL of the window, which works once and within ten minutes (`tondesk open` prints another),\nand the receiver URL. Both are on 127.0.0.1 only. If the app already runs with this data\ndirectory, prints its URL and exits.',
  ],
  outlivesReader: true,
  async run(invocation) {
    const { dataDirectory, options, stop } = invocation
    // After a crash, this process replaces the old one and keeps its URLs valid.
    const earlier = isRestarted ? readRunRecord(dataDirectory) : null
    const port = earlier?.windowPort ?? read.readPort(invocation, 'port') ?? defaultPort
    let receiverPort = earlier?.receiverPort ?? read.readPort(invocation, 'receiver-port')
    const sandboxPort = read.readPort(invocation, 'sandbox-port')
    const rendererDirectory = findRenderer()
    const [{ createApp }, { createWebHost }] = await Promise.all([
      import('../app/create-app.ts'),
      import('../bridge/web.ts'),
    ])

    let host: WebHost | undefined
    const hostStarted = Promise.withResolvers<WebHost>()
    let restart = new AbortController()
    const create = () => {
      restart = new AbortController()
      return createApp({
        dataDirectory,
        host: 'browser',
        version: appVersion,
        ...(receiverPort === undefined ? {} : { receiverPort }),
        ...(sandboxPort === undefined ? {} : { sandboxPort }),
        ...(options['without-sandbox'] ? { startSandbox: false } : {}),
        checkOutput: process.env['TONDESK_CHECK_OUTPUT'] === '1',
        confirmProgram: (program) => Promise.resolve(describeProgram(invocation, program)),
        restart: () => restart.abort(),
        signal: stop,
        onRescueProgress: ({ table, rows }) =>
          invocation.terminal.note(`Rescuing a damaged database: ${rows} rows of ${table} so far.`),
        open: async () => ({ url: (await hostStarted.promise).mintStartUrl() }),
      })
    }

    const found = await findOrCreate(dataDirectory, create)
    if ('client' in found) return showRunning(found.client, invocation)
    let { app } = found
    let drained = false
    try {
      // The web host starts after the receiver, because the receiver's remembered port takes precedence.
      host = await createWebHost({
        port,
        rendererDirectory,
        onStartSpent: (start) => void rm(redirectFile(dataDirectory, start), { force: true }),
        sessions: {
          earlier: earlier?.sessions ?? [],
          onAdded: (sessions) => void updateRun(dataDirectory, { sessions }),
        },
      })
      hostStarted.resolve(host)
      if (port !== 0 && host.port !== port) {
        invocation.terminal.note(`Port ${port} is taken: the window is on port ${host.port}.`)
      }
      if (!existsSync(join(rendererDirectory, 'index.html'))) {
        invocation.terminal.note('The window is not built. Run `npm run build`.')
      }
      await removeRedirectFiles(dataDirectory)
      app.windowOn(host.port)
      host.attach(app)
      const receiver = await receiverOf(app)
      if (isRestarted) {
        updateRun(dataDirectory, { sessions: earlier?.sessions ?? [] })
        await writeRestart(receiver, invocation, host.mintStartUrl())
      } else {
        await print(host.mintStartUrl(), receiver, process.pid, invocation)
        // The browser gets its own URL, so that the printed one stays valid for another tab.
        await showInBrowser(host, invocation)
      }
      reportServing()
      // Port 0 takes any port, but a URL given out must stay valid after a restart.
      if (receiverPort === 0 && receiver.port !== null) receiverPort = receiver.port
      for (;;) {
        await waitForAbort(AbortSignal.any([stop, restart.signal]))
        if (stop.aborted) break
        host.detach()
        await app.dispose()
        app = await create()
        app.windowOn(host.port)
        host.attach(app)
        await writeRestart(await receiverOf(app), invocation)
      }
    } finally {
      const reconciliation = Promise.all([host?.[Symbol.asyncDispose](), app.dispose()])
      drained = await isClosed(reconciliation, invocation.terminal)
      await removeRedirectFiles(dataDirectory)
      if (!drained) invocation.terminal.note('Stopped before closing was complete.')
    }
    return drained ? exitCodes.ok : exitCodes.failed
  },
}

async function writeRestart(
  { url: receiverUrl, problem }: Pick<ReceiverState, 'url' | 'problem'>,
  invocation: Invocation,
  /** Open tabs continue without the URL. */
  appUrl?: string,
): Promise<void> {
  const window = appUrl === undefined ? '' : `Tondesk    ${appUrl}\n`
  const line = `Restarted.\n${window}Receiver   ${receiverLine({ url: receiverUrl, problem })}`
  await writeEvent(invocation, { event: 'restarted', receiverUrl }, line)
}

/** The page cannot confirm a program: a script in it could confirm its own. */
function describeProgram(invocation: Invocation, program: string): string | null {
  if (read.readText(invocation, 'alert-program') === program) return null
  return 'Tondesk does not start a program that was chosen in a browser alone. Restart Tondesk with the option --alert-program and the same program, then try again.'
}

function receiverOf(app: App): Promise<ReceiverState> {
  return caller((name, input) => app.dispatch(name, input))('receiver.state')
}

async function showInBrowser(
  host: Pick<WebHost, 'mintStartUrl'>,
  invocation: Invocation,
): Promise<void> {
  const { dataDirectory, options, terminal } = invocation
  if (options['no-open']) return
  const problem = await openInBrowser(dataDirectory, host.mintStartUrl())
  if (problem) terminal.note(`${problem} Open the address above in a browser.`)
}

async function showRunning(client: LocalSocketClient, invocation: Invocation): Promise<number> {
  try {
    const receiver = await caller((name, input) => client.request(name, input))('receiver.state')
    const { url } = await client.open()
    await print(url, receiver, client.processId, invocation)
    if (url !== null) await showInBrowser({ mintStartUrl: () => url }, invocation)
    return exitCodes.ok
  } finally {
    client.dispose()
  }
}

async function print(
  appUrl: string | null,
  receiver: ReceiverState,
  pid: number,
  invocation: Invocation,
): Promise<void> {
  const { dataDirectory, options, terminal } = invocation
  if (options['json'] !== true && pid !== process.pid) {
    terminal.note(`Tondesk is already running (process ${pid}).`)
  }
  const lines = `Tondesk    ${appUrl ?? 'its window was brought to the front'}\nReceiver   ${receiverLine(receiver)}`
  const ready = { event: 'ready', appUrl, receiverUrl: receiver.url, dataDirectory, pid }
  await writeEvent(invocation, ready, lines)
  if (receiver.status === 'listening' && receiver.wantedPort !== null) {
    terminal.note(
      `Port ${receiver.wantedPort} is taken: the receiver is on port ${receiver.port ?? '?'}.`,
    )
  }
}

function receiverLine({ url, problem }: Pick<ReceiverState, 'url' | 'problem'>): string {
  return url ?? `not listening${problem === null ? '' : `: ${problem}`}`
}

function findRenderer(): string {
  const fromHere = import.meta.url.endsWith('.ts') ? '../../out/renderer' : '../renderer'
  return fileURLToPath(new URL(fromHere, import.meta.url))
}

export const openCommand: CommandBody = {
  options: serveCommand.options,
  detail: [
    'Brings an open window to the front. In browser mode, prints and opens a new start URL, valid\nonce and for ten minutes.',
  ],
  async run(invocation) {
    const client = await connectLocalSocket(localSocketPath(invocation.dataDirectory))
    return client ? showRunning(client, invocation) : serveCommand.run(invocation)
  },
}

const pattern = /^open-[0-9a-f]{16}\.html$/

/** The name derives from the token, so that the process that receives it can delete another’s file. */
function redirectFile(dataDirectory: string, start: string): string {
  const name = createHash('sha256').update(start).digest('hex').slice(0, 16)
  return join(dataDirectory, `open-${name}.html`)
}

/**
 * Every user of a computer can read process arguments, and the start URL is secret until used. The
 * browser therefore gets the path of a file that only its owner can read and that redirects to the
 * URL.
 * @returns null if a browser was started, else the reason
 */
async function openInBrowser(dataDirectory: string, url: string): Promise<string | null> {
  const opener = findOpener()
  if (!opener) return 'No display is available.'
  const { hash } = new URL(url)
  const file = redirectFile(dataDirectory, hash.replace('#start=', ''))
  await writeFile(file, redirectPage(url), { mode: 0o600 })
  return new Promise((resolve) => {
    const child = spawn(opener, [file], { stdio: 'ignore', detached: true })
    child.on('error', () => resolve(`The program ${opener} was not found.`))
    child.once('spawn', () => {
      child.unref()
      resolve(null)
    })
  })
}

async function removeRedirectFiles(dataDirectory: string): Promise<void> {
  const names = await readdir(dataDirectory).catch(() => [])
  for (const name of names) {
    if (pattern.test(name)) await rm(join(dataDirectory, name), { force: true })
  }
}

function findOpener(): string | null {
  if (process.platform === 'darwin') return 'open'
  if (process.platform === 'win32') return 'explorer.exe'
  // Without a display, xdg-open would start a text browser in this terminal.
  return process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'] ? 'xdg-open' : null
}

function redirectPage(url: string): string {
  const address = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Tondesk</title>
<a href="${address}">Open Tondesk</a>
`
}
