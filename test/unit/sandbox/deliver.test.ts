import { expect, test } from 'vitest'
import {
  defaultPolicy,
  retryDelay,
  joinTargets,
} from '../../../src-main/sandbox/deliver/delivery-queue.ts'
import { isLoopbackHost, withoutBrackets } from '../../../src-main/sandbox/deliver/poster.ts'

test.each([
  ['127.0.0.1', true],
  ['127.255.255.254', true],
  ['::1', true],
  ['localhost', true],
  ['128.0.0.1', false],
  ['126.255.255.255', false],
  ['0.0.0.0', false],
  ['::', false],
  ['::2', false],
  ['fe80::1', false],
  ['::ffff:10.0.0.1', false],
  ['localhost.example.com', false],
  ['127.0.0.1.example.com', false],
  ['', false],
])('the check whether the host %j is this computer returns %j', (host, isOwn) => {
  expect(isLoopbackHost(host)).toBe(isOwn)
})

test('an IPv6 address is recognized with and without the brackets of a URL', () => {
  expect(withoutBrackets(new URL('http://[::1]:80/').hostname)).toBe('::1')
  expect(withoutBrackets('localhost')).toBe('localhost')
})

test('the last retry delay repeats, and no retry delay is zero', () => {
  const policy = { ...defaultPolicy, retryDelaysMs: [0, 20] }
  expect([1, 2, 3, 99].map((attempts) => retryDelay(policy, attempts))).toEqual([1, 20, 20, 20])
  expect(retryDelay({ ...policy, retryDelaysMs: [] }, 1)).toBeGreaterThan(0)
})

test('targets of several owners are distinguished by their prefix, and a target without an owner is gone', () => {
  const targets = (url: string) => ({
    describe: () => ({ url, bearer: null }),
    delivered: () => undefined,
    failed: () => false,
  })
  const joined = joinTargets({ webhook: targets('one'), invoices: targets('two') })
  expect(joined.describe('webhook:1')?.url).toBe('one')
  expect(joined.describe('invoices:1')?.url).toBe('two')
  expect(joined.describe('other:1')).toBeNull()
  expect(joined.describe('webhook')).toBeNull()
})
