import { describe, expect, it } from 'vitest'
import type { QueryPart } from '../../../../src-preload/contract/capture-query.ts'
import {
  formatReceivedSpan,
  readSpan,
  spanBetween,
  spanOf,
  widenSpan,
} from '../../../../src-renderer/components/query/received-span.ts'
import { piecesOf } from '../../../../src-renderer/components/query/query-parts.tsx'
import {
  applySuggestion,
  positionNow,
  negate,
  withoutPart,
  withTerm,
} from '../../../../src-renderer/components/query/query-text.ts'
import { hashesTerm, quoteValue } from '../../../../src-renderer/components/query-term.ts'
import { captureQuery } from '../../../../src-preload/contract/capture.ts'
import { parseRoute } from '../../../../src-renderer/app/route.ts'

const part = (text: string, written: string, field: string | null = null): QueryPart => {
  const from = text.indexOf(written)
  const negated = written.startsWith('-')
  return { from, to: from + written.length, kind: 'term', field, value: '', negated, slow: false }
}

describe('the text of a query', () => {
  it('a change of a term leaves the rest of the query as it was written', () => {
    const text = 'a  event:x "b c"'
    expect(withoutPart(text, part(text, 'event:x'))).toBe('a "b c"')
    expect(negate(text, part(text, '"b c"'))).toBe('a  event:x -"b c"')
    expect(negate('-a b', part('-a b', '-a'))).toBe('a b')
  })

  it('a click on a term finds the term in a text that has changed meanwhile', () => {
    const before = 'a b a "c d"'
    expect(positionNow(part(before, '"c d"'), before, 'x b "c d" -y')).toEqual({ from: 4, to: 9 })
    const second = { ...part(before, 'a'), from: 4, to: 5 }
    expect(positionNow(second, before, 'a a')).toEqual({ from: 2, to: 3 })
    expect(positionNow(second, before, 'a b')).toEqual({ from: 0, to: 1 })
    expect(positionNow(part(before, 'b'), before, 'ab bc -b')).toBeNull()
  })

  it('a new term replaces all terms of its field', () => {
    const text = 'received:today x Received:>1'
    const parts = [part(text, 'received:today', 'received'), part(text, 'Received:>1', 'Received')]
    expect(withTerm(text, parts, 'received', '1..2')).toBe('x received:1..2')
    expect(withTerm(text, parts, 'received', null)).toBe('x')
    expect(withTerm('', [], 'network', 'sandbox,unknown')).toBe('network:sandbox,unknown')
  })

  it('the caret is behind a completed term', () => {
    expect(applySuggestion('ev', { from: 0, to: 2 }, 'event:')).toEqual({
      text: 'event:',
      caret: 6,
    })
    expect(applySuggestion('event:a b', { from: 0, to: 7 }, 'event:account_tx')).toEqual({
      text: 'event:account_tx b',
      caret: 16,
    })
    expect(applySuggestion('pin', { from: 0, to: 3 }, 'pinned:yes').text).toBe('pinned:yes ')
  })

  it('a value with special characters is quoted', () => {
    expect(['order-42', 'a b', 'a,b', '1..2', '>5', '-x', 'say "hi"'].map(quoteValue)).toEqual([
      'order-42',
      '"a b"',
      '"a,b"',
      '"1..2"',
      '">5"',
      '"-x"',
      '"say \\"hi\\""',
    ])
  })

  // The link to the captures of a long trace must not exceed the limits of the query language.
  it('the term for any number of transactions is within the limits of a query', () => {
    const hashes = Array.from({ length: 300 }, (_, index) => String(index).padStart(64, '0'))
    expect(hashesTerm(hashes.slice(0, 2))).toBe(`hash:${hashes[0]},${hashes[1]}`)
    for (const count of [28, 29, 300]) {
      const text = hashesTerm(hashes.slice(0, count).map((hash) => hash.slice(48) + hash.slice(16)))
      expect(captureQuery.safeParse({ text }).success).toBe(true)
    }
    expect(hashesTerm([hashes[7] ?? '', hashes[7] ?? ''])).toBe(`hash:${hashes[7]}`)
  })

  it('the parameters of older links become terms of the query', () => {
    const queryOf = (hash: string) => {
      const route = parseRoute(hash)
      return route.page === 'captures' ? route.query.text : null
    }
    expect(queryOf('#/inspector?q=two+words&mode=inside&pinned=1')).toBe(
      'contains:"two words" pinned:yes',
    )
    expect(queryOf('#/inspector?mode=inside')).toBe('')
  })

  it('a wrong part of a query is underlined, even at its end', () => {
    const problem = (from: number, to: number) => ({ from, to, message: '' })
    const wrong = (text: string, from: number, to: number) =>
      piecesOf(text, [problem(from, to)]).map(({ piece, isWrong }) => (isWrong ? [piece] : piece))
    expect(wrong('a bad c', 2, 5)).toEqual(['a ', ['bad'], ' c'])
    expect(wrong('lt:', 3, 3)).toEqual(['lt:', ['\u00a0']])
    // The text has become shorter since it was parsed.
    expect(wrong('ab', 1, 9)).toEqual(['a', ['b']])
  })
})

describe('the time range of a query', () => {
  const now = Date.UTC(2026, 10, 21, 22, 38, 7) * 1000

  it('a time range is parsed from its own term, and not from other terms', () => {
    const spans = [
      [now, now + 900e6, '2026-11-21T22:38:07Z..2026-11-21T22:53:06Z'],
      [now - 7e6, now + 53e6, '2026-11-21T22:38Z..2026-11-21T22:38Z'],
      [now, now + 5000, '2026-11-21T22:38:07.000Z..2026-11-21T22:38:07.004Z'],
    ] as const
    for (const [from, to, text] of spans) {
      expect(formatReceivedSpan({ from, to })).toBe(text)
      expect(readSpan(text)).toEqual({ from, to })
    }
    expect([readSpan('today'), readSpan('2026-11-21..2026-11-22')]).toEqual([null, null])
  })

  it('each selectable time range ends after the present and has whole bars', () => {
    for (const choice of ['15m', '1h', '24h', '7d', 'all'] as const) {
      const { from, to, buckets } = spanOf(choice, now, 0, now - 86_400e6 * 40)
      expect(to).toBeGreaterThan(now)
      expect((to - from) % buckets).toBe(0)
    }
    expect(spanOf('all', now, 0, now - 86_400e6 * 40).from).toBeLessThanOrEqual(now - 86_400e6 * 40)
  })

  it('a time range is selected by bars in either direction, and is widened up to the present', () => {
    const span = { from: 0, to: 96_000e3 }
    expect(spanBetween(span, 96, 10, 4)).toEqual({ from: 4e6, to: 11e6 })
    expect(widenSpan({ from: now - 60e6, to: now }, now)).toEqual({ from: now - 120e6, to: now })
    expect(widenSpan({ from: 4e9, to: 5e9 }, now)).toEqual({ from: 35e8, to: 55e8 })
  })
})
