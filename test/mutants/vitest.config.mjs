import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { deadlines } from '../deadlines.ts'

/** The unit tests of the modules in modules.json, as StrykerJS runs them. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  plugins: [react()],
  test: {
    environment: 'node',
    include: ['test/unit/**/*.test.{ts,tsx}'],
    // These tests read the sources, which StrykerJS changes.
    exclude: ['app/locale', 'docs', 'domain/lookup-tables', 'inventory', 'rooms', 'texts'].map(
      (name) => `test/unit/${name}.test.ts`,
    ),
    testTimeout: deadlines.test,
    hookTimeout: deadlines.test,
    env: { TZ: 'Asia/Kolkata' },
  },
})
