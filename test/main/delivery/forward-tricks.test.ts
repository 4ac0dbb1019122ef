/**
 * Tries to make a forwarder connect to a forbidden address: the app’s own ports, and private,
 * link-local or special addresses. A successful attempt would be visible as a connection to the
 * victim, or as another failure than a refusal.
 */
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Resolve, createGuard } from '../../../src-main/delivery/sender/guard.ts'
import { createHttpSender } from '../../../src-main/delivery/sender/sender.ts'
import type { SendOptions } from '../../../src-main/delivery/targets/target-kind.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'

/** Takes the place of the receiver on both loopback addresses; no connection may ever reach it. */
const victim = createNetServer((socket) => {
  reached += 1
  socket.destroy()
})
/** A target that is allowed. */
const open = createServer((request, response) => {
  asked.push(request.url ?? '')
  response.writeHead(302, { location }).end()
})
let reached = 0
let asked: string[] = []
let location = ''
let own = 0
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => victim.listen({ host: '::', port: 0 }, resolve))
  own = (victim.address() as AddressInfo).port
  await new Promise<void>((resolve) => open.listen({ host: '::', port: 0 }, resolve))
  port = (open.address() as AddressInfo).port
})
afterAll(() => {
  victim.close()
  open.closeAllConnections()
  open.close()
})

/** The addresses of successive look-ups; the last entry is repeated. */
type Answers = readonly (readonly string[])[]

async function attempt(
  url: string,
  answers: Answers,
  isConfirmed: boolean,
  subpath: string | null,
) {
  let lookups = 0
  const resolve: Resolve = () => {
    const answer = answers[Math.min(lookups, answers.length - 1)]
    lookups += 1
    return answer === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(answer)
  }
  const guard = createGuard({
    resolve,
    own: () => ({
      ports: [{ port: own, whose: 'the receiver' }],
      publicUrls: ['https://mine.tunnel.example/hook/1'],
    }),
    isConfirmed: () => isConfirmed,
  })
  const sender = createHttpSender(guard)
  const request = {
    method: 'POST',
    headers: [['Host', `127.0.0.1:${own}`]] as const,
    body: Buffer.of(1),
  }
  const options: SendOptions = { timeoutMs: 20_000, keepHost: true, subpath, extraHeaders: [] }
  reached = 0
  asked = []
  const before = await guard.verdict(url).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    return { kind: 'refused', problem: error.message }
  })
  const answer = await sender.send(request, url, options)
  await sender.close()
  return { before, answer, lookups }
}

const here = '127.0.0.1'
const publicAddress = '203.0.114.7'

type Row = readonly [trick: string, url: string, answers?: Answers]

/**
 * Notations of the receiver’s own port: loopback needs no confirmation, so only the port is
 * refused.
 */
