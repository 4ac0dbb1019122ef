/** Why deliveries fail: from the gateway's words and what was seen here to a cause and what to do. */
import { describe, expect, test } from 'vitest'
import type { StoredCapture } from '../../src-main/captures/store/captures.ts'
import {
  type Facts,
  describeCause,
  readLoggedFailure,
} from '../../src-main/webhooks/explain/causes.ts'
import { type Looked, notifySeen } from '../../src-main/webhooks/explain/explain.ts'
import { deliveredTo, lagInTime, lagOf, undeliveredOf } from '../../src-main/webhooks/lag/lag.ts'

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
] as const)('“%s” is read as %s', ([message, expected]) => {
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

describe('the cause', () => {
  test.for<[string, Partial<Facts>, cause: RegExp, act: string | null]>([
    ['never failed', { hasFailed: false, isFailing: false }, /No failed delivery/, null],
    ['recovered', { isFailing: false, failure: 500 }, /recovered/, 'check-missed'],
    ['suspended', { status: 'suspended', failure: 500 }, /balance/, 'back-online'],
    ['offline without a word', { status: 'offline' }, /offline/, 'back-online'],
    [
      'no room to write',
      { ...here, failure: 503, isWritable: false },
      /cannot write/,
      'receiver-settings',
    ],
    ['503 that has passed', { ...here, failure: 503 }, /could not write/, 'check-missed'],
    ['503 elsewhere', { failure: 503 }, /responds with 503/, null],
    ['a token refused here', { ...here, failure: 401 }, /token/, 'rotate-token'],
    ['a token seen refused', { ...here, seen: 'unauthorized' }, /token/, 'rotate-token'],
    ['a token refused elsewhere', { failure: 401 }, /token/, 'rotate-token'],
    ['too long here', { ...here, failure: 413 }, /larger/, 'receiver-settings'],
    [
      'the receiver’s URL was rotated',
      { isThisComputer: true, failure: 404 },
      /URL was changed/,
      'move',
    ],
    ['a wrong path', { failure: 404 }, /path/, 'move'],
    ['a redirect', { failure: 301 }, /redirects \(301\)/, 'move'],
    ['a proxy with nobody behind', { failure: 502 }, /did not reach/, 'move'],
    ['slow to arrive', { ...here, seen: 'slow' }, /within the time limit/, null],
    ['a crash', { failure: 500 }, /responds with 500/, null],
    ['204 is not 200', { failure: 204 }, /only 200/, null],
    [
      'the receiver is off',
      { ...here, failure: 'refused', isListening: false },
      /receiver is not running/,
      'start-receiver',
    ],
    [
      'a tunnel has ended',
      { ...here, isTunnel: true, isThisComputer: false, failure: 'no-host' },
      /tunnel/,
      'move',
    ],
    ['a certificate', { failure: 'tls' }, /certificate/, null],
    ['slow to answer', { failure: 'timed-out' }, /too slowly/, null],
    [
      'the way is closed',
      { ...here, isTunnel: true, failure: 'timed-out' },
      /receiver cannot be reached/,
      'move',
    ],
    ['answered 200 all the same', { ...here, seen: 'taken' }, /response was 200/, null],
    ['not listening', { ...here, isListening: false }, /not listening/, 'start-receiver'],
    [
      'a host the sandbox may not deliver to',
      { failure: 'not-allowed' },
      /allow/,
      'sandbox-settings',
    ],
    ['no log', {}, /has no entry/, 'move'],
    ['unknown words', { failure: 'unknown' }, /does not recognize/, 'move'],
  ])('%s', ([, change, cause, act]) => {
    const told = describeCause({ ...plain, ...change })
    expect(told.cause).toMatch(cause)
    if (act !== null) expect(told.steps.map((step) => step.act)).toContain(act)
  })

  test('an offline webhook is brought back after its cause is mended, whichever it is', () => {
    const told = describeCause({ ...plain, status: 'offline', failure: 500 })
    expect(told.cause).toMatch(/responds with 500\. The gateway has set the webhook offline/)
    expect(told.steps.at(-1)?.act).toBe('back-online')
  })

  test('what there is to look at, and opcodes that were disabled, come last', () => {
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

describe('what was seen here', () => {
  const failedAt = 1_800_000_000_000
  const looked: Looked = {
    isHere: true,
    failedAt,
    ofEvent: [],
    refused: [],
    around: { before: null, after: null },
    receiver: { status: 'listening', writable: true },
    startedAt: failedAt - 1,
    was503: false,
  }

  test.for<[string, Partial<Looked>, what: string, message: RegExp]>([
    ['another endpoint', { isHere: false }, 'elsewhere', /not to this receiver/],
    ['the event, taken', { ofEvent: [capture(1, {})] }, 'taken', /once/],
    [
      'the event, refused and then taken',
      { ofEvent: [capture(1, { status: 401 }), capture(2, {})] },
      'taken',
      /2 times/,
    ],
    ['the event, refused', { ofEvent: [capture(1, { status: 401 })] }, 'unauthorized', /token/],
    ['too long to be read', { refused: [capture(1, { status: 413 })] }, 'too-large', /413/],
    [
      'broken off',
      { refused: [capture(1, { status: null, completeness: 'partial' })] },
      'slow',
      /broke off/,
    ],
    ['503 leaves no capture', { was503: true }, 'nothing', /there is no capture/],
    [
      'others came before and after',
      { around: { before: (failedAt - 1000) * 1000, after: (failedAt + 1000) * 1000 } },
      'nothing',
      /lost on the way/,
    ],
    ['before the app was started', { startedAt: failedAt + 1 }, 'nothing', /not running/],
    [
      'not listening',
      { receiver: { status: 'stopped', writable: true } },
      'nothing',
      /receiver is stopped/,
    ],
  ])('%s', ([, change, what, message]) => {
    const seen = notifySeen({ ...looked, ...change })
    expect(seen.what).toBe(what)
    expect(seen.message).toMatch(message)
  })
})

describe('lag', () => {
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

  test('counts what had not been delivered when the subscription was read, no later ones', () => {
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

  test('of a chain whose clock is ahead counts all, and is never negative', () => {
    const day = 86_400_000
    const page = [
      { lt: 110n, at: day },
      { lt: 120n, at: day + 5000 },
    ]
    const undelivered = undeliveredOf(page, { account: failing, readAt: 0, isFull: true })
    expect(lagOf(undelivered, 0)).toMatchObject({ transactions: 2, more: true, milliseconds: 5000 })
  })

  test('begins at the failure where nothing was delivered yet, and is unknown without either', () => {
    expect(deliveredTo({ ...failing, lastDeliveredLt: 0n })).toBe(109n)
    expect(deliveredTo({ ...failing, lastDeliveredLt: 0n, isFailing: false })).toBeNull()
    const far = 2n ** 64n - 1n
    expect(deliveredTo({ ...failing, lastDeliveredLt: far })).toBe(far)
  })

  test('in time only is told of what is known to be behind', () => {
    expect(lagInTime(failing, 1000, 5000)).toMatchObject({ transactions: null, milliseconds: 4000 })
    expect(lagInTime({ ...failing, isFailing: false }, 1000, 5000).milliseconds).toBeNull()
  })
})
