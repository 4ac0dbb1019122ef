import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openDatabase, pragmaNumber } from '../../../src-main/database/database.ts'
import { applicationId, latestVersion, migrate } from '../../../src-main/database/migrate.ts'
import { migrations } from '../../../src-main/database/migrations/index.ts'
import { acceptedShortfalls } from '../../../src-main/database/migrations/0046-accepted-shortfalls.ts'
import { failureHistory } from '../../../src-main/database/migrations/0026-failure-history.ts'
import { openStore } from '../../../src-main/database/open-store.ts'
import { dataPaths } from '../../../src-main/app/paths.ts'
import { createFailureHistory } from '../../../src-main/webhooks/store/failure-history.ts'
import { startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const unasked = () => {
  throw new Error('no backup was to be made')
}

test('an empty file is migrated to the latest version without a backup', () => {
  const database = openDatabase(':memory:')
  migrate(database, unasked)
  expect(pragmaNumber(database, 'user_version')).toBe(latestVersion)
  expect(pragmaNumber(database, 'application_id')).toBe(applicationId)
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  expect(tables.map(({ name }) => name)).toContain('captures')
  database.close()
})

test('a database of the latest version is not changed', () => {
  const database = openDatabase(':memory:')
  migrate(database, unasked)
  const before = pragmaNumber(database, 'schema_version')
  migrate(database, unasked)
  expect(pragmaNumber(database, 'schema_version')).toBe(before)
  database.close()
})

const next = [
  ...migrations,
  'ALTER TABLE captures ADD COLUMN colour TEXT',
  'CREATE TABLE more (x) STRICT',
]

test('an older database gets the missing migrations in order, after one backup', () => {
  const database = openDatabase(':memory:')
  migrate(database, unasked)
  database.exec(`INSERT INTO settings VALUES ('kept', '1')`)
  const asked: number[] = []
  const good = [
    ...migrations,
    'ALTER TABLE settings ADD COLUMN a TEXT',
    'ALTER TABLE settings RENAME COLUMN a TO b',
  ]
  migrate(database, (version) => asked.push(version), good)
  expect(asked).toEqual([migrations.length])
  expect(pragmaNumber(database, 'user_version')).toBe(good.length)
  expect(database.prepare('SELECT key, b FROM settings').all()).toMatchObject([
    { key: 'kept', b: null },
  ])
  database.close()
})

test('each migration changes the schema, which reveals a damaged version number', () => {
  const database = openDatabase(':memory:')
  for (const index of migrations.keys()) {
    const before = pragmaNumber(database, 'schema_version')
    migrate(database, () => undefined, migrations.slice(0, index + 1))
    expect(pragmaNumber(database, 'schema_version')).toBeGreaterThan(before)
  }
  database.close()
})

test('the history of failures keeps its sums when it is migrated to minutes and hours', () => {
  const database = openDatabase(':memory:')
  const before = migrations.slice(0, migrations.indexOf(failureHistory))
  migrate(database, unasked, before)
  // The history has a day of merged days, an hour of merged hours, then minutes from 4,320 on.
  database.exec(`
    INSERT INTO webhooks (key, network, id, endpoint) VALUES (1, 'mainnet', '7', 'https://example.com');
    INSERT INTO subscriptions (id, webhook_key, account, last_delivered_lt, failed_attempts, read_at)
      VALUES (5, 1, '0:aa', 0, 0, 0);
    INSERT INTO history_progress VALUES (60, 4320), (1440, 1440);
    INSERT INTO webhook_history VALUES (1, 0, 2, 9, 1, 100, 50), (1, 4260, 0, 1, 1, 10, NULL),
      (1, 4320, 0, 1, 1, 1, NULL), (1, 4321, 1, 3, 1, 2, 7), (1, 4390, 0, 0, 1, 4, NULL);
    INSERT INTO account_history VALUES (5, 0, 1, 100, 1, 50), (5, 4321, 1, 2, 0, 7), (5, 4322, 1, 3, 1, NULL);
    INSERT INTO usage_history VALUES ('mainnet', 0, 1000, 10), ('mainnet', 4321, 1, 2), ('mainnet', 4322, 3, 4);
  `)
  migrate(database, () => undefined)
  const rows = (table: string, columns: string) =>
    database.prepare(`SELECT ${columns} FROM ${table} ORDER BY at`).all().map(Object.values)
  expect(rows('webhook_minutes', 'at, status, failing, attempts, lag_ms')).toEqual([
    [4320, 0, 1, 1, null],
    [4321, 1, 3, 2, 7],
    [4390, 0, 0, 4, null],
  ])
  expect(rows('webhook_history', 'at, status, failing, attempts, lag_ms')).toEqual([
    [0, 2, 9, 100, 50],
    [4260, 0, 1, 10, null],
    [4320, 1, 3, 3, 7],
    [4380, 0, 0, 4, null],
  ])
  expect(rows('account_minutes', 'at, attempts')).toEqual([
    [4321, 2],
    [4322, 3],
  ])
  expect(rows('account_history', 'at, attempts, lag_ms')).toEqual([
    [0, 100, 50],
    [4320, 5, 7],
  ])
  expect(rows('usage_history', 'at, delivered, failed')).toEqual([
    [0, 1000, 10],
    [4320, 4, 6],
  ])
  const history = createFailureHistory(database)
  const minute = 60_000
  // Days that an earlier version merged are shown as days, hours as hours.
  const widthOf = (from: number) => history.steps({ from, to: from + 90 * minute }, 400, 30).width
  expect([0, 1440, 4320].map((from) => widthOf(from * minute))).toEqual([1440, 60, 1])
  expect(history.since(1)).toBe(0)
  database.close()
})

test('a migration that fails leaves the state of the step before, without partial changes', () => {
  const database = openDatabase(':memory:')
  migrate(database, unasked)
  // STRICT tables require a type, so the second of the two migrations fails.
  expect(() => migrate(database, () => undefined, next)).toThrow()
  expect(pragmaNumber(database, 'user_version')).toBe(migrations.length + 1)
  expect(database.isTransaction).toBe(false)
  const half = [
    ...next.slice(0, -1),
    'CREATE TABLE half (x TEXT) STRICT; CREATE TABLE captures (y TEXT)',
  ]
  expect(() => migrate(database, () => undefined, half)).toThrow()
  expect(database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'half'`).get()).toBeUndefined()
  database.close()
})

test('a migration does not begin if its backup fails', () => {
  const database = openDatabase(':memory:')
  migrate(database, unasked)
  expect(() => migrate(database, unasked, next)).toThrow('no backup')
  expect(pragmaNumber(database, 'user_version')).toBe(migrations.length)
  database.close()
})

test('a database of a newer version is refused with the reason, and no byte of it changes', async () => {
  using home = temporaryDirectory()
  await startApp({ dataDirectory: home.path, receive: false }).then((app) => app.app.dispose())
  const file = join(home.path, 'tondesk.db')
  const database = new DatabaseSync(file)
  database.exec(`CREATE TABLE newer (x TEXT) STRICT; PRAGMA user_version = ${latestVersion + 1};
    PRAGMA wal_checkpoint(TRUNCATE)`)
  database.close()
  const before = readFileSync(file)
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(startApp({ dataDirectory: home.path })).rejects.toMatchObject({
      code: 'DATABASE_TOO_NEW',
      message: expect.stringMatching(/newer version of Tondesk.*not changed/s) as string,
    })
  }
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(readdirSync(home.path).filter((name) => name.startsWith('damaged'))).toEqual([])
})

test('an old database is backed up before its migration, and only the last three such backups remain', async () => {
  using home = temporaryDirectory()
  await startApp({ dataDirectory: home.path, receive: false }).then((app) => app.app.dispose())
  const paths = dataPaths(home.path)
  const original = join(home.path, 'original')
  copyFileSync(paths.database, original)
  for (let day = 1; day <= 6; day += 1) {
    copyFileSync(original, paths.database)
    const { database } = await openStore(paths, new Date(Date.UTC(2026, 10, day)), {
      steps: [...migrations, 'ALTER TABLE settings ADD COLUMN extra TEXT'],
    })
    database.close()
  }
  const kept = readdirSync(paths.backups).sort()
  expect(kept).toEqual([4, 5, 6].map((day) => `tondesk-2026110${day}T000000000Z-migration.db`))
  const backup = new DatabaseSync(join(paths.backups, kept[0] ?? ''), { readOnly: true })
  expect(pragmaNumber(backup, 'user_version')).toBe(migrations.length)
  backup.close()
})

test('the backup that Tondesk 0.1 can open is never deleted by later migrations', async () => {
  using home = temporaryDirectory()
  const paths = dataPaths(home.path)
  const old = openDatabase(paths.database)
  migrate(old, unasked, migrations.slice(0, 21))
  old.exec(`INSERT INTO settings VALUES ('kept', '1')`)
  old.close()
  const later = Array.from(
    { length: 5 },
    (_, index) => `ALTER TABLE settings ADD COLUMN extra${index} TEXT`,
  )
  for (const index of later.keys()) {
    const { database } = await openStore(paths, new Date(Date.UTC(2026, 10, index + 1)), {
      steps: [...migrations, ...later.slice(0, index + 1)],
    })
    database.close()
  }
  const kept = readdirSync(paths.backups).sort()
  expect(kept).toEqual([1, 3, 4, 5].map((day) => `tondesk-2026110${day}T000000000Z-migration.db`))
  const backup = openDatabase(join(paths.backups, kept[0] ?? ''), { readOnly: true })
  expect(pragmaNumber(backup, 'user_version')).toBe(21)
  expect(backup.prepare('SELECT key FROM settings').get()).toEqual({ key: 'kept' })
  backup.close()
})

test('no invoice of the version before is accepted by a tolerance', () => {
  const database = openDatabase(':memory:')
  migrate(database, unasked, migrations.slice(0, migrations.indexOf(acceptedShortfalls)))
  database.exec(`
    INSERT INTO invoices (network, id, status, currency, amount, received, description, pay_to, payment_link,
      created_at, expires_at, changed_at, first_seen_at, first_source, raw)
    VALUES ('mainnet', 'a', 'expired', 'TON', 10, 9, '', '0:aa', '', 0, 1, 1, 0, 'listing', '{}')`)
  migrate(database, () => undefined)
  const stored = database.prepare('SELECT received, tolerance FROM invoices').get()
  expect(stored).toMatchObject({ received: 9, tolerance: null })
  database.close()
})
