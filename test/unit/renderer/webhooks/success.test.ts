/** Tests the success rate of a webhook's deliveries in the list and in the tab. */
import { expect, test } from 'vitest'
import { formatSuccess } from '../../../../src-renderer/features/webhooks/deliveries/health.ts'

const health = (accepted: number | null, failed: number) => ({
  webhook: '1',
  accepted,
  failed,
  delay: null,
  lastError: null,
  failures: [],
})

test.each([
  [null, 44, 'unknown'],
  [null, 0, 'unknown'],
  [0, 0, null],
  [0, 44, '0 %'],
  [9, 1, '90 %'],
])('the success rate with %s accepted and %s failed attempts is %s', (accepted, failed, text) => {
  const shown = formatSuccess(health(accepted, failed))
  expect(shown?.replaceAll(/\s/g, ' ').replace('.0', '') ?? null).toBe(text)
})
