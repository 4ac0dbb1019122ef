/** Tests cells and texts that a spreadsheet would run as a formula. */
import { expect, test } from 'vitest'
import { guardCell, guardText, unguardCell } from '../../../src-main/exports/formula-safe.ts'

const address = `-1:${'a'.repeat(64)}`

test.each([
  ['=1', `'=1`],
  ['+1', `'+1`],
  ['-1', `'-1`],
  ['@a', `'@a`],
  ['|a', `'|a`],
  ['＝1', `'＝1`],
  [' \ufeff=1', `' \ufeff=1`],
  ['\t1', `'\t1`],
  ['\n1', `'\n1`],
  [`'=1`, `''=1`],
  [`''=1`, `'''=1`],
  ['1=1', '1=1'],
  [`'it`, `'it`],
  ['', ''],
  [address, address],
  [`${address}0`, `'${address}0`],
  [`=${address}`, `'=${address}`],
  [`-1:${'g'.repeat(64)}`, `'-1:${'g'.repeat(64)}`],
  ['-1:a', `'-1:a`],
])('the cell %j is written as %j, and read as before', (text, written) => {
  expect(guardCell(text)).toBe(written)
  expect(unguardCell(written)).toBe(text)
})

test.each([
  ['=1', `'=1`],
  [`'it`, `''it`],
  ['it', 'it'],
  ['a=1', 'a=1'],
])(
  'the text %j for programs is written as %j, so that a reader always removes one apostrophe',
  (text, written) => {
    expect(guardText(text)).toBe(written)
  },
)
