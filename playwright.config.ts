import { defineConfig } from '@playwright/test'
import { electronProblem } from './test/electron/binary.ts'
import { deadlines } from './test/deadlines.ts'
import type { HostOptions } from './test/e2e/fixture.ts'

const isLong = process.env['TONDESK_LONG'] === '1'

/** What only one host does lies in its folder; the stories of the pages run in browser mode. */
export default defineConfig<object, HostOptions>({
  testDir: 'test',
  outputDir: 'test-results/e2e',
  // Beside the part `main`; with three, both take longer.
  workers: 2,
  fullyParallel: true,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: deadlines.test,
  expect: { timeout: deadlines.wait },
  use: { actionTimeout: deadlines.wait, navigationTimeout: deadlines.wait },
  reporter: [
    ['list'],
    ['json', { outputFile: 'test-results/e2e.json' }],
    ['./test/fixtures/skipped-files.ts'],
  ],
  projects: [
    // Once for all component tests, whichever worker runs them.
    { name: 'component-bundle', testMatch: 'components/bundle.ts' },
    {
      name: 'browser',
      dependencies: ['component-bundle'],
      use: { hostName: 'browser' },
      testMatch: ['e2e/*.spec.ts', 'e2e/browser/*.spec.ts', 'components/*.spec.ts'],
      ...(isLong ? {} : { grepInvert: /@long|@every-host/ }),
    },
    {
      name: 'views',
      use: { hostName: 'browser' },
      testMatch: isLong ? 'e2e/long/*.spec.ts' : [],
    },
    {
      name: 'stand-in',
      use: { hostName: 'stand-in' },
      testMatch: ['e2e/*.spec.ts', 'e2e/stand-in/*.spec.ts', 'e2e/desktop/*.spec.ts'],
      // The same pages in the same Chromium: only three stories that reach into the host run again.
      grep: /[\\/](stand-in|desktop)[\\/]|@every-host/,
      ...(isLong ? {} : { grepInvert: /@long/ }),
    },
    {
      name: 'electron',
      use: { hostName: 'electron' },
      // Without a binary the specs about it are listed as skipped, with the reason.
      testMatch:
        electronProblem() === null
          ? ['e2e/*.spec.ts', 'e2e/desktop/*.spec.ts', 'electron/*.spec.ts']
          : 'electron/*.spec.ts',
    },
  ],
})
