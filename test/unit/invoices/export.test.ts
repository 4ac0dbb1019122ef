import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { createExportFiles } from '../../../src-main/exports/export-files.ts'
import { guardText } from '../../../src-main/exports/formula-safe.ts'
import { createZoneTimes } from '../../../src-main/exports/zone-times.ts'
import { createLetters, replacementMark } from '../../../src-main/exports/pdf.ts'
import { textCell } from '../../../src-main/exports/table.ts'
import { isExactNumber, textValue } from '../../../src-main/exports/xlsx.ts'
import {
  formatMoney,
  formatSpan,
  endWithMark,
} from '../../../src-main/invoices/export/statement.ts'
import { hashesIn } from '../../../src-main/invoices/export/raw-row.ts'
import { createTotals, formatTotals, addSumRows } from '../../../src-main/invoices/export/totals.ts'
import { formatAmount } from '../../../src-preload/domain/amount.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { formulaPayloads, unguardText } from '../../fixtures/formula-payloads.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

describe('texts in cells', () => {
  const texts = [...formulaPayloads, '', `'t Hooft`, `''`, 'a;b', 'a\tb', ' both ends ', 'ü€😀']

  test.each([',', ';', '\t'])(
    'no CSV cell begins like a formula, and each text is restored on import, with the separator %j',
    (separator) => {
      const line = texts.map((text) => textCell(text)).join(separator)
      const { data } = Papa.parse<string[]>(line, { delimiter: separator })
      const cells = data[0] ?? []
      for (const cell of cells) expect(cell).not.toMatch(/^[\s\ufeff]*[=+\-@|＝＋－＠]|^[\t\r\n]/)
      expect(cells.map(unguardText)).toEqual(texts)
      expect(texts.map((text) => unguardText(guardText(text)))).toEqual(texts)
    },
  )

  test('a workbook contains texts unchanged, except for characters that XML cannot contain', () => {
    expect(formulaPayloads.filter((text) => !/[\r]/.test(text)).map(textValue)).toEqual(
      formulaPayloads.filter((text) => !/[\r]/.test(text)),
    )
    expect(textValue('a\u0000b\r_x000D_')).toBe('a_x0000_b_x000D__x005F_x000D_')
    expect(textValue('x'.repeat(40_000))).toHaveLength(32_767)
  })
})

