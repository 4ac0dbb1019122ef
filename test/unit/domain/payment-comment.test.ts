/** How comments of payments in words identify an invoice among several. */
import { describe, expect, test } from 'vitest'
import {
  type CommentGrade,
  namesId,
  readPaymentComment,
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
    // The comment is no evidence.
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
