/** Compares message hashes, comments and bodies with vectors and with @ton/core's own builders. */
import { type Cell, Address, beginCell, comment, external } from '@ton/core'
import { expect, test } from 'vitest'
import { parseBoc, formatCell, readBytes, parseMessage } from '../../../src-main/ton/boc.ts'
import { decodePayload, readComment } from '../../../src-main/ton/payload.ts'
import { decodeBody, formatBody } from '../../../src-main/ton/decode-body.ts'
import { readHash, messageHash, normalizedMessageHash } from '../../../src-main/ton/hash.ts'

const helloHash = '551f6c3e8d7ae7d9b3ac53bca9b6f82cff322fb16113820776d14a3f93b93951'
const helloHex = 'b5ee9c7201010101000b0000120000000068656c6c6f'
const helloBase64 = 'te6cckEBAQEACwAAEgAAAABoZWxsb5oNank='
const externalBase64 =
  'te6cckEBAQEALgAAV4gAIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIAAAAAA0MrY2N8Qdc8vw=='
const notificationBase64 =
  'te6cckEBAgEAQgABYnNi0JwAAAAAAAAAATJiWggAREREREREREREREREREREREREREREREREREREREREREUBABgAAAAAb3JkZXItNDLBvvkv'

function cellOf(text: string): Cell {
  const bytes = readBytes(text)
  if (bytes === null) throw new Error('not readable')
  return parseBoc(bytes)
}

test('a comment is parsed as the same cell from hexadecimal and base64, with and without a checksum', () => {
  for (const text of [helloHex, helloBase64]) {
    expect(cellOf(text).hash().toString('hex')).toBe(helloHash)
    expect(readComment(cellOf(text))).toBe('hello')
  }
  expect(formatCell(comment('hello'))).toBe(helloHex)
})

test('a comment that continues in other cells is read to its end', () => {
  const long = 'длинный комментарий '.repeat(200)
  expect(readComment(comment(long))).toBe(long)
})

test('a comment that is not UTF-8 is shown as hexadecimal', () => {
  const commentOf = (bytes: number[]) =>
    beginCell().storeUint(0, 32).storeBuffer(Buffer.from(bytes)).endCell()
  for (const [bytes, shown] of [
    [[0xff, 0x68, 0x69], '0xff6869'],
    [[0x68, 0xc3, 0x28], '0x68c328'],
    // These bytes are a surrogate half and a truncated character.
    [[0xed, 0xa0, 0x80], '0xeda080'],
    [[0xe2, 0x82], '0xe282'],
    [[0xe2, 0x82, 0xac], '€'],
    [[], ''],
  ] as const) {
    const cell = commentOf([...bytes])
    expect(readComment(cell)).toBe(shown)
    expect(decodeBody(cell)).toEqual({ name: 'text_comment', text: shown })
    expect(decodePayload(cell)).toEqual({ kind: 'comment', text: shown })
  }
})

test('a body with another operation, a short body and incomplete bytes are no comments', () => {
  expect(readComment(beginCell().storeUint(1, 32).endCell())).toBeNull()
  expect(readComment(beginCell().endCell())).toBeNull()
  expect(readComment(beginCell().storeUint(0, 35).endCell())).toBeNull()
})

test('an external message has a hash, and a normalized hash that ignores its initial state', () => {
  const message = parseMessage(cellOf(externalBase64))
  expect(messageHash(message)).toBe(
    '74324d1b1eeb60a449e50eb023935c069f4ba4871c4e0f7ef48ecc73177beb65',
  )
  const normalized = '18f19e09a440a84c173a3e2bae3f0211eb7070541c8f2c98866232ee6ce2d3dc'
  expect(normalizedMessageHash(message)).toBe(normalized)
  const withInit = external({
    to: Address.parseRaw(`0:${'11'.repeat(32)}`),
    body: comment('hello'),
    init: { code: comment('code'), data: comment('data') },
  })
  expect(normalizedMessageHash(withInit)).toBe(normalized)
})

