/**
 * Starts the app's own processes. Plain Node uses `fork` (here), the installed app Electron's
 * utilityProcess (desktop/), because a packaged Electron cannot run as Node.
 */
import { type Serializable, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type SandboxProcess = {
  onStdout(listener: (text: string) => void): void
  onStderr(listener: (text: string) => void): void
  /** Called once. `how` is part of a sentence: "exit code 1", "signal SIGKILL". */
  onExit(listener: (how: string) => void): void
  onMessage(listener: (message: unknown) => void): void
  /** Never throws: the process may have ended. */
  send(message: unknown): void
  /** Immediate, as `kill -9` where the system supports it. */
  kill(): void
}

export type StartProcess = (
  entry: URL,
  args: readonly string[],
  flags?: readonly string[],
) => SandboxProcess

/**
 * Most garbage is short-lived: a small nursery makes the process a quarter smaller at no cost in speed
 * (docs/benchmarks.md). The app's own flags, such as a debugger's port, are not inherited.
 */
export const sandboxNodeFlags: readonly string[] = ['--max-semi-space-size=4']

export const forkProcess: StartProcess = (entry, args, flags = sandboxNodeFlags) => {
  const child = fork(fileURLToPath(entry), [...args], {
    // Prevents a signal from opening a debugger's port. Electron has a fuse for this.
    execArgv: [...flags, '--disable-sigusr1'],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  return {
    onStdout: (listener) => readText(child.stdout, listener),
    onStderr: (listener) => readText(child.stderr, listener),
    onExit(listener) {
      // Each failed `kill` emits an error too; only the first can mean that the process did not start.
      child.on('error', (error) => {
        if (child.pid === undefined) listener(error.message)
      })
      child.once('exit', (code, signal) =>
        listener(signal === null ? `exit code ${code ?? '?'}` : `signal ${signal}`),
      )
    },
    onMessage: (listener) => void child.on('message', listener),
    send(message) {
      // `send` throws when the channel is closed and calls back when it closes meanwhile.
      if (child.connected) child.send(message as Serializable, () => undefined)
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

export function readText(
  stream: NodeJS.ReadableStream | null,
  listener: (text: string) => void,
): void {
  stream?.setEncoding('utf8').on('data', listener)
}
