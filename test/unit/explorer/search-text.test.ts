import { expect, test } from 'vitest'
import { Address, beginCell, external, storeMessage } from '@ton/core'
import { normalizedMessageHash } from '../../../src-main/ton/hash.ts'
import { readSearchText } from '../../../src-main/explorer/search.ts'

const hash = 'ab'.repeat(32)
const base64 = Buffer.from(hash, 'hex').toString('base64')
const base64url = Buffer.from(hash, 'hex').toString('base64url')
const zero = `0:${'0'.repeat(64)}`
const friendly = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c'
const ofTestnet = '0QAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACkT'
const block = '(-1,8000000000000000,123)'

/** Returns the candidates as `kind value`, in order. */
function read(text: string): string[] {
  return readSearchText(text).candidates.map(({ kind, id }) => `${kind} ${id}`)
}

test.each([
  [hash, `hash ${hash}`],
  [hash.toUpperCase(), `hash ${hash}`],
  [`0x${hash}`, `hash ${hash}`],
  [base64, `hash ${hash}`],
  [base64url, `hash ${hash}`],
  [` ${hash}\n`, `hash ${hash}`],
  [friendly, `account ${zero}`],
  ['UQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJKZ', `account ${zero}`],
  ['kQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAHTW', `account ${zero}`],
  [ofTestnet, `account ${zero}`],
  ['kf8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM/BP', `account -1:${'3'.repeat(64)}`],
  [`0:${'AB'.repeat(32)}`, `account 0:${hash}`],
  ['Foundation.TON', 'domain foundation.ton'],
  ['pay.shop.ton', 'domain pay.shop.ton'],
  ['some_body.t.me', 'domain some_body.t.me'],
  [block, `block ${block}`],
  ['-1:8000000000000000:123', `block ${block}`],
  ['(0, 6000000000000000, 5)', 'block (0,6000000000000000,5)'],
  [`(-1,8000000000000000,123,${hash},${hash})`, `block ${block}`],
  ['123', `block ${block}`],
  ['60ffb075', 'invoice 60ffb075'],
  ['60FFB075', 'invoice 60ffb075'],
])('a search recognizes %s', (text, found) => {
  expect(read(text)).toEqual([found])
})

test.each([
  [`https://tonviewer.com/transaction/${hash}`, [`hash ${hash}`]],
  [`https://tonviewer.com/${friendly}?section=jettons`, [`account ${zero}`]],
  [`tonscan.org/tx/${encodeURIComponent(base64)}`, [`hash ${hash}`]],
  [`https://tonscan.org/tx/31:${base64url}:${friendly}`, [`hash ${hash}`, `account ${zero}`]],
  ['https://tonscan.org/block/-1:8000000000000000:123', [`block ${block}`]],
  [`https://dton.io/tx/${hash.toUpperCase()}?time=1700000000`, [`hash ${hash}`]],
  [`https://tonapi.io/v2/blockchain/transactions/${hash}`, [`hash ${hash}`]],
  [`https://tonapi.io/v2/accounts/${zero}/events?limit=20`, [`account ${zero}`]],
  [
    `https://explorer.toncoin.org/transaction?account=${friendly}&lt=9&hash=${hash}`,
    [`hash ${hash}`, `account ${zero}`],
  ],
  [`#/transactions/tx/${hash}?network=sandbox`, [`hash ${hash}`]],
  [`ton://transfer/${friendly}?amount=5&text=60ffb075`, [`account ${zero}`, 'invoice 60ffb075']],
  ['https://tonviewer.com/foundation.ton', ['domain foundation.ton']],
])('a link is recognized as the objects that its URL names: %s', (link, found) => {
  expect(read(link)).toEqual(found)
})

test.each([
  [`https://testnet.tonviewer.com/${friendly}`, 'testnet'],
  [`http://127.0.0.1:4000/#/transactions/tx/${hash}?network=custom-0123abcd`, 'custom-0123abcd'],
  // A Mainnet link that is looked up on the sandbox finds nothing.
  [`https://tonviewer.com/${friendly}`, 'mainnet'],
  [`https://tonscan.org/tx/${hash}`, 'mainnet'],
  [`https://testnet.tonscan.org/tx/${hash}`, 'testnet'],
  [`https://example.com/tx/${hash}`, null],
])('the network of a link is recognized from its host or parameter: %s', (link, network) => {
  expect(readSearchText(link).network).toBe(network)
})

test('eight digits are an invoice or a block, and a text with several objects yields each object once', () => {
  expect(read('12345678')).toEqual(['invoice 12345678', 'block (-1,8000000000000000,12345678)'])
  expect(read(`${hash},${friendly}\n"${hash}" <${base64}> 123`)).toEqual([
    `hash ${hash}`,
    `account ${zero}`,
    `block ${block}`,
  ])
})

test('the network of a friendly address is recognized, and a raw address has none', () => {
  const marks = [ofTestnet, friendly, zero].map((text) => {
    const [found] = readSearchText(text).candidates
    return found?.kind === 'account' ? found.isTestOnly : undefined
  })
  expect(marks).toEqual([true, false, null])
})

test.each([
  [`${friendly.slice(0, -1)}d`, /checksum/],
  [friendly.slice(0, -1), /47 characters instead of 48/],
  [`7:${hash}`, /no workchain 7/],
  [hash.slice(1), /63 hexadecimal digits instead of 64/],
])('a mistyped hash or address is reported as such: %s', (text, why) => {
  const { candidates, problems } = readSearchText(text)
  expect(candidates).toEqual([])
  expect(problems).toEqual([expect.stringMatching(why)])
})

test('a pasted BOC is found by its hash, and an external message also by its normalized hash', () => {
  const body = beginCell().storeUint(7, 32).endCell()
  const message = external({ to: Address.parse(friendly), body })
  const cell = beginCell().store(storeMessage(message)).endCell()
  const own = cell.hash().toString('hex')
  const boc = cell.toBoc()
  const found = [`boc ${own} ${normalizedMessageHash(message)}`]
  expect(read(boc.toString('hex'))).toEqual(found)
  expect(read(boc.toString('base64'))).toEqual(found)
  expect(read(boc.toString('base64url').padEnd(boc.toString('base64').length, '='))).toEqual(found)
  expect(read(body.toBoc().toString('hex'))).toEqual([`boc ${body.hash().toString('hex')}`])
  expect(readSearchText(boc.toString('hex').slice(0, -8))).toMatchObject({
    candidates: [],
    problems: [expect.stringMatching(/not a valid one/)],
  })
})

test.each(['shop till', 'wallet-1', '0x5fcc3d14', '(-1,8,1)', '#', '.ton', 'x'.repeat(2000)])(
  'any other text yields no candidate and no problem: %s',
  (text) => {
    expect(readSearchText(text)).toEqual({ candidates: [], problems: [], network: null })
  },
)
