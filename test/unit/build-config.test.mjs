import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterEach, expect, test, vi } from 'vitest'

const require = createRequire(import.meta.url)

/** Returns the configuration as electron-builder would read it with these variables. */
function configWith(env = {}) {
  for (const name of ['CSC_LINK', 'WIN_CSC_LINK', 'CSC_NAME', 'TONDESK_RELEASE'])
    vi.stubEnv(name, '')
  vi.stubEnv('TONDESK_UPDATE_FEED', '')
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const path = require.resolve('../../build/electron-builder.config.cjs')
  delete require.cache[path]
  return require(path)
}

afterEach(() => vi.unstubAllEnvs())

test('an unsigned package, portable or not, has "-dev" in its name', () => {
  const { artifactName, portable } = configWith()
  for (const name of [artifactName, portable.artifactName]) expect(name).toContain('-dev.${ext}')
  expect(configWith({ CSC_LINK: 'file.p12' }).artifactName).not.toContain('-dev')
})

test('an environment variable that is set but empty leaves the default', () => {
  const { linux, extraMetadata } = configWith({ TONDESK_MAINTAINER: '', TONDESK_HOMEPAGE: '' })
  expect([linux.maintainer, extraMetadata.homepage].every((text) => text !== '')).toBe(true)
})

test('the portable package has a different name than the installer', () => {
  const { artifactName, portable } = configWith()
  expect(portable.artifactName).not.toBe(artifactName)
})

test('updates are off without a feed, and a feed is packaged together with its public key', () => {
  const { publish, extraMetadata } = configWith()
  expect(publish).toBeNull()
  expect(extraMetadata).not.toHaveProperty('updates')
  const feed = 'https://updates.example/'
  const on = configWith({ TONDESK_UPDATE_FEED: feed, TONDESK_UPDATE_KEY: 'a2V5' })
  expect(on.publish).toEqual({ provider: 'generic', url: feed })
  expect(on.extraMetadata.updates).toEqual({ feed, publicKey: 'a2V5' })
})

test('the update feed has the notes of its own version, or else the unreleased notes', () => {
  const notesOf = require('../../build/lib/release-notes.cjs')
  const changelog =
    '# Changes\n\n## [Unreleased]\n\nnew\n\n## [1.2.0] - 2026\n\ntwo\n\n## 1.2\n\none\n'
  expect(notesOf(changelog, '1.2.0')).toBe('## [1.2.0] - 2026\n\ntwo')
  expect(notesOf(changelog, '1.2')).toBe('## 1.2\n\none')
  expect(notesOf(changelog, '1.3.0')).toBe('## [Unreleased]\n\nnew')
  expect(notesOf('# Changes', '1.3.0')).toBeNull()
  expect(configWith().releaseInfo.releaseNotes).toMatch(/^## /)
})

test('a tag is released only with the version of package.json and a dated section of the changelog', () => {
  const { releaseProblem } = require('../../build/lib/release-notes.cjs')
  const changelog =
    '# Changes\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\ntwo\n\n## [1.1.0]\n\none\n'
  expect(releaseProblem('v1.2.0', '1.2.0', changelog)).toBeNull()
  expect(releaseProblem('1.2.0', '1.2.0', changelog)).toMatch(/must be v1\.2\.0/)
  expect(releaseProblem('v1.2.1', '1.2.0', changelog)).toMatch(/must be v1\.2\.0/)
  expect(releaseProblem('v1.3.0', '1.3.0', changelog)).toMatch(/no section for 1\.3\.0/)
  expect(releaseProblem('v1.1.0', '1.1.0', changelog)).toMatch(/needs a date/)
})

test('Linux, macOS and Windows each have their package formats', () => {
  const { linux, mac, win } = configWith()
  expect(linux.target).toEqual(['deb', 'rpm', 'AppImage'])
  expect(mac.target).toEqual([
    { target: 'dmg', arch: ['x64', 'arm64'] },
    { target: 'zip', arch: ['x64', 'arm64'] },
  ])
  expect(win.target).toEqual(['nsis', 'portable'])
})

test('the desktop entry has the id of the running app, and all files for packaging exist', () => {
  const { linux, mac, win, nsis, deb, rpm } = configWith()
  const { desktopName } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(desktopName).toBe('org.tondesk.Tondesk.desktop')
  expect(linux.syncDesktopName).toBe(true)
  const sources = [...deb.fpm, ...rpm.fpm].map((pair) => pair.split('=')[0])
  for (const file of [linux.icon, mac.icon, win.icon, nsis.include, ...sources]) {
    expect(existsSync(file), file).toBe(true)
  }
})

test('Tondesk registers its file types without becoming the default program for them', () => {
  const { mac, fileAssociations, win } = configWith()
  // electron-builder's own associations make the app the default on Windows.
  expect([fileAssociations, win.fileAssociations]).toEqual([undefined, undefined])
  for (const { rank, role } of mac.fileAssociations) {
    expect([rank, role]).toEqual(['Alternate', 'Viewer'])
  }
  const script = readFileSync('build/windows/installer.nsh', 'utf8')
  expect(script).toContain('OpenWithProgids')
  const mime = readFileSync('build/linux/mime.xml', 'utf8')
  expect([...mime.matchAll(/<glob .*?weight="(\d+)"/g)].every(([, weight]) => weight < 50)).toBe(
    true,
  )
  // Each system registers the same file types.
  for (const extension of mac.fileAssociations.flatMap(({ ext }) => ext)) {
    expect(mime).toContain(`pattern="*.${extension}"`)
    expect(script).toContain(`TONDESK_OPEN_WITH "${extension}"`)
  }
})
