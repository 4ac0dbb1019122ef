import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { settings as settingsSchema } from '../../../src-preload/contract/settings.ts'
import { latestVersion } from '../../../src-main/database/migrate.ts'
import { switchSettings } from '../../../src-main/database/restore.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { uploadBackup } from '../../fixtures/backup-upload.ts'
import { damagePages, pageSizeOf } from '../../fixtures/damage.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

async function startAgain(app: TestApp): Promise<TestApp> {
  await app.app.dispose()
  return startApp({ dataDirectory: app.directory })
}

async function bodies(app: TestApp): Promise<string[]> {
  const { rows } = await app.request('capture.list', {})
  return rows.map(({ summary }) => summary)
}

test('a restore brings back the data of the backup, and backs up the data that it replaces', async () => {
  using home = temporaryDirectory()
  await using first = await startApp({ dataDirectory: home.path })
  await first.post('before the backup')
  await first.classified()
  await first.request('settings.change', { appearance: { theme: 'dark' } })
  const backup = await first.request('backup.create')
  expect(await first.request('backup.list')).toEqual([backup])
  await first.post('after the backup')
  await first.request('settings.change', { appearance: { theme: 'light' } })
  expect(await first.request('backup.restore', { name: backup.name })).toEqual({
    restartNeeded: true,
  })
  // The app works unchanged until the restart.
  await first.post('after asking for it')

  await using second = await startAgain(first)
  await second.classified()
  expect(await bodies(second)).toEqual(['before the backup'])
  expect((await second.request('settings.get')).appearance.theme).toBe('dark')
  expect((await second.request('notice.list')).map(({ id }) => id)).toEqual(['store.restored'])
  const { rows } = await second.request('capture.list', { query: { text: 'after' } })
  expect(rows).toEqual([])
  await second.post('goes on')

  const kept = (await second.request('backup.list')).find(({ reason }) => reason === 'restore')
  await second.request('backup.restore', { name: kept?.name ?? '' })
  await using third = await startAgain(second)
  await third.classified()
  expect(await bodies(third)).toEqual([
    'after asking for it',
    'after the backup',
    'before the backup',
  ])
})

