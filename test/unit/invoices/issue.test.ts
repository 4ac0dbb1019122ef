/** Tests user input and files that are parsed into invoices to issue. */
import { expect, test } from 'vitest'
import { readIssueTrouble } from '../../../src-main/invoices/jobs/issue-work.ts'
import { readAmount } from '../../../src-preload/domain/written-amount.ts'
import {
  readDescription,
  readInvoiceFile,
  readLifeTime,
} from '../../../src-main/invoices/issue/drafts.ts'
import type { StoredInvoice } from '../../../src-main/invoices/store/invoice-rows.ts'
import { linkNow } from '../../../src-main/invoices/jobs/invoice-jobs.ts'
import { createTrouble } from '../../../src-main/gateway/trouble.ts'

test.each([
  ['1', 1_000_000_000n],
  ['12.5', 12_500_000_000n],
  ['12,5', 12_500_000_000n],
  ['.5', 500_000_000n],
  ['5.', 5_000_000_000n],
  ['0.001', 1_000_000n],
  ['100000', 100_000_000_000_000n],
  ['1.123456789', 1_123_456_789n],
  ['1.123 456 789', 1_123_456_789n],
  ['1\u00a0234,5', 1_234_500_000_000n],
  ['1\u2009234\u202f5', null],
  ['12\u2009345\u202f.5', null],
  ['1\u202f234', 1_234_000_000_000n],
  ['12_345.5', 12_345_500_000_000n],
  ['1’234.50', 1_234_500_000_000n],
  ['1,234.5', 1_234_500_000_000n],
  ['1.234,5', 1_234_500_000_000n],
  ['0.000 999', null],
  ['  12.5 TON ', 12_500_000_000n],
  ['12.5\u00a0ton', 12_500_000_000n],
  ['TON 12.5', 12_500_000_000n],
  ['12.5 Gram', 12_500_000_000n],
  ['\u200e12.5\u200b', 12_500_000_000n],
  ['007', 7_000_000_000n],
])('the amount %j in TON is parsed exactly or refused', (text, amount) => {
  const read = readAmount(text, 'TON')
  expect(read.problem === null ? read.amount : null).toBe(amount)
})

test.each([
  ['', 'Enter an amount.'],
  ['0', 'The amount must be above zero.'],
  ['0.000', 'The amount must be above zero.'],
  ['-5', 'The amount must be above zero.'],
  ['−5', 'The amount must be above zero.'],
  ['0.0009', 'The minimum is 0.001 TON.'],
  ['100000.000000001', 'The maximum is 100,000 TON.'],
  ['9'.repeat(60), 'The maximum is 100,000 TON.'],
  ['1.0000000001', 'TON has 9 decimal places, but this amount has 10.'],
  ['1e30', 'Enter “1e30” as plain digits.'],
  ['1.5E-3', 'Enter “1.5E-3” as plain digits.'],
  ['٣', 'digits other than 0 to 9 (٣)'],
  ['１２', 'digits other than 0 to 9 (１)'],
  ['1\u202e2', 'invisible character that changes the direction'],
  ['12.5 USDT', 'The amount says USDT, but the currency is TON.'],
  ['12.5 EUR', '“EUR” is not TON or USDT.'],
  ['$5', '“$” is not TON or USDT.'],
  ['1 2', '“1 2” is not an amount.'],
  ['12 34', 'is not an amount.'],
  ['1,23,45', 'is not an amount.'],
  ['1.2.3', 'is not an amount.'],
  ['1.234.567,89,1', 'is not an amount.'],
  ['0x10', 'is not an amount.'],
  ['=1+1', 'is not an amount.'],
  ['½', 'is not an amount.'],
  ['NaN', 'is not an amount.'],
  ['Infinity', 'is not an amount.'],
])('the amount %j in TON is refused with a reason', (text, words) => {
  const { problem, amount } = readAmount(text, 'TON')
  expect(problem).toContain(words)
  expect(amount ?? 0n).toBeLessThan(2n ** 63n)
})

test('an amount with an ambiguous comma requires a decision, and a large amount has a warning', () => {
  expect(readAmount('1,234', 'USDT')).toMatchObject({
    problem: '“1,234” can mean 1.2340 or 1234: enter one of these.',
  })
  expect(readAmount('1,234', 'USDT', null, { meaning: 'fraction' })).toMatchObject({
    amount: 1_234_000n,
    problem: null,
    warning: 'Read as 1.234 USDT, as you chose.',
  })
  expect(readAmount('1,234', 'USDT', null, { meaning: 'thousands' })).toMatchObject({
    amount: 1_234_000_000n,
    problem: null,
    warning: 'Read as 1234 USDT, as you chose.',
  })
  expect(readAmount('0,125', 'USDT').warning).toBeNull()
  expect(readAmount('25000', 'USDT').warning).toBe('A large amount: 25,000 USDT.')
  expect(readAmount('1.1234567', 'USDT').problem).toContain(
    'USDT has 6 decimal places, but this amount has 7.',
  )
  expect(readAmount('5', null).problem).toBe('Choose TON or USDT.')
  expect(readAmount('5 usd₮', null)).toMatchObject({ currency: 'USDT', amount: 5_000_000n })
})

