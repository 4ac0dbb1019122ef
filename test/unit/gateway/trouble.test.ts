/** Tests texts about the connection to a gateway: rate limit headers and proxy settings. */
import { expect, test } from 'vitest'
import {
  parseProxyList,
  exceptLoopback,
  proxyFromEnvironment,
} from '../../../src-main/gateway/proxy.ts'
import { readRate } from '../../../src-main/gateway/pace.ts'

const noon = Date.UTC(2030, 0, 1, 12)

test.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': new Date(noon + 9000).toUTCString() }, 9000],
  [{ 'retry-after': new Date(noon - 9000).toUTCString() }, null],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '0' }, null],
  [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }, 30_000],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(noon / 1000 + 5) }, 5000],
  [{ 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '5' }, null],
  [{ ratelimit: 'limit=10, remaining=0, reset=4' }, 4000],
  [{ ratelimit: '"default";r=0;t=6' }, 6000],
  [{ ratelimit: '"default";r=50;t=6' }, null],
])('the headers %o require a wait of %s ms', (headers, ms) => {
  expect(readRate(headers, noon).retryAfterMs).toBe(ms)
})

test("the date in Retry-After is compared with the response's own clock", () => {
  const theirs = noon + 3_600_000
  const headers = {
    date: new Date(theirs).toUTCString(),
    'retry-after': new Date(theirs + 2000).toUTCString(),
  }
  expect(readRate(headers, noon).retryAfterMs).toBe(2000)
})

test.each([
  ['100;w=60', 100 / 60],
  ['"default";q=100;w=60', 100 / 60],
  ['"burst";q=20;w=1, "day";q=86400;w=86400', 1],
  ['100', null],
  ['"default";q=0;w=60', null],
])('the rate limit policy %s allows %s requests per second', (policy, perSecond) => {
  expect(readRate({ 'ratelimit-policy': policy }, noon).perSecond).toBe(perSecond)
})

const target = 'https://gateway.example.com'

test.each([
  [{}, null],
  [{ HTTPS_PROXY: 'http://proxy:3128' }, 'http://proxy:3128'],
  [{ HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
  [{ HTTPS_PROXY: 'http://upper', https_proxy: 'http://lower' }, 'http://lower'],
  [{ HTTP_PROXY: 'http://for-plain-http' }, null],
  [{ HTTPS_PROXY: '' }, null],
  [{ HTTPS_PROXY: 'http://proxy', NO_PROXY: '*' }, null],
  [{ HTTPS_PROXY: 'http://proxy', NO_PROXY: 'other.org, .example.com' }, null],
  [{ HTTPS_PROXY: 'http://proxy', no_proxy: 'EXAMPLE.com:443' }, null],
  [{ HTTPS_PROXY: 'http://proxy', no_proxy: 'example.com:8443' }, 'http://proxy'],
  [{ HTTPS_PROXY: 'http://proxy', NO_PROXY: 'ample.com' }, 'http://proxy'],
])('with the environment %o the proxy is %s', async (environment, proxy) => {
  expect(await proxyFromEnvironment(environment)(target)).toBe(proxy)
})

test('the error of an invalid proxy URL does not repeat the URL, because it may contain a password', async () => {
  const asked = proxyFromEnvironment({ HTTPS_PROXY: 'http://me:s3cret@:bad:' })(target)
  await expect(asked).rejects.toThrow('the proxy in HTTPS_PROXY is not a URL')
})

test.each(['http://127.0.0.1:1', 'http://127.9.8.7', 'http://[::1]:80', 'http://localhost:8080'])(
  '%s is never reached through a proxy',
  async (url) => {
    expect(await exceptLoopback(() => Promise.resolve('http://proxy'))(url)).toBeNull()
  },
)

test.each([
  ['DIRECT', null],
  ['PROXY proxy.example.com:3128; DIRECT', 'http://proxy.example.com:3128'],
  ['HTTPS secure.example.com:443', 'https://secure.example.com:443'],
  ['SOCKS old.example.com:1080; SOCKS5 new.example.com:1080', 'socks5://new.example.com:1080'],
  ['DIRECT; PROXY proxy:1', null],
  ['proxy lower:1', 'http://lower:1'],
  ['PROXY', null],
  ['', null],
])("the system's proxy list “%s” selects the proxy %s", (words, proxy) => {
  expect(parseProxyList(words)).toBe(proxy)
})
