import { afterEach, describe, expect, it } from 'vitest'
import {
  formatBytes,
  displayOffset,
  formatAbsolute,
  formatClock,
  formatDay,
  formatCount,
  formatDuration,
  formatExact,
  formatMoment,
  formatNumber,
  formatRowTime,
  formatUtc,
  shorten,
  setDisplayFormat,
  shortenReceiverUrl,
  splitZeros,
  formatHash,
} from '../../../src-renderer/ui/format.ts'
import { formatUnits } from '../../../src-renderer/components/amount.ts'

// 20 Nov 2026, 14:32:07.412118 in UTC; the displayed time zone is Kolkata's (vitest.config.mjs).
const at = Date.UTC(2026, 10, 20, 14, 32, 7, 412) * 1000 + 118
const second = 1e6

describe('numbers', () => {
  it('digits are grouped by a narrow no-break space, and an integer in a text is not rounded', () => {
    expect(formatNumber(1204318)).toBe('1\u202f204\u202f318')
    expect(formatNumber('9007199254740993')).toBe('9\u202f007\u202f199\u202f254\u202f740\u202f993')
    expect(formatNumber(-5)).toBe('−5')
  })

  it('only the count 1 has the singular', () => {
    expect(formatCount(1, 'capture')).toBe('1 capture')
    expect(formatCount(0, 'capture')).toBe('0 captures')
  })
})

describe('numbers and times in the chosen format', () => {
  const usual = {
    time: 'relative',
    timeZone: 'local',
    clock: '24h',
    numbers: 'space-point',
  } as const
  afterEach(() => setDisplayFormat(usual))

  it.each([
    ['space-point', '1\u202f234\u202f567.891', '1.5 KiB', '−1\u202f284.75'],
    ['comma-point', '1,234,567.891', '1.5 KiB', '−1,284.75'],
    ['point-comma', '1.234.567,891', '1,5 KiB', '−1.284,75'],
    ['space-comma', '1\u202f234\u202f567,891', '1,5 KiB', '−1\u202f284,75'],
    ['none-point', '1234567.891', '1.5 KiB', '−1284.75'],
  ] as const)(
    'numbers, sizes and amounts have the chosen format %s',
    (numbers, number, bytes, amount) => {
      setDisplayFormat({ ...usual, numbers })
      expect(formatNumber(1234567.891)).toBe(number)
      expect(formatBytes(1536)).toBe(bytes)
      expect(formatUnits('-128475', 2)).toBe(amount)
      // A group of zeros is no fraction: 1.000 must not be shortened to 1.
      expect(splitZeros(formatNumber(1_000_000))).toEqual([formatNumber(1_000_000), ''])
      expect(splitZeros(formatUnits('1284500', 3)).join('|')).toBe(
        formatUnits('12845', 1).replace(/$/, '|00'),
      )
      expect(splitZeros(formatUnits('5000', 3))[0]).toBe('5')
    },
  )

  it('times in UTC show the name UTC, and their days begin at midnight UTC', () => {
    // In Kolkata it is 20:02 on the 20th, and already the 21st after 18:30 UTC.
    const late = Date.UTC(2026, 10, 20, 23, 59) * 1000
    setDisplayFormat({ ...usual, timeZone: 'utc' })
    expect(formatAbsolute(at, late)).toBe('today 14:32 UTC')
    expect(formatDay(late, late)).toBe('20 Nov')
    expect(displayOffset(at)).toBe(0)
    setDisplayFormat(usual)
    expect(formatAbsolute(at, late)).toBe('20 Nov 20:02')
  })

  it('the milliseconds of a 12-hour time precede am or pm', () => {
    setDisplayFormat({ ...usual, timeZone: 'utc', clock: '12h' })
    expect(formatClock(at)).toBe('2:32:07.412 pm')
    expect(formatAbsolute(at, at)).toBe('today 2:32 pm UTC')
  })

  it('no relative time is shown where absolute times are chosen', () => {
    setDisplayFormat({ ...usual, time: 'absolute' })
    expect(formatMoment(at, at + 60 * second)).toBe('today 20:02')
  })
})

