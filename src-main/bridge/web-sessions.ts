/**
 * Who has been let in to browser mode.
 *
 * Threat model: every program and every web page on this computer can reach the port; only the tab
 * that was opened with a start URL may go on. A start token works once and for ten minutes, so one
 * found later in a terminal's or a browser's history opens nothing. Only digests are kept here.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export type WebSessions = {
  /** A new start token of 128 bits. */
  mintStart(): string
  /** Exchanges a start token for a tab's secret; null when it is unknown, spent or too old. */
  exchange(start: string): string | null
  isKnown(session: string): boolean
}

const startLivesMs = 10 * 60 * 1000
/** Far more tabs than anyone keeps; the one unused for longest makes room. */
const maxSessions = 256
const maxStarts = 256

type Kept = { readonly digest: Buffer; readonly expiresAt: number }

export function createWebSessions(now: () => number = Date.now): WebSessions {
  let starts: Kept[] = []
  let sessions: Buffer[] = []

  return {
    mintStart() {
      const start = randomBytes(16).toString('base64url')
      starts = starts.filter(({ expiresAt }) => expiresAt > now()).slice(-maxStarts + 1)
      starts.push({ digest: digest(start), expiresAt: now() + startLivesMs })
      return start
    },
    exchange(start) {
      const wanted = digest(start)
      const found = starts.find((kept) => timingSafeEqual(kept.digest, wanted))
      if (!found) return null
      starts = starts.filter((kept) => kept !== found)
      if (found.expiresAt <= now()) return null
      const session = randomBytes(32).toString('base64url')
      sessions = [...sessions.slice(-maxSessions + 1), digest(session)]
      return session
    },
    isKnown(session) {
      const wanted = digest(session)
      const found = sessions.find((kept) => timingSafeEqual(kept, wanted))
      if (!found) return false
      sessions = [...sessions.filter((kept) => kept !== found), found]
      return true
    },
  }
}

/** Of equal length whatever was sent, as a comparison in constant time needs. */
function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
