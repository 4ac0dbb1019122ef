/**
 * Tests the guard of connections to targets, because others decide which address a target's name
 * resolves to.
 */
import { describe, expect, test } from 'vitest'
import {
  createGuard,
  createTargetCalls,
  resolveBySystem,
} from '../../../src-main/delivery/sender/guard.ts'
import { readTarget } from '../../../src-main/delivery/sender/target.ts'

const port = 4711
const [publicAddress, otherPublic] = ['93.184.216.34', '2606:2800:220:1::1']

function guardOf(addresses: readonly string[], confirmed: readonly string[] = []) {
  return createGuard({
    resolve: () => Promise.resolve(addresses),
    own: () => ({ ports: [{ port, whose: 'the receiver' }], publicUrls: [] }),
    isConfirmed: (host) => confirmed.includes(host),
  })
}

const target = readTarget('https://shop.example/hook')
const refused = expect.objectContaining({ code: 'TARGET_REFUSED' }) as Error

test.each([
  ['public', publicAddress, true],
  ['public', otherPublic, true],
  ['loopback', '127.0.0.1', true],
  ['loopback', '::1', true],
  ['public', '127.0.0.1', false],
  ['public', '::ffff:127.0.0.1', false],
  ['public', '10.0.0.1', false],
  ['public', '169.254.169.254', false],
  ['public', undefined, false],
  ['loopback', publicAddress, false],
  ['loopback', '10.0.0.1', false],
  ['loopback', undefined, false],
] as const)(
  'a connection with the verdict %s that leads to %s is allowed: %s',
  (kind, address, isAllowed) => {
    const verify = () => guardOf([]).verify(target, kind, address)
    if (isAllowed) expect(verify).not.toThrow()
    else expect(verify).toThrow(refused)
  },
)

test('a connection to a port of Tondesk itself is refused, whatever name led there', () => {
  const own = readTarget(`http://shop.example:${port}/`)
  const other = readTarget(`http://shop.example:${port + 1}/`)
  const guard = guardOf([])
  expect(() => guard.verify(own, 'loopback', '127.0.0.1')).toThrow(refused)
  expect(() => guard.verify(other, 'loopback', '127.0.0.1')).not.toThrow()
  // On a host on the internet, the receiver's port number is allowed.
  expect(() => guard.verify(own, 'public', publicAddress)).not.toThrow()
})

test.each<[code: string | null, addresses: readonly string[], confirmed: readonly string[]]>([
  [null, [publicAddress, otherPublic], ['shop.example:443']],
  ['TARGET_UNCONFIRMED', [publicAddress], ['shop.example:80', 'example:443']],
  [null, ['127.0.0.1', '::1'], []],
  ['TARGET_REFUSED', ['127.0.0.1'], ['shop.example:443']],
  ['TARGET_REFUSED', [publicAddress, '10.0.0.1'], ['shop.example:443']],
  ['TARGET_REFUSED', ['10.0.0.1', publicAddress], ['shop.example:443']],
  ['TARGET_REFUSED', [publicAddress, '127.0.0.1'], ['shop.example:443']],
  ['TARGET_REFUSED', ['127.0.0.1', publicAddress], []],
  ['TARGET_UNRESOLVED', [], ['shop.example:443']],
])('%s: a name that resolves to %j, with %j confirmed', async (code, addresses, confirmed) => {
  const judged = guardOf(addresses, confirmed).addresses(target)
  if (code === null) expect(await judged).toMatchObject({ addresses })
  else await expect(judged).rejects.toMatchObject({ code })
})

type Options = Partial<Parameters<typeof createGuard>[0]>

/** Creates a guard that resolves every name to a public address and knows a tunnel. */
function publicGuard(options: Options = {}) {
  return createGuard({
    resolve: () => Promise.resolve([publicAddress]),
    own: () => ({
      ports: [{ port, whose: 'the receiver' }],
      publicUrls: ['not a URL', 'https://tunnel.example/hook'],
    }),
    isConfirmed: () => true,
    ...options,
  })
}
const to = (...addresses: string[]): Options => ({
  resolve: () => Promise.resolve(addresses),
  isConfirmed: () => false,
})
const failing: Options = { resolve: () => Promise.reject(new Error('ENOTFOUND')) }
const unconfirmed: Options = { isConfirmed: () => false }

const problems = {
  tunnel: 'tunnel.example:80 is the receiver’s own public address. Choose another target.',
  unconfirmed: 'shop.example:443 is not on this computer. Confirm the host first.',
  own: `127.0.0.1:${port} is the receiver of Tondesk itself. Choose another target.`,
  unresolved:
    'shop.example cannot be resolved (ENOTFOUND). Check the spelling and your network connection.',
  empty:
    'shop.example cannot be resolved (no address). Check the spelling and your network connection.',
  private:
    'shop.example leads to 10.0.0.1, which is a private address. Tondesk sends nothing there.',
  mixed:
    'shop.example resolves to this computer and to other computers. Tondesk sends nothing there.',
  moved:
    'You confirmed shop.example as a host on the internet, but it now resolves to this computer.',
  publicOnly: 'shop.example leads to this computer. Tondesk loads nothing from there.',
}