test.each([
  ['', 60, null],
  ['3600', 3600, null],
  ['1h', 3600, null],
  ['30m', 1800, null],
  ['7d', 604_800, null],
  ['1 day', 86_400, null],
  ['2 Weeks', 1_209_600, null],
  ['1h 30m', 5400, null],
  ['90d', 7_776_000, null],
  ['0', 0, 'at least one second'],
  ['-1', null, 'at least one second'],
  ['10 years', 315_360_000, 'at most 90 days'],
  ['315360000', 315_360_000, 'at most 90 days'],
  ['91d', 7_862_400, 'at most 90 days'],
  ['9'.repeat(30), null, 'at most 90 days'],
  ['1.5h', 5400, null],
  ['1.5s', null, 'is not a lifetime'],
  ['tomorrow', null, 'is not a lifetime'],
  ['٣٠', null, 'digits other than 0 to 9'],
] as const)('the lifetime %j is parsed as %j seconds or refused', (text, seconds, words) => {
  const read = readLifeTime(text, 60)
  expect(read.seconds).toBe(seconds)
  if (words === null) expect(read.problem).toBeNull()
  else expect(read.problem).toContain(words)
})

test('a description is counted as the service counts, unchanged, and has a warning about invisible characters', () => {
  const family = '👩‍👩‍👧‍👦'
  expect(readDescription('😀'.repeat(255))).toMatchObject({ problem: null, warning: null })
  expect(readDescription('😀'.repeat(256)).problem).toContain(
    '256 characters; at most 255 are allowed',
  )
  expect(readDescription('x'.repeat(10_240)).problem).toContain('10,240 characters')
  const lines = `=SUM(A1)\n${family}\tзаказ`
  expect(readDescription(lines)).toEqual({ text: lines, problem: null, warning: null })
  expect(readDescription('order \u202e21').warning).toContain('change the direction')
  expect(readDescription('a\u0007').warning).toContain('control characters')
  expect(readDescription('a\0').problem).toContain('NUL')
  expect(readDescription('half \ud83d').text).toBe('half \ufffd')
})

const usual = { currency: 'TON', lifeTimeSeconds: 3600 } as const
const read = (csv: string) => readInvoiceFile(csv, usual)

test('an ambiguous amount in a file is a problem until the user or the file decides', () => {
  const csv = 'amount;description\n1.234;a\n12;b\n'
  expect(read(csv).lines.map(({ problem }) => problem)).toEqual([
    '“1.234” can mean 1.2340 or 1234: enter one of these.',
    null,
  ])
  for (const [comma, amount] of [
    ['thousands', 1_234_000_000_000n],
    ['fraction', 1_234_000_000n],
  ] as const) {
    const [line] = readInvoiceFile(csv, { ...usual, comma }).lines
    expect(line).toMatchObject({ amount, problem: null })
  }
})

test('a file with decimal commas has points as thousands separators', () => {
  const csv = 'amount;currency;description\n1.234;TON;a\n125,50;TON;b\n10.000;USDT;c\n'
  expect(read(csv).lines).toMatchObject([
    {
      amount: 1_234_000_000_000n,
      warning: 'Read as 1234 TON, because the other amounts have a decimal comma.',
    },
    { amount: 125_500_000_000n, warning: null },
    { amount: 10_000_000_000n, currency: 'USDT' },
  ])
})

const brief = (csv: string) =>
  read(csv).lines.map(({ amount, currency, description, lifeTimeSeconds, problem }) => [
    amount,
    currency,
    description,
    lifeTimeSeconds,
    problem,
  ])

test('the columns of a file with a header have any order and case, and other columns are named as ignored', () => {
  const csv =
    '\ufeffLife Time,Description,AMOUNT,Customer,Currency\r\n' +
    '1 day,"line one\nline two",12.5,me,usdt\r\n' +
    ",'=SUM(A1),3,,\r\n"
  const { lines, remarks } = read(csv)
  expect(lines).toMatchObject([
    {
      line: 2,
      amount: 12_500_000n,
      currency: 'USDT',
      lifeTimeSeconds: 86_400,
      description: 'line one\nline two',
    },
    {
      line: 4,
      amount: 3_000_000_000n,
      currency: 'TON',
      lifeTimeSeconds: 3600,
      description: '=SUM(A1)',
    },
  ])
  expect(remarks).toEqual([
    'Columns used: Life Time, Description, AMOUNT, Currency. Columns ignored: Customer.',
  ])
})

