/**
 * Requests that the app sends to itself through a tunnel to test it. Each carries a nonce of 128 bits that
 * is valid once, so that no other request passes as a probe.
 */
import { randomBytes } from 'node:crypto'
import type { TokenVerdict } from '../../src-preload/domain/capture-words.ts'
import type { CaptureRecord } from '../captures/store/capture-record.ts'
import { type TokenCheck, type TokenChecker, createTokenChecker } from './token-check.ts'

type Arrival = {
  /** Microseconds since the epoch. */
  readonly at: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
  readonly token: TokenVerdict
  /** Null for a `check`, which is not stored. */
  readonly capture: number | null
}

export type ProbeKind =
  /** Gets 200 and is not stored. */
  | 'check'
  /** Is handled as a delivery, and kept as one that a person put here. */
  | 'test'

export type Probe = {
  readonly header: readonly [name: string, value: string]
  /** A webhook token valid for this request only, because a real one may go only to the gateway. */
  readonly token: string
  readonly arrived: Promise<Arrival>
  /** A probe that arrives after this is captured like any delivery. */
  end(): void
}

export type TakenProbe = {
  readonly kind: ProbeKind
  readonly tokens: { check(authorization: string | null): TokenCheck }
  arrive(record: CaptureRecord, capture: number | null): void
}

export type Probes = {
  expect(kind: ProbeKind): Probe
  /** @returns the probe that these headers belong to; null for nearly every request */
  take(rawHeaders: readonly string[]): TakenProbe | null
}

const headerName = 'X-Tondesk-Probe'
const lowerName = headerName.toLowerCase()

export function createProbes(): Probes {
  const expected = new Map<string, TakenProbe>()

  function nonceOf(rawHeaders: readonly string[]): string | null {
    for (let index = 0; index < rawHeaders.length; index += 2) {
      if (rawHeaders[index]?.toLowerCase() === lowerName) return rawHeaders[index + 1] ?? null
    }
    return null
  }

  return {
    expect(kind) {
      const nonce = randomBytes(16).toString('hex')
      const token = randomBytes(16).toString('hex')
      const tokens: TokenChecker = createTokenChecker()
      tokens.setTokens([{ id: '', token }])
      const { promise, resolve } = Promise.withResolvers<Arrival>()
      expected.set(nonce, {
        kind,
        tokens,
        arrive: (record, capture) => resolve(arrivalOf(record, capture)),
      })
      return {
        header: [headerName, nonce],
        token,
        arrived: promise,
        end: () => void expected.delete(nonce),
      }
    },
    take(rawHeaders) {
      if (expected.size === 0) return null
      const nonce = nonceOf(rawHeaders)
      const found = nonce === null ? undefined : expected.get(nonce)
      if (nonce !== null) expected.delete(nonce)
      return found ?? null
    },
  }
}

function arrivalOf(record: CaptureRecord, capture: number | null): Arrival {
  const headers: [string, string][] = []
  for (let index = 0; index + 1 < record.rawHeaders.length; index += 2) {
    headers.push([record.rawHeaders[index] ?? '', record.rawHeaders[index + 1] ?? ''])
  }
  return { at: record.receivedAt, headers, body: record.body, token: record.token, capture }
}