describe('amounts in exports', () => {
  test('an amount is formatted from its digits exactly as from a bigint', () => {
    const random = seededRandom(4)
    const all = ['0', '1', '9', '10', '1000000', '9223372036854775807', '100000000000000']
    for (let index = 0; index < 300; index += 1) {
      all.push(BigInt(Math.floor(random() * 10 ** (1 + (index % 16)))).toString())
    }
    for (const digits of all) {
      for (const decimals of [6, 9]) {
        const printed = formatAmount(BigInt(digits), decimals)
        expect(formatAmount(digits, decimals)).toBe(printed)
        const withComma = formatAmount(digits, decimals, { mark: ',' })
        expect(withComma).toBe(printed.replace('.', ','))
      }
    }
    expect(['0.000000001', '999999.999999999', '100000.0000000001'].map(isExactNumber)).toEqual([
      true,
      true,
      false,
    ])
  })

  test('sums are exact beyond 2^53 and beyond 64 bits', () => {
    const none = { refunded: '0', uncounted: [], matters: [] }
    const sum = createTotals()
    const addends = ['9007199254740991', '999999999999999', '1', '9223372036854775807']
    let expected = 0n
    for (let index = 0; index < 40_000; index += 1) {
      const amount = addends[index % addends.length] ?? ''
      sum.add({
        ...none,
        currency: 'TON',
        status: 'paid',
        amount,
        received: null,
        overpayment: '0',
      })
      expected += BigInt(amount)
    }
    expect(sum.all()[0]?.amount).toBe(expected)
    expect(expected > 2n ** 64n).toBe(true)

    const totals = createTotals()
    const [ton, usdt] = [
      { ...none, currency: 'TON' } as const,
      { ...none, currency: 'USDT' } as const,
    ]
    totals.add({ ...usdt, status: 'strange', amount: '1500000', received: null, overpayment: '0' })
    totals.add({ ...ton, status: 'pending', amount: '1', received: '2', overpayment: '0' })
    const paid = { ...ton, status: 'paid', amount: '1000000001', overpayment: '1' }
    totals.add({ ...paid, received: '1000000002' })
    totals.add({ ...paid, received: '1000000004' })
    const printed = formatTotals(totals.all())
    expect(printed.map(({ status, received }) => [status, received])).toEqual([
      ['paid', '2.000000006'],
      ['pending', '0.000000002'],
      ['strange', '0'],
    ])
    // An exact payment of an ended invoice is an excess, even before the gateway reports it.
    const ended = createTotals()
    const late = { ...ton, amount: '5', received: '5', overpayment: '0' }
    for (const status of ['expired', 'cancelled', 'paid']) ended.add({ ...late, status })
    expect(formatTotals(ended.all()).map(({ status, excess }) => [status, excess])).toEqual([
      ['paid', '0'],
      ['expired', '0.000000005'],
      ['cancelled', '0.000000005'],
    ])
    // The excess is the amount on the chain beyond the gateway's count.
    expect(printed[0]).toMatchObject({ overpayment: '0.000000002', excess: '0.000000004' })
  })

  test('amounts in a statement have at least two decimals and separated thousands', () => {
    expect(formatMoney(1_234_500_000_000n, 9, '.')).toBe('1,234.50')
    expect(formatMoney(-1_234_567_000_001n, 9, ',')).toBe('−1.234,567000001')
    expect(formatMoney(0n, 6, '.')).toBe('0.00')
  })

  test('amounts in the sentences of a statement have its decimal mark, and other numbers are unchanged', () => {
    const sentence = '1.234 TON of 20 USDT arrived at 10.5 s. Invoice 1.5 needs 0.000000001 GRAM.'
    const joined = (text: string) => text.replaceAll(/ (?=TON|USDT|GRAM)/g, '\u00a0')
    expect(endWithMark(sentence, '.')).toBe(joined(sentence))
    expect(endWithMark(sentence, ',')).toBe(
      joined('1,234 TON of 20 USDT arrived at 10.5 s. Invoice 1.5 needs 0,000000001 GRAM.'),
    )
  })
})

test('totals of one currency are sorted from paid to cancelled; states that are not known follow by name', () => {
  const totals = createTotals()
  const none = { received: null, overpayment: '0', refunded: '0', uncounted: [], matters: [] }
  for (const status of ['strange', 'cancelled', 'new', 'expired', 'paid', 'pending']) {
    totals.add({ ...none, currency: 'TON', status, amount: '1' })
  }
  const states = totals.all().map(({ status }) => status)
  expect(states).toEqual(['paid', 'pending', 'expired', 'cancelled', 'new', 'strange'])
})

test('totals are sorted by currency and status, with the sum of each currency after its groups', () => {
  const totals = createTotals()
  const add = (currency: 'TON' | 'USDT', status: string, amount: string, refunded = '0') =>
    totals.add({
      currency,
      status,
      amount,
      received: amount,
      refunded,
      overpayment: '3000000',
      uncounted: [],
      matters: [],
    })
  add('USDT', 'pending', '1000000')
  add('USDT', 'paid', '2000000', '500000')
  add('TON', 'paid', '4000000')
  add('USDT', 'paid', '8000000', '250000')
  const sums = addSumRows(totals.all())
  expect(sums.map(({ currency, status, isSum }) => [currency, status, isSum])).toEqual([
    ['TON', 'paid', false],
    ['TON', 'all', true],
    ['USDT', 'paid', false],
    ['USDT', 'pending', false],
    ['USDT', 'all', true],
  ])
  // The gateway counts an excess, although the amount on the chain is exact.
  expect(
    formatTotals(sums).map(({ count, amount, excess, refunded }) => [
      count,
      amount,
      excess,
      refunded,
    ]),
  ).toEqual([
    [1, '0.004', '0.003', '0'],
    [1, '0.004', '0.003', '0'],
    [2, '10', '6', '0.75'],
    [1, '1', '3', '0'],
    [3, '11', '9', '0.75'],
  ])
})

