/**
 * Keeps every window on the app's own page and decides which links open in the browser.
 *
 * Threat model: a captured body is a stranger's text. If such a text ever becomes a link or a script,
 * it must not be able to load another site into our window, which has the bridge.
 */
import { type WebContents, type Session, shell } from 'electron'
import type { Log } from '../app/log.ts'
import { isAppUrl } from './app-protocol.ts'
import { confirmByDialog } from './confirm.ts'

/** Call this for all web contents that are ever created, even for foreign ones. */
export function guardNavigation(
  contents: WebContents,
  { origin, openExternal, log }: { origin: string; openExternal: OpenExternal; log: Log },
): void {
  function deny(event: { preventDefault(): void }, what: string): void {
    event.preventDefault()
    log.write('warn', `Denied: ${what}.`)
  }

  contents.on('will-navigate', (event) => {
    if (!isAppUrl(event.url, origin)) deny(event, 'navigation away from the app')
  })
  contents.on('will-redirect', (event) => {
    if (!isAppUrl(event.url, origin)) deny(event, 'redirection away from the app')
  })
  contents.on('will-frame-navigate', (event) => {
    // The page has no frames; `will-navigate` handles the top frame.
    if (!event.isMainFrame) deny(event, 'navigation of a frame inside the page')
  })
  contents.on('will-attach-webview', (event) => deny(event, 'a webview'))
  contents.setWindowOpenHandler(({ url }) => {
    openExternal(url)
    return { action: 'deny' }
  })
}

type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>
type Permission = Parameters<CheckHandler>[1]

type PermissionRequest = {
  readonly isMainFrame: boolean
  /** URL or origin of the page that requests the permission. */
  readonly url: string | undefined
  readonly isOurWindow: boolean
}

const granted: ReadonlySet<Permission> = new Set<Permission>(['clipboard-sanitized-write'])

/** Permissions that later versions of Electron add are denied as well. */
export function isPermitted(
  permission: Permission,
  request: PermissionRequest,
  origin: string,
): boolean {
  const { isMainFrame, url, isOurWindow } = request
  const isTrusted = isMainFrame && isOurWindow && url !== undefined && isAppUrl(url, origin)
  return isTrusted && granted.has(permission)
}

/** A page may copy text to the clipboard. Every other permission is denied. */
export function restrictPermissions(
  session: Session,
  origin: string,
  isOurs: (contentsId: number) => boolean,
): void {
  session.setPermissionCheckHandler((contents, permission, requestingOrigin, details) => {
    const { isMainFrame, requestingUrl: url = requestingOrigin } = details
    const isOurWindow = contents !== null && isOurs(contents.id)
    return isPermitted(permission, { isMainFrame, url, isOurWindow }, origin)
  })
  session.setPermissionRequestHandler((contents, permission, callback, details) => {
    const { isMainFrame, requestingUrl: url } = details
    const isOurWindow = isOurs(contents.id)
    callback(isPermitted(permission, { isMainFrame, url, isOurWindow }, origin))
  })
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, callback) => callback(null))
}

type OpenExternal = (address: string) => void

/** Passes links of the page to the system's browser. Only this file calls `shell.openExternal`. */
export function createOpenExternal(log: Log): OpenExternal {
  async function open(address: string): Promise<void> {
    const { verdict, url } = decideExternal(address)
    if (verdict === 'refuse') {
      log.write('warn', 'An address was not opened outside the app.', {
        scheme: /^[a-z][\w+.-]{0,30}:/i.exec(address)?.[0],
      })
      return
    }
    const message = 'Open this link in your browser?'
    if (verdict === 'ask' && !(await confirmByDialog({ message, detail: url, action: 'Open' }))) {
      return
    }
    await shell.openExternal(url)
  }

  return (address) => {
    open(address).catch((error: unknown) =>
      log.failure('An address could not be opened in the browser.', error),
    )
  }
}

/** Opens the page of a Tondesk process in browser mode that uses the data directory. */
export async function openBrowserMode(address: string): Promise<void> {
  if (isBrowserModeUrl(address)) await shell.openExternal(address)
}

type ExternalDecision = {
  /** `open`: the app itself links to this host. `ask`: the user decides. `refuse`: the link is never opened. */
  readonly verdict: 'open' | 'ask' | 'refuse'
  /** The parsed address; empty when the link is refused. */
  readonly url: string
}

const maxUrlLength = 2048

const knownHosts: ReadonlySet<string> = new Set([
  'docs.tonconsole.com',
  'tonconsole.com',
  'tonapi.io',
  'tonviewer.com',
  'testnet.tonviewer.com',
])

/**
 * Decides whether an address may open. Only https is allowed, because every other scheme may start
 * a program. Credentials are refused because they disguise the host and would be passed on.
 */
export function decideExternal(address: string): ExternalDecision {
  const refused: ExternalDecision = { verdict: 'refuse', url: '' }
  if (address.length > maxUrlLength) return refused
  const parsed = URL.parse(address)
  if (parsed?.protocol !== 'https:') return refused
  if (parsed.username !== '' || parsed.password !== '') return refused
  const { href: url, host } = parsed
  if (url.length > maxUrlLength) return refused
  // `host` contains a port other than 443, so the user confirms a known name on another port.
  return { verdict: knownHosts.has(host) ? 'open' : 'ask', url }
}

/** True if this is a start URL of browser mode on this computer. */
export const isBrowserModeUrl = (address: string): boolean =>
  /^http:\/\/127\.0\.0\.1:\d{1,5}\/#start=[\w-]{16,128}$/.test(address)
