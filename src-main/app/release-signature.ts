/**
 * Decides which releases an installed app accepts: those of its own feed that are signed with the
 * feed owner's key.
 */
import { createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'

/** The build writes these fields into the installed app's package.json; see docs/packaging.md. */
const updateSource = z.object({
  updates: z.object({
    feed: z.url({ protocol: /^https$/ }),
    /** An Ed25519 key in base64 of its SPKI form. */
    publicKey: z.string().refine(isPublicKey),
  }),
})

export type UpdateSource = z.infer<typeof updateSource>['updates']

/** @returns null if the build names no feed, or a feed without encryption or without a key */
export function parseUpdateSource(manifest: unknown): UpdateSource | null {
  const parsed = updateSource.safeParse(manifest)
  return parsed.success ? parsed.data.updates : null
}

/**
 * The fields that electron-builder writes into `latest.yml`, and the signature that
 * build/sign-feed.mjs adds.
 */
const release = z.object({
  version: z.string().max(100),
  files: z.array(z.object({ url: z.string(), sha512: z.string().min(1) })).min(1),
  releaseNotes: z.string().nullish(),
  signature: z.string().nullish(),
})

export type SignedRelease = z.infer<typeof release>

/** The bytes that are signed: all fields of a release that the app uses. */
export function releaseBytes({ version, files, releaseNotes }: SignedRelease): Buffer {
  const hashes = files.map(({ url, sha512 }) => [url, sha512])
  return Buffer.from(JSON.stringify(['tondesk release', version, hashes, releaseNotes ?? null]))
}

/**
 * Verifies a release. Threat model: an attacker who controls the feed's server could offer any program, and on
 * Linux the package formats have no signature that the updater checks. The feed itself is therefore signed.
 * @returns null if the release has no valid signature by this key
 */
export function parseSignedRelease(info: unknown, publicKey: string): SignedRelease | null {
  const parsed = release.safeParse(info)
  if (!parsed.success || typeof parsed.data.signature !== 'string') return null
  const signature = Buffer.from(parsed.data.signature, 'base64')
  const isSigned = verify(null, releaseBytes(parsed.data), readKey(publicKey), signature)
  return isSigned ? parsed.data : null
}

function readKey(publicKey: string) {
  return createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
}

function isPublicKey(text: string): boolean {
  try {
    return readKey(text).asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}
