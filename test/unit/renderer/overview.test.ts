import { execFileSync } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { boundsOf, localOffset } from '../../../src-renderer/components/charts/ranges.ts'
import { timeAxis } from '../../../src-renderer/components/charts/time-axis.ts'
import { ranges } from '../../../src-renderer/features/overview/captures.tsx'
import { sampleCommand } from '../../../src-renderer/components/start/sample-webhook.ts'

// The address form is read while modules load.
vi.hoisted(() => vi.stubGlobal('window', { localStorage: { getItem: () => null } }))

const offsetUs = 5.5 * 3600e6
const now = Date.UTC(2026, 10, 20, 14, 32, 7) * 1000

describe('ranges of the chart', () => {
  it.each(ranges)('$name holds now and ends on a whole step of local time', (range) => {
    const { from, to } = boundsOf(range, now, offsetUs)
    expect(to).toBeGreaterThan(now)
    expect(to - now).toBeLessThanOrEqual(range.step)
    expect((to + offsetUs) % range.step).toBe(0)
    expect(to - from).toBe(range.step * range.buckets)
  })

  it.each(ranges)('$name has a few labels, on round local times', (range) => {
    const { step, buckets, tickStep: between } = range
    const { from } = boundsOf(range, now, localOffset(now))
    const starts = Array.from({ length: buckets }, (_, index) => from + index * step)
    const { ticks } = timeAxis(starts, { step, between, now })
    expect(ticks.length).toBeGreaterThanOrEqual(5)
    expect(ticks.length).toBeLessThanOrEqual(9)
    for (const at of ticks) expect((at + localOffset(at)) % between).toBe(0)
  })

  it('is never drawn from more bars than the route gives', () => {
    for (const { buckets } of ranges) expect(buckets).toBeLessThanOrEqual(400)
  })
})

describe('the sample webhook', () => {
  const url = 'http://127.0.0.1:4801/hook/0123456789abcdef0123456789abcdef'

  it.skipIf(process.platform === 'win32')(
    'reaches curl from a shell as one JSON body and the very URL',
    () => {
      // `curl` is replaced by a function that prints its arguments, one a line.
      const script = `curl() { printf '%s\\n' "$@"; }\n${sampleCommand(url, 'posix')}`
      const lines = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
      expect(lines).toHaveLength(5)
      expect(lines.at(-1)).toBe(url)
      expect(JSON.parse(lines[3] ?? '')).toMatchObject({ event_type: 'account_tx' })
    },
  )

  it('is one line for every shell, so that pasting does not run half of it', () => {
    for (const shell of ['posix', 'cmd', 'powershell'] as const) {
      expect(sampleCommand(url, shell)).not.toMatch(/[\r\n]/)
    }
  })
})