describe('the addresses of a target', () => {
  test.each<readonly [url: string, options: Options, code: string, message: string]>([
    ['http://tunnel.example/x', {}, 'TARGET_REFUSED', problems.tunnel],
    ['https://shop.example/', unconfirmed, 'TARGET_UNCONFIRMED', problems.unconfirmed],
    [`http://127.0.0.1:${port}/`, unconfirmed, 'TARGET_REFUSED', problems.own],
    ['https://shop.example/', failing, 'TARGET_UNRESOLVED', problems.unresolved],
    ['https://shop.example/', to(), 'TARGET_UNRESOLVED', problems.empty],
    ['https://shop.example/', to('10.0.0.1'), 'TARGET_REFUSED', problems.private],
    ['https://shop.example/', to('127.0.0.1', publicAddress), 'TARGET_REFUSED', problems.mixed],
    [
      'https://shop.example/',
      { ...to('127.0.0.1'), isConfirmed: () => true },
      'TARGET_REFUSED',
      problems.moved,
    ],
    [
      'https://shop.example/',
      { ...to('127.0.0.1'), isPublicOnly: true },
      'TARGET_REFUSED',
      problems.publicOnly,
    ],
    [
      'http://10.0.0.1/',
      {},
      'TARGET_REFUSED',
      '10.0.0.1 is a private address. Tondesk sends nothing there.',
    ],
  ])('for %s with %j are refused as %s: %s', async (url, options, code, message) => {
    const found = publicGuard(options).addresses(readTarget(url))
    await expect(found).rejects.toMatchObject({ code, message })
  })

  test.each(['http://localhost:3000/', 'http://app.localhost:3000/'])(
    'for %s are those of this computer, whatever a name server responds',
    async (url) => {
      const found = await publicGuard(unconfirmed).addresses(readTarget(url))
      expect(found).toEqual({ kind: 'loopback', addresses: ['127.0.0.1', '::1'] })
    },
  )

  test('for an address are the address itself, without a lookup', async () => {
    const guard = publicGuard(failing)
    const found = await guard.addresses(readTarget(`https://[${otherPublic}]/`))
    expect(found).toEqual({ kind: 'public', addresses: [otherPublic] })
  })

  test('are loaded without a confirmation where only the way there is tested', async () => {
    expect(await publicGuard(unconfirmed).reachable(target)).toEqual([publicAddress])
    await expect(publicGuard(to('10.0.0.1')).reachable(target)).rejects.toThrow(problems.private)
  })

  test('are looked up by the system, in its order', async () => {
    expect(await resolveBySystem('127.0.0.1')).toEqual(['127.0.0.1'])
    await expect(resolveBySystem('name.invalid')).rejects.toThrow()
  })
})

describe('without a lookup', () => {
  test.each<readonly [url: string, options: Options, message: string | null]>([
    ['http://tunnel.example/', {}, problems.tunnel],
    ['http://other.example/', unconfirmed, null],
    [`http://localhost:${port}/`, {}, problems.own.replace('127.0.0.1', 'localhost')],
    [`http://a.localhost:${port}/`, {}, problems.own.replace('127.0.0.1', 'a.localhost')],
    [`http://localhost.example:${port}/`, {}, null],
    ['http://localhost:3000/', {}, null],
    [`http://127.0.0.1:${port}/`, unconfirmed, problems.own],
    ['http://127.0.0.1:3000/', unconfirmed, null],
    ['http://10.0.0.1/', {}, '10.0.0.1 is a private address. Tondesk sends nothing there.'],
    [
      `http://${publicAddress}/`,
      unconfirmed,
      `${publicAddress}:80 is not on this computer. Confirm the host first.`,
    ],
    [`http://${publicAddress}/`, {}, null],
  ])('a request to %s with %j has the problem %j', (url, options, message) => {
    const admit = () => publicGuard(options).admit(readTarget(url))
    if (message === null) expect(admit).not.toThrow()
    else expect(admit).toThrow(message)
  })
})

