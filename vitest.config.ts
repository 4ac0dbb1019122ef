import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

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
          name: 'main',
          environment: 'node',
          include: ['test/main/**/*.test.ts'],
          // A process a file: these tests open databases, sockets and threads (which Node runs from
          // our TypeScript as it is), and one file's leak must not be another's failure.
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
})
