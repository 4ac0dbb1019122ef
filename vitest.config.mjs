import { pathToFileURL } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { isBuilt, sourceKey } from './build/lib/output.mjs'
import { deadlines } from './test/deadlines.ts'
import SkippedFiles from './test/fixtures/skipped-files.ts'

/** Files with a process of their own. */
const apart = [
  // What the process knows of the session bus is looked up once.
  'test/main/secrets/without-keychain.test.ts',
]

const root = import.meta.dirname

/**
 * An app's threads, and its sandbox's process, from the build: loaded from TypeScript file by file they
 * cost each start of an app a third more. Without a build of exactly these sources they are TypeScript.
 */
const threadsFromBuild = {
  name: 'threads-from-build',
  transform: {
    filter: { id: /\/src-main\/threads\/threads\.ts$/ },
    handler: (code) =>
      code.replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(`${root}/out/main/main.js`).href),
      ),
  },
}
const plugins = isBuilt(root, sourceKey(root)) ? [threadsFromBuild] : []

const patient = {
  testTimeout: deadlines.test,
  hookTimeout: deadlines.test,
  teardownTimeout: deadlines.wait,
  expect: { poll: { timeout: deadlines.wait } },
}

// These tests open databases, sockets and threads.
const main = {
  ...patient,
  globalSetup: ['test/fixtures/keychain.ts'],
  environment: 'node',
  include: ['test/main/**/*.test.ts'],
  pool: 'forks',
  // An app that lives for a second is hardly worth optimizing, nor its memory small: a twentieth of the time.
  execArgv: ['--no-opt', '--single-threaded-gc', '--min-semi-space-size=16'],
  maxWorkers: 3,
}

export default defineConfig({
  test: {
    reporters: ['default', new SkippedFiles()],
    projects: [
      {
        plugins: [react()],
        test: {
          ...patient,
          name: 'unit',
          environment: 'node',
          include: ['test/unit/**/*.test.{ts,tsx,mjs}'],
          // Pure functions: files share what they import, and a clock that is nobody's UTC.
          isolate: false,
          env: { TZ: 'Asia/Kolkata' },
        },
      },
      {
        plugins,
        test: {
          ...main,
          name: 'main',
          exclude: apart,
          // Processes are started three times, not for each of a hundred files: half a minute less.
          isolate: false,
        },
      },
      {
        plugins,
        test: { ...main, name: 'main-apart', include: apart, isolate: true },
      },
      {
        plugins,
        test: {
          ...main,
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          isolate: true,
          testTimeout: deadlines.longTest,
        },
      },
    ],
  },
})
