/** Tests how the comments of payments identify an invoice among several. */
import { describe, expect, test } from 'vitest'
import {
  type CommentGrade,
  foldId,
  namesId,
  readPaymentComment,
  shortComment,
} from '../../../src-preload/domain/payment-comment.ts'

const invoice = (id: string, over: { description?: string; orderReference?: string } = {}) => ({
  id,
  comment: id,
  description: '',
  orderReference: '',
  ...over,
})

const uuid = '7d1e4b92-0c3a-4f6e-9b21-aa34f00c9d17'
const shop = [
  invoice('a1b2c3d4', { orderReference: 'Order #4711' }),
  invoice('e5f60718', { orderReference: '4712' }),
  invoice('00c0ffee', { description: 'Order 4713, two T-shirts' }),
  invoice('deadbeef', { description: 'Coffee' }),
  invoice('12345678', { description: 'Blue lamp for the kitchen' }),
  invoice(uuid, { orderReference: '2024/17' }),
  invoice('INV-2024-0001', { description: 'Invoice 2026' }),
  invoice('INV-2024-0002', { orderReference: 'SHOP-90210' }),
  invoice('7', { description: 'Order 17' }),
]

type Found = readonly (readonly [id: string, grade: CommentGrade])[]
const named = (comment: string | null): Found => {
  const read = readPaymentComment(comment)
  return shop.flatMap((each) => {
    const grade = read.grade(each)
    return grade === null ? [] : [[each.id, grade] as const]
  })
}

const first: Found = [['a1b2c3d4', 'id']]
const whole: Found = [['a1b2c3d4', 'equal']]
const long: Found = [[uuid, 'id']]
const order: Found = [['a1b2c3d4', 'reference']]

