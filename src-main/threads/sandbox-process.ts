/**
 * Entry point of the sandbox's process: a child process of Node, a utilityProcess under Electron, or the command
 * of the package `tondesk-sandbox`. Unless standard output is a terminal, one JSON line reports that the sandbox is
 * ready, or why it is not; keys are never arguments. The process finishes its work and ends on SIGTERM, on the
 * message 'stop' and with its parent.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createErrorLog, SandboxError, sandboxCodes } from '../sandbox/errors.ts'
import { type Sandbox, createSandbox } from '../sandbox/sandbox.ts'
import { describeReady, parentGone } from '../sandbox/program.ts'
import { readStartOptions, startOptions } from '../sandbox/start-options.ts'
import { appVersion } from '../app/version.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'
import { isCompleted } from '../app/completion.ts'
import { handleUncaughtErrors } from '../app/uncaught-errors.ts'

type ParentPort = { on(event: 'message', listener: (message: { data: unknown }) => void): void }

const option = { type: 'string' } as const
const flag = { type: 'boolean' } as const

function readArguments() {
  return parseArgs({
    options: {
      ...Object.fromEntries(Object.keys(startOptions).map((name) => [name, option])),
      'data-dir': option,
      ephemeral: flag,
      'with-parent': flag,
      json: flag,
      help: flag,
      version: flag,
    },
  }).values as Record<string, string | boolean | undefined>
}

async function start(typed: ReturnType<typeof readArguments>): Promise<Sandbox> {
  const dataDirectory = typed['data-dir']
  const isKept = typeof dataDirectory === 'string' && typed['ephemeral'] !== true
  return await createSandbox({
    ...readStartOptions(typed, process.env),
    version: appVersion,
    ...(isKept ? { dataDirectory } : { ephemeral: true }),
  })
}

function describeUsage(): string {
  const options = [
    ...Object.entries(startOptions).map(([name, [value, text]]) => [`${name} ${value}`, text]),
    ['data-dir FOLDER', 'keep the data there (default: a temporary directory)'],
    ['with-parent', 'stop when the parent process ends or standard input (a pipe) closes'],
    ['json', 'print one JSON object, also in a terminal'],
    ['version', 'print the version'],
  ].map(([name = '', text]) => `  --${name.padEnd(20)} ${text}`)
  const others = '`tondesk-sandbox test`, `lab` and `calls` have their own options: add --help.'
  return `Usage: tondesk-sandbox [options]\n\n${options.join('\n')}\n\n${others}`
}

function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${text}\n`, () => resolve())
  })
}

const logError = createErrorLog([])
handleUncaughtErrors({
  onConnectionError: logError,
  onBug(error) {
    logError(error)
    process.exit(1)
  },
})

const stopped = Promise.withResolvers<undefined>()
const stop = () => stopped.resolve(undefined)
const onMessage = (message: unknown) => {
  if (message === 'stop') stop()
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
process.on('message', onMessage)
process.on('disconnect', stop)
const { parentPort } = process as unknown as { parentPort?: ParentPort }
parentPort?.on('message', ({ data }) => onMessage(data))
process.stdout.on('error', stop)
process.stderr.on('error', () => undefined)

const [command = ''] = process.argv.slice(2)
if (['test', 'lab', 'calls'].includes(command)) {
  // Starting a sandbox needs no part of the lab.
  const { runLabCommand } = await import('../sandbox/lab/commands.ts')
  const aborted = new AbortController()
  void stopped.promise.then(() => aborted.abort())
  const note = (text: string) => void process.stderr.write(`${text}\n`)
  const output = { print, note, signal: aborted.signal }
  process.exit(await runLabCommand(process.argv.slice(2), output))
}

let isJson = !process.stdout.isTTY
try {
  const typed = readArguments()
  isJson ||= typed['json'] === true
  if (typed['help'] === true || typed['version'] === true) {
    await print(typed['help'] === true ? describeUsage() : appVersion)
    process.exit(0)
  }
  if (typed['with-parent'] === true) void parentGone().then(stop)
  const sandbox = await start(typed)
  await print(isJson ? JSON.stringify(sandbox.ready) : describeReady(sandbox.ready))
  await stopped.promise
  process.exit((await isCompleted(sandbox.dispose())) ? 0 : 1)
} catch (error) {
  const code = error instanceof SandboxError ? error.code : sandboxCodes.failed
  const message = messageOf(error)
  if (isJson) await print(JSON.stringify({ event: 'failed', code, message }))
  else process.stderr.write(`${message}\n`)
  process.exit(1)
}
