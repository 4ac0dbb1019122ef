import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  compareExactly,
  compareTexts,
  diffLines,
} from '../../../src-main/delivery/replay/compare.ts'
import { diffEdit, draftOf, readEdit } from '../../../src-main/delivery/replay/edit.ts'

import { type Ordered, orderByLt } from '../../../src-main/delivery/replay/plan.ts'
import { toSendable } from '../../../src-main/delivery/replay/request.ts'
import { createSequence } from '../../../src-main/delivery/replay/sequence.ts'
import { createSendTimes } from '../../../src-main/delivery/replay/run.ts'
import type { ReplayEdit, ReplayPace } from '../../../src-preload/contract/replay.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')

async function captured(headers: [string, string][], body: string | Uint8Array, subpath = '') {
  const capture = {
    method: 'POST',
    target: `/hook/${'0'.repeat(32)}${subpath}`,
    headers,
    body: Buffer.from(body),
    change: null,
    missing: null,
  }
  return toSendable(capture)
}

function refused(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError && error.code === 'REPLAY_BAD_EDIT') return error.message
    throw error
  }
  throw new Error('It was not refused.')
}

describe('the edits of a replay', () => {
  const secret = 'Bearer 0123456789abcdef'
  const headers: [string, string][] = [
    ['Host', 'example.org'],
    ['Authorization', secret],
    ['Connection', 'keep-alive, X-Hop'],
    ['X-Hop', '1'],
    ['X-Tondesk-Replay', '1-0'],
    ['Content-Length', '2'],
    ['Content-Type', 'application/json'],
  ]

  test('an unchanged mask is sent as the original secret, which neither the draft nor the comparison contains', async () => {
    const capture = await captured(headers, '{}', '/a?token=abcdefghijklmnop&x=1')
    const draft = draftOf(capture, false)
    expect(draft.masked).toBe(true)
    expect(JSON.stringify(draft)).not.toMatch(/0123456789|abcdefghijkl/)
    expect(draft.headers.map(([name]) => name)).toEqual(['Host', 'Authorization', 'Content-Type'])
    const edit = { ...draft, subpath: draft.subpath.replace('x=1', 'x=2').replace('/a', '/b') }
    const { request } = readEdit({ ...edit, body: base64('{"a":1}') }, capture)
    expect(request.subpath).toBe('/b?token=abcdefghijklmnop&x=2')
    expect(request.headers).toContainEqual(['Authorization', secret])
    const diff = diffEdit(edit, capture)
    expect(diff.isSame).toBe(false)
    expect(JSON.stringify(diff)).not.toMatch(/0123456789|abcdefghijkl/)
    // If secrets are revealed, the comparison reports the same request and still hides the secrets.
    const revealed = diffEdit(draftOf(capture, true), capture)
    expect(revealed.isSame).toBe(true)
    expect(JSON.stringify(revealed)).not.toMatch(/0123456789|abcdefghijkl/)
  })

  test('a replay edit that cannot be sent is refused with the reason', async () => {
    const capture = await captured(headers, '{}', '/a?token=abcdefghijklmnop')
    const draft = draftOf(capture, false)
    const cases: [Partial<ReplayEdit>, RegExp][] = [
      [{ headers: [['X-Key', 'Bearer ****cdef']] }, /mask.*X-Key/],
      [{ headers: [['Authorization', 'Bearer ****cdefg']] }, /mask.*Authorization/],
      [{ subpath: '/?tokens=****mnop' }, /mask.*path/],
      [{ headers: [['X-A', 'b\r\nX-C: d']] }, /line break/],
      [{ headers: [['X-A', 'ключ']] }, /beyond Latin-1/],
      [{ headers: [['X A', 'b']] }, /not a valid header name/],
      [{ subpath: 'a' }, /must begin with/],
      [{ subpath: '/a b' }, /%20/],
      [{ method: 'CONNECT' }, /tunnel/],
      [{ body: '{}' }, /not base64/],
      [{ body: base64(Buffer.from([0xff, 0x41])), bodyAs: 'text' }, /UTF-8.*bytes/],
    ]
    for (const [edit, message] of cases) {
      expect(refused(() => readEdit({ ...draft, ...edit }, capture))).toMatch(message)
    }
    // Bytes are accepted unchanged.
    const bytes = { ...draft, body: base64(Buffer.from([0xff])), bodyAs: 'bytes' as const }
    expect([...readEdit(bytes, capture).request.body]).toEqual([0xff])
  })

  test.each([
    [
      'a charset that is not UTF-8',
      'text/plain; charset="windows-1251"',
      Buffer.from([0xe0, 0x20]),
      /windows-1251/,
    ],
    ['bytes that are not UTF-8', 'text/plain', Buffer.from([0xc3, 0x28]), /not valid UTF-8/],
  ])('a body with %s can be edited as bytes only', async (_what, type, body, why) => {
    const capture = await captured([['Content-Type', type]], body)
    const draft = draftOf(capture, false)
    expect(draft).toMatchObject({ isText: false, bodyAs: 'bytes' })
    expect(draft.textProblem).toMatch(why)
    const asText = { ...draft, bodyAs: 'text' as const }
    expect(refused(() => readEdit({ ...asText, body: base64('new') }, capture))).toMatch(why)
    expect([...readEdit(asText, capture).request.body]).toEqual([...body])
  })

  test('a compressed body is sent as received if unchanged, and sent uncompressed with a warning if edited', async () => {
    const raw = gzipSync('{"a":9007199254740993}')
    const capture = await captured(
      [
        ['Content-Encoding', 'gzip'],
        ['Content-Type', 'application/json'],
      ],
      raw,
    )
    const draft = draftOf(capture, false)
    expect(Buffer.from(draft.body, 'base64').toString()).toBe('{"a":9007199254740993}')
    const untouched = readEdit({ ...draft, method: 'PUT' }, capture)
    expect(untouched.warnings).toEqual([])
    expect(Buffer.compare(untouched.request.body, raw)).toBe(0)
    const edited = readEdit({ ...draft, body: base64('{"a":1}') }, capture)
    expect(edited.warnings).toEqual([expect.stringContaining('gzip')])
    expect(edited.request.headers).toEqual([['Content-Type', 'application/json']])
    expect(Buffer.from(edited.request.body).toString()).toBe('{"a":1}')
  })
})

