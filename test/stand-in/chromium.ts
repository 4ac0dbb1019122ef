import { existsSync } from 'node:fs'

// Chromium heeds the last list of features only, so Playwright's own is in it again.
const featuresOff = [
  // The address bar's popups are pages too, two for each window: they cost as much as ours.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  // A process for a page that might be opened next.
  'SpareRendererForSitePerProcess',
  // Playwright's.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

/** Chromium's switches for tests: no network of its own, and no work but for our pages. */
export const chromiumArguments: readonly string[] = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-popup-blocking',
  // A process less for each browser; what it draws is drawn by the processor anyway.
  '--in-process-gpu',
  // A page lives for seconds: what V8 would optimize is hardly run afterwards. A fifth of a page's work.
  '--js-flags=--single-threaded-gc --no-opt --no-maglev',
  `--disable-features=${featuresOff.join(',')}`,
]

// A process has another parent as soon as its own has ended; on Windows it keeps the number. Threads have no parent.
// Another user may not signal the parent, which is there all the same.
const endWithParent = `import { isMainThread } from 'node:worker_threads'
const parent = process.ppid
const isThere = () => {
  try { return process.ppid === parent && process.kill(parent, 0) } catch (error) { return error.code === 'EPERM' }
}
if (isMainThread) setInterval(() => isThere() || process.kill(process.pid, 'SIGKILL'), 500).unref()`

/**
 * Node's switches for processes that live for seconds. A process ends with its parent, however that ended. With
 * a young generation that need not grow first, an app's start takes a tenth less; optimizing and collecting on
 * further threads would take time from the tests beside it.
 */
export const nodeArguments: readonly string[] = [
  '--min-semi-space-size=16',
  '--no-opt',
  '--no-maglev',
  '--single-threaded-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent(endWithParent)}`,
]

/** Debian's: the one without a window of its own comes first, it takes a tenth less of the machine. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** The Chromium to test with; undefined leaves it to Playwright. */
export function chromiumPath({ headed = false } = {}): string | undefined {
  const asked = process.env['TONDESK_CHROMIUM']
  if (asked !== undefined && asked !== '') return asked
  return installed.slice(headed ? 1 : 0).find((path) => existsSync(path))
}
