import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect } from 'vitest'
import { connectLocalSocket } from '../../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../../src-main/bridge/local-socket.ts'
import type { CaptureCounts } from '../../../src-preload/contract/capture.ts'
import type { Envelope } from '../../../src-preload/domain/app-error.ts'
import { startApp } from '../../fixtures/app.ts'
import {
  postDelivery,
  killAll,
  onUnix,
  runCommand,
  startCommand,
  withDirectory,
} from './cli-process.ts'

let directory: Awaited<ReturnType<typeof withDirectory>>
let file: string

beforeEach(async () => {
  directory = await withDirectory()
  file = join(directory.path, '..', 'saved.db')
})

afterEach(async () => {
  killAll()
  await directory.remove()
})

const at = () => ['--data-dir', directory.path]

/**
 * The commands do not depend on the contents of the directory, so the test starts no process to
 * fill it.
 */
async function capture(count: number): Promise<void> {
  await using app = await startApp({ dataDirectory: directory.path })
  const url = await app.hook()
  for (let lt = 1; lt <= count; lt += 1) expect(await postDelivery(url, lt)).toBe(200)
}

async function countOf(): Promise<number> {
  await using app = await startApp({ dataDirectory: directory.path })
  return (await app.request('capture.counts')).total
}

async function runningTotal(): Promise<number> {
  const client = await connectLocalSocket(localSocketPath(directory.path))
  const counts = (await client?.request('capture.counts')) as Envelope<CaptureCounts>
  client?.dispose()
  if (!counts.ok) throw new Error(counts.error.message)
  return counts.data.total
}

onUnix(
  'a restore brings back the captures of the backup, and backs up the data that it replaces',
  async () => {
    await capture(3)
    expect(await runCommand('backup', file, ...at())).toMatchObject({ code: 0, lines: [file] })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await capture(2)
    expect(await countOf()).toBe(5)
    expect(await runCommand('restore', file, '--yes', ...at())).toMatchObject({
      code: 0,
      errors: '',
    })
    expect(await countOf()).toBe(3)
    const kept = await readdir(join(directory.path, 'backups'))
    expect(kept.filter((name) => name.endsWith('-restore.db'))).toHaveLength(1)
  },
)

onUnix(
  'backup and restore work while the app runs, and the app restarts after the restore',
  async () => {
    await capture(1)
    const serve = startCommand([
      'serve',
      '--without-sandbox',
      '--json',
      '--no-open',
      '--port',
      '0',
      '--receiver-port',
      '0',
      ...at(),
    ])
    const { receiverUrl } = await serve.json()
    expect((await runCommand('backup', file, ...at())).code).toBe(0)
    await postDelivery(receiverUrl, 2)
    expect(await runningTotal()).toBe(2)
    const restored = await runCommand('restore', file, '--yes', ...at())
    expect(restored).toMatchObject({ code: 0, lines: ['Restored. The app has restarted.'] })
    // The receiver keeps its URL.
    expect(await serve.json()).toEqual({ event: 'restarted', receiverUrl })
    expect(await runningTotal()).toBe(1)
    expect(await postDelivery(receiverUrl, 3)).toBe(200)
    serve.child.kill('SIGTERM')
    expect(await serve.exit).toBe(0)
  },
)

onUnix(
  'backup overwrites a file only with --force, and creates a new file in a folder',
  async () => {
    await writeFile(file, 'precious')
    const refused = await runCommand('backup', file, ...at())
    expect(refused.code).toBe(1)
    expect(refused.errors).toContain('Use --force')
    expect(await readFile(file, 'utf8')).toBe('precious')
    expect((await runCommand('backup', file, '--force', ...at())).code).toBe(0)
    expect((await readFile(file)).subarray(0, 15).toString()).toBe('SQLite format 3')

    const folder = join(directory.path, '..', 'folder')
    await mkdir(folder)
    const { lines } = await runCommand('backup', folder, ...at())
    expect(lines).toEqual([join(folder, (await readdir(folder))[0] ?? '')])
  },
)

onUnix(
  'restoring a file that is not a backup fails, changes nothing and leaves no file among the backups',
  async () => {
    await capture(1)
    await writeFile(file, 'not a database at all')
    const { code, errors } = await runCommand('restore', file, '--yes', ...at())
    expect(code).toBe(1)
    expect(errors).toContain('This backup cannot be used: it is not a Tondesk database')
    expect(await readdir(join(directory.path, 'backups'))).toEqual([])
    expect(await countOf()).toBe(1)

    const missing = await runCommand(
      'restore',
      join(directory.path, 'nothing.db'),
      '--yes',
      ...at(),
    )
    expect(missing).toMatchObject({
      code: 1,
      errors: expect.stringContaining('not found') as string,
    })
  },
)

onUnix('a backup is restored although the app cannot start with the current data', async () => {
  await capture(2)
  expect((await runCommand('backup', file, ...at())).code).toBe(0)
  const database = new DatabaseSync(join(directory.path, 'tondesk.db'))
  database.exec(`DROP TABLE labels;
      CREATE VIEW labels AS WITH RECURSIVE n (network) AS (SELECT 'a' UNION ALL SELECT network FROM n)
        SELECT * FROM n;
      UPDATE captures SET id = 9223372036854775807 WHERE id = 1`)
  database.close()
  expect(await runCommand('restore', file, '--yes', ...at())).toMatchObject({ code: 0, errors: '' })
  expect(await countOf()).toBe(2)
})

onUnix(
  'restore needs --yes for a backup of the data directory, and does not delete the backup',
  async () => {
    await capture(1)
    const { lines } = await runCommand('backup', ...at())
    const own = lines[0] ?? ''
    await capture(1)
    // Without a terminal, restore cannot show a question.
    const { code, errors } = await runCommand('restore', own, ...at())
    expect(code).toBe(2)
    expect(errors).toContain('--yes')
    expect(await countOf()).toBe(2)
    expect((await runCommand('restore', own, '--yes', ...at())).code).toBe(0)
    expect(await countOf()).toBe(1)
    expect((await stat(own)).isFile()).toBe(true)
  },
)
