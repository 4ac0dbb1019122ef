/**
 * Serves an update feed on this computer. Packages of other systems are replaced by the system
 * itself, so these tests run only on Linux, as an AppImage.
 */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { releaseBytes } from '../../../src-main/app/release-signature.ts'
import { type Tondesk, expect, test } from '../fixture.ts'
import { openPage } from '../pages/frame.ts'
import { about } from '../pages/settings.ts'

test.skip(process.platform !== 'linux', 'Only an AppImage can be replaced in a test.')

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const offered = '#!/bin/sh\nexit 0\n# 99.0.0\n'
const installed = '#!/bin/sh\nexit 0\n# the old one\n'

type Feed = {
  /** The file that the server sends instead of the signed one. */
  readonly sent?: string
  readonly signedBy?: typeof privateKey
}

/** Restarts the app as an AppImage whose build names a feed with version 99.0.0. */
async function withFeed(
  tondesk: Tondesk,
  { sent = offered, signedBy = privateKey }: Feed,
  run: (appImage: () => string, requests: readonly string[]) => Promise<void>,
): Promise<void> {
  const url = 'tondesk-99.0.0.AppImage'
  const files = [{ url, sha512: createHash('sha512').update(offered).digest('base64') }]
  const release = { version: '99.0.0', files, releaseNotes: 'Faster and quieter.' }
  const signature = sign(null, releaseBytes(release), signedBy).toString('base64')
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://feed').pathname
    requests.push(path)
    if (/^\/latest-linux.*\.yml$/.test(path)) {
      response.end(JSON.stringify({ ...release, signature, releaseDate: '2026-11-23T00:00:00Z' }))
    } else if (path === `/${url}`) response.end(sent)
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = join(tondesk.dataDirectory, 'installed')
  mkdirSync(folder)
  const appImage = join(folder, 'tondesk.AppImage')
  writeFileSync(appImage, installed, { mode: 0o755 })
  const environment = {
    TONDESK_UPDATE_FEED: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    TONDESK_UPDATE_KEY: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    APPIMAGE: appImage,
    XDG_CACHE_HOME: join(tondesk.dataDirectory, 'cache'),
  }
  const before = { ...process.env }
  try {
    // The hosts start the app with the environment of this process.
    Object.assign(process.env, environment)
    await tondesk.restart()
    await openPage(tondesk.page, 'settings')
    await run(() => readFileSync(appImage, 'utf8'), requests)
  } finally {
    for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name)
    Object.assign(process.env, before)
    server.close()
    server.closeAllConnections()
  }
}

test('a signed release is shown with its notes, downloaded on request and installed on quit', async ({
  tondesk,
}) => {
  // A build without an update feed.
  await openPage(tondesk.page, 'settings')
  await expect(about(tondesk.page).isOff).toBeVisible()
  await expect(about(tondesk.page).checkButton).toHaveCount(0)

  await withFeed(tondesk, {}, async (appImage, requests) => {
    const updates = about(tondesk.page)
    // No request is sent before the user or the daily check starts one.
    expect(requests).toEqual([])
    await updates.check()
    await expect(updates.state).toHaveText('Version 99.0.0 is available.')
    await expect(updates.notes('99.0.0')).toHaveText('Faster and quieter.')
    expect(requests).not.toContain('/tondesk-99.0.0.AppImage')

    await updates.download('99.0.0')
    await expect(updates.state).toHaveText(/is downloaded\. It is installed when you quit/)
    expect(appImage()).toBe(installed)
    expect(await tondesk.quit()).toBe(0)
    expect(appImage()).toBe(offered)
  })
})

test('a download whose hash differs from the signed one is refused and not installed', async ({
  tondesk,
}) => {
  await withFeed(tondesk, { sent: `${offered}# changed on its way\n` }, async (appImage) => {
    const updates = about(tondesk.page)
    await updates.check()
    await updates.download('99.0.0')
    await expect(updates.problem).toHaveText(/not the one that the release names/)
    await expect(updates.state).toHaveText('Version 99.0.0 is available.')
    expect(await tondesk.quit()).toBe(0)
    expect(appImage()).toBe(installed)
  })
})

test('a release with another signature is not offered', async ({ tondesk }) => {
  const signedBy = generateKeyPairSync('ed25519').privateKey
  await withFeed(tondesk, { signedBy }, async (appImage, requests) => {
    const updates = about(tondesk.page)
    await updates.check()
    await expect(updates.problem).toHaveText(/99\.0\.0 is not signed with the key of this build/)
    await expect(updates.downloadButton).toHaveCount(0)
    expect(requests).not.toContain('/tondesk-99.0.0.AppImage')
    expect(await tondesk.quit()).toBe(0)
    expect(appImage()).toBe(installed)
  })
})
