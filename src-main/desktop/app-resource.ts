/**
 * Which file an `app://` URL means. Pure.
 *
 * Threat model: a page that got hold of a script could ask for any path. Only GET, only our host, only
 * a file of a known type below the window's built files is ever answered.
 */
import { extname, join, sep } from 'node:path'
import { isAppUrl } from './app-url.ts'

type AppResource =
  | { readonly status: 200; readonly file: string; readonly contentType: string }
  | { readonly status: 400 | 403 | 404 | 405 }

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

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

/** Null for what no file of ours is called: control characters, backslashes, broken escapes. */
function decodePath(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path)
    return /[\\\u0000-\u001f\u007f]/.test(decoded) || !decoded.startsWith('/') ? null : decoded
  } catch {
    return null
  }
}
