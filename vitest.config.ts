import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

/** Files with a process of their own. */
const apart = [
  // What the process knows of the session bus is looked up once.
  'test/main/secrets-without-keychain.test.ts',
]

// These tests open databases, sockets and threads (which Node runs from our TypeScript as it is).
const main = {
  environment: 'node',
  include: ['test/main/**/*.test.ts'],
  pool: 'forks' as const,
  maxWorkers: 3,
  testTimeout: 30_000,
  hookTimeout: 30_000,
}

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [react()],
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/unit/**/*.test.{ts,tsx,mjs}'],
          // Pure functions: files share what they import, and a clock that is nobody's UTC.
          isolate: false,
          env: { TZ: 'Asia/Kolkata' },
        },
      },
      {
        test: {
          ...main,
          name: 'main',
          exclude: apart,
          // Processes are started three times, not for each of a hundred files: half a minute less.
          isolate: false,
        },
      },
      { test: { ...main, name: 'main-apart', include: apart, isolate: true } },
      {
        test: {
          ...main,
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          isolate: true,
          maxWorkers: 2,
          testTimeout: 30 * 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
