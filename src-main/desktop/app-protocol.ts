/** Serves the window's built files under `app://tondesk`, so that no page is ever loaded from `file://`. */
import { readFile } from 'node:fs/promises'
import { protocol } from 'electron'
import { securityHeaders } from '../bridge/web-guard.ts'
import { resolveAppResource } from './app-resource.ts'
import { appScheme } from './app-url.ts'

/** To be called before the app is ready. */
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

function refuse(status: number): Response {
  return new Response(null, { status, headers: securityHeaders })
}