describe('times in a time zone', () => {
  /** Calculates independently, with the platform's own formatter for each time. */
  function byPlatform(ms: number, zone: string): string {
    const parts = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    }).format(ms)
    const name = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    const offset = name.format(ms).split('GMT')[1] ?? ''
    const end = zone === 'UTC' ? 'Z' : offset === '' ? '+00:00' : offset
    return parts.replace(' ', 'T') + end
  }

  test.each([
    'UTC',
    'Europe/Berlin',
    'Europe/London',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Asia/Kathmandu',
    'Africa/Casablanca',
  ])(
    'times equal the times of the platform, also in each second around a clock change: %s',
    (zone) => {
      const times = createZoneTimes(zone)
      const random = seededRandom(9)
      const moments = Array.from({ length: 400 }, () =>
        Math.floor(Date.UTC(2005, 0, 1) / 1000 + random() * 8e8),
      )
      for (const change of [
        '2026-03-29T01:00:00Z',
        '2026-10-25T01:00:00Z',
        '2011-12-30T10:00:00Z',
      ]) {
        for (const second of [-3600, -1, 0, 1, 1800, 3600, 86_400]) {
          moments.push(Date.parse(change) / 1000 + second)
        }
      }
      for (const second of moments) {
        expect(times.print(second * 1000)).toBe(byPlatform(second * 1000, zone))
      }
    },
  )

  test('milliseconds are preserved, and a time beyond the calendar is written as a number', () => {
    const times = createZoneTimes('Europe/Berlin')
    expect(times.print(Date.UTC(2026, 0, 1, 0, 0, 0, 7))).toBe('2026-01-01T01:00:00.007+01:00')
    expect(times.print(8.64e15)).toBe('8640000000000000')
    expect(times.print(-1)).toBe('1970-01-01T00:59:59.999+01:00')
    expect(() => createZoneTimes('Mars/Base')).toThrow(RangeError)
  })

  test('a period of whole days is described by its days, also on a day with a clock change', () => {
    const zone = 'Europe/Berlin'
    const times = createZoneTimes(zone)
    const day = [Date.parse('2026-03-28T23:00:00Z'), Date.parse('2026-03-29T22:00:00Z')] as const
    expect(formatSpan(...day, zone, times)).toBe('29 March 2026')
    expect(formatSpan(day[0], day[1] + 60_000, zone, times)).toBe(
      '29 March 2026 to 2026-03-30 00:01:00 +02',
    )
    expect(formatSpan(null, day[1], zone, times)).toBe('up to 29 March 2026')
  })
})

test('a character that the font lacks is replaced and counted, and an invisible character is replaced', () => {
  const letters = createLetters((codePoint) => codePoint < 0x500)
  expect(letters.write('Заказ № ☕\u202e!\n2')).toBe(
    `Заказ ${replacementMark} ${replacementMark}${replacementMark}!¶2`,
  )
  expect(letters.write('plain')).toBe('plain')
  expect(letters.replaced()).toBe(3)
})

test('several payments are listed in the order of the chain, by logical times beyond 2^53', () => {
  expect(hashesIn('9007199254740995:cc 12:aa 9007199254740993:bb')).toEqual(['aa', 'bb', 'cc'])
  expect(hashesIn(null)).toEqual([])
})

// Without this text, the user would see "ENOTDIR: not a directory, mkdir …".
test('the error of an export file that cannot be written names the path, the cause and the next step', async () => {
  using place = temporaryDirectory()
  const blocked = join(place.path, 'blocked')
  writeFileSync(blocked, '')
  async function* chunks() {
    yield await Promise.resolve('a')
  }
  const files = createExportFiles(join(blocked, 'exports'))
  await expect(files.make('lookup-1.csv', chunks())).rejects.toMatchObject({
    code: 'EXPORT_UNWRITABLE',
    message: expect.stringMatching(/could not be written to .*: .*export again/) as string,
  })
})
