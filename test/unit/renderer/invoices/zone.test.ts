import { describe, expect, it } from 'vitest'
import {
  addDays,
  dayBegin,
  dayIn,
  isZone,
  monthBegin,
} from '../../../../src-renderer/features/invoices/zone.tsx'

describe('days of a time zone', () => {
  it.each([
    ['UTC', '2026-11-20', '2026-11-20T00:00:00Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00Z'],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00Z'],
    // Clocks go from 0:00 to 1:00: there is no midnight.
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00Z'],
    // Clocks go from 24:00 back to 23:00, so the previous day has that hour twice.
    ['Africa/Cairo', '2026-10-30', '2026-10-29T22:00:00Z'],
  ])('in %s the day %s begins at %s', (zone, day, begin) => {
    const at = dayBegin(zone, day)
    expect(new Date(at ?? 0).toISOString()).toBe(begin.replace('Z', '.000Z'))
    expect(dayIn(zone, at ?? 0)).toBe(day)
    expect(dayIn(zone, (at ?? 0) - 1)).toBe(addDays(day, -1))
  })

  it('a day that is not in the calendar and an unknown time zone are refused', () => {
    expect(dayBegin('UTC', '2026-02-29')).toBe(null)
    expect(dayBegin('UTC', '')).toBe(null)
    expect(isZone('Europe/Atlantis')).toBe(false)
    expect(isZone('UTC')).toBe(true)
  })

  it('days and months are added across months and years', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
    expect(monthBegin('2026-03-31', -1)).toBe('2026-02-01')
    expect(monthBegin('2026-01-15', -1)).toBe('2025-12-01')
  })
})
