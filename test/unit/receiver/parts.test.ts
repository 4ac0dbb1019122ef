import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { OnWritten } from '../../../src-main/captures/store/capture-appender.ts'
import { createCommitQueue } from '../../../src-main/receiver/commit-queue.ts'
import {
  hookPath,
  isHookTarget,
  newReceiverToken,
  subpathOf,
} from '../../../src-main/captures/hook-path.ts'
import { createTokenChecker } from '../../../src-main/receiver/token-check.ts'
import { deliveryOf } from '../../../src-main/delivery/response-rules/arrived.ts'
import { readVia } from '../../../src-main/captures/via.ts'
import type {
  CaptureRecord,
  UnwrittenRecord,
} from '../../../src-main/captures/store/capture-record.ts'

test('a receiver token has 128 bits, is unique, and forms a path of its own', () => {
  const tokens = new Set(Array.from({ length: 100 }, newReceiverToken))
  expect(tokens.size).toBe(100)
  for (const token of tokens) {
    expect(token).toMatch(/^[0-9a-f]{32}$/)
    const expected = Buffer.from(token)
    expect(isHookTarget(hookPath(token), expected)).toBe(true)
    expect(isHookTarget(`${hookPath(token)}/a?b`, expected)).toBe(true)
    expect(subpathOf(`${hookPath(token)}/a?b`)).toBe('/a?b')
    expect(isHookTarget(hookPath(newReceiverToken()), expected)).toBe(false)
  }
})

describe('bearer tokens', () => {
  const tokens = [
    { id: 'a', token: 'first-token-1' },
    { id: 'b', token: 'second-token-2' },
  ]

  test('each bearer token is recognized by its id, and tokens are unchecked while none is configured', () => {
    const checker = createTokenChecker()
    expect(checker.check('Bearer first-token-1')).toEqual({ verdict: 'unchecked', tokenId: null })
    checker.setTokens(tokens)
    expect(checker.check('Bearer first-token-1')).toEqual({ verdict: 'right', tokenId: 'a' })
    expect(checker.check('bearer  second-token-2 ')).toEqual({ verdict: 'right', tokenId: 'b' })
    expect(checker.check(null)).toEqual({ verdict: 'missing', tokenId: null })
    checker.setTokens([])
    expect(checker.check(null).verdict).toBe('unchecked')
  })

  test('an empty configured token does not accept an empty bearer token', () => {
    const checker = createTokenChecker()
    checker.setTokens([{ id: 'empty', token: '' }])
    for (const header of ['Bearer ', 'Bearer', '', 'Basic x']) {
      expect(checker.check(header).verdict).toBe('wrong')
    }
  })

  test('a header made to be slow to match is checked at once', () => {
    const checker = createTokenChecker()
    checker.setTokens(tokens)
    // A pattern with backtracking would take minutes.
    for (const header of [`Bearer ${' '.repeat(60_000)}x y`, `Bearer x${' '.repeat(60_000)}y`]) {
      expect(checker.check(header).verdict).toBe('wrong')
    }
  })
})

describe('the proxies of a delivery', () => {
  test('the proxies of a delivery are listed from its headers in a fixed order, whatever their case', () => {
    expect(
      readVia([
        ['CF-Ray', '8f-AMS'],
        ['x-forwarded-for', '203.0.113.7, 10.0.0.1'],
        ['X-FORWARDED-FOR', '10.0.0.2'],
        ['Forwarded', 'for="[2001:db8::1]";proto=https;by=_x'],
        ['X-Forwarded-Host', 'a.example'],
        ['X-Forwarded-Proto', 'https'],
        ['Cf-Connecting-Ip', '203.0.113.7'],
        ['CF-IPCountry', 'NL'],
        ['Cdn-Loop', 'cloudflare; loops=1'],
        ['Ngrok-Trace-Id', 'abc'],
        ['Via', '1.1 proxy'],
      ]).map(({ source, value }) => `${source}=${value}`),
    ).toEqual([
      'Forwarded=for="[2001:db8::1]";proto=https;by=_x',
      'X-Forwarded-For=203.0.113.7, 10.0.0.1',
      'X-Forwarded-For=10.0.0.2',
      'X-Forwarded-Host=a.example',
      'X-Forwarded-Proto=https',
      'Cloudflare, for=203.0.113.7',
      'Cloudflare ray=8f-AMS',
      'Cloudflare, country=NL',
      'Through=cloudflare; loops=1',
      'ngrok trace=abc',
      'Via=1.1 proxy',
    ])
  })

  test('a delivery without proxy headers, or with similar names only, lists no proxy', () => {
    expect(readVia([])).toEqual([])
    expect(
      readVia([
        ['__proto__', 'x'],
        ['X-Forwarded', 'y'],
        ['Forwarded-For', 'z'],
      ]),
    ).toEqual([])
  })
})

