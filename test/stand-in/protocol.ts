/** Plays Electron's `protocol`: calls the app's handler for its own scheme with a page's requests. */
import type { Protocol } from 'electron'

type Handler = Parameters<Protocol['handle']>[1]

const handlers = new Map<string, Handler>()
const schemes: string[] = []

export const protocol = {
  registerSchemesAsPrivileged(custom) {
    schemes.push(...custom.map(({ scheme }) => scheme))
  },
  handle(scheme, handler) {
    if (handlers.has(scheme)) throw new Error(`The protocol ${scheme} is handled already.`)
    handlers.set(scheme, handler)
  },
} satisfies Pick<Protocol, 'registerSchemesAsPrivileged' | 'handle'>

export function privilegedSchemes(): readonly string[] {
  return schemes
}

/** Returns null if the app has no handler for this scheme. */
export async function serveRequest(
  url: string,
  init: { method: string; headers?: Record<string, string> },
): Promise<Response | null> {
  const handler = handlers.get(url.slice(0, url.indexOf(':')))
  if (!handler) return null
  return handler(new Request(url, init))
}