const ownPort: readonly Row[] = [
  ['a plain URL', 'http://127.0.0.1:OWN/'],
  ['localhost', 'http://localhost:OWN/'],
  ['localhost in capitals', 'http://LOCALHOST:OWN/'],
  ['localhost with a final dot', 'http://localhost.:OWN/'],
  ['a name below localhost', 'http://a.b.localhost:OWN/'],
  ['another address of loopback', 'http://127.8.9.10:OWN/'],
  ['the last address of loopback', 'http://127.255.255.254:OWN/'],
  ['short IPv4', 'http://127.1:OWN/'],
  ['decimal', 'http://2130706433:OWN/'],
  ['hexadecimal', 'http://0x7f000001:OWN/'],
  ['hexadecimal parts', 'http://0x7f.0x0.0x0.0x1:OWN/'],
  ['octal', 'http://017700000001:OWN/'],
  ['octal parts', 'http://0177.0.0.01:OWN/'],
  ['mixed parts', 'http://0x7f.1:OWN/'],
  ['IPv4 with a final dot', 'http://127.0.0.1.:OWN/'],
  ['encoded digits', 'http://%31%32%37.0.0.1:OWN/'],
  ['full-width digits', 'http://１２７.０.０.１:OWN/'],
  ['circled digits', 'http://①②⑦.0.0.1:OWN/'],
  ['an ideographic full stop', 'http://127。0。0。1:OWN/'],
  ['mathematical letters', 'http://𝓁ocalhost:OWN/'],
  ['a soft hyphen in the name', 'http://local\u00adhost:OWN/'],
  ['IPv6', 'http://[::1]:OWN/'],
  ['IPv6 in full', 'http://[0:0:0:0:0:0:0:1]:OWN/'],
  ['IPv6 with zeroes', 'http://[0000:0000::0001]:OWN/'],
  ['IPv4 in IPv6', 'http://[::ffff:127.0.0.1]:OWN/'],
  ['IPv4 in IPv6, hexadecimal', 'http://[::ffff:7f00:1]:OWN/'],
  ['IPv4 in IPv6, in full', 'http://[0:0:0:0:0:ffff:7f00:0001]:OWN/'],
  ['a port with zeroes', 'http://127.0.0.1:000OWN/'],
  ['spaces around the URL', '  http://127.0.0.1:OWN/  '],
  ['a tab in the scheme', 'ht\ttp://127.0.0.1:OWN/'],
  ['backslashes', 'http:\\\\127.0.0.1:OWN/'],
  ['a user before the host', 'http://example.com@127.0.0.1:OWN/'],
  ['a user with a port', 'http://example.com:80@127.0.0.1:OWN/'],
  ['a host behind a fragment', 'http://127.0.0.1:OWN#@example.com/'],
  ['TLS', 'https://127.0.0.1:OWN/'],
  ['a name that resolves to loopback', 'http://here.example:OWN/', [[here]]],
  ['a name that resolves to IPv6 loopback', 'http://here.example:OWN/', [['::1']]],
  ['a name that resolves to IPv4 in IPv6', 'http://here.example:OWN/', [['::ffff:127.0.0.1']]],
  ['a name with both addresses', 'http://here.example:OWN/', [['::1', here]]],
  ['the unspecified address', 'http://0.0.0.0:OWN/'],
  ['the unspecified address, short', 'http://0:OWN/'],
  ['the unspecified address of IPv6', 'http://[::]:OWN/'],
  ['IPv4 compatible', 'http://[::127.0.0.1]:OWN/'],
  ['translated IPv4', 'http://[::ffff:0:127.0.0.1]:OWN/'],
  ['NAT64', 'http://[64:ff9b::127.0.0.1]:OWN/'],
  ['local NAT64', 'http://[64:ff9b:1::7f00:1]:OWN/'],
  ['6to4', 'http://[2002:7f00:1::1]:OWN/'],
  ['Teredo', 'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]:OWN/'],
  ['ISATAP', 'http://[2400:cb00::5efe:127.0.0.1]:OWN/'],
  ['a zone', 'http://[fe80::1%25lo]:OWN/'],
]

/** The user has confirmed these hosts, but the owners of their names decide where they lead. */
const elsewhere: readonly Row[] = [
  ['metadata of a cloud', 'http://169.254.169.254/latest/meta-data/'],
  ['metadata, decimal', 'http://2852039166/'],
  ['metadata, IPv4 in IPv6', 'http://[::ffff:169.254.169.254]/'],
  ['metadata, IPv6', 'http://[fd00:ec2::254]/'],
  ['metadata, a public range', 'http://168.63.129.16/'],
  ['metadata, behind a carrier’s NAT', 'http://100.100.100.200/'],
  ['metadata, NAT64', 'http://[64:ff9b::a9fe:a9fe]/'],
  ['metadata, 6to4', 'http://[2002:a9fe:a9fe::]/'],
  ['private, ten', 'http://10.0.0.1/'],
  ['private, ten, octal', 'http://012.0.0.1/'],
  ['private, 172.16', 'http://172.31.255.255/'],
  ['private, 192.168', 'http://192.168.0.1/'],
  ['private, hexadecimal', 'http://0xc0a80001/'],
  ['private, IPv6', 'http://[fc00::1]/'],
  ['site-local', 'http://[fec0::1]/'],
  ['link-local', 'http://[fe80::1]/'],
  ['multicast', 'http://224.0.0.1/'],
  ['multicast, IPv6', 'http://[ff02::1]/'],
  ['broadcast', 'http://255.255.255.255/'],
  ['reserved', 'http://240.0.0.1/'],
  ['a name that resolves to a private address', 'http://a.example/', [['10.1.2.3']]],
  ['a name that resolves to metadata', 'http://a.example/', [['169.254.169.254']]],
  ['a private address among public ones', 'http://a.example/', [[publicAddress, '10.0.0.1']]],
  ['a private address first', 'http://a.example/', [['fd00::1', publicAddress]]],
  ['this computer among public ones', 'http://a.example:OPEN/', [[publicAddress, here]]],
  ['a name with a zone', 'http://a.example/', [['fe80::1%eth0']]],
  ['an invalid address from the resolver', 'http://a.example/', [['127.0.0.1.example']]],
  ['another address at the connect', 'http://a.example/', [[publicAddress], ['192.168.1.1']]],
  ['metadata at the connect', 'http://a.example/', [[publicAddress], ['169.254.169.254']]],
  ['this computer at the connect', 'http://a.example:OPEN/', [[publicAddress], [here]]],
  ['the receiver’s port at the connect', 'http://a.example:OWN/', [[publicAddress], ['::1']]],
  ['the app’s public URL', 'https://mine.tunnel.example/hook/1', [[publicAddress]]],
  ['the app’s public URL, another port', 'http://mine.tunnel.example:8080/', [[publicAddress]]],
  ['the app’s public URL, capitals and a dot', 'https://MINE.tunnel.example./', [[publicAddress]]],
]

