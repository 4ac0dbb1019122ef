/** The package tondesk-sandbox in an empty folder: its size, its types, its command and the example for node:test. */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TemporaryDirectory } from '../../fixtures/directory.ts'
import { copyExample, installIn, packSandbox, runIn } from '../../fixtures/sandbox-package.ts'

let packed: Awaited<ReturnType<typeof packSandbox>>
let folder: TemporaryDirectory

beforeAll(async () => {
  packed = await packSandbox()
  folder = await installIn(packed.archive)
})
afterAll(() => {
  folder[Symbol.dispose]()
  packed[Symbol.dispose]()
})

test('the installed package has at most 40 MB, no install script, and no Electron, React or keychain', () => {
  const modules = join(folder.path, 'node_modules')
  const files = globSync('**/*', { cwd: modules, withFileTypes: true }).filter((each) =>
    each.isFile(),
  )
  const bytes = files.reduce(
    (sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size,
    0,
  )
  expect(bytes / 1e6).toBeLessThan(40)
  for (const name of [
    'electron',
    'react',
    'keytar',
    '@github/keytar',
    '@ton/ton',
    '@ton/tolk-js',
  ]) {
    expect(existsSync(join(modules, name)), name).toBe(false)
  }
  const own = join(modules, 'tondesk-sandbox')
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as Record<
    string,
    object
  >
  expect(manifest).not.toHaveProperty('scripts')
  expect(manifest).toMatchObject({
    engines: { node: '>=22.13' },
    bin: { 'tondesk-sandbox': './dist/tondesk-sandbox.js' },
  })
  expect(Object.keys(manifest['dependencies'] ?? {})).toEqual([
    '@ton/core',
    '@ton/crypto',
    '@ton/sandbox',
  ])
  expect(readFileSync(join(own, 'README.md'), 'utf8')).toContain('not published yet')
  expect(existsSync(join(own, 'LICENSE'))).toBe(true)
  const licences = readFileSync(join(own, 'dist/about/licences.json'), 'utf8')
  for (const bundled of ['hono', 'undici', 'zod', '@ton/ton'])
    expect(licences).toContain(`"${bundled}"`)
})

test('a strict TypeScript project compiles against the types, and wrong inputs do not', async () => {
  const source = `import { ControlError, type Sandbox, SandboxError, connectSandbox, startSandbox } from 'tondesk-sandbox'
export async function run(): Promise<string | undefined> {
  await using sandbox: Sandbox = await startSandbox({ seed: 'a', now: '2026-01-01', port: 0 })
  const { transactions } = await sandbox.send({ from: 'wallet-1', to: 'merchant', amount: '1' })
  const { invoice } = await sandbox.pay('id', { how: 'under' })
  await sandbox.waitFor({ invoice: invoice.id, status: 'paid' })
  await sandbox.control('revert', { name: (await connectSandbox(sandbox).snapshot()).name })
  await sandbox.control('setInvoicesApp', { webhooks: ['http://127.0.0.1:1/'] })
  await sandbox.fault({ root: 'query', kind: 'status', status: 500 })
  // @ts-expect-error an amount is a text
  await sandbox.send({ from: 'wallet-1', to: 'merchant', amount: 1 })
  // @ts-expect-error a snapshot has a name
  await sandbox.control('revert', {})
  return transactions[0]?.lt
}
export const isKnown = (error: unknown) => error instanceof ControlError ? error.status === 409 : error instanceof SandboxError
`
  writeFileSync(join(folder.path, 'types.ts'), source)
  const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc')
  const flags =
    '--strict --noEmit --exactOptionalPropertyTypes --noUncheckedIndexedAccess --skipLibCheck false'
  const module = '--target es2022 --lib es2022 --module nodenext'
  const args = `${flags} ${module}`.split(' ')
  expect(await runIn(folder.path, process.execPath, tsc, ...args, 'types.ts')).toBe('')
})

test('the example for node:test passes', async () => {
  copyExample('node/shop.test.mjs', folder.path)
  const output = await runIn(folder.path, process.execPath, '--test', 'shop.test.mjs')
  expect(output).toMatch(/pass 1\n.*fail 0/)
})

test('the command prints its options, and the reason of a failed start', async () => {
  expect(await runIn(folder.path, 'npx', '--no-install', 'tondesk-sandbox', '--help')).toContain(
    'Usage: tondesk-sandbox [options]',
  )
  const failed: unknown = await runIn(folder.path, 'npx', 'tondesk-sandbox', '--port=80').catch(
    (error: unknown) => error,
  )
  expect(failed).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"code":"SANDBOX_FAILED"') as string,
  })
})
