/**
 * The configuration of `npm run screenshots`, which writes the pictures of README.md; the tests do
 * not use it.
 */
import { defineConfig } from '@playwright/test'
import { deadlines } from '../../deadlines.ts'
import type { HostOptions } from '../fixture.ts'

export default defineConfig<object, HostOptions>({
  testDir: '.',
  testMatch: 'pictures.ts',
  outputDir: '../../../test-results/screenshots',
  workers: 1,
  timeout: deadlines.test,
  expect: { timeout: deadlines.wait },
  projects: [{ name: 'screenshots', use: { hostName: 'browser' } }],
})