const placed = (url: string) => url.replace('OWN', String(own)).replace('OPEN', String(port))

async function expectRefused(url: string, answers: Answers, isConfirmed: boolean): Promise<void> {
  const { answer } = await attempt(placed(url), answers, isConfirmed, null)
  expect(answer).toMatchObject({ status: null, failure: 'refused' })
  expect(answer.problem).toMatch(/\w\.$/)
  expect(reached).toBe(0)
  expect(asked).toEqual([])
}

const whole = ([trick, url, answers = []]: Row): [string, string, Answers] => [trick, url, answers]

test.each(ownPort.map(whole))(
  'forwarding to the receiver’s own port is refused: %s',
  (_trick, url, answers) => expectRefused(url, answers, false),
)

test.each(elsewhere.map(whole))(
  'forwarding to a private or special address is refused: %s',
  (_trick, url, answers) => expectRefused(url, answers, true),
)

test('a target whose name now resolves to another address is checked again and refused', async () => {
  const { before, answer, lookups } = await attempt(
    'http://a.example/',
    [[publicAddress], ['10.0.0.1']],
    true,
    null,
  )
  expect(before).toMatchObject({ kind: 'public', problem: null })
  expect(answer.problem).toContain('10.0.0.1')
  expect(lookups).toBe(2)
})

test.each([
  ['metadata of a cloud', () => 'http://169.254.169.254/'],
  ['the receiver’s own port', () => `http://127.0.0.1:${own}/`],
])('a redirect to %s is the target’s response and is not followed', async (_trick, to) => {
  location = to()
  const { answer } = await attempt(`http://localhost:${port}/`, [], false, null)
  expect(answer).toMatchObject({ status: 302, failure: null })
  expect(reached).toBe(0)
})

test.each([
  ['dots', '/../admin'],
  ['dots in the middle', '/a/../../admin'],
  ['encoded dots', '/%2e%2e/admin'],
  ['half encoded dots', '/.%2E/admin'],
  ['twice encoded dots', '/%252e%252e/admin'],
  ['an encoded slash', '/..%2fadmin'],
  ['a backslash', '/..\\admin'],
  ['an encoded backslash', '/..%5cadmin'],
  ['parameters', '/..;a=b/admin'],
  ['an overlong dot', '/%c0%ae%c0%ae/admin'],
  ['full-width dots', '/%ef%bc%8e%ef%bc%8e/admin'],
  ['IIS escapes', '/%u002e%u002e/admin'],
  ['another host', '//evil.example/admin'],
  ['an absolute URL', 'http://evil.example/admin'],
  ['a line of its own', '/a\r\nX-Evil: 1'],
  ['an encoded line', '/a%0d%0aX-Evil: 1'],
  ['a blank', '/a b'],
  ['a fragment', '/a#b'],
  ['a nul', '/a%00b'],
])(
  'a captured path that could leave the target’s path is not sent: %s',
  async (_trick, subpath) => {
    const { answer } = await attempt(`http://localhost:${port}/base/`, [], false, subpath)
    expect(answer).toMatchObject({ status: null, failure: 'invalid' })
    expect(asked).toEqual([])
  },
)

test('an allowed path arrives at an allowed target, and other targets are refused with the reason', async () => {
  const { answer } = await attempt(
    `http://b.example:${port}/base/?q=1`,
    [[here]],
    false,
    '/a%2Fb/c?d=%2e',
  )
  expect(answer).toMatchObject({ status: 302, failure: null, problem: null })
  expect(asked).toEqual(['/base/a%2Fb/c?q=1&d=%2e'])
  const unasked = await attempt('http://a.example/', [[publicAddress]], false, null)
  expect(unasked.answer.failure).toBe('unconfirmed')
  expect((await attempt('http://gone.example/', [], true, null)).answer.failure).toBe('unresolved')
})
