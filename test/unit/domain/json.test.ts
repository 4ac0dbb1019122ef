/** Tests JSON from gateways and senders: exact integers, and limits that apply before parsing. */
import { expect, test, vi } from 'vitest'
import { flattenStack } from '../../../src-main/chain/method-stack.ts'
import { classify } from '../../../src-main/receiver/classify.ts'
import { JsonLimitError, formatJson, parseJson } from '../../../src-main/ton/lossless-json.ts'

test('integers beyond 2^53 are exact at any position, and all other values are unchanged', () => {
  const text =
    '{"__proto__":12345678901234567890,"list":[9007199254740991,9007199254740993,-9007199254740993,0],' +
    '"other":[1e20,0.1,-0,1.10],"text":"[12345678901234567890, \\"","12345678901234567890":true}'
  const parsed = parseJson(text) as Record<string, unknown>
  expect(Object.entries(parsed)).toEqual([
    ['__proto__', 12345678901234567890n],
    ['list', [9007199254740991, 9007199254740993n, -9007199254740993n, 0]],
    ['other', [1e20, 0.1, -0, 1.1]],
    ['text', '[12345678901234567890, "'],
    ['12345678901234567890', true],
  ])
  expect(parseJson('12345678901234567890')).toBe(12345678901234567890n)
  expect(parseJson(` [ ${'7'.repeat(1_000)} ] `)).toEqual([BigInt('7'.repeat(1_000))])
})

test.each([
  '012345678901234567890',
  '--12345678901234567890',
  '[12345678901234567890',
  '"12345678901234567890',
])('invalid JSON with a long integer is refused: %s', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError)
})

test.each([
  ['more than 500,000 values', `[${'1,'.repeat(500_000)}12345678901234567890]`],
  ['more than 100,000 levels', '['.repeat(100_001) + ']'.repeat(100_001)],
  ['integers of more than 1,000 digits', `[${'9'.repeat(1_001)}]`],
  ['integers of 8 million digits', '9'.repeat(8_000_000)],
])('JSON with %s is refused before it is parsed', (_what, text) => {
  const parse = vi.spyOn(JSON, 'parse')
  try {
    expect(() => parseJson(text)).toThrow(JsonLimitError)
    expect(parse).not.toHaveBeenCalled()
  } finally {
    parse.mockRestore()
  }
})

test('a long integer among 400,000 values requires no call per value', () => {
  const parse = vi.spyOn(JSON, 'parse')
  try {
    expect(parseJson(`[${'1,'.repeat(400_000)}12345678901234567890]`)).toHaveLength(400_001)
    // A second argument of JSON.parse would be called for each value.
    expect(parse.mock.calls.map((given) => given.length)).toEqual([1])
  } finally {
    parse.mockRestore()
  }
})

test('JSON at the limits of values and levels is parsed', () => {
  const deep = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`
  expect(formatJson(parseJson(`[${'1,'.repeat(499_998)}1]`))).toHaveLength(999_999)
  let depth = 0
  for (let value = parseJson(deep); Array.isArray(value); value = value[0] as unknown) depth += 1
  expect(depth).toBe(100_000)
})

test('brackets and quotation marks within strings do not count towards the limits', () => {
  const text = JSON.stringify(['['.repeat(600_000), '\\"'.repeat(200_000), ','.repeat(600_000)])
  expect(parseJson(text)).toHaveLength(3)
})

test('values of a get method beyond the 20,000 displayed values are counted without parsing', () => {
  let read = 0
  const cell = () => ({
    type: 'cell',
    get cell() {
      read += 1
      return 'b5ee9c72010101010002000000'
    },
  })
  const answer = [
    ...Array.from({ length: 20_000 }, cell),
    { type: 'tuple', tuple: [cell(), cell(), cell()] },
    cell(),
  ]
  const { items, total } = flattenStack(answer)
  expect([items.length, total]).toEqual([20_000, 20_005])
  const first = read
  read = 0
  flattenStack(answer.slice(0, 20_000))
  expect(first).toBe(read)
})

test.each([
  ['values', `{"a":[${'1,'.repeat(10_000)}1],"account_id":"a","lt":1,"tx_hash":"b"}`],
  ['levels', `{"a":${'['.repeat(200)}${']'.repeat(200)},"account_id":"a","lt":1,"tx_hash":"b"}`],
])('a body with far more %s than an event is classified without parsing', (_what, text) => {
  const parse = vi.spyOn(JSON, 'parse')
  try {
    expect(classify(Buffer.from(text), null).kind).toBe('unknown')
    expect(parse).not.toHaveBeenCalled()
  } finally {
    parse.mockRestore()
  }
})
