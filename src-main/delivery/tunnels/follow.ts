import { z } from 'zod'
import { type FoundTunnel, tunnelAgent } from '../../../src-preload/contract/tunnel.ts'

/** The URL that was taken from an agent. */
export const followed = z.object({ agent: tunnelAgent, publicUrl: z.string().max(500) })
type Followed = z.infer<typeof followed>

/**
 * The tunnel that has come in the place of the one followed: of the same agent, to our receiver, no
 * less guarded than it, and the only one. An agent that is gone changes nothing: it may come back.
 * Pure.
 * @returns null where all is as it was, or nothing is sure
 */
export function follow(
  before: Followed | null,
  publicUrl: string | null,
  found: readonly FoundTunnel[],
  isPublicHost: (hostname: string) => boolean,
): Followed | null {
  if (before === null || before.publicUrl !== publicUrl) return null
  const ofAgent = found.filter(({ agent }) => agent === before.agent)
  if (ofAgent.some((tunnel) => tunnel.publicUrl === before.publicUrl)) return null
  const old = new URL(before.publicUrl)
  const guarded = ofAgent.filter((tunnel) => {
    const url = new URL(tunnel.publicUrl)
    // Nobody who takes an agent's port leads us, unasked, to plain http or into this network.
    if (old.protocol === 'https:' && url.protocol !== 'https:') return false
    return isPublicHost(url.hostname) || !isPublicHost(old.hostname)
  })
  const ours = guarded.filter(({ isOurs }) => isOurs === true)
  const candidates = ours.length > 0 ? ours : guarded.filter(({ isOurs }) => isOurs === null)
  const [only] = candidates
  if (only === undefined || candidates.length > 1) return null
  return { agent: only.agent, publicUrl: only.publicUrl }
}