describe('the comment of a payment', () => {
  test.each<readonly [comment: string | null, Found]>([
    // The comment is exactly the comment of the link.
    ['a1b2c3d4', whole],
    ['A1B2C3D4', whole],
    ['  a1b2c3d4\n', whole],
    // A byte order mark counts as a space.
    ['\ufeffa1b2c3d4', whole],
    [uuid.toUpperCase(), [[uuid, 'equal']]],
    ['7', [['7', 'equal']]],
    // The comment contains the id among other text.
    ['Invoice: a1b2c3d4', first],
    ['invoice a1b2c3d4, thanks!', first],
    ['#a1b2c3d4', first],
    ['"a1b2c3d4"', first],
    ['“A1B2C3D4”', first],
    ['«a1b2c3d4»', first],
    ['(a1b2c3d4)', first],
    ['[a1b2c3d4]', first],
    ['<a1b2c3d4>', first],
    ['`a1b2c3d4`', first],
    ['a1b2c3d4.', first],
    ['a1b2c3d4!!!', first],
    ['invoice=a1b2c3d4', first],
    ['invoice/a1b2c3d4', first],
    ['inv-a1b2c3d4', first],
    ['a1b2c3d4-thanks', first],
    ['memo_a1b2c3d4', first],
    ['Invoice\na1b2c3d4\n', first],
    ['Invoice\r\n\ta1b2c3d4', first],
    ['a1b2\nc3d4', first],
    ['a1b2 c3d4', first],
    ['a1b2-c3d4', first],
    ['\u200ba1b2c3d4\u200b', first],
    ['a1b2\u200bc3d4', first],
    ['invoice\u00a0a1b2c3d4', first],
    ['a1b2\u00adc3d4', first],
    ['\u202aa1b2c3d4\u202c', first],
    ['ａ１ｂ２ｃ３ｄ４', first],
    ['https://shop.example/pay?invoice=a1b2c3d4', first],
    ['https://shop.example/pay?text=Invoice%20a1b2c3d4&x=1', first],
    ['ton://transfer/EQAB?text=Invoice%3Aa1b2c3d4', first],
    ['Rechnung Nr. a1b2c3d4 – danke 🙏', first],
    ['Оплата счёта №a1b2c3d4', first],
    ['支付a1b2c3d4', first],
    ['订单4711号', order],
    ['支付 a1b2c3d4', first],
    ['a1b2c3d4 a1b2c3d4', first],
    ['order 4711 / a1b2c3d4', first],
    ['4711-a1b2c3d4', first],
    ['paid 7.76 for a1b2c3d4 (fee deducted)', first],
    ['12345678, thanks', [['12345678', 'id']]],
    [`Invoice ${uuid}`, long],
    [uuid.replaceAll('-', ''), long],
    [uuid.replaceAll('-', '').toUpperCase(), long],
    [`{${uuid}}`, long],
    [uuid.replaceAll('-', ' '), long],
    ['inv 2024 0001', [['INV-2024-0001', 'id']]],
    ['For INV20240002', [['INV-2024-0002', 'id']]],
    // The comment contains several ids.
    ['a1b2c3d4 and e5f60718', [...first, ['e5f60718', 'id']]],
    ['a1b2c3d4/e5f60718', [...first, ['e5f60718', 'id']]],
    // The comment contains the order reference or the description.
    ['Order 4711', order],
    ['Order #4711', order],
    ['order no. 4711', order],
    ['Order No 4711 thx', order],
    ['ORDER4711', order],
    ['4711', order],
    ['#4711', order],
    ['№ 4711', order],
    ['Bestellung 4711', order],
    ['заказ 4711', order],
    ['order: 4712', [['e5f60718', 'reference']]],
    ['Order 4713', [['00c0ffee', 'reference']]],
    ['2024-17', [[uuid, 'reference']]],
    ['order 2024/17', [[uuid, 'reference']]],
    ['blue lamp for the kitchen', [['12345678', 'reference']]],
    ['shop 90210', [['INV-2024-0002', 'reference']]],
    ['order 90210', [['INV-2024-0002', 'reference']]],
    ['invoice 2026', [['INV-2024-0001', 'reference']]],
    ['order 17', [['7', 'reference']]],
    // The comment contains a similar-looking or truncated id.
    ['a1b2c3', [['a1b2c3d4', 'similar']]],
    ['a1b2c3…', [['a1b2c3d4', 'similar']]],
    ['b2c3d4', [['a1b2c3d4', 'similar']]],
    ['OOcOffee', [['00c0ffee', 'similar']]],
    ['e5f6O7l8', [['e5f60718', 'similar']]],
    ['а1b2с3d4', [['a1b2c3d4', 'similar']]],
    [uuid.slice(0, 13), [[uuid, 'similar']]],
    // The comment does not identify any invoice.
    [null, []],
    ['', []],
    [' \u200b ', []],
    ['thanks', []],
    ['47110', []],
    ['14711', []],
    ['order 47110', []],
    ['order 4711-2', []],
    ['47.11 TON', []],
    ['4711.50', []],
    ['xa1b2c3d4', []],
    ['a1b2c3d4e', []],
    ['1a1b2c3d4', []],
    ['a1b2', []],
    ['coffee', []],
    ['two T-shirts', []],
    ['lamp', []],
    ['2026', []],
    ['28.11.2026', []],
    ['order', []],
    ['17', []],
    ['7 coffees', []],
    ['a1b2c3d4'.repeat(8), []],
    ['%E0%A4%A a1b2c3d4', first],
  ])(
    'the comment %j names the right invoices with the grade of its evidence',
    (comment, expected) => {
      expect(named(comment)).toEqual(expected)
    },
  )

  test('the words for a search of invoices contain each id and reference of a comment', () => {
    const read = readPaymentComment('Order no. 4711: A1B2-C3D4')
    expect(read.ids).toContain('a1b2c3d4')
    expect(read.references).toEqual(expect.arrayContaining(['4711', 'order4711']))
    expect(readPaymentComment('OOc0ffee').ids).toContain('00c0ffee')
  })

  test('a comment of any length and form is parsed into fewer than 3,000 words', () => {
    for (const text of [
      'a1 '.repeat(50_000),
      '1'.repeat(200_000),
      '1-'.repeat(100_000),
      '%20'.repeat(9999),
    ]) {
      const { ids, references } = readPaymentComment(text)
      expect(ids.length + references.length).toBeLessThan(3000)
    }
  })
})

