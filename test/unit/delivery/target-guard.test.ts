/** The guard of the connections to targets: others decide what a target's name resolves to. */
import { expect, test } from 'vitest'
import { createGuard } from '../../../src-main/delivery/sender/guard.ts'
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
  // The port of a host on the internet is not ours.
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
