/** What a page may do beyond showing itself: copy text to the clipboard, and nothing else. */
import type { Session } from 'electron'
import { isAppUrl } from './app-url.ts'

type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>
/** Every permission this Electron knows, for checks and requests alike. */
type Permission = Parameters<CheckHandler>[1]

type PermissionQuestion = {
  readonly isMainFrame: boolean
  /** URL or origin of who asks. */
  readonly url: string | undefined
  readonly isOurWindow: boolean
}

const granted: ReadonlySet<Permission> = new Set<Permission>(['clipboard-sanitized-write'])

/** Pure; what Electron learns to ask for in later versions is denied as well. */
export function isPermitted(
  permission: Permission,
  question: PermissionQuestion,
  origin: string,
): boolean {
  const { isMainFrame, url, isOurWindow } = question
  return (
    granted.has(permission) &&
    isMainFrame &&
    isOurWindow &&
    url !== undefined &&
    isAppUrl(url, origin)
  )
}

type PermissionOptions = {
  readonly origin: string
  readonly isOurs: (contentsId: number) => boolean
}

export function restrictPermissions(session: Session, { origin, isOurs }: PermissionOptions): void {
  session.setPermissionCheckHandler((contents, permission, requestingOrigin, details) =>
    isPermitted(
      permission,
      {
        isMainFrame: details.isMainFrame,
        url: details.requestingUrl ?? requestingOrigin,
        isOurWindow: contents !== null && isOurs(contents.id),
      },
      origin,
    ),
  )
  session.setPermissionRequestHandler((contents, permission, callback, details) =>
    callback(
      isPermitted(
        permission,
        {
          isMainFrame: details.isMainFrame,
          url: details.requestingUrl,
          isOurWindow: isOurs(contents.id),
        },
        origin,
      ),
    ),
  )
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, callback) => callback(null))
}