test('a refund names an invoice or a payment as a whole word or by the complete hash', () => {
  expect(namesId('Refund of invoice A1B2-C3D4.', 'a1b2c3d4')).toBe(true)
  expect(namesId(`back: ${'ab12cd34'.repeat(8)}`, 'ab12cd34')).toBe(true)
  expect(namesId('Refund of invoice xa1b2c3d4', 'a1b2c3d4')).toBe(false)
  expect(namesId(null, 'a1b2c3d4')).toBe(false)
})

test('an id is compared without case, hyphens and underscores, and an empty id is named by no comment', () => {
  expect(foldId('INV-2024_A')).toBe('inv2024a')
  const hash = `a1b2c3d4${'0'.repeat(56)}`
  expect(namesId(`refund ${hash}`, 'a1b2c3d4')).toBe(true)
  expect(namesId(`refund ${hash.slice(1)}`, 'a1b2c3d4')).toBe(false)
  expect(namesId(`refund ${'0'.repeat(56)}a1b2c3d4`, 'a1b2c3d4')).toBe(false)
  expect(namesId('a1b2c3d4e5', 'a1b2c3d4')).toBe(false)
  expect(namesId(hash, '')).toBe(false)
  expect(namesId(null, '')).toBe(false)
})

test('a comment within a sentence is one line of at most 60 characters', () => {
  expect(shortComment('  two \n\t lines  ')).toBe('two lines')
  expect(shortComment(null)).toBe('')
  expect(shortComment('a'.repeat(60))).toBe('a'.repeat(60))
  expect(shortComment('a'.repeat(61))).toBe(`${'a'.repeat(60)}…`)
})

type Case = readonly [
  text: string,
  invoice: Partial<Parameters<ReturnType<typeof readPaymentComment>['grade']>[0]>,
  grade: CommentGrade | null,
]
const gradeOf = (text: string, over: Case[1]) =>
  readPaymentComment(text).grade({
    id: 'zzzzzzzz',
    comment: null,
    description: '',
    orderReference: '',
    ...over,
  })

