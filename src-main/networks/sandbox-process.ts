/**
 * Starts the app's own processes. Plain Node uses `fork` (here), and the installed app uses
 * Electron's utilityProcess (desktop/), because a packaged Electron cannot run as Node.
 */
import { type Serializable, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type SandboxProcess = {
  onStdout(listener: (text: string) => void): void
  onStderr(listener: (text: string) => void): void
  /** Called once. `how` completes a sentence: "exit code 1", "signal SIGKILL". */
  onExit(listener: (how: string) => void): void
  onMessage(listener: (message: unknown) => void): void
  /** Never throws: the process may have ended. */
  send(message: unknown): void
  /** Ends the process immediately, as `kill -9` does, where the system supports that. */
  kill(): void
}

export type StartProcess = (
  entry: URL,
  args: readonly string[],
  flags?: readonly string[],
) => SandboxProcess

/**
 * Most garbage is short-lived: a small nursery makes the process a quarter smaller at the same
 * speed (docs/benchmarks.md). The app's own flags, such as a debugger's port, are not inherited.
 */
export const sandboxNodeFlags: readonly string[] = ['--max-semi-space-size=4']

export const forkProcess: StartProcess = (entry, args, flags = sandboxNodeFlags) => {
  const child = fork(fileURLToPath(entry), [...args], {
    // The flag prevents a signal from opening a debugger's port. Electron has a fuse for this.
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
      // `send` throws if the channel is closed, and calls back with an error if it closes later.
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