test('a backup during deliveries is complete and intact', async () => {
  using home = temporaryDirectory()
  await using app = await startApp({ dataDirectory: home.path })
  const url = await app.hook()
  const pouring = Promise.all(
    Array.from({ length: 200 }, (_, index) => fetch(url, { method: 'POST', body: `${index}` })),
  )
  const { path } = await app.request('backup.create')
  await pouring
  const backup = new DatabaseSync(path, { readOnly: true })
  expect(backup.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  const ids = backup.prepare('SELECT count(*) AS n, max(id) AS last FROM captures').get()
  expect(ids?.['n']).toBe(ids?.['last'] ?? 0)
  backup.close()
})

test('two backups at the same moment are two files', async () => {
  await using app = await startApp({ receive: false })
  const made = await Promise.all([app.envelope('backup.create'), app.envelope('backup.create')])
  const listed = await app.request('backup.list')
  expect(listed).toHaveLength(made.filter(({ ok }) => ok).length)
  expect(made.every(({ ok }) => ok)).toBe(true)
})

const invalid: Readonly<Record<string, (path: string, app: TestApp) => void>> = {
  'is not a SQLite file': (path) => writeFileSync(path, 'not a database '.repeat(1000)),
  'is empty': (path) => writeFileSync(path, ''),
  'is another program’s database'(path) {
    const database = new DatabaseSync(path)
    database.exec('CREATE TABLE history (url TEXT)')
    database.close()
  },
  'is damaged': (path, app) => {
    copyFileSync(join(app.directory, 'whole.db'), path)
    damagePages(path, 0.3, 0.9)
  },
  'is cut off': (path, app) => {
    copyFileSync(join(app.directory, 'whole.db'), path)
    truncateSync(path, pageSizeOf(path) * 5)
  },
}

/**
 * These backups are intact SQLite files with which the version of commit 4f8ee14 could no longer start.
 */
const hostile: Readonly<Record<string, string>> = {
  'has no captures': 'DROP TABLE captures',
  'lacks a column': 'ALTER TABLE captures DROP COLUMN completeness',
  'has an additional column': 'ALTER TABLE labels ADD COLUMN more TEXT',
  'lacks an index': 'DROP INDEX captures_by_time',
  'has a view instead of a table': `ALTER TABLE captures RENAME TO kept;
    CREATE VIEW captures AS SELECT * FROM kept`,
  'has an endless view': `DROP TABLE labels;
    CREATE VIEW labels AS WITH RECURSIVE n (network) AS (SELECT 'a' UNION ALL SELECT network FROM n)
      SELECT * FROM n`,
  'has a trigger that deletes': `CREATE TRIGGER extra AFTER INSERT ON captures
    BEGIN DELETE FROM captures WHERE id = new.id; END`,
  'has a changed trigger': `DROP TRIGGER forward_deletions_noted;
    CREATE TRIGGER forward_deletions_noted AFTER INSERT ON captures
    BEGIN UPDATE captures SET body = x'' WHERE id = new.id; END`,
  'has an unknown view': 'CREATE VIEW extra AS SELECT 1',
  'has an id above 2^53': 'UPDATE captures SET id = 9007199254740993 WHERE id = 1',
  'has the highest possible id': 'UPDATE captures SET id = 9223372036854775807 WHERE id = 1',
  'has a negative id': 'UPDATE captures SET id = -1 WHERE id = 1',
  'has no ids left': `UPDATE sqlite_sequence SET seq = 9223372036854775807;
    INSERT INTO sqlite_sequence SELECT 'capture_deletions', 9223372036854775807`,
  'has no ids left for captures': `INSERT INTO settings VALUES ('captures.idFloor', '9007199254740991')`,
  'has a time above 2^53': 'UPDATE captures SET received_at = 9223372036854775807 WHERE id = 1',
}

// A refusal has no effect, so one app serves all cases.
const whole = await startApp()
for (let index = 0; index < 30; index += 1) await whole.post('filler '.repeat(200))
copyFileSync((await whole.request('backup.create')).path, join(whole.directory, 'whole.db'))
afterAll(() => whole[Symbol.asyncDispose]())

const spoilt = 'tondesk-20261120T120000000Z-manual.db'

function spoil(directory: string, sql: string): void {
  const path = join(directory, 'backups', spoilt)
  rmSync(path, { force: true })
  copyFileSync(join(whole.directory, 'whole.db'), path)
  change(path, sql)
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

test.each(Object.entries(hostile))(
  'a hostile backup that %s is refused, and the app continues',
  async (_what, sql) => {
    spoil(whole.directory, sql)
    expect(await whole.refusal('backup.restore', { name: spoilt })).toBe('BACKUP_INVALID')
    expect(existsSync(join(whole.directory, 'restore.json'))).toBe(false)
  },
)

test.each(Object.keys(invalid))(
  'a backup that %s is refused, and no restore is planned',
  async (what) => {
    const name = spoilt
    const path = join(whole.directory, 'backups', name)
    rmSync(path, { force: true })
    invalid[what]?.(path, whole)
    expect(await whole.refusal('backup.restore', { name })).toBe('BACKUP_INVALID')
    await expect(uploadAndCheck(whole, path)).rejects.toMatchObject({ code: 'BACKUP_INVALID' })
    expect(uploadedIn(whole)).toEqual([])
    expect(existsSync(join(whole.directory, 'restore.json'))).toBe(false)
  },
)

test('a backup of a newer Tondesk is refused as too new', async () => {
  await using app = await startApp({ receive: false })
  const { name, path } = await app.request('backup.create')
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA user_version = ${latestVersion + 1}`)
  database.close()
  expect(await app.refusal('backup.restore', { name })).toBe('DATABASE_TOO_NEW')
  await expect(uploadAndCheck(app, path)).rejects.toMatchObject({ code: 'DATABASE_TOO_NEW' })
  expect(uploadedIn(app)).toEqual([])
})

async function uploadAndCheck(app: TestApp, path: string) {
  const upload = await uploadBackup(app, path)
  return { upload, facts: await app.request('backup.uploadEnd', upload) }
}

function uploadedIn(app: TestApp): string[] {
  return readdirSync(join(app.directory, 'backups')).filter((name) => name.startsWith('uploaded'))
}

test('an uploaded backup is restored only after its check, without its exports, and with forwarding off', async () => {
  await using there = await startApp()
  await there.post('from there')
  await there.classified()
  await there.request('forwardRule.save', { targets: ['http://127.0.0.1:9/'] })
  const { path } = await there.request('backup.create')

  using home = temporaryDirectory()
  await using here = await startApp({ dataDirectory: home.path })
  await here.post('from here')
  const unread = await uploadBackup(here, path)
  expect(await here.refusal('backup.restoreUpload', unread)).toBe('BACKUP_INVALID')
  // A second file replaces the first.
  const { upload, facts } = await uploadAndCheck(here, path)
  expect(await here.refusal('backup.uploadEnd', unread)).toBe('BACKUP_INVALID')
  expect(facts).toMatchObject({ captures: 1 })
  await here.request('backup.uploadCancel', upload)
  expect(uploadedIn(here)).toEqual([])
  // The checked file is the one that is restored, so nothing can be added to a checked upload.
  const checked = await uploadAndCheck(here, path)
  const more = { id: checked.upload.id, offset: statSync(path).size, base64: 'AAAA' }
  expect(await here.refusal('backup.uploadPiece', more)).toBe('BACKUP_INVALID')
  expect(await here.refusal('backup.restoreUpload', checked.upload)).toBe('BACKUP_INVALID')
  const again = await uploadAndCheck(here, path)
  expect(await here.request('backup.list')).toEqual([])
  await here.request('backup.restoreUpload', again.upload)

  await using after = await startAgain(here)
  await after.classified()
  expect(await bodies(after)).toEqual(['from there'])
  expect((await after.request('forwardRule.list')).map(({ enabled }) => enabled)).toEqual([false])
  expect((await after.request('backup.list')).map(({ reason }) => reason).toSorted()).toEqual([
    'manual',
    'restore',
  ])
})

test.each(['../tondesk.db', '..', '', 'tondesk.db', 'C:\\tondesk.db', '/etc/passwd', 'none.db'])(
  'a name outside of the list of backups is refused: %j',
  async (name) => {
    expect(await whole.refusal('backup.restore', { name })).toBe('BACKUP_INVALID')
  },
)

test('other files in the folder of backups are not listed', async () => {
  const folder = join(whole.directory, 'backups')
  const before = await whole.request('backup.list')
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  writeFileSync(join(folder, 'tondesk-20261120T120000000Z-manual.db-journal'), '')
  writeFileSync(join(folder, 'tondesk-20261120T120000000Z-manual.db.partial'), 'half of one')
  expect(await whole.request('backup.list')).toEqual(before)
})

test('a kill during a restore leaves the old database or the new one', async () => {
  using home = temporaryDirectory()
  const file = join(home.path, 'tondesk.db')
  await using first = await startApp({ dataDirectory: home.path })
  await first.post('in the backup')
  const { name, path } = await first.request('backup.create')
  await first.post('not in the backup')
  await first.app.dispose()

  // After a kill during copying, half of the file exists, and the restore is still planned.
  copyFileSync(path, `${file}.incoming`)
  truncateSync(`${file}.incoming`, 5000)
  writeFileSync(join(home.path, 'restore.json'), JSON.stringify({ name }))
  {
    await using second = await startApp({ dataDirectory: home.path })
    expect((await second.request('capture.counts')).total).toBe(1)
  }
  // The kill came between removing the old database and moving the new one into place.
  writeFileSync(join(home.path, 'restore.json'), JSON.stringify({ name }))
  copyFileSync(path, `${file}.incoming`)
  for (const leftover of ['', '-wal', '-shm']) {
    rmSync(file + leftover, { force: true })
  }
  await using third = await startApp({ dataDirectory: home.path })
  expect((await third.request('capture.counts')).total).toBe(1)
  expect(readdirSync(home.path).filter((entry) => entry.endsWith('.incoming'))).toEqual([])
})

test('a backup can replace a damaged database', async () => {
  using home = temporaryDirectory()
  await using first = await startApp({ dataDirectory: home.path })
  for (let index = 0; index < 50; index += 1) await first.post(`capture ${'filler '.repeat(200)}`)
  const { name } = await first.request('backup.create')
  await first.app.dispose()
  damagePages(join(home.path, 'tondesk.db'), 0.1, 0.9)
  writeFileSync(join(home.path, 'restore.json'), JSON.stringify({ name }))
  await using second = await startApp({ dataDirectory: home.path })
  expect((await second.request('capture.counts')).total).toBe(50)
  expect(await second.request('app.checkIntegrity')).toMatchObject({ ok: true })
})

test.each(['{', '{"name":"none.db"}', 'null'])(
  'an invalid restore request does not prevent the start: %j',
  async (text) => {
    using home = temporaryDirectory()
    writeFileSync(join(home.path, 'restore.json'), text)
    await using app = await startApp({ dataDirectory: home.path, receive: false })
    expect(await app.request('capture.counts')).toMatchObject({ total: 0 })
    expect(existsSync(join(home.path, 'restore.json'))).toBe(false)
  },
)

test('a backup that was damaged before the restart leaves the data unchanged, with an alarm', async () => {
  using home = temporaryDirectory()
  await using first = await startApp({ dataDirectory: home.path })
  await first.post('kept')
  const { name, path } = await first.request('backup.create')
  await first.request('backup.restore', { name })
  await first.app.dispose()
  writeFileSync(path, 'spoiled')
  await using second = await startApp({ dataDirectory: home.path })
  expect((await second.request('capture.counts')).total).toBe(1)
  expect(await second.request('notice.list')).toMatchObject([
    { id: 'store.restoreFailed', level: 'alarm', detail: expect.stringContaining(name) as string },
  ])
})

/** No check detects this row, but every start fails with it. */
const unstartable = `INSERT INTO answer_rules (place, filter, action, enabled, created_at)
  VALUES (1, '', '{"kind":"hang"}', 0, 9223372036854775807)`

test('if the first start with a backup fails, the former data is restored automatically', async () => {
  using home = temporaryDirectory()
  await using first = await startApp({ dataDirectory: home.path })
  await first.post('kept')
  await first.request('backup.create')
  spoil(home.path, unstartable)
  await first.request('backup.restore', { name: spoilt })
  await using second = await startAgain(first)
  await second.classified()
  expect(await bodies(second)).toEqual(['kept'])
  expect(await second.request('notice.list')).toMatchObject([
    { id: 'store.restoreFailed', detail: expect.stringContaining('first start') as string },
  ])
  // The restore is not tried again.
  await using third = await startAgain(second)
  expect(await third.request('notice.list')).toEqual([])
  expect((await third.request('capture.counts')).total).toBe(1)
})

test('if the first start with a backup is killed, the former data is restored, also if it is damaged', async () => {
  using home = temporaryDirectory()
  const request = join(home.path, 'restore.json')
  await using first = await startApp({ dataDirectory: home.path })
  await first.post('kept')
  const { name, path } = await first.request('backup.create')
  await first.post('came later')
  await first.app.dispose()
  // A kill during this start would leave this request.
  writeFileSync(request, JSON.stringify({ name, kept: path, isPlaced: true }))
  await using second = await startApp({ dataDirectory: home.path })
  expect((await second.request('capture.counts')).total).toBe(1)
  await second.app.dispose()

  mkdirSync(join(home.path, 'damaged'))
  const aside = join(home.path, 'damaged', 'tondesk.db')
  copyFileSync(join(home.path, 'tondesk.db'), aside)
  damagePages(aside, 0.95, 1)
  writeFileSync(request, JSON.stringify({ name, kept: aside, isPlaced: true }))
  await using third = await startApp({ dataDirectory: home.path })
  expect((await third.request('notice.list')).map(({ id }) => id).sort()).toEqual([
    'store.rescued',
    'store.restoreFailed',
  ])
})

test('after a restore, forwarding, response rules, hosts and jobs of the backup are off until the user enables them', async () => {
  using home = temporaryDirectory()
  await using first = await startApp({ dataDirectory: home.path })
  await first.request('backup.create')
  spoil(
    home.path,
    `INSERT INTO confirmed_hosts VALUES ('evil.example:443', 1);
     INSERT INTO forward_rules (name, filter, mode, enabled, keep_host, append_path, timeout_seconds,
       full_answer, created_at, reached) VALUES ('evil', '', 'after', 1, 0, 0, 15, 0, 1, 0),
       ('', '', 'through', 1, 0, 0, 15, 0, 1, 0), ('off', '', 'after', 0, 0, 0, 15, 0, 1, 0);
     INSERT INTO forward_targets (rule, url, place, is_used) VALUES (1, 'https://evil.example/', 0, 1),
       (2, 'http://127.0.0.1:9/', 0, 1), (3, 'http://127.0.0.1:9/', 0, 1);
     INSERT INTO answer_rules (place, filter, action, enabled, created_at)
       VALUES (1, '', '{"kind":"hang"}', 1, 0);
     INSERT INTO replay_jobs (target, subject, options, newest_id, created_at, state, total)
       VALUES ('https://evil.example/', '', '{}', 30, 1, 'running', 30);
     INSERT INTO changes (network, kind, name, created_at, state, is_whole)
       VALUES ('mainnet', 'apply', 'evil', 1, 'running', 1);
     INSERT INTO invoice_jobs (network, kind, state, created_at) VALUES ('mainnet', 'issue', 'running', 1);
     INSERT INTO webhook_moves (network, from_id, from_endpoint, to_endpoint, known_before, created_at)
       VALUES ('mainnet', 'a', 'https://a.example', 'https://evil.example', '[]', 1);
     INSERT INTO watches (network, address, rules, report, makes_captures, is_forwarded, created_at)
       VALUES ('mainnet', '0:1', '[]', 'none', 1, 1, 1);`,
  )
  await first.request('backup.restore', { name: spoilt })
  await first.app.dispose()
  await using second = await startApp({ dataDirectory: home.path, worksOn: true })
  expect(await second.request('target.confirmed')).toEqual([])
  expect((await second.request('forwardRule.list')).map(({ enabled }) => enabled)).toEqual([
    false,
    false,
    false,
  ])
  expect(await second.request('responseRule.list')).toMatchObject([{ enabled: false }])
  const [notice] = await second.request('notice.list')
  expect(notice).toMatchObject({ id: 'store.restored', level: 'warning' })
  expect(notice?.detail).toContain(
    'Forwarding rules turned off: “evil”, “http://127.0.0.1:9/”. Hosts to confirm again: “evil.example:443”. Response rules turned off: 1. Watched accounts paused: 1. Jobs paused: 4.',
  )
  // An enabled rule works like any other: it applies to deliveries from now on.
  expect(await second.request('forwardRule.setEnabled', { id: 1, enabled: true })).toMatchObject({
    enabled: true,
  })
  await second.app.dispose()
  const database = new DatabaseSync(join(home.path, 'tondesk.db'), { readOnly: true })
  for (const table of ['replay_jobs', 'changes', 'invoice_jobs', 'webhook_moves']) {
    expect(database.prepare(`SELECT state FROM ${table}`).get()).toEqual({ state: 'paused' })
  }
  expect(database.prepare('SELECT is_paused FROM watches').get()).toEqual({ is_paused: 1 })
  database.close()
})

/** Settings that only affect the window, or how and how long data is stored. */
const restoredSettings = [
  ...['port', 'bodyLimitBytes', 'rejectWrongToken'].map((field) => `receiver.${field}`),
  ...['maxAgeDays', 'maxCount', 'maxBytes'].map((field) => `retention.${field}`),
  'sandbox.port',
  // Incidents in the window are restored; alerts and system notifications stay off.
  ...['everySeconds', 'failing', 'failedAttempts', 'failingMinutes', 'offline', 'lagging'].map(
    (field) => `monitoring.${field}`,
  ),
  ...['lagMinutes', 'recovery', 'quietHours'].map((field) => `monitoring.${field}`),
  'reports.merchantName',
  ...['theme', 'listPercent', 'coinName', 'density', 'time', 'timeZone', 'clock', 'numbers'].map(
    (field) => `appearance.${field}`,
  ),
  'appearance.gramNetworks',
  'desktop.closeWindow',
]

test('each setting is classified as restored or unchanged', () => {
  const fields = Object.entries(settingsSchema.shape).flatMap(([group, { shape }]) =>
    Object.keys(shape).map((field) => `${group}.${field}`),
  )
  expect([...restoredSettings, ...switchSettings.keys()].toSorted()).toEqual(fields.toSorted())
})

/** The tables are grouped by how a start after a restore treats their rows. */
const tablesOfBackup = {
  'switched off, paused or emptied by a restore': [
    ...['forward_rules', 'answer_rules', 'alert_destinations', 'alerts', 'confirmed_hosts'],
    ...['watches', 'replay_jobs', 'changes', 'invoice_jobs', 'webhook_moves', 'lookup_jobs'],
    ...['history_exports', 'ledger_checks', 'settings'],
  ],
  'keys are bound to the current URLs, so nothing secret is sent': [
    ...['custom_networks', 'network_secrets'],
  ],
  'belongs to a rule, watch, job or destination that is off': [
    ...['forward_targets', 'forward_deliveries', 'forward_attempts', 'forward_deletions'],
    ...['watch_sources', 'replay_plans', 'replay_sendings', 'change_items', 'change_webhooks'],
    ...['webhook_move_subjects', 'invoice_job_items', 'lookup_lines', 'lookup_wallets'],
    ...['lookup_jettons', 'history_rows', 'history_assets', 'history_progress', 'history_rates'],
    ...['history_sources', 'ledger_accounts', 'ledger_steps', 'ledger_events'],
    ...['invoice_drafts', 'invoice_draft_lines', 'streaks'],
  ],
  'read from the gateway of its network, without a key where the URL differs': [
    ...['webhooks', 'subscriptions', 'webhook_lists', 'webhook_tokens', 'sampler_rounds'],
    ...['ledger_schedules', 'invoice_ledgers', 'invoice_accounts', 'invoice_access'],
  ],
  'shown or searched only': [
    ...['account_history', 'account_minutes', 'account_names', 'capture_checksums'],
    ...['capture_deletions'],
    ...['capture_marks', 'capture_meanings', 'capture_networks', 'capture_origins'],
    ...['capture_views', 'captures', 'chain_accounts', 'chain_messages'],
    ...['chain_traces', 'chain_transactions', 'dictionaries', 'failure_logs'],
    ...['fiat_rates', 'incidents', 'invoice_created', 'invoice_due'],
    ...['invoice_ended', 'invoice_events', 'invoice_export_views', 'invoice_payment_times'],
    ...['invoice_reports', 'invoice_totals', 'invoice_views', 'invoices'],
    ...['invoices_waiting', 'labels', 'matters', 'meaning_progress'],
    ...['outgoing_transfers', 'payments', 'untold_meanings'],
    ...['usage_counters', 'usage_history', 'usage_minutes', 'webhook_history'],
    ...['webhook_minutes'],
  ],
}

test('each table of the database is classified for a restore', () => {
  const database = new DatabaseSync(join(whole.directory, 'tondesk.db'), { readOnly: true })
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all()
    .map(({ name }) => String(name))
  database.close()
  expect(Object.values(tablesOfBackup).flat().toSorted()).toEqual(tables.toSorted())
})

test('a restore keeps settings that send, announce or write, and the notice names each', async () => {
  using home = temporaryDirectory()
  await using first = await startApp({ dataDirectory: home.path })
  const ours = await first.request('settings.change', {
    receiver: { publicUrl: 'https://mine.example.com' },
    inspector: { meaning: false },
    sandbox: { allowHosts: ['mine.example.com'] },
    monitoring: { sample: false, native: false },
    updates: { automatic: false },
  })
  await first.request('backup.create')
  const theirs = {
    ...ours,
    receiver: { ...ours.receiver, publicUrl: 'https://attacker.example.com', bodyLimitBytes: 4096 },
    inspector: { meaning: true },
    sandbox: { ...ours.sandbox, allowHosts: ['attacker.example.com'], startWithApp: false },
    monitoring: { ...ours.monitoring, sample: true, native: true },
    reports: {
      ...ours.reports,
      reconcileEvery: 'day',
      reconcileFolder: home.path,
      merchantName: 'Ada',
    },
    updates: { automatic: true },
    // An invalid group must not hide the others.
    appearance: 5,
  }
  spoil(
    home.path,
    `INSERT OR REPLACE INTO settings VALUES ('settings', '${JSON.stringify(theirs)}');
     INSERT OR REPLACE INTO settings VALUES ('tunnel.followed', '{"agent":"ngrok","publicUrl":"https://attacker.example.com"}')`,
  )
  await first.request('backup.restore', { name: spoilt })
  await using second = await startAgain(first)
  expect(await second.request('settings.get')).toEqual({
    ...ours,
    receiver: { ...ours.receiver, bodyLimitBytes: 4096 },
    // The backup’s choice to turn a setting off is restored.
    sandbox: { ...ours.sandbox, startWithApp: false },
    reports: { ...ours.reports, merchantName: 'Ada' },
  })
  const [notice] = await second.request('notice.list')
  expect(notice).toMatchObject({ id: 'store.restored', level: 'warning' })
  expect(notice?.detail).toContain(
    'Settings not taken from the backup: Public URL, Load the transactions of captures from the gateway, Allowed hosts of the sandbox, Read the failure counters of webhooks and subscriptions, System notifications, Scheduled reconciliation, Folder of the scheduled reconciliation, Check for updates once a day.',
  )
  await second.app.dispose()
  const database = new DatabaseSync(join(home.path, 'tondesk.db'), { readOnly: true })
  const followed = database
    .prepare("SELECT value FROM settings WHERE key = 'tunnel.followed'")
    .get()
  expect(followed).toEqual({ value: 'null' })
  database.close()
})
