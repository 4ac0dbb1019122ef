/**
 * Updates with the real electron-updater, which runs in plain Node; only `electron` is replaced.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import {
  installedProgram,
  programText,
  releaseOf,
  sha512Of,
  signRelease,
  foreignKeys,
  tryRandomUpdates,
  withInstallation,
} from '../../fixtures/update-feeds.ts'

vi.mock('electron', async () => (await import('../../fixtures/update-feeds.ts')).electronStub)
vi.mock(
  'electron-updater',
  async () => (await import('../../fixtures/update-feeds.ts')).updaterStub,
)

const second = programText('2.0.0')

test('an unsigned release after a signed one is neither downloaded nor installed instead', async () => {
  await withInstallation('1.0.0', async ({ feed, requests, start, installed }) => {
    const unsigned = programText('2.0.1')
    feed.files.set('tondesk-2.0.0.AppImage', second).set('tondesk-2.0.1.AppImage', unsigned)
    const app = await start()
    feed.latest = signRelease(releaseOf('2.0.0'))
    expect(await app.check()).toMatchObject({ status: 'available', version: '2.0.0' })
    feed.latest = releaseOf('2.0.1')
    expect(await app.check()).toMatchObject({
      version: '2.0.0',
      problem: 'Version 2.0.1 is not signed with the key of this build, so it was refused.',
    })
    expect(await app.download()).toMatchObject({ status: 'ready', version: '2.0.0' })
    expect(requests).not.toContain('/tondesk-2.0.1.AppImage')
    app.quit()
    expect(installed()).toBe(second)
  })
})

const [file = { url: '', sha512: '' }] = releaseOf('2.0.0').files
const evil = { url: 'evil.AppImage', sha512: sha512Of(programText('evil')) }

test.each<[string, unknown]>([
  ['is older', signRelease(releaseOf('0.9.0', second))],
  ['is the installed version', signRelease(releaseOf('1.0.0', second))],
  ['is the installed version with other build data', signRelease(releaseOf('1.0.0+2', second))],
  ['has no signature', releaseOf('2.0.0')],
  ['is signed with another key', signRelease(releaseOf('2.0.0'), foreignKeys.privateKey)],
  [
    'has the version of another signed release',
    { ...signRelease(releaseOf('0.9.0', second)), version: '2.0.0' },
  ],
  ['has one more file', { ...signRelease(releaseOf('2.0.0')), files: [evil, file] }],
  [
    'has another hash',
    { ...signRelease(releaseOf('2.0.0')), files: [{ ...file, sha512: evil.sha512 }] },
  ],
  [
    'has another URL',
    { ...signRelease(releaseOf('2.0.0')), files: [{ ...evil, sha512: file.sha512 }] },
  ],
  [
    'has its file in old fields',
    { ...signRelease(releaseOf('2.0.0')), files: [], path: evil.url, sha512: evil.sha512 },
  ],
])('a release that %s is neither offered nor downloaded', async (_, latest) => {
  await withInstallation('1.0.0', async ({ feed, requests, start, installed }) => {
    for (const url of [
      evil.url,
      file.url,
      ...['0.9.0', '1.0.0'].map((v) => `tondesk-${v}.AppImage`),
    ]) {
      feed.files.set(url, second)
    }
    const app = await start()
    feed.latest = latest
    expect((await app.check()).status).not.toBe('available')
    await app.download()
    app.quit()
    expect(requests.filter((path) => path.endsWith('.AppImage'))).toEqual([])
    expect(installed()).toBe(installedProgram)
  })
})

test('a file whose hash differs from the signed one is not installed, and the right file can be installed later', async () => {
  await withInstallation('1.0.0', async ({ feed, start, installed }) => {
    feed.files.set(file.url, programText('changed on its way'))
    feed.latest = signRelease(releaseOf('2.0.0'))
    const app = await start()
    await app.check()
    const { status, problem } = await app.download()
    expect(status).toBe('available')
    expect(problem).toContain('not the one that the release names')
    app.quit()
    expect(installed()).toBe(installedProgram)
    feed.files.set(file.url, second)
    const again = await start()
    await again.check()
    expect(await again.download()).toMatchObject({ status: 'ready' })
    again.quit()
    expect(installed()).toBe(second)
  })
})

test('a downloaded file that is changed on the disk before the app quits is not installed', async () => {
  await withInstallation('1.0.0', async ({ feed, cacheFolder, start, installed }) => {
    feed.files.set(file.url, second)
    feed.latest = signRelease(releaseOf('2.0.0'))
    const app = await start()
    await app.check()
    expect(await app.download()).toMatchObject({ status: 'ready' })
    mkdirSync(cacheFolder, { recursive: true })
    writeFileSync(join(cacheFolder, file.url), programText('swapped'), { mode: 0o755 })
    app.quit()
    expect(installed()).toBe(installedProgram)
  })
})

test('of 100 random feeds only signed and newer releases are installed', async () => {
  // Some releases must be installed, because an updater that refuses everything would pass otherwise.
  expect(await tryRandomUpdates(1, 100)).toBeGreaterThan(5)
})