describe('the comparison of captures', () => {
  test('JSON is compared with one member per line, and deeply nested JSON is compared unformatted', () => {
    const lines = (text: string) => {
      const { body } = compareTexts(side(text), side(text))
      return body.map(({ left }) => left)
    }
    const side = (text: string) => ({ head: [], bytes: Buffer.from(text), cut: null })
    expect(lines('\ufeff{"a":1.50,"a":[ ]}')).toEqual(['{', '  "a": 1.50,', '  "a": []', '}'])
    for (const plain of ['{', '{"a":01}', `${'['.repeat(9000)}1${']'.repeat(9000)}`]) {
      expect(lines(plain)).toHaveLength(1)
    }
  })

  test('the shortest difference of two texts is found, with changed lines side by side', () => {
    const kinds = (left: string, right: string) =>
      diffLines(left.split(''), right.split(''))
        .map(({ kind }) => kind[0])
        .join('')
    expect(kinds('abcabba', 'cbabac')).toHaveLength(9)
    expect(kinds('abc', 'abc')).toBe('sss')
    expect(kinds('abc', 'axc')).toBe('scs')
    expect(diffLines(['x: 1', 'b: 1'], ['a: 0', 'x: 2', 'b: 1'])).toEqual([
      { kind: 'right', left: null, right: 'a: 0' },
      { kind: 'changed', left: 'x: 1', right: 'x: 2' },
      { kind: 'same', left: 'b: 1', right: 'b: 1' },
    ])
    // Long texts with many changes are aligned by lines that occur once in each text.
    const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}`)
    const other = long.map((line, index) => (index % 4 === 0 ? `${line}!` : line))
    expect(diffLines(long, other).filter(({ kind }) => kind === 'changed')).toHaveLength(5000)
  })

  test('texts that differ only in whitespace are equal in a comparison and different in an edit', () => {
    const side = (text: string) => ({ head: [], bytes: Buffer.from(text), cut: null })
    const [one, other] = [side('{"a":1}'), side('{ "a": 1 }')]
    expect(compareTexts(one, other).isSame).toBe(true)
    expect(compareExactly(one, other)).toMatchObject({
      isSame: false,
      body: [{ kind: 'changed', left: '{"a":1}', right: '{ "a": 1 }' }],
    })
    const bytes = { head: [], bytes: Buffer.from([0xff, 0x41]), cut: null }
    expect(compareTexts(one, bytes).body[0]?.right).toMatch(/^ff 41 .*\.A$/)
  })
})

describe('the order of a replay', () => {
  const event = (id: number, lt: number | null): Ordered => ({
    id,
    lt: lt === null ? null : BigInt(lt) + 2n ** 60n,
  })

  test('a replay in order of logical time sorts across accounts, and captures without a logical time stay in place', () => {
    const captures = [event(1, 30), event(2, null), event(3, 10), event(4, 20)]
    expect(orderByLt(captures)).toEqual([3, 2, 4, 1])
  })
})

test.each<[string, ReplayPace, (number | null)[], number[]]>([
  [
    'a replay at a fixed rate sends at regular intervals',
    { kind: 'rate', perSecond: 4 },
    [0, 0, 0, 0],
    [0, 250, 500, 750],
  ],
  // A clock that was set back and a deleted capture cause no gap; times are in microseconds.
  [
    'a replay at double speed halves the gaps between the arrivals',
    { kind: 'original', factor: 2 },
    [1e6, 2e6, 5e5, null, 7e5],
    [0, 500, 500, 500, 600],
  ],
])('%s', (_what, pace, arrivals, expected) => {
  let now = 0
  const turns = createSendTimes(pace, () => now)
  const sent = arrivals.map((at) => (now += turns(at)))
  expect(sent).toEqual(expected)
  // After a slow target the schedule must not catch up in a burst.
  now += 60_000
  const next = [turns(7e5), turns(7e5 + 4e6), turns(7e5 + 8e6)]
  expect(next.filter((ms) => ms === 0).length).toBeLessThanOrEqual(2)
})

test('an interrupted replay continues exactly where it stopped, across rounds and deleted captures', async () => {
  const sourceOf = (ids: readonly number[]) => (after: number) => {
    const left = ids.filter((id) => id > after)
    const captures = left.slice(0, 2).map((id) => ({ id, key: id, at: null }))
    const next = left.length > 2 ? (captures.at(-1)?.key ?? null) : null
    return Promise.resolve({ captures, next })
  }
  const all = async (ids: readonly number[], from = { index: 0, round: 0, key: 0 }) => {
    const { signal } = new AbortController()
    const sequence = createSequence(sourceOf(ids), 2, from, signal)
    const items = []
    for (;;) {
      const item = sequence.take()
      if (item !== null) items.push(item)
      else if (!(await sequence.fill())) return { items, total: sequence.total() }
    }
  }
  const whole = await all([3, 5, 9])
  expect(whole.items.map(({ capture }) => capture)).toEqual([3, 5, 9, 3, 5, 9])
  expect(whole.total).toBe(6)
  for (const { cursor } of whole.items) {
    const rest = await all([3, 5, 9], cursor)
    expect(rest.items).toEqual(whole.items.slice(cursor.index))
  }
  // The capture at the cursor was deleted meanwhile.
  const cursor = whole.items[1]?.cursor
  const rest = await all([3, 9], cursor)
  expect(rest.items.map(({ capture }) => capture)).toEqual([9, 3, 9])
  expect((await all([])).items).toEqual([])
})
