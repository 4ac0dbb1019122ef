import { existsSync } from 'node:fs'

/** Chromium's switches for tests: no network of its own, no shared memory shortage in containers. */
export const chromiumArguments: readonly string[] = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-popup-blocking',
]

/** The Chromium to test with; undefined leaves it to Playwright. */
export function chromiumPath(): string | undefined {
  const asked = process.env['TONDESK_CHROMIUM']
  if (asked !== undefined && asked !== '') return asked
  return existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined
}
