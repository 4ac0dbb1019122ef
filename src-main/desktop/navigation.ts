/**
 * Keeps every window on the app's own page.
 *
 * Threat model: a captured body is a stranger's text. Should any of it ever become a link or a script,
 * it must not be able to turn our window, which holds the bridge, into another site's.
 */
import type { WebContents } from 'electron'
import type { Log } from '../app/log.ts'
import { isAppUrl } from './app-url.ts'
import type { OpenExternal } from './open-external.ts'

type NavigationGuard = {
  readonly origin: string
  readonly openExternal: OpenExternal
  readonly log: Log
}

/** To be called for all contents ever created, ours or not. */
export function guardNavigation(contents: WebContents, guard: NavigationGuard): void {
  const { origin, openExternal, log } = guard

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
    // We use no frames at all; the top frame is looked at above.
    if (!event.isMainFrame) deny(event, 'navigation of a frame inside the page')
  })
  contents.on('will-attach-webview', (event) => deny(event, 'a webview'))
  contents.setWindowOpenHandler(({ url }) => {
    openExternal(url)
    return { action: 'deny' }
  })
}
