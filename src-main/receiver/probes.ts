/**
 * Probes are requests that the app sends to itself through a tunnel to test the tunnel. Each
 * contains a nonce of 128 bits that is valid once, so that no other request passes as a probe.
 */
import { randomBytes } from 'node:crypto'
import { type CaptureRecord, headerPairs } from '../captures/store/capture-record.ts'
import { type TokenChecker, createTokenChecker } from './token-check.ts'

export type Arrival = Pick<CaptureRecord, 'body' | 'token'> & {
  /** The time in microseconds since the epoch. */
  readonly at: number
  readonly headers: [string, string][]
  /** The id of the probe's capture; null for a `check`, which is not stored. */
  readonly capture: number | null
}

export type ProbeKind =
  /** The probe gets 200 and is not stored. */
  | 'check'
  /** The probe is handled as a delivery and stored with the origin "test". */
  | 'test'

export type ExpectedProbe = {
  readonly header: readonly [name: string, nonce: string]
  /** A webhook token that is valid for this request only, because a real token may go only to the gateway. */
  readonly token: string
}

export type TakenProbe = {
  readonly kind: ProbeKind
  /** Checks the probe's token; null to use the tokens of the webhooks, as for any delivery. */
  readonly tokens: Pick<TokenChecker, 'check'> | null
  arrive(record: CaptureRecord, capture: number | null): void
}

export type Probes = ReturnType<typeof createProbes>

const headerName = 'X-Tondesk-Probe'
const lowerName = headerName.toLowerCase()

export function createProbes() {
  const expected = new Map<string, TakenProbe>()
  const arrived = new Map<string, Arrival>()

  return {
    /**
     * @param ofWebhook true if the probe carries the token of a webhook instead of a token that is
     * valid only once
     */
    expect(kind: ProbeKind, ofWebhook: boolean): ExpectedProbe {
      const nonce = randomBytes(16).toString('hex')
      const token = randomBytes(16).toString('hex')
      const tokens = createTokenChecker()
      tokens.setTokens([{ id: '', token }])
      expected.set(nonce, {
        kind,
        tokens: ofWebhook ? null : tokens,
        arrive: (record, capture) => void arrived.set(nonce, arrivalOf(record, capture)),
      })
      return { header: [headerName, nonce], token }
    },
    /**
     * Ends a probe: if it arrives later, it is captured like any delivery.
     * @returns null if the probe has not arrived; it arrives before its response is sent
     */
    end({ header: [, nonce] }: ExpectedProbe): Arrival | null {
      const arrival = arrived.get(nonce) ?? null
      expected.delete(nonce)
      arrived.delete(nonce)
      return arrival
    },
    /** @returns the probe that these headers belong to; null for nearly every request */
    take(rawHeaders: readonly string[]): TakenProbe | null {
      if (expected.size === 0) return null
      const nonce = rawHeader(rawHeaders, lowerName)
      const found = nonce === null ? undefined : expected.get(nonce)
      if (nonce !== null) expected.delete(nonce)
      return found ?? null
    },
  }
}

/** Reads one header; `request.headers` would parse all headers. */
export function rawHeader(rawHeaders: readonly string[], lowerName: string): string | null {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === lowerName.length && name.toLowerCase() === lowerName) {
      return rawHeaders[index + 1] ?? null
    }
  }
  return null
}

function arrivalOf(record: CaptureRecord, capture: number | null): Arrival {
  const headers = headerPairs(record.rawHeaders)
  return { at: record.receivedAt, headers, body: record.body, token: record.token, capture }
}
