/** Plays Electron's `BrowserWindow`: position and state are numbers, the content is a Chromium page. */
import { EventEmitter } from 'node:events'
import type {
  BrowserWindow as Electron,
  BrowserWindowConstructorOptions,
  ProgressBarOptions,
  Rectangle,
} from 'electron'
import { app } from './app.ts'
import { createEvent } from './event.ts'
import { browser } from './host.ts'
import { reportToTest } from './report.ts'
import { nativeTheme } from './system.ts'
import { StandInContents } from './web-contents.ts'

type Played = Pick<
  Electron,
  | 'id'
  | 'loadURL'
  | 'show'
  | 'focus'
  | 'blur'
  | 'minimize'
  | 'restore'
  | 'close'
  | 'maximize'
  | 'isMaximized'
  | 'isMinimized'
  | 'isVisible'
  | 'isFocused'
  | 'setProgressBar'
  | 'isDestroyed'
  | 'getBounds'
  | 'getNormalBounds'
  | 'setBounds'
  | 'setBackgroundColor'
  | 'getBackgroundColor'
>

const all: BrowserWindow[] = []

export class BrowserWindow extends EventEmitter implements Omit<Played, 'close'> {
  static getAllWindows(): BrowserWindow[] {
    return [...all]
  }

  static getFocusedWindow(): BrowserWindow | null {
    return all.find((window) => window.isFocused()) ?? null
  }

  readonly id: number
  readonly webContents: StandInContents
  readonly options: BrowserWindowConstructorOptions
  readonly whenClosed: Promise<void>
  backgroundColor: string
  progressBar: { readonly progress: number; readonly mode: string | undefined } | null = null
  #isFocused = false
  #bounds: Rectangle
  #isVisible: boolean
  #isMaximized = false
  #isMinimized = false
  #isDestroyed = false
  readonly #settleClosed: () => void

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super()
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready')
    const { x = 100, y = 100, width = 800, height = 600 } = options
    const closed = Promise.withResolvers<undefined>()
    this.whenClosed = closed.promise
    this.#settleClosed = () => closed.resolve(undefined)
    this.options = options
    this.backgroundColor = options.backgroundColor ?? '#ffffff'
    this.#bounds = { x, y, width, height }
    this.#isVisible = options.show !== false
    this.webContents = new StandInContents(options.webPreferences?.preload)
    this.id = this.webContents.id
    all.push(this)
    app.windows.add(this)

    const applyTheme = () =>
      this.#withPage((page) =>
        page.setColorScheme(nativeTheme.shouldUseDarkColors ? 'dark' : 'light'),
      )
    nativeTheme.on('updated', applyTheme)
    applyTheme()
    this.#withPage((page) => page.setSize(this.#bounds))
    this.webContents.once('destroyed', () => {
      nativeTheme.off('updated', applyTheme)
      this.#ended()
    })
    this.webContents.once('did-finish-load', () => this.emit('ready-to-show'))
    this.webContents.on('did-finish-load', () => {
      void browser(() => app.getPath('userData')).then(({ endpoint }) =>
        this.#withPage(({ targetId }) => reportToTest({ event: 'window', endpoint, targetId })),
      )
    })
    app.emit('web-contents-created', createEvent({}), this.webContents)
    app.emit('browser-window-created', createEvent({}), this)
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url)
  }

  show(): void {
    this.#isVisible = true
    this.focus()
    this.emit('show')
  }

  focus(): void {
    for (const window of all) window.#isFocused = window === this
    this.emit('focus')
    app.emit('browser-window-focus', createEvent({}), this)
  }

  minimize(): void {
    this.#isMinimized = true
    this.emit('minimize')
  }

  restore(): void {
    this.#isMinimized = false
    this.emit('restore')
  }

  /** Returns true if the window is closing, false if the app prevented it. */
  close(): boolean {
    const event = createEvent({})
    this.emit('close', event)
    if (event.defaultPrevented) return false
    this.#withPage((page) => void page.close().catch(() => this.#ended()))
    return true
  }

  maximize(): void {
    this.#isMaximized = true
    this.emit('maximize')
    this.emit('resize')
  }

  isFocused = (): boolean => this.#isFocused
  isMaximized = (): boolean => this.#isMaximized
  isMinimized = (): boolean => this.#isMinimized
  isVisible = (): boolean => this.#isVisible
  isDestroyed = (): boolean => this.#isDestroyed
  getBounds = (): Rectangle => ({ ...this.#bounds })
  getNormalBounds = (): Rectangle => ({ ...this.#bounds })

  setBounds(bounds: Partial<Rectangle>): void {
    this.#bounds = { ...this.#bounds, ...bounds }
    this.#withPage((page) => page.setSize(this.#bounds))
    this.emit('move')
    this.emit('resize')
  }

  blur(): void {
    this.#isFocused = false
    this.emit('blur')
  }

  setProgressBar(progress: number, { mode }: Partial<ProgressBarOptions> = {}): void {
    this.progressBar = { progress, mode }
  }

  getBackgroundColor = (): string => this.backgroundColor

  setBackgroundColor(color: string): void {
    this.backgroundColor = color
  }

  #withPage(use: (page: Awaited<StandInContents['page']>) => void): void {
    this.webContents.page.then(use, () => undefined)
  }

  #ended(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    all.splice(all.indexOf(this), 1)
    app.windows.delete(this)
    this.emit('closed')
    this.#settleClosed()
    if (all.length > 0 || app.isQuitting) return
    if (!app.emit('window-all-closed')) app.quit()
  }
}
