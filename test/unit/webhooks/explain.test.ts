/**
 * Tests the causes of failed deliveries, from the gateway's messages and the receiver's captures,
 * and the next steps.
 */
import { describe, expect, test } from 'vitest'
import type { StoredCapture } from '../../../src-main/captures/store/captures.ts'
import {
  type Facts,
  describeCause,
  readLoggedFailure,
} from '../../../src-main/webhooks/explain/causes.ts'
import { type Evidence, describeSeen } from '../../../src-main/webhooks/explain/explain.ts'
import { deliveredTo, lagInTime, lagOf, undeliveredOf } from '../../../src-main/webhooks/lag/lag.ts'

test.for([
  ['POST http://127.0.0.1:4801/hook/401: 500 Internal Server Error', 500],
  ['unexpected status code: 404', 404],
  ['webhook endpoint responded with HTTP 429 Too Many Requests', 429],
  ['POST https://x.example/301: 308 Permanent Redirect (redirects are not followed)', 308],
  ['status=503', 503],
  ['Post "https://a.example/hook": dial tcp 10.0.0.1:443: connect: connection refused', 'refused'],
  ['dial tcp: lookup x.example on 10.0.0.1:53: no such host', 'no-host'],
  ['POST http://x: timed out after 10 s', 'timed-out'],
  ['context deadline exceeded (Client.Timeout exceeded while awaiting headers)', 'timed-out'],
  ['no answer in 500 ms: timeout', 'timed-out'],
  ['x509: certificate has expired or is not yet valid', 'tls'],
  ['remote error: tls: handshake failure', 'tls'],
  ['read: connection reset by peer', 'broken-off'],
  ['unexpected EOF', 'broken-off'],
  ['connect: network is unreachable', 'unreachable'],
  [
    'https://example.com/hook: example.com is not this computer, and is not among the hosts',
    'not-allowed',
  ],
  ['the moon was full', 'unknown'],
  ['', 'unknown'],
] as const)('the logged failure “%s” is parsed as %s', ([message, expected]) => {
  expect(readLoggedFailure(message)).toBe(expected)
})

const plain: Facts = {
  status: 'online',
  isHere: false,
  isTunnel: false,
  isThisComputer: false,
  isFailing: true,
  hasFailed: true,
  failure: null,
  seen: 'elsewhere',
  isListening: true,
  isWritable: true,
  disabledOpcodes: 0,
  hasTransaction: false,
  hasCapture: false,
}
const here = { isHere: true, isThisComputer: true, seen: 'nothing' } as const

describe('the cause of failed deliveries', () => {
  test.for<[string, Partial<Facts>, cause: RegExp, act: string | null]>([
    ['deliveries never failed', { hasFailed: false, isFailing: false }, /No failed delivery/, null],
    ['deliveries have recovered', { isFailing: false, failure: 500 }, /recovered/, 'check-missed'],
    ['the webhook is suspended', { status: 'suspended', failure: 500 }, /balance/, 'back-online'],
    [
      'the webhook is offline and its log has no entry',
      { status: 'offline' },
      /offline/,
      'back-online',
    ],
    [
      'the disk of the receiver is full',
      { ...here, failure: 503, isWritable: false },
      /cannot write/,
      'receiver-settings',
    ],
    [
      'the receiver responded with 503 in the past',
      { ...here, failure: 503 },
      /could not write/,
      'check-missed',
    ],
    ['another endpoint responds with 503', { failure: 503 }, /responds with 503/, null],
    [
      'the receiver refused the token according to the log',
      { ...here, failure: 401 },
      /token/,
      'rotate-token',
    ],
    [
      'the receiver refused the token of a capture',
      { ...here, seen: 'unauthorized' },
      /token/,
      'rotate-token',
    ],
    ['another endpoint refused the token', { failure: 401 }, /token/, 'rotate-token'],
    [
      'the body is too large for the receiver',
      { ...here, failure: 413 },
      /larger/,
      'receiver-settings',
    ],
    [
      "the receiver's URL was changed",
      { isThisComputer: true, failure: 404 },
      /URL was changed/,
      'move',
    ],
    ['the endpoint has another path', { failure: 404 }, /path/, 'move'],
    ['the endpoint redirects', { failure: 301 }, /redirects \(301\)/, 'move'],
    ['a proxy does not reach its server', { failure: 502 }, /did not reach/, 'move'],
    ['the delivery arrives too slowly', { ...here, seen: 'slow' }, /within the time limit/, null],
    ['the endpoint has an internal error', { failure: 500 }, /responds with 500/, null],
    ['the endpoint responds with 204', { failure: 204 }, /only 200/, null],
    [
      'the receiver is stopped and refuses connections',
      { ...here, failure: 'refused', isListening: false },
      /receiver is not running/,
      'start-receiver',
    ],
    [
      'the tunnel has ended',
      { ...here, isTunnel: true, isThisComputer: false, failure: 'no-host' },
      /tunnel/,
      'move',
    ],
    ['the certificate is invalid', { failure: 'tls' }, /certificate/, null],
    ['the endpoint responds too slowly', { failure: 'timed-out' }, /too slowly/, null],
    [
      'the tunnel does not reach the receiver',
      { ...here, isTunnel: true, failure: 'timed-out' },
      /receiver cannot be reached/,
      'move',
    ],
    ['the receiver responded with 200', { ...here, seen: 'taken' }, /response was 200/, null],
    [
      'the receiver is not listening',
      { ...here, isListening: false },
      /not listening/,
      'start-receiver',
    ],
    [
      'the sandbox may not deliver to the host',
      { failure: 'not-allowed' },
      /allow/,
      'sandbox-settings',
    ],
    ['the log has no entry', {}, /has no entry/, 'move'],
    ['the logged failure is unknown', { failure: 'unknown' }, /does not recognize/, 'move'],
  ])('the cause and the next step are right when %s', ([, change, cause, act]) => {
    const told = describeCause({ ...plain, ...change })
    expect(told.cause).toMatch(cause)
    if (act !== null) expect(told.steps.map((step) => step.act)).toContain(act)
  })

  test('the last step for an offline webhook is to bring the webhook back online', () => {
    const told = describeCause({ ...plain, status: 'offline', failure: 500 })
    expect(told.cause).toMatch(/responds with 500\. The gateway has set the webhook offline/)
    expect(told.steps.at(-1)?.act).toBe('back-online')
  })

  test('the last steps are to open the capture, to open the transaction and to restore disabled opcodes', () => {
    const told = describeCause({
      ...plain,
      failure: 500,
      hasCapture: true,
      hasTransaction: true,
      disabledOpcodes: 2,
    })
    expect(told.steps.slice(-3).map(({ act }) => act)).toEqual([
      'open-capture',
      'open-transaction',
      null,
    ])
    expect(told.steps.at(-1)?.text).toContain('2 opcodes')
  })
})