test('the delimiter of a file without a header is detected by its contents, and decimal commas are not split', () => {
  expect(brief('12,5;TON;coffee;1h\n3,25;USDT;tea;\n')).toEqual([
    [12_500_000_000n, 'TON', 'coffee', 3600, null],
    [3_250_000n, 'USDT', 'tea', 3600, null],
  ])
  expect(brief('12,5\n3,25')).toEqual([
    [12_500_000_000n, 'TON', '', 3600, null],
    [3_250_000_000n, 'TON', '', 3600, null],
  ])
  expect(brief('5\tUSDT\ta, b; c')).toEqual([[5_000_000n, 'USDT', 'a, b; c', 3600, null]])
  expect(brief('12.5 USDT, , tea')).toEqual([[12_500_000n, 'USDT', 'tea', 3600, null]])
  expect(brief('Amount;Description\n1,5;x')).toEqual([[1_500_000_000n, 'TON', 'x', 3600, null]])
  expect(brief('sep=;\n1,5;TON;x;')).toEqual([[1_500_000_000n, 'TON', 'x', 3600, null]])
  expect(read('sep=;\n1,5;TON;x;').lines[0]?.line).toBe(2)
})

test('a faulty line of a file lists all its problems, a repeated line has a warning, and lines beyond the limit are counted', () => {
  const csv = ['5,TON,a,1h', 'x,EUR,b,1h', '0,TON,c,10 years', '5,TON,a,3600', '7,TON,d,'].join(
    '\n',
  )
  const { lines, beyond, remarks } = readInvoiceFile(csv, usual, 4)
  expect(lines.map(({ problem }) => problem)).toEqual([
    null,
    '“EUR” is not TON or USDT.',
    expect.stringMatching(/above zero\. .*at most 90 days/),
    null,
  ])
  expect(lines[3]?.warning).toBe('Same as line 1.')
  expect(beyond).toBe(1)
  expect(remarks.join(' ')).toContain('1 line beyond the limit of 4 is ignored.')
  expect(read('5,TON,"never closed\n6,TON,b').lines[0]?.problem).toContain(
    'The closing quotation mark is missing',
  )
  expect(read('').lines).toEqual([])
})

const trouble = createTrouble({
  name: 'Shop',
  origin: 'https://a.example',
  key: null,
  takesKeys: true,
})
const broken = (code: string) => Object.assign(new Error(code), { code })

test.each([
  [trouble.connection(broken('ECONNREFUSED'), null), 'later'],
  [trouble.connection(broken('ENOTFOUND'), null), 'later'],
  [trouble.connection(broken('CERT_HAS_EXPIRED'), null), 'later'],
  [trouble.connection(broken('ECONNRESET'), null), 'unclear'],
  [trouble.connection(broken('EHOSTUNREACH'), null), 'unclear'],
  [trouble.connection(broken('SOMETHING_NEW'), null), 'unclear'],
  [trouble.timeout(15_000, null), 'unclear'],
  [trouble.page(200), 'unclear'],
  [trouble.redirect(302, 'https://b.example'), 'standstill'],
  [trouble.status(400, '', null), 'refused'],
  [trouble.status(401, '', null), 'standstill'],
  [trouble.status(408, '', null), 'unclear'],
  [trouble.status(422, '', null), 'refused'],
  [trouble.status(429, '', 1000), 'later'],
  [trouble.status(500, '', null), 'unclear'],
  [trouble.status(504, '', null), 'unclear'],
])(
  'an error after which the invoice may exist is unclear, and any other error is not: %o',
  (error, kind) => {
    expect(readIssueTrouble(error, true).kind).toBe(kind)
    if (kind === 'unclear') expect(readIssueTrouble(error, false).kind).toBe('later')
  },
)

test('the link of an issued invoice requests the amount due after a partial payment', () => {
  const item = { paymentLink: 'https://app.tonkeeper.com/transfer/UQ?amount=4000000&text=a' }
  const invoice = { status: 'pending', currency: 'USDT', amount: 4_000_000n, received: 1_500_000n }
  const now = (change: Partial<StoredInvoice>) =>
    linkNow(item, { ...invoice, ...change } as StoredInvoice)
  expect(now({})).toBe('https://app.tonkeeper.com/transfer/UQ?amount=2500000&text=a')
  expect(now({ received: 0n })).toBe(item.paymentLink)
  expect(linkNow(item, null)).toBe(item.paymentLink)
  expect(linkNow({ paymentLink: null }, null)).toBeNull()
})
