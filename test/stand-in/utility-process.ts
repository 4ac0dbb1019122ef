/**
 * Plays Electron's `utilityProcess` with a child of plain Node. The channel is Node's own instead
 * of a port.
 */
import { fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { Details, ForkOptions, UtilityProcess } from 'electron'
import { app } from './app.ts'
import { createEvent } from './event.ts'

type Played = Pick<UtilityProcess, 'pid' | 'stderr' | 'stdout' | 'postMessage' | 'kill'>

/**
 * `execArgv` is added to the process's command line, from which Electron reads V8's flags in one
 * switch. Node's own notation, `--max-old-space-size=…` alone, has no effect there.
 */
function v8Flags(execArgv: readonly string[]): string[] {
  const prefix = '--js-flags='
  return execArgv
    .filter((arg) => arg.startsWith(prefix))
    .flatMap((arg) => arg.slice(prefix.length).split(' '))
}

class StandInUtilityProcess extends EventEmitter implements Played {
  readonly #child

  constructor(modulePath: string, args: string[], options: ForkOptions) {
    super()
    const asked = Array.isArray(options.stdio) ? options.stdio : []
    const [stdin = 'ignore', stdout = 'inherit', stderr = 'inherit'] = asked
    this.#child = fork(modulePath, args, {
      execArgv: v8Flags(options.execArgv ?? []),
      serialization: 'advanced',
      stdio: [stdin, stdout, stderr, 'ipc'],
    })
    this.#child.once('spawn', () => this.emit('spawn'))
    this.#child.on('message', (message) => this.emit('message', message))
    const { pid } = this.#child
    const name = options.serviceName ?? 'Node Utility Process'
    if (pid !== undefined) app.children.set(pid, name)
    this.#child.once('exit', (code, signal) => {
      if (pid !== undefined) app.children.delete(pid)
      this.emit('exit', code ?? 1)
      if (code === 0) return
      const details: Details = {
        type: 'Utility',
        reason: signal === 'SIGKILL' ? 'killed' : signal === null ? 'abnormal-exit' : 'crashed',
        exitCode: code ?? 1,
        serviceName: 'node.mojom.NodeService',
        name,
      }
      app.emit('child-process-gone', createEvent({}), details)
    })
  }

  get pid() {
    return this.#child.pid
  }

  get stdout() {
    return this.#child.stdout
  }

  get stderr() {
    return this.#child.stderr
  }

  postMessage(message: unknown): void {
    if (this.#child.connected) this.#child.send(message as object, () => undefined)
  }

  kill(): boolean {
    return this.#child.kill('SIGTERM')
  }
}

export const utilityProcess = {
  fork(modulePath: string, args: string[] = [], options: ForkOptions = {}): UtilityProcess {
    if (!app.isReady()) throw new Error('utilityProcess cannot be created before app is ready.')
    const child: unknown = new StandInUtilityProcess(modulePath, args, options)
    // Only the members that an app uses are implemented; the rest of its type is EventEmitter's overloads.
    return child as UtilityProcess
  },
}
