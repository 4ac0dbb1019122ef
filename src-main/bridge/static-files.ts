/**
 * The window's built files for browser mode.
 *
 * Threat model: the path is an attacker's. It is never joined to a folder's name: it is looked up,
 * undecoded, among the files found by walking the folder, so a path outside cannot be named. Links
 * are not followed, and a folder is not a file, so nothing is listed.
 */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

type StaticFile = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
  /** The name holds a hash of the content, so it may be cached for ever. */
  readonly immutable: boolean
}

export type StaticFiles = {
  /** By the request's path exactly as sent, without its query. */
  read(path: string): Promise<StaticFile | null>
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

const hashedName = /^\/assets\/[^/]+-[\w-]{8}\.\w+$/

export function createStaticFiles(directory: string): StaticFiles {
  let found: Promise<Map<string, string>> | undefined

  return {
    async read(path) {
      const name = path === '/' ? '/index.html' : path
      // Each visit to the page looks again, so that a new build is seen without a restart.
      if (name === '/index.html') found = undefined
      found ??= walk(directory)
      const file = (await found).get(name)
      const type = types[extname(name)]
      if (file === undefined || type === undefined) return null
      try {
        return {
          bytes: new Uint8Array(await readFile(file)),
          type,
          immutable: hashedName.test(name),
        }
      } catch {
        // Gone since the walk: a build is under way.
        return null
      }
    },
  }
}

async function walk(directory: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    files.set(`/${relative(directory, file).split(sep).join('/')}`, file)
  }
  return files
}
