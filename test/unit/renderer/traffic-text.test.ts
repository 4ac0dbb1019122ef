import { expect, test } from 'vitest'
import {
  describePace,
  trafficText,
} from '../../../src-renderer/features/settings/diagnostics-section.tsx'

test.each([
  [null, 'none'],
  [0.25, '1 in 4 s'],
  [1, '1/s'],
  [12.345, '12.3/s'],
])('a rate limit of %s is shown as %s', (perSecond, words) => {
  expect(describePace({ perSecond, learnedFrom: 'answers', pausedUntil: null }).pace).toBe(words)
})

test('the copied text has one line for each API and request, even if an error has line breaks', () => {
  const text = trafficText(
    {
      roots: [
        {
          network: 'testnet',
          root: 'query',
          origin: 'https://gateway.example.com',
          requests: 3,
          errors: 1,
          waiting: { interactive: 1, job: 2 },
          underWay: 1,
          latency: { p50: 12, p95: 40, max: 41 },
          limit: { perSecond: 1, learnedFrom: 'plan', pausedUntil: 1_800_000_000_000 },
          lastError: { at: 1_800_000_000_000, message: 'It failed:\r\n\nodd.', status: 500 },
        },
      ],
      recent: [
        {
          at: 1_800_000_000_000,
          network: 'testnet',
          root: 'query',
          method: 'GET',
          path: '/v2/status',
          status: 500,
          milliseconds: 12,
          tried: 2,
          error: 'It failed:\nodd.',
        },
      ],
    },
    () => 'Testnet',
  )
  const lines = text.trim().split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toContain('Testnet query https://gateway.example.com: 3 requests; 1 errors')
  expect(lines[3]).toContain('GET  /v2/status  500  12 ms  attempt 2  It failed: odd.')
})
