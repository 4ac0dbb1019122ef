import { lookupColumns, toExportRow } from '../../../src-main/lookups/lookup-table.ts'
import { Address } from '@ton/core'
import { describe, expect, test } from 'vitest'
import { createAddressList } from '../../../src-main/lookups/drafts.ts'
import { createPieceDecoder } from '../../../src-preload/domain/text-file.ts'
import { seededRandom } from '../../fixtures/seeded.ts'

const account = (number: number, workchain = 0) =>
  new Address(workchain, Buffer.alloc(32, number)).toRawString()
const friendly = (number: number, options: Parameters<Address['toString']>[0] = {}) =>
  Address.parseRaw(account(number)).toString(options)

function exhaust(steps: Generator<void, void>): void {
  while (steps.next().done !== true);
}

function understand(
  text: string | readonly string[],
  testOnly = false,
  most?: number,
): ReturnType<typeof createAddressList> {
  const list = createAddressList(testOnly, undefined, most)
  for (const piece of typeof text === 'string' ? [text] : text) exhaust(list.take(piece))
  exhaust(list.end())
  return list
}

const all = (list: ReturnType<typeof createAddressList>) => list.lines(null, 0, 1000)
const brief = (list: ReturnType<typeof createAddressList>) =>
  all(list).map(({ line, status }) => `${line} ${status}`)

describe('the forms and separators of addresses', () => {
  test('raw and friendly forms of an address in any alphabet are one account', () => {
    const forms = [
      account(0xab),
      account(0xab).toUpperCase(),
      ...[true, false].flatMap((bounceable) =>
        [true, false].flatMap((urlSafe) =>
          [true, false].map((testOnly) => friendly(0xab, { bounceable, urlSafe, testOnly })),
        ),
      ),
    ]
    const list = understand(forms.join('\n'), true)
    expect(new Set(all(list).map(({ address }) => address))).toEqual(new Set([account(0xab)]))
    expect(list.counts()).toMatchObject({ valid: 1, duplicate: 9, invalid: 0, lines: 10 })
    expect(all(list)[2]?.reason).toBe('This address is also on line 1.')
  })

  test('several addresses on a line are found with any line end and any split into pieces', () => {
    const text = `${account(1)}, ${account(2)};\t${account(3)}\r\n\r${account(4)} ${account(5)}\n"${account(6)}"`
    for (const size of [1, 7, 1000]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const list = understand(pieces)
      expect(all(list).map(({ address }) => address)).toEqual(
        [1, 2, 3, 4, 5, 6].map((n) => account(n)),
      )
      expect(all(list).map(({ line }) => line)).toEqual([1, 1, 1, 3, 3, 4])
    }
  })

  test('the header and the address column of CSV are detected, and quoted fields may contain any text', () => {
    const list = understand(
      [
        '\ufeffname,Wallet,amount',
        `"Smith, John",${account(1)},5`,
        `"two\nlines ""quoted""",${friendly(2)},6`,
        `none,,7`,
        `typo,${friendly(3).slice(0, -1)},8`,
        `"'=cmd",'${account(4, -1)},9`,
      ].join('\r\n'),
    )
    expect(brief(list)).toEqual(['2 valid', '3 valid', '5 invalid', '6 invalid', '7 valid'])
    expect(all(list).map(({ reason }) => reason)).toEqual([
      null,
      null,
      'The address column 2 is empty.',
      '47 characters instead of 48.',
      null,
    ])
    expect(list.remarks()).toEqual([
      'Line 1 is the header: name, Wallet, amount.',
      'Column 2 (“Wallet”) contains the addresses. The results keep the other columns.',
    ])
  })

  test('a quotation mark without its end hides no address', () => {
    const lines = Array.from({ length: 60 }, (_, index) => account(index + 1))
    const list = understand(`"open,${lines.join('\n')}`)
    expect(list.counts().valid).toBe(60)
    expect(all(list).map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1))
  })
})

