import { type Cell, beginCell, Dictionary } from '@ton/core'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodeTokenContent } from '../../../src-main/ton/jetton-content.ts'

function onChain(fields: Record<string, Cell>): Cell {
  const dictionary = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell())
  for (const [key, value] of Object.entries(fields)) {
    dictionary.set(createHash('sha256').update(key).digest(), value)
  }
  return beginCell().storeUint(0, 8).storeDict(dictionary).endCell()
}

function snake(text: string): Cell {
  return beginCell().storeUint(0, 8).storeStringTail(text).endCell()
}

test('on-chain content is decoded from snake and chunked values, without unknown keys', () => {
  const chunks = Dictionary.empty(Dictionary.Keys.Uint(32), Dictionary.Values.Cell())
  chunks.set(0, beginCell().storeStringTail('Tether ').endCell())
  chunks.set(1, beginCell().storeStringTail('USD').endCell())
  const content = onChain({
    name: beginCell().storeUint(1, 8).storeDict(chunks).endCell(),
    symbol: snake('USD₮'),
    decimals: snake('6'),
    description: snake('long '.repeat(100)),
    colour: snake('green'),
  })
  expect(decodeTokenContent(content)).toEqual({
    uri: null,
    fields: {
      name: 'Tether USD',
      symbol: 'USD₮',
      decimals: '6',
      description: 'long '.repeat(100),
    },
  })
})

test('off-chain content is a link, and some fields may be stored beside the link', () => {
  const link = beginCell().storeUint(1, 8).storeStringTail('https://example.org/j.json').endCell()
  expect(decodeTokenContent(link)).toEqual({ uri: 'https://example.org/j.json', fields: {} })
  expect(decodeTokenContent(onChain({ uri: snake('ipfs://x'), decimals: snake('3') }))).toEqual({
    uri: 'ipfs://x',
    fields: { uri: 'ipfs://x', decimals: '3' },
  })
})

test('an invalid content cell is decoded as null', () => {
  expect(decodeTokenContent(beginCell().endCell())).toBeNull()
  expect(decodeTokenContent(beginCell().storeUint(9, 8).endCell())).toBeNull()
  expect(decodeTokenContent(beginCell().storeUint(0, 8).storeUint(3, 2).endCell())).toBeNull()
})