describe('the commit queue', () => {
  const record = (body = new Uint8Array(0)): CaptureRecord => ({
    receivedAt: 0,
    method: 'POST',
    target: '/',
    httpVersion: '1.1',
    remoteAddress: '',
    rawHeaders: [],
    completeness: 'complete',
    incident: null,
    token: 'unchecked',
    tokenId: null,
    status: 200,
    bodyBytes: body.byteLength,
    body,
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test('records that arrive within one turn are written together, in order', async () => {
    const batches: (readonly UnwrittenRecord[])[] = []
    const queue = createCommitQueue((records) => batches.push(records))
    const records = [record(), record(), record()]
    for (const each of records) queue.add(each, () => undefined)
    expect(batches).toEqual([])
    await turn()
    queue.add(record(), () => undefined)
    await turn()
    expect(batches.map((batch) => batch.length)).toEqual([3, 1])
    expect(batches[0]?.every((each, index) => each === records[index])).toBe(true)
  })

  test('a full queue has room again once a waiting record is reported as written or failed', async () => {
    const waiting: OnWritten[] = []
    const queue = createCommitQueue((_records, onWritten) => waiting.push(...onWritten))
    const large = new Uint8Array(64 * 1024 * 1024)
    for (let index = 0; index < 4; index += 1) queue.add(record(large), () => undefined)
    expect(queue.hasRoom()).toBe(false)
    await turn()
    waiting.shift()?.('the disk is full', null)
    expect(queue.hasRoom()).toBe(true)
  })

  test('settled waits for the records added before it, and for no others', async () => {
    const waiting: OnWritten[] = []
    const queue = createCommitQueue((_records, onWritten) => waiting.push(...onWritten))
    const said: string[] = []
    queue.settled(() => said.push('empty'))
    expect(said).toEqual(['empty'])
    queue.add(record(), () => said.push('1'))
    queue.add(record(), () => said.push('2'))
    queue.settled(() => said.push('settled'))
    queue.add(record(), () => said.push('3'))
    await turn()
    for (const onWritten of waiting) onWritten(null, 1)
    expect(said).toEqual(['empty', '1', '2', 'settled', '3'])
  })
})

test('a rule that decides the response reads the first 64 KiB of a body, compressed or not', () => {
  const text = Buffer.from(`${'x'.repeat(64 * 1024 - 3)}enduring`)
  const record = (body: Uint8Array, encoding: string): CaptureRecord => ({
    receivedAt: 1,
    method: 'POST',
    target: `/hook/${'0'.repeat(32)}`,
    httpVersion: '1.1',
    remoteAddress: '',
    rawHeaders: ['Content-Encoding', encoding],
    completeness: 'complete',
    incident: null,
    token: 'unchecked',
    tokenId: null,
    status: 200,
    bodyBytes: body.byteLength,
    body,
  })
  for (const [body, encoding] of [
    [text, 'identity'],
    [gzipSync(text), 'gzip'],
  ] as const) {
    const read = Buffer.from(deliveryOf(record(body, encoding), () => null).body).toString()
    expect([read.length, read.slice(-4)]).toEqual([64 * 1024, 'xend'])
  }
})