test('each refused entry of a list has a reason and its line', () => {
  const list = understand(
    [
      friendly(1).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      account(1, 5),
      `0:${'ab'.repeat(31)}`,
      'ab'.repeat(32),
      'alice.ton',
      `0x${'ab'.repeat(20)}`,
      friendly(2, { testOnly: true }),
      'what is this',
    ].join('\n'),
  )
  expect(all(list).map(({ line, status, reason }) => [line, status, reason])).toEqual([
    [1, 'invalid', 'The checksum does not match, so a character is mistyped.'],
    [2, 'invalid', 'There is no workchain 5.'],
    [3, 'invalid', '62 digits after the colon instead of 64.'],
    [4, 'invalid', 'The workchain is missing: start with 0: or -1:.'],
    [5, 'valid', null],
    [6, 'invalid', 'This is an Ethereum address, not an address of TON.'],
    [7, 'wrong-network', expect.stringContaining('for test networks only')],
    [8, 'invalid', 'This line has no address.'],
  ])
  expect(all(list)[6]?.address).toBe(account(2))
})

test('an account is found in a dton.io link, in a wallet link and in a sentence', () => {
  const hex = 'ab'.repeat(32)
  const forms = [
    ...[
      `ton://${friendly(0xab)}`,
      `ton:${friendly(0xab)}?amount=1`,
      `ton://transfer/${account(0xab)}`,
    ],
    ...[`https://dton.io/a/${friendly(0xab)}`, `dton.io/a/${hex}`, `https://dton.io/a/${hex}?x=1`],
    ...['.', ',', ')', ').', ']', '…', '!', ';', '?'].map((end) => `${friendly(0xab)}${end}`),
    ...[`(${friendly(0xab)})`, `<${account(0xab)}>.`, `ton://${friendly(0xab)}.`],
  ]
  for (const form of forms) {
    expect([form, all(understand(form)).map(({ address }) => address)]).toEqual([
      form,
      [account(0xab)],
    ])
  }
})

test.each([
  ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'a Bitcoin address'],
  ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'a Bitcoin address'],
  ['0x52908400098527886E0F7030069857D2E4169EE7', 'an Ethereum address'],
  ['TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC', 'a TRON address'],
  ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'an XRP Ledger address'],
  ['7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV1', 'probably a Solana address'],
])('the address %s is reported as %s', (text, kind) => {
  expect(all(understand(text)).map(({ status, reason }) => [status, reason])).toEqual([
    ['invalid', `This is ${kind}, not an address of TON.`],
  ])
})

test('labels and wallet names stand for their accounts, alone, in a list and in a table', () => {
  const named = new Map<string, string | null>([
    ['wallet-9', account(9)],
    ['merchant', account(1)],
    ['cold wallet, safe', account(3)],
    ['twice', null],
    ['wallet', account(7)],
  ])
  const read = (text: string) => {
    const list = createAddressList(false, (name) => named.get(name.toLowerCase()))
    exhaust(list.take(text))
    exhaust(list.end())
    return all(list).map(({ address, status }) => address ?? status)
  }
  expect(read('wallet-9')).toEqual([account(9)])
  expect(read('Merchant\nwallet-9')).toEqual([account(1), account(9)])
  expect(read(`merchant, wallet-9 ${account(2)}`)).toEqual([account(1), account(9), account(2)])
  expect(read('Cold Wallet, safe\nnobody')).toEqual([account(3), 'invalid'])
  expect(read('name;account\nPeter;merchant\nAnna;wallet-9')).toEqual([account(1), account(9)])
  expect(read(`merchant\n${account(1)}`)).toEqual([account(1), account(1)])
  expect(read('twice')).toEqual(['invalid'])
  expect(read('Wallet\nmerchant')).toEqual([account(1)])
})

