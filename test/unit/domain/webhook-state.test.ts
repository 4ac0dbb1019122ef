import { expect, test } from 'vitest'
import { webhookState } from '../../../src-preload/domain/webhook-state.ts'

const webhook = { status: 'online', failing: 0, accounts: 5, failedAttempts: 9 }

type Change = Partial<Parameters<typeof webhookState>[0]>

test.each<[state: string | null, change: Change, why: string]>([
  ['online', {}, 'a counter of earlier failures does not make a webhook with accounts failing'],
  ['failing', { failing: 1 }, 'failing wins over online'],
  ['failing', { accounts: 0 }, 'without accounts the counter of the webhook decides'],
  ['failing', { failing: 1, status: null }, 'failing accounts count where no status is reported'],
  ['offline', { failing: 5, status: 'offline' }, 'offline says more than failing'],
  [null, { status: null }, 'an unknown status stays unknown'],
])('a webhook is %s: %o (%s)', (...[state, change]) => {
  expect(webhookState({ ...webhook, ...change })).toBe(state)
})