describe('the grade of a comment', () => {
  test.each<Case>([
    ['pay abcdefgh', { id: 'abcdefgh' }, 'id'],
    ['pay abcdefg', { id: 'abcdefg' }, null],
    ['for ab1c', { id: 'ab1c' }, 'id'],
    ['for 4711', { id: '4711' }, 'id'],
    ['for abcd', { id: 'abcd' }, null],
    ['for a1b', { id: 'a1b' }, null],
    ['for ab1c', { id: 'ab1c', comment: 'other123' }, 'id'],
    ['', { comment: '' }, null],
    [`${'x'.repeat(1001)} a1b2c3d4`, { id: 'a1b2c3d4' }, null],
    [`${'y '.repeat(59)}a1b2c3d4`, { id: 'a1b2c3d4' }, 'id'],
    [`${'y '.repeat(60)}a1b2c3d4`, { id: 'a1b2c3d4' }, null],
  ])('an id counts if it is long enough or has a digit: %j', (text, over, grade) => {
    expect(gradeOf(text, over)).toBe(grade)
  })

  test.each<Case>([
    ['x 1234ab', { id: '1234abcd5678efgh' }, null],
    ['x 1234abcd', { id: '1234abcd5678efgh' }, 'similar'],
    ['x 5678efgh', { id: '1234abcd5678efgh' }, 'similar'],
    ['x abcd5678', { id: '1234abcd5678efgh' }, null],
    ['x 1234ab', { id: '1234abcd5678efg' }, 'similar'],
    ['x 1234a', { id: '1234abcd5678efg' }, null],
    ['x abcdefgh', { id: 'abcdefgh12345678' }, null],
    ['x 1001x', { id: 'l0o1x' }, null],
    ['x 1001xy', { id: 'l0o1xy' }, 'similar'],
    ['x 1001xy', { id: 'l0o1xy', comment: 'other123' }, 'similar'],
  ])(
    'a long part of an id, or an id with confused letters, is similar: %j',
    (text, over, grade) => {
      expect(gradeOf(text, over)).toBe(grade)
    },
  )

  test.each(['o0', 'о0', 'l1', 'i1', 'і1', 'аa', 'вb', 'сc', 'еe', 'рp', 'хx'])(
    'the letters of %s are taken for each other',
    ([typed, meant]) => {
      expect(gradeOf(`x zzzzz5${typed}`, { id: `zzzzz5${meant}` })).toBe('similar')
    },
  )

  test.each<Case>([
    ['pay 123', { orderReference: '123' }, 'reference'],
    ['pay 12', { orderReference: '12' }, null],
    ['paid 2024', { orderReference: '2024' }, null],
    ['pay 12024', { orderReference: '12024' }, 'reference'],
    ['pay 20245', { orderReference: '20245' }, 'reference'],
    ['x blue lamp', { orderReference: 'blue lamp' }, 'reference'],
    ['x blue lam', { orderReference: 'blue lam' }, null],
    ['x bluelamps', { orderReference: 'bluelamps' }, null],
    ['order 17', { orderReference: 'Order 17' }, 'reference'],
    ['x 17', { orderReference: 'Order 17' }, null],
    ['x 17', { orderReference: '17' }, null],
    ['order coffee', { orderReference: 'order coffee' }, null],
    ['order no id for the 7', { orderReference: 'order no id for the 7' }, 'reference'],
    ['x 90210', { orderReference: 'shop 90210 blue' }, 'reference'],
    ['x 4711', { orderReference: 'shop 4711 blue' }, 'reference'],
    ['x 471', { orderReference: 'shop 471 blue' }, null],
    ['x ab12c', { orderReference: 'shop ab12c blue' }, 'reference'],
    ['x a12c', { orderReference: 'shop a12c blue' }, null],
    ['x abcde', { orderReference: 'shop abcde blue' }, null],
    ['x 2024', { orderReference: 'shop 2024 blue' }, null],
    ['x№4711', { orderReference: '4711' }, 'reference'],
    ['x 4711', { description: 'shop 4711 blue' }, null],
    ['x 4711', { description: 'shop order 4711 blue' }, 'reference'],
    ['x 4711', { description: 'shop no4711 blue' }, 'reference'],
    ['x 4711', { description: '4711 blue lamps' }, null],
    ['x 2024', { description: 'shop order 2024 blue' }, null],
  ])('a reference or a marked number of the description counts: %j', (text, over, grade) => {
    expect(gradeOf(text, over)).toBe(grade)
  })
})

test('the searched ids and references of a comment are its words, with and without the usual labels', () => {
  const labelled = (run: string) =>
    ['', 'order', 'orderno', 'no', 'invoice', 'ord', 'ref'].map((label) => label + run)
  const references = (text: string | null) => readPaymentComment(text).references.toSorted()
  expect(references('123')).toEqual(labelled('123').toSorted())
  expect(references('12')).toEqual(['12'])
  expect(references('x123')).toEqual(['x123'])
  expect(references('123x')).toEqual(['123x'])
  expect(references(null)).toEqual([])
  expect(references('my 123')).toEqual([...labelled('123'), 'my', 'my123'].toSorted())
  expect(references('is123')).toEqual([...labelled('123'), 'is123'].toSorted())
  expect(references('2024/17')).toEqual([...labelled('202417'), '2024/17'].toSorted())
  expect(readPaymentComment('ab').ids).toEqual([])
  expect(readPaymentComment('ab 12').ids).toEqual(['ab12'])
  expect(readPaymentComment('12345 123456 abcdef 1a2b3c').parts).toEqual(['123456', '1a2b3c'])
})