test("a jetton notification is formatted with the service's names", () => {
  const cell = cellOf(notificationBase64)
  expect(cell.hash().toString('hex')).toBe(
    '7dd734b8c176af725f09b20a7a355a62d1101b8ceba918e4123d684d229203e6',
  )
  const body = decodeBody(cell)
  expect(body === null ? null : formatBody(body)).toEqual({
    name: 'jetton_notify',
    value: {
      query_id: 1n,
      amount: '2500000',
      sender: `0:${'22'.repeat(32)}`,
      forward_payload: {
        is_right: true,
        value: { sum_type: 'TextComment', op_code: 0, value: { text: 'order-42' } },
      },
    },
  })
})

test('a jetton transfer is decoded with an inline payload and without a payload', () => {
  const destination = Address.parseRaw(`0:${'33'.repeat(32)}`)
  const head = () =>
    beginCell()
      .storeUint(0x0f8a7ea5, 32)
      .storeUint(2n ** 64n - 1n, 64)
      .storeCoins(5n)
      .storeAddress(destination)
      .storeAddress(null)
      .storeMaybeRef(null)
      .storeCoins(1n)
  const inline = decodeBody(head().storeBit(false).storeUint(0, 32).storeStringTail('hi').endCell())
  expect(inline === null ? null : formatBody(inline).value).toEqual({
    query_id: 18446744073709551615n,
    amount: '5',
    destination: destination.toRawString(),
    response_destination: '',
    custom_payload: null,
    forward_ton_amount: '1',
    forward_payload: {
      is_right: false,
      value: { sum_type: 'TextComment', op_code: 0, value: { text: 'hi' } },
    },
  })
  const without = decodeBody(head().endCell())
  expect(without).toMatchObject({ forwardPayload: { content: { kind: 'empty' } } })
})

test('a truncated body or a body with additional bits is not decoded', () => {
  const whole = cellOf(notificationBase64)
  const cut = beginCell().storeBits(whole.bits.substring(0, 150)).endCell()
  expect(decodeBody(cut)).toBeNull()
  const excess = beginCell().storeUint(0xd53276db, 32).storeUint(7, 64)
  expect(decodeBody(excess.endCell())).toEqual({ name: 'excess', queryId: 7n })
  expect(decodeBody(excess.storeBit(true).endCell())).toBeNull()
})

test('bytes are parsed from hexadecimal or padded base64, and other text is refused', () => {
  expect(readBytes('b5ee')).toEqual(Buffer.from([0xb5, 0xee]))
  expect(readBytes('te6c')).toEqual(Buffer.from('te6c', 'base64'))
  for (const text of ['', 'zz', 'abc', 'te6c!', 'te6c-_', ' b5ee', '====']) {
    expect(readBytes(text)).toBeNull()
  }
})

test('a truncated, damaged or cyclic BOC is refused with an error', () => {
  const good = Buffer.from(helloBase64, 'base64')
  for (let length = 0; length < good.length; length += 1) {
    expect(() => parseBoc(good.subarray(0, length))).toThrow(/^the bytes are not a valid BOC/)
  }
  const damaged = Buffer.from(good)
  damaged[15] = 0x20
  expect(() => parseBoc(damaged)).toThrow('not a valid BOC')
  // This cell has one reference, which points to the cell itself.
  const cyclic = Buffer.from('b5ee9c720101010100030001000000', 'hex')
  expect(() => parseBoc(cyclic)).toThrow('not a valid BOC')
  expect(() => parseMessage(comment('hello'))).toThrow('no message')
})

test('a hash is parsed from hexadecimal, base64 and base64url', () => {
  const bytes = Buffer.from(helloHash, 'hex')
  for (const text of [
    helloHash.toUpperCase(),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ]) {
    expect(readHash(text)).toBe(helloHash)
  }
  for (const text of ['', 'ab', `${helloHash}0`, `0x${helloHash}`, '!'.repeat(43)]) {
    expect(readHash(text)).toBeNull()
  }
})