describe('sizes in bytes', () => {
  it.each([
    [0, '0 B'],
    [193, '193 B'],
    [1023, '1\u202f023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [1024 * 1024 - 1, '1 MiB'],
    [2 * 1024 ** 3, '2 GiB'],
  ])('%i bytes are formatted as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })
})

describe('durations', () => {
  it.each([
    [300, '0.3 ms'],
    [18_400, '18 ms'],
    // Simple rounding would result in "1000 ms".
    [999_800, '999 ms'],
    [2_900_000, '2.9 s'],
    // Simple rounding would result in "60 s".
    [59_970_000, '1 min'],
    [192_000_000, '3 min 12 s'],
    [7_500_000_000, '2 h 5 min'],
    [349_200_000_000, '4 d 1 h'],
  ])('a duration of %i µs is formatted as %s', (us, text) => {
    expect(formatDuration(us)).toBe(text)
  })
})

describe('times', () => {
  it('a clock time is local and has milliseconds', () => {
    expect(formatClock(at)).toBe('20:02:07.412')
  })

  it('the exact form of a time has microseconds and both time zones', () => {
    expect(formatExact(at)).toBe(
      '20 Nov 2026, 20:02:07.412118 (UTC+05:30)\n2026-11-20T14:32:07.412118Z',
    )
    expect(formatUtc(at)).toBe('2026-11-20T14:32:07.412118Z')
  })

  it.each([
    [0, 'just now'],
    [12, '12 s ago'],
    [59, '59 s ago'],
    [60, '1 min ago'],
    [3599, '59 min ago'],
    [3600, '1 h ago'],
    [86_399, '23 h ago'],
    [86_400, '20 Nov 20:02'],
    [400 * 86_400, '20 Nov 2026 20:02'],
    // The other clock is slightly fast.
    [-3, 'just now'],
    [-3600, '20 Nov 20:02'],
  ])('a time is formatted %i s later as %s', (seconds, text) => {
    expect(formatMoment(at, at + seconds * second)).toBe(text)
  })

  it('a list shows the day of a time only if it is not today by local time', () => {
    // In Kolkata 19:00 UTC is after midnight.
    const afterMidnight = Date.UTC(2026, 10, 20, 19, 0) * 1000
    expect(formatRowTime(at, afterMidnight)).toBe('20 Nov 20:02')
    expect(formatRowTime(at, at + second)).toBe('20:02:07.412')
  })
})

describe('shortened texts', () => {
  it('a long address is shortened to both ends, and a short text is not shortened', () => {
    expect(shorten('EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N')).toBe('EQCD39…qB2N')
    expect(shorten('abcdefghijk')).toBe('abcdefghijk')
  })

  it('a shortened receiver URL does not contain the complete token', () => {
    expect(shortenReceiverUrl('http://127.0.0.1:4801/hook/9f3c0123456789abcdef0123456789e1')).toBe(
      '127.0.0.1:4801/hook/9f3c…e1',
    )
  })
})

it('a number of the size of a hash has a hexadecimal form, and an amount has none', () => {
  const hash = `00${'ca'.repeat(31)}`
  expect(formatHash(String(BigInt(`0x${hash}`)))).toBe(hash)
  expect(formatHash(String(2n ** 256n - 1n))).toBe('f'.repeat(64))
  expect(formatHash(String(2n ** 192n))).toBe(`${'0'.repeat(15)}1${'0'.repeat(48)}`)
  // A jetton's largest amount has 120 bits.
  for (const other of [2n ** 120n, 2n ** 192n - 1n, 2n ** 256n, -(2n ** 255n), 0n]) {
    expect(formatHash(String(other))).toBeNull()
  }
  expect(formatHash('x')).toBeNull()
})
