/** Which releases an installed app accepts: those of its own feed that are signed with its owner's key. */
import { createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'

/** Written into the installed app's package.json when it is built; see docs/packaging.md. */
const updateSource = z.object({
  updates: z.object({
    feed: z.url({ protocol: /^https$/ }),
    /** Ed25519, base64 of its SPKI form. */
    publicKey: z.string().refine(isPublicKey),
  }),
})

export type UpdateSource = z.infer<typeof updateSource>['updates']

/** @returns null if the build names no feed, or one without encryption or without a key */
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

/** The bytes that are signed: everything of a release that the app uses. */
export function releaseBytes({ version, files, releaseNotes }: SignedRelease): Buffer {
  const hashes = files.map(({ url, sha512 }) => [url, sha512])
  return Buffer.from(JSON.stringify(['tondesk release', version, hashes, releaseNotes ?? null]))
}

/**
 * Threat model: whoever controls the feed's server could offer a program of their own, and on Linux the
 * package formats have no signature that the updater checks. So the feed itself is signed.
 * @returns null if it has no signature, or not one by this key
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
