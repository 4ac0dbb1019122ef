import { expect, test } from 'vitest'
import { formatLabelCsv, readLabelCsv } from '../../../src-main/explorer/labels/labels.ts'
import { seededRandom } from '../../fixtures/seeded.ts'
import { guardCell, unguardCell } from '../../../src-main/exports/formula-safe.ts'
import { formulaPayloads } from '../../fixtures/formula-payloads.ts'

const address = `0:${'ab'.repeat(32)}`

function read(csv: string) {
  return readLabelCsv(csv).map(({ line, address: found, name, note }) => [line, found, name, note])
}

test('the header of a label file sets the columns in any order, with a byte order mark, CRLF, quotes and semicolons', () => {
  const csv = `\ufeffNote;Name;Wallet;More\r\n"two\r\nlines";"a;""b""";${address};x\r\n\r\n;last;${address}\r\n`
  expect(read(csv)).toEqual([
    [2, address, 'a;"b"', 'two\nlines'],
    [5, address, 'last', ''],
  ])
})

test('a label file without a header has the columns address, name and note, and accepts any line end', () => {
  const csv = `${address},shop,old\r${address}\n${address},"x, y"`
  expect(read(csv)).toEqual([
    [1, address, 'shop', 'old'],
    [2, address, '', ''],
    [3, address, 'x, y', ''],
  ])
})

test('no exported cell begins like a formula', () => {
  // Spreadsheets also accept full-width signs and formulas after spaces.
  for (const payload of formulaPayloads) {
    const guarded = guardCell(payload)
    expect(guarded).not.toMatch(/^(?:[\s\ufeff]*[=+\-@|＝＋－＠]|[\t\r\n])/)
    expect(unguardCell(guarded)).toBe(payload)
  }
  const texts = ['=1+1', '+1', '-1', '@x', '\tx', "'=1", "''-1", '=cmd|"/c calc"!A1,\n=2']
  const csv = formatLabelCsv(texts.map((text) => ({ address, name: text, note: text })))
  const cells = csv.split(/\r\n|,/).map((cell) => cell.replace(/^["\ufeff]+/, ''))
  expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
})

test('labels are the same after an export and an import', () => {
  const random = seededRandom(7)
  const pick = (from: string) => from.charAt(Math.floor(random() * from.length))
  const pieces = `'"=+-@,;\t \nab1é€`
  const text = (most: number) =>
    Array.from({ length: Math.floor(random() * most) }, () => pick(pieces))
      .join('')
      .trim()
  const labels = Array.from({ length: 500 }, () => ({
    address,
    name: `${text(6)}n${text(6)}`,
    note: text(12),
  }))
  const back = readLabelCsv(formatLabelCsv(labels))
  expect(back.map(({ name, note }) => ({ address, name, note }))).toEqual(labels)
})
