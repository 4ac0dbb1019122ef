/**
 * Processes of the app's own, from outside: the sandbox's, and those that read and write files of
 * captures. Started by `fork` in plain Node (here), by Electron's utilityProcess in the installed app
 * (desktop/), where a packaged Electron cannot be run as Node.
 */
import { type Serializable, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type SandboxProcess = {
  onStdout(listener: (text: string) => void): void
  onStderr(listener: (text: string) => void): void
  /** Called once. `how` is part of a sentence: "exit code 1", "signal SIGKILL". */
  onExit(listener: (how: string) => void): void
  /** Whatever the process sends over its channel; structured clones. */
  onMessage(listener: (message: unknown) => void): void
  /** Never throws: the process may have ended. */
  send(message: unknown): void
  /** At once, as `kill -9` where the system can. */
  kill(): void
}

/** @param flags for Node; by default those of the sandbox */
export type StartProcess = (
  entry: URL,
  args: readonly string[],
  flags?: readonly string[],
) => SandboxProcess

/**
 * Executing messages makes much garbage that dies young: a small nursery keeps the process a quarter
 * smaller at no cost in speed (docs/benchmarks.md). Nothing of our own process's flags: a debugger's
 * port or a test runner's loader is not for it.
 */
export const sandboxNodeFlags: readonly string[] = ['--max-semi-space-size=4']

export const forkProcess: StartProcess = (entry, args, flags = sandboxNodeFlags) => {
  const child = fork(fileURLToPath(entry), [...args], {
    // No signal opens a debugger's port. Electron has a fuse for that.
    execArgv: [...flags, '--disable-sigusr1'],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  return {
    onStdout: (listener) => readText(child.stdout, listener),
    onStderr: (listener) => readText(child.stderr, listener),
    onExit(listener) {
      // Each failed `kill` is an error too; only the first can be that the process did not start.
      child.on('error', (error) => {
        if (child.pid === undefined) listener(error.message)
      })
      child.once('exit', (code, signal) =>
        listener(signal === null ? `exit code ${code ?? '?'}` : `signal ${signal}`),
      )
    },
    onMessage: (listener) => void child.on('message', listener),
    send(message) {
      // Both ways of failing: thrown when the channel is closed, told when it closes meanwhile.
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
