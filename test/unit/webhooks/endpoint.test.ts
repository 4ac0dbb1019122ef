import { expect, test } from 'vitest'
import { checkEndpoint, suggestEndpoints } from '../../../src-main/webhooks/webhooks.ts'
import { isHere } from '../../../src-main/app/self-addresses.ts'
import { isPublicHost } from '../../../src-main/net/address.ts'

const hook = `/hook/${'ab'.repeat(16)}`
const receiver = {
  url: `http://127.0.0.1:4801${hook}`,
  publicUrl: 'https://shop.example.com/tunnel/',
}

test.each([
  [`http://127.0.0.1:4801${hook}`, true],
  [`http://127.0.0.1:4801${hook}/`, true],
  [`http://localhost:4801${hook}`, true],
  [`http://127.0.0.1:4801${hook}/main?x=1`, true],
  [`https://shop.example.com/tunnel${hook}`, true],
  [`https://SHOP.example.com:443/tunnel${hook}/`, true],
  // A longer token that begins with the receiver's token belongs to another receiver.
  [`http://127.0.0.1:4801${hook}00`, false],
  [`https://shop.example.com${hook}`, false],
  [`https://shop.example.com.evil.net/tunnel${hook}`, false],
  [`http://127.0.0.1:4802${hook}`, false],
  ['not a url', false],
])('the endpoint %s is recognized as this receiver: %s', (endpoint, expected) => {
  expect(isHere(endpoint, receiver)).toBe(expected)
})

// A local host that counts as public would fail, and a public host that counts as local would cause
// a needless warning.
test.each([
  ['example.com', true],
  ['8.8.8.8', true],
  ['172.32.0.1', true],
  ['[2606:4700::1111]', true],
  ['localhost', false],
  ['app.localhost', false],
  ['printer.local', false],
  ['printer.local.', false],
  ['nas', false],
  ['127.8.8.8', false],
  ['10.1.2.3', false],
  ['172.16.0.1', false],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['100.64.0.1', false],
  ['0.0.0.0', false],
  ['[::1]', false],
  ['[fd00::1]', false],
  ['[fe80::1]', false],
  ['[::ffff:7f00:1]', false],
])('the check whether %s can be reached from outside returns %s', (host, expected) => {
  expect(isPublicHost(host)).toBe(expected)
})

test.each([
  ['https://example.com/hook', false, []],
  ['http://example.com/hook', false, ['plain-http']],
  // Without a warning, a sandbox webhook to another host fails at each delivery.
  ['http://example.com/hook', true, ['host-not-allowed', 'plain-http']],
  ['https://allowed.example.com/hook', true, []],
  ['http://127.0.0.1:9000/hook', true, []],
  ['http://[::1]:9000/hook', true, []],
  ['http://192.168.1.2/hook', false, ['not-public', 'plain-http']],
  ['http://192.168.1.2/hook', true, ['host-not-allowed']],
  [`https://shop.example.com/tunnel${hook}`, false, []],
  [`https://shop.example.com/hook/${'cd'.repeat(16)}`, false, ['wrong-path']],
  ['http://localhost:4801/', true, ['wrong-path']],
  ['https://taken.example.com/hook/', false, ['in-use']],
] as const)(
  'the endpoint %s (on the sandbox: %s) has the warnings %j',
  (endpoint, isSandbox, kinds) => {
    const others = [{ id: '7', endpoint: 'https://taken.example.com/hook' }]
    const warnings = checkEndpoint(endpoint, {
      isSandbox,
      allowedHosts: ['allowed.example.com'],
      receiver,
      others,
    })
    expect(warnings.map(({ kind }) => kind)).toEqual(kinds)
  },
)

test('a gateway on this computer reaches local hosts without a warning', () => {
  const about = { isSandbox: false, isFromHere: true, allowedHosts: [], receiver, others: [] }
  expect(checkEndpoint(receiver.url, about)).toEqual([])
  const kinds = checkEndpoint('http://shop.example.com/hook', about).map(({ kind }) => kind)
  expect(kinds).toEqual(['plain-http'])
})

test('the public URL is suggested before the local URL of the receiver', () => {
  const urls = (publicUrl: string | null) =>
    suggestEndpoints({ ...receiver, publicUrl }, { isSandbox: false }).map(({ url }) => url)
  expect(urls('https://a.example/')).toEqual([`https://a.example${hook}`, receiver.url])
  expect(urls(null)).toEqual([receiver.url])
})
