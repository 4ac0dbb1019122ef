/** Plays Electron's `session`: Chromium applies the app's decisions on permissions. */
import { EventEmitter } from 'node:events'
import type { BrowserContext, Download } from '@playwright/test'
import type { DownloadItem, SaveDialogOptions, Session, WebContents } from 'electron'
import { toApp, toChromium } from './app-address.ts'
import { dialog } from './dialog.ts'
import { createEvent } from './event.ts'

type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>
type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>
type Permission = Parameters<CheckHandler>[1]

/** Maps Electron's names of permissions to Playwright's, for those that can be granted from outside. */
const grantable: Partial<Record<Permission, string>> = {
  'clipboard-read': 'clipboard-read',
  'clipboard-sanitized-write': 'clipboard-write',
  geolocation: 'geolocation',
  media: 'camera',
  midi: 'midi',
  notifications: 'notifications',
}

let check: CheckHandler | null = null
let ask: RequestHandler | null = null

const defaultSession = Object.assign(new EventEmitter(), {
  setPermissionCheckHandler: (handler) => void (check = handler),
  setPermissionRequestHandler: (handler) => void (ask = handler),
  setDevicePermissionHandler: () => undefined,
  setDisplayMediaRequestHandler: () => undefined,
  resolveProxy: () => Promise.resolve('DIRECT'),
} satisfies Pick<
  Session,
  | 'setPermissionCheckHandler'
  | 'setPermissionRequestHandler'
  | 'setDevicePermissionHandler'
  | 'setDisplayMediaRequestHandler'
  | 'resolveProxy'
>)

/** Chromium's downloads are reported to the app, then saved at the path of the system's dialog. */
class StandInDownload
  extends EventEmitter
  implements
    Pick<
      DownloadItem,
      | 'getURL'
      | 'getFilename'
      | 'getSavePath'
      | 'setSavePath'
      | 'getSaveDialogOptions'
      | 'setSaveDialogOptions'
    >
{
  readonly #download: Download
  #options: SaveDialogOptions
  #path = ''

  constructor(download: Download) {
    super()
    this.#download = download
    this.#options = { defaultPath: download.suggestedFilename() }
  }

  getURL = (): string =>
    this.#download.url().replace(/^blob:(.*)/, (_all, url: string) => `blob:${toApp(url)}`)
  getFilename = (): string => this.#download.suggestedFilename()
  getSavePath = (): string => this.#path
  setSavePath = (path: string): void => void (this.#path = path)
  getSaveDialogOptions = (): SaveDialogOptions => this.#options
  setSaveDialogOptions = (options: SaveDialogOptions): void => void (this.#options = options)

  async save(): Promise<void> {
    const show = dialog.showSaveDialog as (
      options: SaveDialogOptions,
    ) => Promise<{ filePath: string }>
    // Electron shows no dialog once a path is set.
    if (this.#path === '') this.#path = (await show(this.#options)).filePath
    if (this.#path === '') await this.#download.cancel()
    else await this.#download.saveAs(this.#path)
    this.emit('done', createEvent({}), this.#path === '' ? 'cancelled' : 'completed')
  }
}

type PermissionInquiry = {
  readonly permission: string
  readonly url: string
  readonly isMainFrame: boolean
}

export const session = {
  defaultSession,
  fromPartition: () => defaultSession,

  download(download: Download, contents: WebContents): void {
    const item = new StandInDownload(download)
    const event = createEvent({})
    defaultSession.emit('will-download', event, item, contents, null)
    if (event.defaultPrevented) void download.cancel()
    else void item.save()
  },

  inquire(contents: WebContents, inquiry: PermissionInquiry): { check: boolean; request: boolean } {
    const { url, isMainFrame } = inquiry
    // The name comes from Chromium, so the handlers must accept any name.
    const permission = inquiry.permission as Permission
    let request = true
    ask?.(contents, permission, (granted) => (request = granted), {
      isMainFrame,
      requestingUrl: url,
    })
    return {
      check: check?.(contents, permission, url, { isMainFrame, requestingUrl: url }) ?? true,
      request,
    }
  },

  /** Grants pages of an origin exactly what the app's handlers allow. */
  async grant(context: BrowserContext, contents: WebContents, origin: string): Promise<void> {
    const permissions = Object.entries(grantable)
      .filter(([permission]) => {
        const answer = session.inquire(contents, {
          permission,
          url: `${origin}/`,
          isMainFrame: true,
        })
        return answer.check && answer.request
      })
      .map(([, name]) => name)
    await context.grantPermissions(permissions, { origin: toChromium(origin) })
  },
}
