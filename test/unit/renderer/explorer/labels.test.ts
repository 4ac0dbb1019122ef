import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import type { SearchTarget } from '../../../../src-preload/contract/chain/search.ts'
import { bytesToBase64, hexToBytes } from '../../../../src-renderer/components/body/bytes.ts'
import { addRecent, isSearchable } from '../../../../src-renderer/components/chain/chain-search.ts'
import { fillTemplate } from '../../../../src-renderer/features/explorer/labels.ts'
import { formatDateField, parseDateField } from '../../../../src-renderer/ui/format.ts'

describe('the text of a search field', () => {
  it.each([
    'ab'.repeat(32),
    `0x${'AB'.repeat(32)}`,
    `-1:${'0'.repeat(64)}`,
    Buffer.alloc(32, 0xfb).toString('base64'),
    Buffer.alloc(32, 0xfb).toString('base64url'),
    'EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2',
    '(-1,8000000000000000,123)',
    'foundation.ton',
    'alice.t.me',
    'https://tonviewer.com/transaction/abc',
  ])('the text %s is searched for on the chain while it is typed', (text) => {
    expect(isSearchable(` ${text} `)).toBe(true)
  })

  it.each(['', 'settings', 'theme: dark', 'sandbox clock', '12', 'order-7', 'ab'.repeat(31)])(
    'the text %j is not searched for on the chain while it is typed',
    (text) => {
      expect(isSearchable(text)).toBe(false)
    },
  )

  it('a date field is parsed as the local day from its beginning to its end', () => {
    const begin = parseDateField('2026-03-29', 'begin') ?? 0
    const end = parseDateField('2026-03-29', 'end') ?? 0
    expect([formatDateField(begin), formatDateField(end)]).toEqual(['2026-03-29', '2026-03-29'])
    expect(formatDateField(begin - 1)).toBe('2026-03-28')
    expect(formatDateField(end + 1)).toBe('2026-03-30')
    expect(parseDateField('2026-02-31x', 'begin')).toBeNull()
    expect(parseDateField('', 'end')).toBeNull()
    expect(parseDateField('2026-13-01', 'end')).toBeNull()
    expect(parseDateField('2026-02-29', 'begin')).toBeNull()
    expect(parseDateField('2028-02-29', 'begin')).not.toBeNull()
    // A date field has such a year while the user types its first digits.
    expect(parseDateField('0202-03-29', 'begin')).toBeNull()
    expect(parseDateField('1970-01-01', 'end')).toBeGreaterThan(0)
  })
})

describe('displayed data of the explorer', () => {
  it('base64 of a BOC of any size equals the output of Buffer', () => {
    const bytes = Buffer.from(Array.from({ length: 20_001 }, (_, at) => (at * 7) % 256))
    expect(bytesToBase64(hexToBytes(`0x${bytes.toString('hex')}`))).toBe(bytes.toString('base64'))
  })

  it('a value in the link of an explorer is encoded and cannot change the link', () => {
    expect(fillTemplate('https://e.x/tx/{hash}?a={address}', { hash: 'a/../b?c#d' })).toBe(
      'https://e.x/tx/a%2F..%2Fb%3Fc%23d?a={address}',
    )
  })

  it('an object that is found again moves to the front of the recent searches', () => {
    const found = (id: string, title = id): { text: string; target: SearchTarget } => ({
      text: id,
      target: { kind: 'block', id, title },
    })
    const list = [found('a'), found('b')]
    expect(addRecent(list, found('b', 'again'))).toEqual([found('b', 'again'), found('a')])
    const many = Array.from({ length: 40 }, (_, at) => found(String(at)))
    expect(many.reduce<ReturnType<typeof addRecent>>(addRecent, [])).toHaveLength(12)
  })
})