function capture(id: number, change: Partial<StoredCapture>): StoredCapture {
  return {
    id,
    origin: 'received',
    receivedAt: id,
    durationUs: 1,
    status: 200,
    method: 'POST',
    target: '/hook/x',
    completeness: 'complete',
    token: 'right',
    tokenId: null,
    bodyBytes: 1,
    pinned: false,
    note: '',
    ...change,
  }
}

describe('the captures of a failed delivery', () => {
  const failedAt = 1_800_000_000_000
  const looked: Evidence = {
    isHere: true,
    failedAt,
    ofEvent: [],
    refused: [],
    around: { before: null, after: null },
    receiver: { status: 'listening', writable: true },
    startedAt: failedAt - 1,
    was503: false,
  }

  test.for<[string, Partial<Evidence>, what: string, message: RegExp]>([
    [
      'the delivery went to another endpoint',
      { isHere: false },
      'elsewhere',
      /not to this receiver/,
    ],
    ['the event was accepted', { ofEvent: [capture(1, {})] }, 'taken', /once/],
    [
      'the event was refused and then accepted',
      { ofEvent: [capture(1, { status: 401 }), capture(2, {})] },
      'taken',
      /2 times/,
    ],
    [
      'the event was refused for its token',
      { ofEvent: [capture(1, { status: 401 })] },
      'unauthorized',
      /token/,
    ],
    ['the body was too large', { refused: [capture(1, { status: 413 })] }, 'too-large', /413/],
    [
      'the connection broke off',
      { refused: [capture(1, { status: null, completeness: 'partial' })] },
      'slow',
      /broke off/,
    ],
    [
      'the receiver responded with 503 and stored no capture',
      { was503: true },
      'nothing',
      /there is no capture/,
    ],
    [
      'other deliveries arrived before and after',
      { around: { before: (failedAt - 1000) * 1000, after: (failedAt + 1000) * 1000 } },
      'nothing',
      /lost on the way/,
    ],
    ['the app was not running', { startedAt: failedAt + 1 }, 'nothing', /not running/],
    [
      'the receiver was stopped',
      { receiver: { status: 'stopped', writable: true } },
      'nothing',
      /receiver is stopped/,
    ],
  ])('the description of the captures is right when %s', ([, change, what, message]) => {
    const seen = describeSeen({ ...looked, ...change })
    expect(seen.what).toBe(what)
    expect(seen.message).toMatch(message)
  })
})

describe('the lag of an account', () => {
  const failing = {
    account: '0:00',
    lastDeliveredLt: 100n,
    failedAt: 0,
    failedLt: 110n,
    failedAttempts: 1,
    isFailing: true,
    isWatched: false,
    lag: null,
  }

  test('the lag counts undelivered transactions up to the time of the subscription, and no later ones', () => {
    const page = [
      { lt: 110n, at: 1_000 },
      { lt: 120n, at: 60_000 },
      { lt: 130n, at: 70_000 },
    ]
    const undelivered = undeliveredOf(page, { account: failing, readAt: 60_000, isFull: false })
    expect(lagOf(undelivered, 90_000)).toEqual({
      transactions: 2,
      more: false,
      milliseconds: 89_000,
      readAt: 90_000,
    })
  })

  test('the lag on a chain with a fast clock counts all transactions and is never negative', () => {
    const day = 86_400_000
    const page = [
      { lt: 110n, at: day },
      { lt: 120n, at: day + 5000 },
    ]
    const undelivered = undeliveredOf(page, { account: failing, readAt: 0, isFull: true })
    expect(lagOf(undelivered, 0)).toMatchObject({ transactions: 2, more: true, milliseconds: 5000 })
  })

  test('the lag starts at the first failure if nothing was delivered, and is unknown without both', () => {
    expect(deliveredTo({ ...failing, lastDeliveredLt: 0n })).toBe(109n)
    expect(deliveredTo({ ...failing, lastDeliveredLt: 0n, isFailing: false })).toBeNull()
    const far = 2n ** 64n - 1n
    expect(deliveredTo({ ...failing, lastDeliveredLt: far })).toBe(far)
  })

  test('the lag in time exists only for a failing account', () => {
    expect(lagInTime(failing, 1000, 5000)).toMatchObject({ transactions: null, milliseconds: 4000 })
    expect(lagInTime({ ...failing, isFailing: false }, 1000, 5000).milliseconds).toBeNull()
  })
})