describe('a target that is about to be stored', () => {
  const url = 'https://shop.example/hook'

  test('is accepted if its host is confirmed, even while its name cannot be resolved', async () => {
    expect((await publicGuard().demand(url)).host).toBe('shop.example:443')
    expect((await publicGuard(failing).demand(url)).host).toBe('shop.example:443')
  })

  test('is refused with its URL and host, which the window offers to confirm', async () => {
    await expect(publicGuard(unconfirmed).demand(url)).rejects.toMatchObject({
      code: 'TARGET_UNCONFIRMED',
      message: problems.unconfirmed,
      data: { url, host: 'shop.example:443' },
    })
    const away = publicGuard({ ...failing, ...unconfirmed })
    await expect(away.demand(url)).rejects.toMatchObject({ code: 'TARGET_UNRESOLVED' })
    await expect(publicGuard(to('10.0.0.1')).demand(url)).rejects.toThrow(problems.private)
    const confirmedMove = publicGuard({ ...to('127.0.0.1'), isConfirmed: () => true })
    await expect(confirmedMove.demand(url)).rejects.toThrow(problems.moved)
  })

  test('passes on an error that is not about the target', async () => {
    const own = () => {
      throw new RangeError('a defect')
    }
    await expect(publicGuard({ own }).demand(url)).rejects.toThrow(RangeError)
    await expect(publicGuard({ own }).verdict(url)).rejects.toThrow(RangeError)
  })
})

describe('the verdict on a target', () => {
  const about = { url: target.url, host: 'shop.example:443' }
  test.each<readonly [options: Options, verdict: object]>([
    [{}, { isConfirmed: true, kind: 'public', addresses: [publicAddress], problem: null }],
    [
      unconfirmed,
      { isConfirmed: false, kind: 'public', addresses: [publicAddress], problem: null },
    ],
    [
      to('127.0.0.1'),
      { isConfirmed: false, kind: 'loopback', addresses: ['127.0.0.1'], problem: null },
    ],
    [
      { ...to('127.0.0.1'), isConfirmed: () => true },
      { isConfirmed: true, kind: 'refused', addresses: ['127.0.0.1'], problem: problems.moved },
    ],
    [
      to('10.0.0.1'),
      { isConfirmed: false, kind: 'refused', addresses: ['10.0.0.1'], problem: problems.private },
    ],
    // A confirmed host stays allowed while its name cannot be resolved.
    [failing, { isConfirmed: true, kind: 'public', addresses: [], problem: problems.unresolved }],
    [
      { ...failing, ...unconfirmed },
      { isConfirmed: false, kind: 'refused', addresses: [], problem: problems.unresolved },
    ],
  ])('with %j is %j', async (options, verdict) => {
    expect(await publicGuard(options).verdict(target.url)).toEqual({ ...about, ...verdict })
  })

  test('refuses the own public address before any lookup', async () => {
    const verdict = await publicGuard(failing).verdict('http://tunnel.example/')
    expect(verdict).toMatchObject({ kind: 'refused', problem: problems.tunnel, addresses: [] })
  })
})

test.each([
  ['10.0.0.1', 'shop.example led to 10.0.0.1, which is not allowed.'],
  [undefined, 'shop.example led to no address, which is not allowed.'],
])('a connection that led to %s is refused with this address', (address, message) => {
  expect(() => guardOf([]).verify(target, 'public', address)).toThrow(message)
})

describe('confirmed hosts', () => {
  function openCalls() {
    const added: (readonly [host: string, at: number])[] = []
    const removed: string[] = []
    let changes = 0
    const hosts = {
      list: () => added.map(([host]) => host),
      has: () => false,
      add: (host: string, at: number) => void added.push([host, at]),
      remove: (host: string) => void removed.push(host),
    }
    const calls = createTargetCalls(
      publicGuard(),
      hosts,
      () => (changes += 1),
      () => 7,
    )
    return { calls, added, removed, changes: () => changes }
  }

  test('are added with their time, listed and removed, and each change is reported', async () => {
    const { calls, added, removed, changes } = openCalls()
    expect(calls['target.confirm']({ host: 'SHOP.example:443' })).toEqual({})
    expect(added).toEqual([['shop.example:443', 7]])
    expect(calls['target.confirmed']()).toEqual(['shop.example:443'])
    expect(changes()).toBe(1)
    expect(calls['target.forget']({ host: 'shop.example:443' })).toEqual({})
    expect(removed).toEqual(['shop.example:443'])
    expect(changes()).toBe(2)
    expect(await calls['target.check']({ url: target.url })).toMatchObject({ kind: 'public' })
  })

  test.each([
    ...['shop.example', 'shop.example:', 'a/b:443', 'a\\b:443', 'user@shop.example:443'],
    ...['shop.example?:443', 'shop.example#:443', 'shop .example:443', 'x:443/', 'https://x:443'],
  ])('cannot be %s, which is not a host with a port', (host) => {
    const { calls, added, changes } = openCalls()
    expect(() => calls['target.confirm']({ host })).toThrow(
      `${host} is not a host with a port, such as example.com:443.`,
    )
    expect([added, changes()]).toEqual([[], 0])
  })

  test('cannot be an address that is not public', () => {
    const confirm = (host: string) => openCalls().calls['target.confirm']({ host })
    expect(() => confirm('10.0.0.1:443')).toThrow(
      expect.objectContaining({
        code: 'TARGET_REFUSED',
        message: '10.0.0.1 is a private address.',
      }),
    )
    expect(confirm(`${publicAddress}:443`)).toEqual({})
  })
})
