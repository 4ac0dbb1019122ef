/** Plays Electron's `webContents`, as far as the app uses it. */
import { EventEmitter } from 'node:events'
import type {
  IpcMain,
  IpcMainInvokeEvent,
  Item,
  WebContents,
  WebContentsWillFrameNavigateEventParams,
  WebContentsWillNavigateEventParams,
  WebContentsWillRedirectEventParams,
  WebFrameMain,
} from 'electron'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { app } from './app.ts'
import { createEvent } from './event.ts'
import { browser } from './host.ts'
import { type FrameAddress, type PageListener, type WindowPage, openPage } from './page.ts'
import { session } from './session.ts'

type Played = Pick<
  WebContents,
  | 'id'
  | 'send'
  | 'reload'
  | 'forcefullyCrashRenderer'
  | 'isDestroyed'
  | 'setWindowOpenHandler'
  | 'getURL'
  | 'loadURL'
  | 'startDrag'
  | 'setZoomMode'
  | 'setZoomFactor'
  | 'getZoomFactor'
  | 'print'
>
type InvokeListener = Parameters<IpcMain['handle']>[1]

const handlers = new Map<string, InvokeListener>()

export const ipcMain = {
  handle(channel, listener) {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler: ${channel}`)
    handlers.set(channel, listener)
  },
  removeHandler: (channel) => void handlers.delete(channel),
} satisfies Pick<IpcMain, 'handle' | 'removeHandler'>

let nextId = 1

export class StandInContents extends EventEmitter implements Played {
  readonly id = nextId++
  /** Files that were dragged out of the page. */
  readonly dragged: string[] = []
  readonly page: Promise<WindowPage>
  #current: WindowPage | undefined
  #isDestroyed = false
  #crashing: Promise<void> | undefined
  #zoomFactor = 1
  #openHandler: Parameters<WebContents['setWindowOpenHandler']>[0] | undefined

  constructor(preload: string | undefined) {
    super()
    this.page = browser(() => app.getPath('userData')).then(async (running) => {
      const page = await openPage(running, preload, this.#listener())
      this.#current = page
      return page
    })
    // The calls of the windows wait for the page and report its errors.
    this.page.catch(() => undefined)
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.page
    const { origin } = originOf(url)
    const running = await browser(() => app.getPath('userData'))
    await session.grant(running.context, this.#asElectron(), origin)
    await page.load(url)
  }

  reload(): void {
    void Promise.all([this.page, this.#crashing])
      .then(([page]) => page.reload())
      .catch(() => undefined)
  }

  forcefullyCrashRenderer(): void {
    this.#crashing = new Promise((resolve) => this.once('render-process-gone', () => resolve()))
    this.#current?.crash()
  }

  getURL(): string {
    return this.#current?.url() ?? ''
  }

  send(channel: string, ...args: unknown[]): void {
    this.#current?.send(channel, structuredClone(args))
  }

  startDrag({ file, icon }: Item): void {
    if (!isAbsolute(file) || !existsSync(file)) throw new Error(`There is no file ${file}.`)
    if (typeof icon !== 'string' && icon.isEmpty()) {
      throw new Error("Must specify non-empty 'icon' option")
    }
    this.dragged.push(file)
  }

  isDestroyed(): boolean {
    return this.#isDestroyed
  }

  /** In the stand-in each window always has its own zoom. */
  setZoomMode(): void {}

  setZoomFactor(factor: number): void {
    this.#zoomFactor = factor
  }

  getZoomFactor(): number {
    return this.#zoomFactor
  }

  /** A test replaces this function; without one there is no printer. */
  print(...[, done]: Parameters<WebContents['print']>): void {
    setImmediate(() => done?.(false, 'Invalid printer settings'))
  }

  setWindowOpenHandler(handler: Parameters<WebContents['setWindowOpenHandler']>[0]): void {
    this.#openHandler = handler
  }

  /** Sends a request to the app as a page's frame would; a test may choose the frame. */
  async invoke(
    channel: string,
    args: unknown[],
    frame: FrameAddress,
    id = this.id,
  ): Promise<unknown> {
    const handler = handlers.get(channel)
    if (!handler) throw new Error(`No handler registered for '${channel}'`)
    const sender = id === this.id ? this.#asElectron() : ({ id } as unknown as WebContents)
    const event: Pick<IpcMainInvokeEvent, 'sender' | 'senderFrame'> = {
      sender,
      senderFrame: frameOf(frame),
    }
    return (await handler(event as IpcMainInvokeEvent, ...args)) as unknown
  }

  #listener(): PageListener {
    return {
      mayNavigate: (kind, url, frame) => this.#mayNavigate(kind, url, frame),
      message: (channel, args, frame) => this.invoke(channel, args, frame),
      windowOpened: ({ url, frameName, features }) => {
        this.#openHandler?.({
          url,
          frameName,
          features,
          disposition: 'foreground-tab',
          referrer: { url: '', policy: 'no-referrer' },
        })
      },
      downloaded: (download) => session.download(download, this.#asElectron()),
      loaded: () => {
        this.emit('did-finish-load', createEvent({}))
      },
      failed: (code, description, url) => {
        this.emit('did-fail-load', createEvent({}), code, description, url, true, 0, 0)
      },
      crashed: () => {
        this.emit('render-process-gone', createEvent({}), { reason: 'crashed', exitCode: 11 })
      },
      closed: () => {
        this.#isDestroyed = true
        this.emit('destroyed')
      },
    }
  }

  #mayNavigate(kind: 'navigate' | 'redirect', url: string, frame: FrameAddress): boolean {
    const params = {
      url,
      isSameDocument: false,
      isMainFrame: frame.isTop,
      frame: frameOf(frame),
    } satisfies WebContentsWillFrameNavigateEventParams &
      WebContentsWillNavigateEventParams &
      WebContentsWillRedirectEventParams
    const events =
      kind === 'redirect'
        ? (['will-redirect'] as const)
        : frame.isTop
          ? (['will-frame-navigate', 'will-navigate'] as const)
          : (['will-frame-navigate'] as const)
    return events.every((name) => {
      const event = createEvent(params)
      this.emit(name, event)
      return !event.defaultPrevented
    })
  }

  /** The app uses only the members that are played; any other use fails with an error. */
  #asElectron(): WebContents {
    return this as unknown as WebContents
  }
}

function frameOf({ url, origin, isTop }: FrameAddress): WebFrameMain {
  const frame: Pick<WebFrameMain, 'url' | 'origin' | 'parent'> = {
    url,
    origin,
    parent: isTop ? null : ({ origin } as unknown as WebFrameMain),
  }
  return frame as WebFrameMain
}

function originOf(url: string): { origin: string } {
  const { protocol, host } = new URL(url)
  return { origin: `${protocol}//${host}` }
}
