import { readFileSync } from 'node:fs'

const modules = JSON.parse(readFileSync(new URL('modules.json', import.meta.url), 'utf8'))

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // The time zone belongs to the process, so each worker must be a process.
  vitest: { configFile: 'test/mutants/vitest.config.mjs', pool: 'forks' },
  mutate: Object.keys(modules),
  coverageAnalysis: 'perTest',
  // Vite removes the types, so type checks need not be disabled.
  disableTypeChecks: false,
  incremental: true,
  incrementalFile: '.cache/mutants/incremental.json',
  tempDirName: '.cache/mutants/copies',
  ignorePatterns: ['/dist', '/docs', '/out', '/test-results', '/test/data', '/test/e2e'],
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'test-results/mutants.json' },
  concurrency: 2,
}
