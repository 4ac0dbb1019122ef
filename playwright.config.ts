import { defineConfig } from '@playwright/test'
import { electronProblem } from './test/electron/binary.ts'
import type { HostOptions } from './test/e2e/fixture.ts'

/** The same specs on every host; some are about one host alone and lie in its folder. */
export default defineConfig<object, HostOptions>({
  testDir: 'test',
  outputDir: 'test-results/e2e',
  workers: 2,
  fullyParallel: true,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  projects: [
    {
      name: 'browser',
      use: { hostName: 'browser' },
      testMatch: ['e2e/*.spec.ts', 'e2e/browser/*.spec.ts'],
    },
    {
      name: 'stand-in',
      use: { hostName: 'stand-in' },
      testMatch: ['e2e/*.spec.ts', 'e2e/stand-in/*.spec.ts'],
      // The same pages in the same Chromium: what axe finds there it finds in browser mode.
      grepInvert: /\baxe finds\b/,
    },
    {
      name: 'electron',
      use: { hostName: 'electron' },
      // Without a binary the specs about it are listed as skipped, with the reason.
      testMatch:
        electronProblem() === null ? ['e2e/*.spec.ts', 'electron/*.spec.ts'] : 'electron/*.spec.ts',
    },
  ],
})
