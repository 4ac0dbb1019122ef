import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  parseSignedRelease,
  parseUpdateSource,
  releaseBytes,
} from '../../../src-main/app/release-signature.ts'

const ours = generateKeyPairSync('ed25519')
const key = ours.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
const release = {
  version: '1.2.3',
  files: [{ url: 'tondesk.AppImage', sha512: 'aGFzaA==', size: 7 }],
  releaseNotes: 'Faster.',
}
const signature = sign(null, releaseBytes(release), ours.privateKey).toString('base64')

test('a release signed with the key of the build is accepted, even with additional fields', () => {
  const info = { ...release, signature, path: 'tondesk.AppImage', releaseDate: '2026-11-23' }
  expect(parseSignedRelease(info, key)).toMatchObject({ version: '1.2.3', releaseNotes: 'Faster.' })
})

test.each([
  ['no signature', { signature: undefined }],
  ['another version', { version: '1.2.4' }],
  ['another hash', { files: [{ url: 'tondesk.AppImage', sha512: 'b3RoZXI=' }] }],
  ['another file', { files: [{ url: 'https://evil.test/x', sha512: 'aGFzaA==' }] }],
  ['an additional file', { files: [...release.files, { url: 'b', sha512: 'YQ==' }] }],
  ['other notes', { releaseNotes: 'Enter your key at evil.test.' }],
  ['an invalid signature', { signature: 'AAAA' }],
  ['no files but the older fields of the updater', { files: [], path: 'x', sha512: 'YQ==' }],
])('a release with %s is refused', (_, change) => {
  expect(parseSignedRelease({ ...release, signature, ...change }, key)).toBeNull()
})

test('a release signed with another key is refused', () => {
  const other = generateKeyPairSync('ed25519').privateKey
  const forged = sign(null, releaseBytes(release), other).toString('base64')
  expect(parseSignedRelease({ ...release, signature: forged }, key)).toBeNull()
})

test('updates are off without a feed, without encryption and without a usable key', () => {
  const feed = 'https://updates.example/'
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
  const wrongKind = rsa.export({ format: 'der', type: 'spki' }).toString('base64')
  expect(parseUpdateSource({ updates: { feed, publicKey: key } })).toEqual({ feed, publicKey: key })
  for (const manifest of [
    {},
    { updates: null },
    { updates: { feed } },
    { updates: { feed, publicKey: '' } },
    { updates: { feed, publicKey: wrongKind } },
    { updates: { feed: 'http://updates.example/', publicKey: key } },
    { updates: { feed: 'file:///tmp/feed', publicKey: key } },
  ]) {
    expect(parseUpdateSource(manifest)).toBeNull()
  }
})
