/** Serves the window's built files under `app://tondesk`, so that no page is ever loaded from `file://`. */
import { readFile } from 'node:fs/promises'
import { protocol } from 'electron'
import { contentTypes, securityHeaders } from '../bridge/web-guard.ts'
import { extname, join, sep } from 'node:path'

/** Call this before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: appScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ])
}

export function serveAppScheme(directory: string): void {
  protocol.handle(appScheme, async (request) => {
    const resource = resolveAppResource(request.method, request.url, directory)
    if (resource.status !== 200) return refuse(resource.status)
    try {
      const bytes = new Uint8Array(await readFile(resource.file))
      return new Response(bytes, {
        headers: { ...securityHeaders, 'Content-Type': resource.contentType },
      })
    } catch {
      return refuse(404)
    }
  })
}

const refuse = (status: number): Response =>
  new Response(null, { status, headers: securityHeaders })

const appScheme = 'app'
const appHost = 'tondesk'
const appOrigin = `${appScheme}://${appHost}`

/**
 * True if a URL belongs to the app's own page. The URL is parsed, because the text of another site's
 * URL may contain ours (`https://evil.example/?app://tondesk`, `app://tondesk@evil.example`).
 */
export function isAppUrl(url: string, origin: string = appOrigin): boolean {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false
  // `URL.origin` is "null" for schemes that Node does not know.
  return `${parsed.protocol}//${parsed.host}` === origin
}

/** The origin that pages are loaded from; in development this is electron-vite's server. */
export function pageOrigin(developmentUrl: string | undefined, isPackaged: boolean): string {
  if (isPackaged || developmentUrl === undefined) return appOrigin
  const parsed = URL.parse(developmentUrl)
  const isLoopback = parsed !== null && ['localhost', '127.0.0.1'].includes(parsed.hostname)
  return isLoopback && parsed.protocol === 'http:' ? parsed.origin : appOrigin
}

type AppResource =
  | { readonly status: 200; readonly file: string; readonly contentType: string }
  | { readonly status: 400 | 403 | 404 | 405 }

/**
 * Resolves an `app://` URL to a file.
 *
 * Threat model: a page that runs a foreign script could request any path. The app serves only GET requests,
 * only its own host, and only files of a listed type below the window's built files.
 */
export function resolveAppResource(method: string, url: string, directory: string): AppResource {
  if (method !== 'GET') return { status: 405 }
  if (!isAppUrl(url)) return { status: 403 }
  const path = decodePath(new URL(url).pathname)
  if (path === null) return { status: 400 }
  const file = join(directory, path === '/' ? 'index.html' : path)
  if (!file.startsWith(directory.endsWith(sep) ? directory : directory + sep)) {
    return { status: 403 }
  }
  const contentType = contentTypes[extname(file)]
  return contentType === undefined ? { status: 404 } : { status: 200, file, contentType }
}

/** Null for a path that no built file has, with control characters, backslashes or invalid escapes. */
function decodePath(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path)
    return /[\\\u0000-\u001f\u007f]/.test(decoded) || !decoded.startsWith('/') ? null : decoded
  } catch {
    return null
  }
}
