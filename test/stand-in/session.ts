/** `session`: the app's word on permissions, carried out in Chromium. */
import type { BrowserContext } from '@playwright/test'
import type { Session, WebContents } from 'electron'
import { toChromium } from './app-address.ts'

type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>
type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>
type Permission = Parameters<CheckHandler>[1]

/** Electron's name to Playwright's, for those that can be granted from outside. */
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

const defaultSession = {
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
>

type PermissionInquiry = {
  readonly permission: string
  readonly url: string
  readonly isMainFrame: boolean
}

export const session = {
  defaultSession,

  inquire(contents: WebContents, inquiry: PermissionInquiry): { check: boolean; request: boolean } {
    const { url, isMainFrame } = inquiry
    // A name as it comes from Chromium; the handlers must stand any.
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

  /** Lets pages of an origin do what the app's handlers say, and no more. */
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
