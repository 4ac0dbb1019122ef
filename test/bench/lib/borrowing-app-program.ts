/** The program that `borrowing-app.ts` starts: an app that uses a sandbox of another process. */
import process from 'node:process'
import { createApp } from '../../../src-main/app/create-app.ts'
import { type SandboxProcess, forkProcess } from '../../../src-main/networks/sandbox-process.ts'
import type { ReadyLine } from '../../../src-main/sandbox/sandbox.ts'
import { sandboxEntry } from '../../../src-main/threads/threads.ts'
import type { BenchRequest } from './borrowing-app.ts'

/** Reports the ready line of the other sandbox process, which this app must not end. */
function borrowed(ready: ReadyLine): SandboxProcess {
  let exit: (how: string) => void = () => undefined
  const end = () => exit('its end here')
  return {
    onStdout: (listener) => setImmediate(() => listener(`${JSON.stringify(ready)}\n`)),
    onStderr: () => undefined,
    onExit: (listener) => (exit = listener),
    onMessage: () => undefined,
    send: end,
    kill: end,
  }
}

const say = (message: unknown) => void process.send?.(message)

async function start(ready: ReadyLine): Promise<void> {
  const app = await createApp({
    dataDirectory: process.argv[2] ?? '',
    host: 'browser',
    version: '0.0.0-bench',
    receive: false,
    startSandbox: true,
    sandboxPort: 0,
    startProcess: (entry, ...rest) =>
      entry.href === sandboxEntry.href ? borrowed(ready) : forkProcess(entry, ...rest),
  })
  app.events.subscribe((messages) => say({ events: messages }))
  process.on('message', ({ id, name, input }: BenchRequest) => {
    void app.dispatch(name, input).then((envelope) => say({ id, envelope }))
  })
  say({ event: 'ready' })
}

process.once('message', (ready: ReadyLine) => void start(ready))
// A child process ends with its bench, even after a crash of the bench.
process.on('disconnect', () => process.exit())
