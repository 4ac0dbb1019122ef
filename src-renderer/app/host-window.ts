/** New windows, printing and zoom: the desktop app's main process does them, in a browser the page and the browser. */
import { showToast } from '../ui/toast.tsx'
import { attempt, on, request } from './bridge.ts'
import { routeHref, useRoute } from './route.ts'

const isDesktop = () => window.bridge !== undefined

export const newWindowLabel = () => (isDesktop() ? 'Open in new window' : 'Open in new tab')

/** Opens what the window shows in a window of its own. */
export async function openInNewWindow(): Promise<void> {
  const hash = routeHref(useRoute.getState().route)
  if (isDesktop()) {
    await attempt('Could not open a new window', () => request('window.open', { hash }))
    return
  }
  // Not `noopener`: the new tab gets a copy of this tab's storage, in which the session is.
  if (window.open(`${window.location.pathname}${hash}`, '_blank') === null) {
    showToast({
      title: 'Could not open a new tab',
      detail: 'Allow this page to open tabs in your browser.',
      tone: 'bad',
    })
  }
}

/** `ui/print.css` decides what is printed. */
export async function printPage(): Promise<void> {
  if (isDesktop()) await attempt('Could not print', () => request('window.print'))
  else window.print()
}

/** Shows the zoom for a moment after each change. Called once. */
export function showZoom(): () => void {
  return on('window.zoomed', ({ percent }) =>
    showToast({ id: 'zoom', title: `Zoom: ${percent} %` }),
  )
}
