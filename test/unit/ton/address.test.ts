import { crc16 } from '@ton/core'
import { expect, test } from 'vitest'
import {
  AddressError,
  parseAddress,
  formatFriendly,
  readAddress,
  whyNoAddress,
} from '../../../src-main/ton/address.ts'

const zero = `0:${'0'.repeat(64)}`
const elector = `-1:${'3'.repeat(64)}`

/** The forms in order: bounceable and non-bounceable of Mainnet, then of Testnet. */
const vectors = [
  {
    raw: zero,
    friendly: [
      'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c',
      'UQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJKZ',
      'kQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAHTW',
      '0QAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACkT',
    ],
  },
  {
    raw: elector,
    friendly: [
      'Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF',
      'Uf8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMxYA',
      'kf8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM_BP',
      '0f8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM62K',
    ],
  },
] as const

const forms = [
  { bounceable: true, testOnly: false },
  { bounceable: false, testOnly: false },
  { bounceable: true, testOnly: true },
  { bounceable: false, testOnly: true },
]

test.each(vectors)(
  'the address $raw is formatted in each form and parsed from each form',
  ({ raw, friendly }) => {
    for (const [index, form] of forms.entries()) {
      const text = friendly[index] ?? ''
      expect(formatFriendly(raw, form)).toBe(text)
      expect(parseAddress(text)).toEqual({
        raw,
        form: form.bounceable ? 'bounceable' : 'non_bounceable',
        isTestOnly: form.testOnly,
      })
    }
  },
)

test('an address in plain base64 is parsed like an address in base64url', () => {
  const text = vectors[1].friendly[2].replaceAll('_', '/')
  expect(text).toContain('/')
  expect(parseAddress(text).raw).toBe(elector)
  expect(formatFriendly(elector, { bounceable: true, testOnly: true, urlSafe: false })).toBe(text)
})

test('a raw address in capital letters is the same address', () => {
  expect(parseAddress(`0:${'AB'.repeat(32)}`).raw).toBe(`0:${'ab'.repeat(32)}`)
})

test.each([
  ['', 'neither'],
  ['0:12', 'neither'],
  [`0:${'g'.repeat(64)}`, 'neither'],
  [`7:${'0'.repeat(64)}`, 'no workchain 7'],
  ['EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9d', 'checksum'],
  ['EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9', 'neither'],
  [' EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c', 'neither'],
  ['EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9cA', 'neither'],
  [`x0:${'0'.repeat(64)}`, 'neither'],
  [`0:${'0'.repeat(65)}`, 'neither'],
  [`12:${'0'.repeat(64)}`, 'no workchain 12'],
  [friendlyOf(0, 0), 'its first byte 0x0 is unknown'],
  [friendlyOf(0x92, 0), 'its first byte 0x92 is unknown'],
  [friendlyOf(0x11, 5), 'there is no workchain 5'],
  // No encoder mixes the two alphabets.
  ['Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM_/F', 'neither'],
])(
  'the address %j is refused with an error that contains the address and the reason',
  (text, why) => {
    expect(readAddress(text)).toBeNull()
    expect(() => parseAddress(text)).toThrow(AddressError)
    expect(() => parseAddress(text)).toThrow(`can't decode address ${text}: `)
    expect(() => parseAddress(text)).toThrow(why)
  },
)

/** Builds a friendly address with this first byte and workchain, and a valid checksum. */
function friendlyOf(tag: number, workchain: number): string {
  const content = Buffer.concat([Buffer.from([tag, workchain]), Buffer.alloc(32)])
  return Buffer.concat([content, crc16(content)]).toString('base64url')
}

test('the reason why a text is not an address is a phrase, and null for an address', () => {
  expect(whyNoAddress(zero)).toBeNull()
  expect(whyNoAddress('shop')).toBe(
    'it is neither <workchain>:<64 hex digits> nor 48 characters of base64',
  )
})

test('an error shows at most 80 characters of the text', () => {
  expect(() => parseAddress('a'.repeat(80))).toThrow(`address ${'a'.repeat(80)}: it is`)
  expect(() => parseAddress('a'.repeat(81))).toThrow(`address ${'a'.repeat(80)}…: it is`)
})

test('the error of a megabyte as an address has at most 200 characters', () => {
  expect(() => parseAddress('a'.repeat(1_000_000))).toThrow(/^.{0,200}$/)
})
