import { Address } from '@ton/core'
import { expect, test } from 'vitest'
import {
  type AddressRange,
  beginningsOf,
  readAddressRange,
} from '../../../src-main/ton/address-range.ts'
import { seeded } from '../../fixtures/seeded.ts'

const random = seeded(18)
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
  ]) {
    expect([text, readAddressRange(text)]).toEqual([text, null])
  }
})
