import { existsSync } from 'node:fs'

// Chromium uses only the last list of features, so this list repeats Playwright's own.
const featuresOff = [
  // The popups of the address bar are pages too, two for each window, and cost as much as a page of the app.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  // A process for a page that might be opened next is not needed.
  'SpareRendererForSitePerProcess',
  // This feature is in Playwright's list.
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

/** Chromium's switches for tests: no network access of its own, and no other work than showing the pages. */
export const chromiumArguments: readonly string[] = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-popup-blocking',
  // One process less for each browser, because the processor draws everything anyway.
  '--in-process-gpu',
  // A page lives for seconds, so code that V8 optimizes would hardly run. This saves a fifth of a page's work.
  '--js-flags=--single-threaded-gc --no-opt --no-maglev',
  `--disable-features=${featuresOff.join(',')}`,
]

// A process gets another parent when its own has ended, but on Windows its parent id stays. Threads
// have no parent. Another user may not send a signal to the parent, although it exists.
const endWithParent = `import { isMainThread } from 'node:worker_threads'
const parent = process.ppid
const isThere = () => {
  try { return process.ppid === parent && process.kill(parent, 0) } catch (error) { return error.code === 'EPERM' }
}
if (isMainThread) setInterval(() => isThere() || process.kill(process.pid, 'SIGKILL'), 500).unref()`

/**
 * Node's switches for processes that live for seconds. A process ends with its parent, even after a
 * crash. A young generation that need not grow first saves a tenth of an app's start; optimizing
 * and collecting on further threads would take time from other tests.
 */
export const nodeArguments: readonly string[] = [
  '--min-semi-space-size=16',
  '--no-opt',
  '--no-maglev',
  '--single-threaded-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent(endWithParent)}`,
]

/** Debian's Chromium without a window comes first, because it needs a tenth less time. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** The path of the Chromium for tests; undefined to use Playwright's. */
export function chromiumPath({ headed = false } = {}): string | undefined {
  const asked = process.env['TONDESK_CHROMIUM']
  if (asked !== undefined && asked !== '') return asked
  return installed.slice(headed ? 1 : 0).find((path) => existsSync(path))
}