describe('links, names and other columns of a list', () => {
  test('a link is resolved to its account in any form of the link', () => {
    const list = understand(
      [
        `ton://transfer/${friendly(1)}?amount=1000000000&text=order,17`,
        `https://tonviewer.com/${friendly(2)}`,
        `tonscan.org/address/${friendly(3, { urlSafe: true })}#transactions`,
        `https://tonviewer.com/${encodeURIComponent(account(4, -1))}`,
        `https://tonviewer.com/${friendly(2)}?section=jettons`,
        `https://testnet.tonviewer.com/${friendly(5)}`,
        'https://tonviewer.com/config',
        'https://tonviewer.com/Alice.ton',
      ].join('\n'),
    )
    expect(all(list).map(({ line, status, address }) => [line, status, address])).toEqual([
      [1, 'valid', account(1)],
      [2, 'valid', account(2)],
      [3, 'valid', account(3)],
      [4, 'valid', account(4, -1)],
      [5, 'duplicate', account(2)],
      [6, 'wrong-network', account(5)],
      [7, 'invalid', null],
      [8, 'valid', null],
    ])
  })

  test('a repeated name is a duplicate, and names beyond 1,000 are refused', () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `name-${index}.ton`)
    const list = understand([...names, 'NAME-7.ton', 'alice.t.me'].join('\n'))
    expect(list.counts()).toMatchObject({ valid: 1_000, duplicate: 1, invalid: 2 })
    expect(list.lines('duplicate', 0, 1)[0]?.reason).toBe('This name is also on line 8.')
    expect(list.lines('invalid', 0, 1)[0]?.reason).toContain(
      'A list can contain at most 1000 names',
    )
    expect(list.remarks()).toContainEqual(
      expect.stringContaining('each name takes one extra request'),
    )
  })

  test('the other columns are preserved with their names, in their order', () => {
    const list = understand(
      ['id;Wallet;note', `17;${account(1)};"a;b"`, `18;;none`, `19;${account(2)}`].join('\n'),
    )
    expect(list.columns()).toEqual(['id', 'note'])
    expect(all(list).map(({ status, others }) => [status, others])).toEqual([
      ['valid', ['17', 'a;b']],
      ['invalid', ['18', 'none']],
      ['valid', ['19']],
    ])
    const unnamed = understand(`17,${account(1)},x\n18,${account(2)},y,z`)
    expect(unnamed.columns()).toEqual(['column_1', 'column_3', 'column_4'])
  })
})

test('an endless word is cut, and a long line of addresses is accepted completely', () => {
  const endless = Array.from({ length: 40 }, () => 'a'.repeat(50_000))
  const list = understand([account(1), '\n', ...endless, '\n', account(2)])
  expect(brief(list)).toEqual(['1 valid', '2 invalid', '3 valid'])
  expect(all(list)[1]?.reason).toContain('was cut')

  const many = Array.from(
    { length: 3000 },
    (_, index) => `0:${index.toString(16).padStart(64, '0')}`,
  )
  const line = understand(many.join(', '))
  expect(line.counts()).toMatchObject({ valid: 3000, invalid: 0, lines: 1 })
})

test('entries beyond the limit are counted and reported, and the list reports that it is full', () => {
  const list = understand([1, 2, 3, 4, 5].map((n) => account(n)).join('\n'), false, 3)
  expect(list.counts()).toMatchObject({ valid: 3, beyond: 2 })
  expect(list.isFull()).toBe(true)
  expect(list.remarks().at(-1)).toContain('the maximum of 3 entries')
  expect(understand([1, 2, 3].map((n) => account(n)).join('\n'), false, 3).isFull()).toBe(false)
})

test('UTF-8 and UTF-16 are decoded with and without a byte order mark, byte by byte', () => {
  const text = 'имя, 😀\r\n0:ab'
  const swapped = Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
  for (const [bytes, encoding] of [
    [Buffer.from(text), 'UTF-8'],
    [Buffer.from(`\ufeff${text}`), 'UTF-8'],
    [Buffer.from(`\ufeff${text}`, 'utf16le'), 'UTF-16LE'],
    [swapped, 'UTF-16BE'],
  ] as const) {
    const decoder = createPieceDecoder()
    const parts = [...bytes].map((byte) => decoder.read(Uint8Array.of(byte)))
    expect(parts.join('') + decoder.end()).toBe(text)
    expect(decoder.encoding()).toBe(encoding)
  }
  expect(createPieceDecoder().end()).toBe('')
})

