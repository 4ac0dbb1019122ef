/** Plays Electron's `app`, from the loader's start to the process's end. */
import { EventEmitter } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App, ProcessMetric } from 'electron'
import manifest from '../../package.json' with { type: 'json' }
import { createEvent } from './event.ts'
import { browser } from './host.ts'
import { createInstanceLock } from './instance-lock.ts'
import { reportToTest } from './report.ts'

type Played = Pick<
  App,
  | 'isPackaged'
  | 'whenReady'
  | 'isReady'
  | 'quit'
  | 'exit'
  | 'relaunch'
  | 'enableSandbox'
  | 'disableHardwareAcceleration'
  | 'getAppMetrics'
  | 'isHardwareAccelerationEnabled'
  | 'getAppPath'
  | 'getName'
  | 'getPath'
  | 'getVersion'
  | 'setPath'
  | 'requestSingleInstanceLock'
  | 'setAppUserModelId'
  | 'setBadgeCount'
  | 'getBadgeCount'
  | 'setAsDefaultProtocolClient'
  | 'setName'
  | 'setDesktopName'
>

/** The members of a window that quitting needs. */
type Closable = {
  /** Returns false if the page or the app prevented it. */
  close(): boolean
  readonly whenClosed: Promise<void>
}

class StandInApp extends EventEmitter implements Played {
  readonly isPackaged = process.env['STAND_IN_PACKAGED'] === '1'
  readonly windows = new Set<Closable>()
  sandboxEnabled = false
  #isHardwareAccelerated = true
  /** The metrics of the utility processes, by process id. */
  readonly children = new Map<number, string>()
  /** The protocols for which the app was registered as the system's program. */
  readonly protocols: string[] = []
  desktopName = ''
  #ready: Promise<void> | undefined
  #isReady = false
  #isQuitting = false
  #badgeCount = 0
  readonly #paths = new Map<string, string>([['userData', join(tmpdir(), 'tondesk-stand-in')]])

  whenReady(): Promise<void> {
    this.#ready ??= browser(() => this.getPath('userData')).then(() => {
      this.#isReady = true
      this.emit('ready', createEvent({}), {})
    })
    return this.#ready
  }

  isReady(): boolean {
    return this.#isReady
  }

  enableSandbox(): void {
    if (this.#isReady) throw new Error('app.enableSandbox() can only be called before app is ready')
    this.sandboxEnabled = true
  }

  disableHardwareAcceleration(): void {
    if (this.#isReady) {
      throw new Error('app.disableHardwareAcceleration() can only be called before app is ready')
    }
    this.#isHardwareAccelerated = false
  }

  isHardwareAccelerationEnabled(): boolean {
    return this.#isHardwareAccelerated
  }

  getAppMetrics(): ProcessMetric[] {
    const metrics: Pick<ProcessMetric, 'pid' | 'type' | 'name'>[] = [
      { pid: process.pid, type: 'Browser' },
      ...[...this.children].map(([pid, name]) => ({ pid, type: 'Utility' as const, name })),
    ]
    return metrics as ProcessMetric[]
  }

  /** Returns the folder of package.json; `main.js` is in its `out/main`. */
  getAppPath(): string {
    return join(process.argv[1] ?? '', '..', '..', '..')
  }

  getVersion(): string {
    return manifest.version
  }

  getPath(name: Parameters<App['getPath']>[0]): string {
    const path = this.#paths.get(name)
    if (path === undefined) throw new Error(`The stand-in has no path ${name}.`)
    return path
  }

  setPath(name: string, path: string): void {
    this.#paths.set(name, path)
  }

  setBadgeCount(count = 0): boolean {
    this.#badgeCount = count
    return true
  }

  getBadgeCount(): number {
    return this.#badgeCount
  }

  setAppUserModelId(): void {
    // Only Windows uses the value.
  }

  setAsDefaultProtocolClient(protocol: string): boolean {
    this.protocols.push(protocol)
    return true
  }

  /** The same name as in package.json. */
  #name = 'tondesk'

  getName(): string {
    return this.#name
  }

  setName(name: string): void {
    this.#name = name
  }

  setDesktopName(name: string): void {
    if (this.#isReady) throw new Error('app.setDesktopName() must be called before app is ready')
    this.desktopName = name
  }

  requestSingleInstanceLock(additionalData?: Record<string, unknown>): boolean {
    const lock = createInstanceLock(this.getPath('userData'))
    return lock.request(additionalData ?? null, ({ args, workingDirectory, sent }) =>
      this.emit('second-instance', createEvent({}), args, workingDirectory, sent),
    )
  }

  quit(): void {
    if (this.#isQuitting) return
    this.#isQuitting = true
    void this.#quit().then((ended) => (this.#isQuitting = ended))
  }

  exit(code = 0): void {
    this.emit('quit', createEvent({}), code)
    process.exit(code)
  }

  /** Reports the arguments without the program's own file, with which Electron would find the app. */
  relaunch({ args = process.argv.slice(1) }: { args?: string[] } = {}): void {
    reportToTest({ event: 'relaunch', args: args[0] === process.argv[1] ? args.slice(1) : args })
  }

  /** True while windows are being closed in order to quit. */
  get isQuitting(): boolean {
    return this.#isQuitting
  }

  async #quit(): Promise<boolean> {
    const beforeQuit = createEvent({})
    this.emit('before-quit', beforeQuit)
    if (beforeQuit.defaultPrevented) return false
    for (const window of [...this.windows]) {
      if (!window.close()) return false
      await window.whenClosed
    }
    const willQuit = createEvent({})
    this.emit('will-quit', willQuit)
    if (!willQuit.defaultPrevented) this.exit(0)
    return true
  }
}

export const app = new StandInApp()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => app.quit())
