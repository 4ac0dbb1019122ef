/**
 * Opens windows, prints and zooms: in the desktop app by the main process, in a browser by the page
 * and the browser.
 */
import { showToast } from '../ui/toast.tsx'
import { attempt, on, request } from './bridge.ts'
import { routeHref, useRoute } from './route.ts'

const isDesktop = () => window.bridge !== undefined

export const newWindowLabel = () => (isDesktop() ? 'Open in new window' : 'Open in new tab')

/** Opens the displayed page in a new window. */
export async function openInNewWindow(): Promise<void> {
  const hash = routeHref(useRoute.getState().route)
  if (isDesktop()) {
    await attempt('Could not open a new window', () => request('window.open', { hash }))
    return
  }
  // `noopener` is not used, because the new tab needs a copy of this tab's storage with the session.
  if (window.open(`${window.location.pathname}${hash}`, '_blank') === null) {
    showToast({
      title: 'Could not open a new tab',
      detail: 'Allow this page to open tabs in your browser.',
      tone: 'bad',
    })
  }
}

/** `ui/print.css` defines what is printed. */
export async function printPage(): Promise<void> {
  if (isDesktop()) await attempt('Could not print', () => request('window.print'))
  else window.print()
}

/** Shows the zoom for a moment after each change. Called once. */
export const showZoom = (): (() => void) =>
  on('window.zoomed', ({ percent }) => showToast({ id: 'zoom', title: `Zoom: ${percent} %` }))