test('in random lists every line with content results in an entry or a remark', () => {
  const random = seededRandom(4)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const crumbs = [
    ...[1, 2, 3].map((n) => account(n)),
    friendly(4),
    friendly(5, { testOnly: true }),
    'alice.ton',
    'x',
    '12.5',
    '""',
    '"',
    "'",
    ',',
    ';',
    '\t',
    ' ',
    '\u00a0',
    '\0',
    '=1+1',
  ]
  for (let round = 0; round < 300; round += 1) {
    const lines = Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
      Array.from({ length: Math.floor(random() * 6) }, () => pick(crumbs)).join(''),
    )
    const list = understand(lines.join(pick(['\n', '\r\n', '\r'])))
    const entries = all(list)
    const told = new Set(entries.map(({ line }) => line))
    const header = list.remarks().some((remark) => remark.startsWith('Line '))
    const content = lines.filter((line) => line.trim() !== '')
    // A quoted field joins lines, and its entry has the number of the first line.
    if (!lines.some((line) => line.includes('"'))) {
      expect(told.size + (header ? 1 : 0), JSON.stringify(lines)).toBe(content.length)
    }
    expect(entries.map(({ index }) => index)).toEqual(entries.map((_, index) => index))
    expect(entries.map(({ line }) => line)).toEqual(
      entries.map(({ line }) => line).toSorted((a, b) => a - b),
    )
  }
})

test('columns of jettons with equal or reserved symbols end with a part of the address', () => {
  const [one, two, three, four] = ['a', 'b', 'c', 'd'].map((digit) => `0:${digit.repeat(64)}`)
  const jettons = [
    { address: one, symbol: 'TON' },
    { address: two, symbol: 'usd' },
    { address: three, symbol: 'NanoTON' },
    { address: four, symbol: 'USDT' },
  ].map((each) => ({ ...each, name: '', decimals: 6, isScam: false }))
  const names = lookupColumns('usd', [], jettons as unknown as Parameters<typeof lookupColumns>[2])
    .map(({ name }) => name)
    .filter((name) => name.startsWith('balance_'))
  expect(names).toEqual([
    ...['balance_ton', 'balance_nanoton', 'balance_usd', 'balance_TON_aaaaaa'],
    ...['balance_usd_bbbbbb', 'balance_NanoTON_cccccc', 'balance_USDT'],
  ])
  const same = [one, two].map((address) => ({ address, symbol: address === one ? 'ABC' : 'abc' }))
  expect(
    lookupColumns(null, [], same as unknown as Parameters<typeof lookupColumns>[2])
      .map(({ name }) => name)
      .filter((name) => name.startsWith('units_')),
  ).toEqual(['units_ABC_aaaaaa', 'units_abc_bbbbbb'])
})

test('each column of a lookup has the balance of its own jetton, with its display multiplier', () => {
  const address = (digit: string) => `0:${digit.repeat(64)}`
  const base = { name: '', isScam: false }
  const jettons = [
    { ...base, address: address('a'), symbol: 'ONE', decimals: 2 },
    {
      ...base,
      address: address('b'),
      symbol: 'TWO',
      decimals: 6,
      scale: { numerator: '2', denominator: '1' },
    },
  ] as unknown as Parameters<typeof lookupColumns>[2]
  const found = (status: 'active' | 'uninit', walletKind: string | null) => {
    const row = {
      index: 0,
      line: 1,
      text: 'x',
      state: 'answered' as const,
      reason: null,
      label: null,
      address: address('c'),
      others: ['first', 'second'],
      status,
      walletKind,
      balance: '1500000000',
      inCurrency: '4.5',
      interfaces: [],
      lastActivity: null,
      name: null,
      isScam: false,
      isSuspended: false,
      memoRequired: false,
      changes: [],
      jettons: [
        { place: 1, wallet: null, balance: '1500000', problem: null },
        { place: 0, wallet: null, balance: '7', problem: null },
        // The job has only two jettons.
        { place: 2, wallet: null, balance: '9', problem: null },
      ],
    }
    const columns = lookupColumns('usd', ['a', 'b'], jettons)
    const exported = toExportRow(row, false, jettons)
    return Object.fromEntries(columns.map(({ name, value }) => [name, value(exported)]))
  }
  expect(found('active', null)).toMatchObject({
    balance_ONE: '0.07',
    units_ONE: '7',
    balance_TWO: '3',
    units_TWO: '1500000',
    balance_ton: '1.5',
    balance_usd: '4.5',
    given_a: 'first',
    given_b: 'second',
  })
  // Only a contract other than a wallet gets a bounceable address.
  expect(found('active', null)['friendly']).toMatch(/^EQ/)
  expect(found('active', 'v4r2')['friendly']).toMatch(/^UQ/)
  expect(found('uninit', null)['friendly']).toMatch(/^UQ/)
})
