// `node build/sign-feed.mjs dist`, on Node 24, in the release workflow: adds a signature to each
// latest*.yml of electron-builder, which installed apps require
// (src-main/app/release-signature.ts). TONDESK_UPDATE_PRIVATE_KEY contains the Ed25519 key as PEM.
import { createPrivateKey, sign } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { parse, stringify } from 'yaml'
import { releaseBytes } from '../src-main/app/release-signature.ts'

const [folder = 'dist'] = process.argv.slice(2)
const key = createPrivateKey(process.env.TONDESK_UPDATE_PRIVATE_KEY ?? '')
const feeds = readdirSync(folder).filter((name) => /^latest.*\.yml$/.test(name))
if (feeds.length === 0) throw new Error(`${folder} has no latest*.yml: was it built with a feed?`)
for (const name of feeds) {
  const file = join(folder, name)
  const release = parse(readFileSync(file, 'utf8'))
  const signature = sign(null, releaseBytes(release), key).toString('base64')
  writeFileSync(file, stringify({ ...release, signature }))
  console.log(`${name}: signed version ${release.version}`)
}
