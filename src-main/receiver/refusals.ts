import type { IncomingMessage } from 'node:http'

/** A request, or what should have been one, that was refused before anything of it could be captured. */
type Refusal = {
  /** Microseconds since the epoch. */
  readonly at: number
  /** Null where the connection was closed without a response. */
  readonly status: number | null
  readonly reason: string
  readonly peer: string
  /** The first bytes as Latin-1, as far as they are known: the sender's content, tokens included. */
  readonly start: string
}

/** Counts refused requests and keeps the latest, in memory only. */
export type Refusals = {
  add(refusal: Omit<Refusal, 'at'>): void
  total(): number
  /** Newest first. */
  latest(): readonly Refusal[]
}

const maxKept = 100
const maxStartBytes = 512

export function createRefusals(onAdded: () => void): Refusals {
  const kept: Refusal[] = []
  let total = 0
  return {
    add(refusal) {
      total += 1
      const at = Math.round((performance.timeOrigin + performance.now()) * 1000)
      kept.unshift({ ...refusal, at, start: refusal.start.slice(0, maxStartBytes) })
      if (kept.length > maxKept) kept.pop()
      onAdded()
    },
    total: () => total,
    latest: () => kept,
  }
}

/** Request line and headers as they were parsed, up to what is kept. */
export function startOf(request: IncomingMessage): string {
  let start = `${request.method ?? ''} ${request.url ?? ''} HTTP/${request.httpVersion}\r\n`
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (start.length > maxStartBytes) break
    start += `${request.rawHeaders[index] ?? ''}: ${request.rawHeaders[index + 1] ?? ''}\r\n`
  }
  return start
}
