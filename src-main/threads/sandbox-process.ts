/**
 * Entry point of the sandbox's process: a child process of Node, or a utilityProcess under Electron. One
 * JSON line on standard output reports that the sandbox is ready, or why it is not; keys are never
 * arguments. The process finishes its work and ends on SIGTERM, on the message 'stop' and with its parent.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createErrorLog, SandboxError } from '../sandbox/errors.ts'
import { type Sandbox, createSandbox } from '../sandbox/sandbox.ts'
import { optionNames, readStartOptions } from '../sandbox/start-options.ts'
import { appVersion } from '../app/version.ts'
import { isCompleted } from '../app/completion.ts'
import { handleUncaughtErrors } from '../app/uncaught-errors.ts'

type ParentPort = { on(event: 'message', listener: (message: { data: unknown }) => void): void }

async function start(): Promise<Sandbox> {
  const option = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(optionNames.map((name) => [name, option])),
      'data-dir': option,
      ephemeral: { type: 'boolean' },
    },
  })
  const typed = values as Record<string, string | boolean | undefined>
  return await createSandbox({
    ...readStartOptions(typed, process.env),
    version: appVersion,
    ephemeral: typed['ephemeral'] === true,
    ...(typeof typed['data-dir'] === 'string' ? { dataDirectory: typed['data-dir'] } : {}),
  })
}

function say(line: Record<string, unknown>): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve())
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

try {
  const sandbox = await start()
  await say(sandbox.ready)
  await stopped.promise
  process.exit((await isCompleted(sandbox.dispose())) ? 0 : 1)
} catch (error) {
  const code = error instanceof SandboxError ? error.code : 'SANDBOX_FAILED'
  const message = error instanceof Error ? error.message : String(error)
  await say({ event: 'failed', code, message })
  process.exit(1)
}
