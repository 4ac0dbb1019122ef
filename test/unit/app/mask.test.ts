import { expect, test } from 'vitest'
import { maskHeader, maskSecret, maskTarget } from '../../../src-preload/domain/mask.ts'

test('a masked long secret shows its last four characters, and a masked short secret shows none', () => {
  expect(maskSecret('0123456789abcdef')).toBe('****cdef')
  for (const short of ['', 'a', 'secret', '12345678901']) expect(maskSecret(short)).toBe('****')
})

test.each([
  ['Authorization', 'Bearer 0123456789abcdef', 'Bearer ****cdef'],
  ['AUTHORIZATION', 'Basic dXNlcjpwYXNzd29yZA==', 'Basic ****ZA=='],
  ['authorization', '0123456789abcdef', '****cdef'],
  ['Authorization', 'Digest username="a", response="0123456789abcdef"', 'Digest ****def"'],
  ['Proxy-Authorization', 'Bearer short', 'Bearer ****'],
  ['Cookie', 'session=0123456789abcdef', '****cdef'],
  ['X-API-Key', '0123456789abcdef', '****cdef'],
  ['ApiKey', '0123456789abcdef', '****cdef'],
  ['X-Webhook-Token', '0123456789abcdef', '****cdef'],
  ['X-Telegram-Bot-Api-Secret-Token', '0123456789abcdef', '****cdef'],
  ['CF-Access-Client-Secret', '0123456789abcdef', '****cdef'],
  ['Cf-Access-Jwt-Assertion', '0123456789abcdef', '****cdef'],
])('the secret in the header %s: %s is masked', (name, value, masked) => {
  expect(maskHeader([name, value])).toEqual([name, masked])
})

test.each([
  ['Content-Type', 'application/json'],
  ['Idempotency-Key', '0123456789abcdef'],
  ['X-Token-Count', '0123456789abcdef'],
  ['Authorization', ''],
])('the header %s: %s is not masked', (name, value) => {
  expect(maskHeader([name, value])).toEqual([name, value])
})

test.each([
  ['/a?token=0123456789abcdef', '/a?token=****cdef'],
  ['/a?x=1&API_KEY=0123456789abcdef&y=2', '/a?x=1&API_KEY=****cdef&y=2'],
  ['?access_token=short&access_token=0123456789abcdef', '?access_token=****&access_token=****cdef'],
  [
    '?client_secret=a&password=b&key=c&auth=d',
    '?client_secret=****&password=****&key=****&auth=****',
  ],
  ['?token=', '?token='],
  ['/token=0123456789abcdef', '/token=0123456789abcdef'],
  ['?monkey=banana&tokens=3', '?monkey=banana&tokens=3'],
])('secrets in the query are masked: %s', (target, masked) => {
  expect(maskTarget(target)).toBe(masked)
})

test('a target made to be slow to match is masked at once', () => {
  // A pattern with backtracking would take minutes.
  for (const part of ['?', '&', '?token', '&a.b-c_', 'token', '=']) {
    maskTarget(part.repeat(60_000 / part.length))
  }
})
