import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import type { LocalSocketClient } from '../bridge/local-socket-client.ts'
import type { WebHost } from '../bridge/web.ts'
import type { App } from '../app/create-app.ts'
import { appVersion } from '../app/version.ts'
import { openInBrowser, removeRedirectFile, removeRedirectFiles } from './browser.ts'
import { type Command, type Invocation, exitCodes, readPort } from './command.ts'
import { caller, findOrCreate } from './session.ts'
import { aborted, inTime } from './stop.ts'

const defaultPort = 4800

export const serve: Command = {
  name: 'serve',
  summary: 'run the app on this computer, its window in the browser',
  options: {
    port: {
      type: 'string',
      value: 'N',
      description: `port of the window (default ${defaultPort}; if taken, the next free one)`,
    },
    'receiver-port': {
      type: 'string',
      value: 'N',
      description: 'port of the webhook receiver, for this run (default: as in the settings)',
    },
    'sandbox-port': {
      type: 'string',
      value: 'N',
      description: 'port of the sandbox gateway, for this run (default: as in the settings)',
    },
    'without-sandbox': { type: 'boolean', description: 'do not start the sandbox gateway' },
    'no-open': { type: 'boolean', description: 'print the URL, open no browser' },
    json: { type: 'boolean', description: 'print a JSON object a line' },
  },
  detail: [
    'Prints the URL of the window, good for one tab and for ten minutes (`tondesk open` gives\nanother), and the URL to send webhooks to. Both are on 127.0.0.1 only. Where the app already\nruns with this data directory, prints its URL and ends.',
  ],
  outlivesReader: true,
  async run(invocation) {
    const { dataDirectory, options, stop } = invocation
    const port = readPort(options['port'], 'port') ?? defaultPort
    let receiverPort = readPort(options['receiver-port'], 'receiver-port')
    const sandboxPort = readPort(options['sandbox-port'], 'sandbox-port')
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
    try {
      // After the receiver, whose port is remembered and comes before the window's.
      host = await createWebHost({
        port,
        rendererDirectory,
        onStartSpent: (start) => void removeRedirectFile(dataDirectory, start),
      })
      hostStarted.resolve(host)
      if (port !== 0 && host.port !== port) {
        invocation.terminal.note(`Port ${port} is taken: the window is on port ${host.port}.`)
      }
      if (!existsSync(join(rendererDirectory, 'index.html'))) {
        invocation.terminal.note('The window has not been built yet: run `npm run build`.')
      }
      await removeRedirectFiles(dataDirectory)
      app.windowOn(host.port)
      host.attach(app)
      const receiver = await announce(app, host, invocation)
      // Any port will do, but after a restart the URL given out must still be right.
      if (receiverPort === 0 && receiver.port !== null) receiverPort = receiver.port
      for (;;) {
        await aborted(AbortSignal.any([stop, restart.signal]))
        if (stop.aborted) break
        host.detach()
        await app.dispose()
        app = await create()
        app.windowOn(host.port)
        host.attach(app)
        await announceAgain(app, invocation)
      }
    } finally {
      const drained = await inTime(Promise.all([host?.[Symbol.asyncDispose](), app.dispose()]))
      await removeRedirectFiles(dataDirectory)
      if (!drained) return tooSlow(invocation)
    }
    return exitCodes.ok
  },
}

function tooSlow({ terminal }: Invocation): number {
  terminal.note('Ended before everything was closed: it took longer than 3 seconds.')
  return exitCodes.failed
}

async function announce(app: App, host: WebHost, invocation: Invocation): Promise<ReceiverState> {
  const receiver = await caller((name, input) => app.dispatch(name, input))('receiver.state')
  const { dataDirectory, options, terminal } = invocation
  await print(host.mintStartUrl(), receiver, process.pid, invocation)
  if (options['no-open']) return receiver
  // A URL of its own: the one printed stays good for another tab.
  const problem = await openInBrowser(dataDirectory, host.mintStartUrl())
  if (problem) terminal.note(`${problem} Open the address above in a browser.`)
  return receiver
}

async function announceAgain(app: App, invocation: Invocation): Promise<void> {
  const { options, terminal } = invocation
  const receiver = await caller((name, input) => app.dispatch(name, input))('receiver.state')
  await terminal.print(
    options['json']
      ? JSON.stringify({ event: 'restarted', receiverUrl: receiver.url })
      : `Restarted.\nReceiver   ${receiverLine(receiver)}`,
  )
}

/** Asks the app that holds the directory to show itself. */
export async function showRunning(
  client: LocalSocketClient,
  invocation: Invocation,
): Promise<number> {
  const { dataDirectory, options, terminal } = invocation
  try {
    const receiver = await caller((name, input) => client.request(name, input))('receiver.state')
    const { url } = await client.open()
    await print(url, receiver, client.processId, invocation)
    if (url === null || options['no-open']) return exitCodes.ok
    const problem = await openInBrowser(dataDirectory, url)
    if (problem) terminal.note(`${problem} Open the address above in a browser.`)
    return exitCodes.ok
  } finally {
    client.dispose()
  }
}

async function print(
  appUrl: string | null,
  receiver: ReceiverState,
  processId: number,
  { dataDirectory, options, terminal }: Invocation,
): Promise<void> {
  if (options['json']) {
    const ready = { event: 'ready', appUrl, receiverUrl: receiver.url, dataDirectory }
    await terminal.print(JSON.stringify({ ...ready, pid: processId }))
  } else {
    if (processId !== process.pid) terminal.note(`Tondesk already runs (process ${processId}).`)
    await terminal.print(`Tondesk    ${appUrl ?? 'its window was brought to the front'}`)
    await terminal.print(`Receiver   ${receiverLine(receiver)}`)
  }
  if (receiver.status === 'listening' && receiver.wantedPort !== null) {
    terminal.note(
      `Port ${receiver.wantedPort} is taken: the receiver is on port ${receiver.port ?? '?'}.`,
    )
  }
}

function receiverLine({ url, problem }: ReceiverState): string {
  return url ?? `not listening${problem === null ? '' : `: ${problem}`}`
}

/** Beside the bundle, or where the build puts it when this file runs from its source. */
function findRenderer(): string {
  const fromHere = import.meta.url.endsWith('.ts') ? '../../out/renderer' : '../renderer'
  return fileURLToPath(new URL(fromHere, import.meta.url))
}
