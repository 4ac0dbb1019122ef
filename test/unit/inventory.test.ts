/**
 * Tests that names which commit 4f8ee14 published or stored still exist: see docs/decisions/0011-inventory.md.
 * A file of test/inventory is never changed to make a test pass; removed.json lists what was removed, and why.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localSocketPath } from '../../src-main/bridge/local-socket.ts'
import { backupName } from '../../src-main/database/backup.ts'
import { migrations as sandboxMigrations } from '../../src-main/sandbox/store/migrations/index.ts'
import { migrations } from '../../src-main/database/migrations/index.ts'
import { readCsv, readYaml } from '../../src-main/webhooks/file/read-file.ts'
import {
  type Facts,
  missingFacts,
  readSources,
  schemaAfter,
  takeInventory,
} from '../fixtures/inventory.ts'

function readJson(name: string): unknown {
  const path = join(import.meta.dirname, '..', 'inventory', `${name}.json`)
  return JSON.parse(readFileSync(path, 'utf8'))
}
const readInventory = (name: string) => readJson(name) as Facts

/** Reasons by the kind of the removed item. */
const removed = readJson('removed') as Readonly<Record<string, Readonly<Record<string, string>>>>
/** New names by old names. Version 0.1.0 was never published, so routes and events could still be renamed. */
const renamed = readJson('renamed') as Readonly<Record<string, Readonly<Record<string, string>>>>
const today = await takeInventory()

test.each(Object.keys(today))(
  'no item of the inventory is gone without a recorded reason: %s',
  (kind) => {
    const names = renamed[kind] ?? {}
    const earlier = Object.fromEntries(
      Object.entries(readInventory(kind)).map(([name, facts]) => [
        names[name] ?? name,
        // `in = lookup.list in` means that the fields are those of another route.
        facts.map((fact) => fact.replace(/(?<= = )\S+/, (other) => names[other] ?? other)),
      ]),
    )
    const reasons = Object.keys(removed[kind] ?? {})
    expect(missingFacts(earlier, today[kind] ?? {}).sort()).toEqual(reasons.sort())
  },
)

test('the columns of an export have their recorded order', () => {
  for (const [file, columns] of Object.entries(readInventory('exports'))) {
    const now = today['exports']?.[file] ?? []
    expect([file, now.filter((each) => columns.includes(each))]).toEqual([file, columns])
  }
})

test('backups and local sockets have their recorded names', () => {
  const place = { temporaryDirectory: '/tmp', userId: 7 }
  const [long, linux] = [`/${'d'.repeat(100)}`, { ...place, platform: 'linux' }] as const
  expect([
    backupName(new Date(0), 'manual'),
    localSocketPath('/data', linux).replaceAll('\\', '/'),
    localSocketPath(long, linux).replaceAll('\\', '/'),
    localSocketPath('/data', { ...place, platform: 'win32' }),
  ]).toEqual(readInventory('places')['names'])
})

test('stored and published names exist in the sources', () => {
  const patterns = ['src-main/**/*.ts', 'src-preload/**/*.ts', 'src-renderer/**/*.{ts,tsx}']
  const text = patterns.flatMap((pattern) => [...readSources(pattern).values()]).join('\n')
  // A name that ends with a star stands for all names with this beginning.
  const isThere = (name: string) =>
    name.endsWith('*') ? text.includes(`\`${name.slice(0, -1)}\${`) : text.includes(`'${name}'`)
  const gone = Object.entries(readInventory('names')).flatMap(([kind, names]) =>
    names.filter((name) => !isThere(name)).map((name) => `${kind}: ${name}`),
  )
  expect(gone.sort()).toEqual(Object.keys(removed['names'] ?? {}).sort())
})

test.each([
  ['the database', migrations, 'database'],
  ['the sandbox', sandboxMigrations, 'sandbox'],
] as const)('the published migrations of %s create the recorded schema', (_, steps, name) => {
  const [version = '', sha256] = readInventory('schemas')[name] ?? []
  expect(schemaAfter(steps.slice(0, Number(version)))).toBe(sha256)
})

test('a subscription file of an earlier version is parsed without loss', () => {
  const files = readInventory('exports')
  const [fromYaml, fromCsv] = [
    readYaml(files['subscriptions yaml']?.join('\n') ?? '', false),
    readCsv(files['subscriptions csv']?.join('\r\n') ?? '', false),
  ]
  for (const { network, webhooks } of [fromYaml, { ...fromCsv, network: 'mainnet' }]) {
    expect(network).toBe('mainnet')
    expect(webhooks).toMatchObject([
      {
        endpoint: 'https://example.com/hook',
        id: '7',
        newContracts: { on: true },
        mempool: { on: false },
        faults: [{ kind: 'duplicate' }],
        opcodes: [{ opcode: '0x0f8a7ea5' }],
        accounts: [{ label: 'Shop' }],
      },
    ])
  }
})
