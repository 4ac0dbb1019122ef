import { Address } from '@ton/core'
import { expect, test } from 'vitest'
import {
  type AddressRange,
  beginningsOf,
  readAddressRange,
} from '../../../src-main/ton/address-range.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

const random = seededRandom(18)
const digits = (count: number) =>
  Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('')
const addresses = Array.from({ length: 50 }, (_, at) => `${at % 5 === 0 ? -1 : 0}:${digits(64)}`)

function formsOf(raw: string): string[] {
  const address = Address.parseRaw(raw)
  return [true, false].flatMap((bounceable) =>
    [true, false].flatMap((testOnly) =>
      [true, false].map((urlSafe) => address.toString({ bounceable, testOnly, urlSafe })),
    ),
  )
}

const holds = ({ from, to, ending }: AddressRange, raw: string) =>
  from <= raw && raw <= to && raw.endsWith(ending)

test('every full, partial or shortened form of an address finds its own account and no other of 50', () => {
  for (const raw of addresses) {
    const texts = [raw, ...formsOf(raw)].flatMap((form) => [
      form,
      form.slice(0, 12),
      `${form.slice(0, 8)}…${form.slice(-4)}`,
      `${form.slice(0, 8)}...${form.slice(-6)}`,
    ])
    for (const text of texts) {
      const range = readAddressRange(text)
      if (range === null) throw new Error(`${text} is no address`)
      expect([text, addresses.filter((each) => holds(range, each))]).toEqual([text, [raw]])
      const begins = beginningsOf(range)
      const found = addresses.filter((each) => begins.some((begin) => each.startsWith(begin)))
      expect([text, found]).toEqual([text, [raw]])
    }
  }
})

test('a text that is not an address has no address range', () => {
  for (const text of [
    '',
    'EQ',
    'shop',
    'EQUAL',
    '0:',
    '0:xyz',
    '1:ab',
    '…',
    'EQB3ag…???',
    '0:ab…x',
    'x0:ab',
    '0:abz',
    '0:ab…cx',
    ' EQB3ag',
    'EQB3ag ',
    'EQB3a*',
    'AAAAAA',
    'EQUAAA',
  ]) {
    expect([text, readAddressRange(text)]).toEqual([text, null])
  }
})

const [zeros, efs] = ['0'.repeat(62), 'f'.repeat(62)]
test.each([
  ['0:AB', { from: `0:ab${zeros}`, to: `0:ab${efs}`, ending: '' }],
  ['-1:ab…CD', { from: `-1:ab${zeros}`, to: `-1:ab${efs}`, ending: 'cd' }],
  ['-1:ab...0', { from: `-1:ab${zeros}`, to: `-1:ab${efs}`, ending: '0' }],
  // Two bits of the third character belong to the hash.
  ['EQAB', { from: `0:01${zeros}`, to: `0:01${efs}`, ending: '' }],
  ['EQA', { from: `0:00${zeros}`, to: `0:3f${efs}`, ending: '' }],
  // The last 16 bits are the checksum, and the bits before them end with whole digits.
  ['Ef8z…zM0vF', { from: `-1:33${zeros}`, to: `-1:33${efs}`, ending: '333' }],
  ['Ef8z…0vF', { from: `-1:33${zeros}`, to: `-1:33${efs}`, ending: '' }],
])('the text %j stands for the addresses %j', (text, range) => {
  expect(readAddressRange(text)).toEqual(range)
})

test.each([
  ['0:ab12', '0:ab12', ['0:ab12']],
  ['0:ab00', '0:abff', ['0:ab']],
  ['0:a300', '0:a6ff', ['0:a3', '0:a4', '0:a5', '0:a6']],
  ['0:a000', '0:a2ff', ['0:a0', '0:a1', '0:a2']],
  ['0:ad00', '0:afff', ['0:ad', '0:ae', '0:af']],
])('the addresses from %s to %s begin with %j', (from, to, beginnings) => {
  expect(beginningsOf({ from, to, ending: '' })).toEqual(beginnings)
})
