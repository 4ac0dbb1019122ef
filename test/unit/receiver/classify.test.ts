import { Address } from '@ton/core'
import { describe, expect, test } from 'vitest'
import { classify } from '../../../src-main/receiver/classify.ts'
import { testAccount, invoiceBody, otherAccount, transactionEvent } from '../../fixtures/bodies.ts'

const read = (body: string | Uint8Array, authorization: string | null = null) =>
  classify(typeof body === 'string' ? Buffer.from(body) : body, authorization)

describe('the events of the gateway', () => {
  test.each(['account_tx', 'opcode_msg', 'new_contracts'] as const)(
    'a delivery of the kind %s is recognized with its account, logical time and hash',
    (kind) => {
      expect(read(transactionEvent({ kind, lt: '51876543000001' }))).toMatchObject({
        kind,
        account: testAccount,
        lt: 51876543000001n,
        txHash: '51876543000001'.padStart(64, 'a'),
      })
    },
  )

  test('a mempool message is recognized by its event type or by having only a BOC', () => {
    const boc = Buffer.alloc(300).toString('base64')
    for (const body of [{ event_type: 'mempool_msg', boc }, { boc }]) {
      const found = read(JSON.stringify(body))
      expect(found).toMatchObject({ kind: 'mempool_msg', account: null, lt: null })
      expect(found.summary).toBe('boc 300 B')
      expect(found.streamKey).toBeNull()
    }
    expect(read(JSON.stringify({ boc, more: 1 })).kind).toBe('unknown')
  })

  test('the documented account event without an event type is recognized', () => {
    const body = `{"account_id":"${testAccount}","lt":25713146000001,"tx_hash":"ab"}`
    expect(read(body)).toMatchObject({ kind: 'account_tx', lt: 25713146000001n, txHash: 'ab' })
  })

  test('the event type new_contract of a third-party client is recognized', () => {
    const body = '{"event_type":"new_contract","account_id":"0:1","lt":1,"tx_hash":"a"}'
    expect(read(body).kind).toBe('new_contracts')
  })

  test('an invoice is recognized with its state and its exact amount', () => {
    const found = read(invoiceBody('60ffb075', 'paid'))
    expect(found).toMatchObject({
      kind: 'invoice',
      account: testAccount,
      lt: null,
      streamKey: null,
    })
    expect(found.summary).toBe('60ffb075 paid 1.500000000 TON')
    const fields = { payment_link: '', pay_to_address: '0:1', status: 'pending', id: 'x' }
    const summary = (more: object) => read(JSON.stringify({ ...fields, ...more })).summary
    expect(summary({ currency: 'USDT', amount: '1' })).toBe('x pending 0.000001 USDT')
    // Amounts must not pass through a float, and the units of an unknown currency must not be guessed.
    expect(summary({ currency: 'TON', amount: '9007199254740993' })).toBe(
      'x pending 9007199.254740993 TON',
    )
    expect(summary({ currency: 'NOT', amount: '5' })).toBe('x pending 5 NOT')
    expect(summary({ currency: 'TON', amount: '1.5' })).toBe('x pending 1.5 TON')
    expect(summary({})).toBe('x pending')
    expect(summary({ currency: 'TON' })).toBe('x pending TON')
    expect(summary({ id: null, status: {}, amount: '5' })).toBe('? ? 5')
  })

  test.each([
    { payment_link: '', pay_to_address: '0:1', status: 'paid' },
    { account_id: '0:1', lt: 1, tx_hash: 'a' },
  ])('a delivery without an event type is unknown if a field of %j is missing', (fields) => {
    expect(read(JSON.stringify(fields)).kind).not.toBe('unknown')
    for (const name of Object.keys(fields)) {
      const rest = Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name))
      expect(read(JSON.stringify(rest)).kind).toBe('unknown')
    }
  })

  test('an invoice is recognized by its fields only, never by an event type', () => {
    expect(read(`{"event_type":"invoice",${invoiceBody('1').slice(1)}`).kind).toBe('unknown')
  })

  test('an account event has no summary, and a message without a BOC has zero bytes', () => {
    expect(read(transactionEvent()).summary).toBe('')
    const message = read('{"event_type":"mempool_msg"}')
    expect(message.summary).toBe('boc 0 B')
    expect(message.eventKey).toBe(read('{"event_type":"mempool_msg","boc":""}').eventKey)
  })

  test('a delivery with another event type is unknown, whatever fields it has', () => {
    const named = transactionEvent().replace('account_tx', 'finalized_trace')
    expect(read(named)).toMatchObject({ kind: 'unknown', account: null, lt: null })
    expect(read(`{"event_type":"x",${invoiceBody('1').slice(1)}`).kind).toBe('unknown')
  })
})

describe('the exact logical time of a delivery', () => {
  test.each([
    ['9007199254740993', 9007199254740993n],
    ['"9007199254740993"', 9007199254740993n],
    ['0', 0n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['9223372036854775808', null],
    ['18446744073709551615', null],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['" 1"', null],
    ['null', null],
    ['true', null],
    ['[1]', null],
    ['{"n":1}', null],
    ['9'.repeat(10_000), null],
  ])('a logical time is parsed without losing a digit, or is null: %s', (lt, expected) => {
    const found = read(transactionEvent({ lt }))
    expect(found).toMatchObject({ kind: 'account_tx', lt: expected })
    // Without a logical time there is no order, and only identical bytes are a duplicate.
    expect(read(transactionEvent({ lt })).eventKey).toBe(found.eventKey)
    expect(found.streamKey === null).toBe(expected === null)
  })
})

describe('deliveries of the same event', () => {
  const keys = (body: string, authorization: string | null = 'Bearer a') => {
    const { eventKey, streamKey } = read(body, authorization)
    return { eventKey, streamKey }
  }
  const first = keys(transactionEvent())

  // Six identical deliveries without a readable event are duplicates, too.
  test('deliveries without a readable event are duplicates only if their bytes are equal', () => {
    const key = (body: string, owner = 'Bearer a') => read(body, owner).eventKey
    expect(key('{"ping":1}')).not.toBeNull()
    expect(key('{"ping":1}')).toBe(key('{"ping":1}'))
    expect(key('{"ping":1}')).not.toBe(key('{"ping":2}'))
    expect(key('{"ping":1}')).not.toBe(key('{"ping":1}', 'Bearer b'))
    const withoutLt = transactionEvent({ lt: 'null' })
    expect(key(withoutLt)).toBe(key(withoutLt))
    expect(key('')).toBeNull()
  })

  test('a body of 1 MiB is parsed, and a larger one is not compared', () => {
    const event = transactionEvent()
    const padded = event.padEnd(1024 * 1024)
    expect(read(padded)).toEqual(read(event))
    expect(read(`${padded} `)).toMatchObject({ kind: 'unknown', eventKey: null })
    expect(read('x'.repeat(1024 * 1024)).eventKey).not.toBeNull()
  })

  test('an event without an account or a hash is compared by its bytes, and has no stream', () => {
    const event = (fields: string) => read(`{"event_type":"account_tx",${fields}}`)
    const lost = event('"lt":1,"tx_hash":"a"')
    expect(lost.streamKey).toBeNull()
    expect(lost.eventKey).not.toBe(event('"lt": 1,"tx_hash":"a"').eventKey)
    const known = event('"lt":1,"account_id":"0:1"')
    expect(known.eventKey).toBe(event('"lt": 1,"account_id":"0:1","tx_hash":""').eventKey)
  })

  test('deliveries without a token are compared with each other', () => {
    expect(read('{"ping":1}', null).eventKey).toBe(read('{"ping":1}', '').eventKey)
  })

  test.each(['ab5ee9c72', 'b5ee9c72zz', 'b5ee9c721'])(
    'the BOC %s is base64, although its beginning could be hexadecimal',
    (text) => {
      const key = (boc: string) => read(JSON.stringify({ boc })).eventKey
      const asHex = Buffer.from(text, 'hex').toString('base64')
      expect(key(text)).not.toBe(key(asHex))
    },
  )

  test('deliveries of an event in different spellings have the same key', () => {
    const spaced = transactionEvent().replaceAll(',', ' ,\n')
    expect(keys(spaced)).toEqual(first)
    expect(keys(transactionEvent({ lt: '"51876543000001"' }))).toEqual(first)
  })

  test('accounts and hashes are compared by their value, not by their spelling', () => {
    const digits = 'ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e'
    const hash = 'ab'.repeat(32)
    const event = (account: string, txHash: string) =>
      read(
        JSON.stringify({ event_type: 'account_tx', account_id: account, lt: 7, tx_hash: txHash }),
      )
    const base64 = Buffer.from(hash, 'hex').toString('base64')
    const account = Address.parseRaw(`0:${digits}`)
    const known = event(`0:${digits}`, hash)
    expect(known).toMatchObject({ account: `0:${digits}`, txHash: hash })
    for (const spelling of [
      `0:${digits.toUpperCase()}`,
      account.toString(),
      account.toString({ bounceable: false, urlSafe: false }),
      account.toString({ testOnly: true }),
    ]) {
      for (const other of [hash, hash.toUpperCase(), base64, base64.replaceAll('+', '-')]) {
        expect(event(spelling, other)).toEqual(known)
      }
    }
    expect(event(`0:${digits}`, 'cd'.repeat(32)).eventKey).not.toBe(known.eventKey)
  })

  test('invoices and messages are duplicates in any spelling of their address or BOC', () => {
    const key = (fields: object) => read(JSON.stringify(fields)).eventKey
    const bill = (to: string, paidBy: string) =>
      key({ id: 'x', payment_link: '', pay_to_address: to, paid_by: paidBy, status: 'paid' })
    const [raw, payer] = [`0:${'ab'.repeat(32)}`, `0:${'cd'.repeat(32)}`]
    const friendly = Address.parseRaw(raw)
    const known = bill(raw, payer)
    for (const bounceable of [true, false]) {
      for (const urlSafe of [true, false]) {
        expect(bill(friendly.toString({ bounceable, urlSafe }), payer)).toBe(known)
      }
    }
    expect(bill(raw.toUpperCase(), Address.parseRaw(payer).toString())).toBe(known)
    expect(bill(payer, raw)).not.toBe(known)
    const hashed = (hash: string) =>
      key({ payment_link: '', pay_to_address: raw, status: 'paid', tx_hash: hash })
    const hash = Buffer.alloc(32, 7)
    expect(hashed(hash.toString('base64'))).toBe(hashed(hash.toString('hex')))

    const boc = Buffer.from('b5ee9c72010101010003000002ffbe', 'hex')
    const message = (text: string) => key({ event_type: 'mempool_msg', boc: text })
    for (const spelling of [boc.toString('base64url'), boc.toString('hex')]) {
      expect(message(spelling)).toBe(message(boc.toString('base64')))
      expect(message(spelling.toUpperCase())).not.toBe(message(boc.toString('latin1')))
    }
    expect(message(boc.toString('hex').toUpperCase())).toBe(message(boc.toString('base64')))
    expect(message(boc.subarray(1).toString('base64'))).not.toBe(message(boc.toString('base64')))
  })

  test('a byte order mark before the JSON changes nothing', () => {
    expect(read(`\uFEFF${transactionEvent()}`)).toEqual(read(transactionEvent()))
  })

  test.each([
    ['UTF-16', Buffer.from(transactionEvent(), 'utf16le')],
    ['UTF-16', Buffer.from(`\uFEFF${transactionEvent()}`, 'utf16le')],
    ['UTF-16', Buffer.from(`\uFEFF${transactionEvent()}`, 'utf16le').swap16()],
    [
      'UTF-32',
      Buffer.from(Array.from(transactionEvent(), (each) => [each.charCodeAt(0), 0, 0, 0]).flat()),
    ],
  ])('JSON in %s is reported as such', (name, body) => {
    expect(read(body)).toMatchObject({
      kind: 'unknown',
      summary: `JSON in ${name}, which the JSON standard does not allow`,
    })
  })

  test('an event with another logical time is another event of the same stream', () => {
    const later = keys(transactionEvent({ lt: '51876543000003' }))
    expect(later.eventKey).not.toBe(first.eventKey)
    expect(later.streamKey).toBe(first.streamKey)
  })

  test.each([
    ['another account', keys(transactionEvent({ account: otherAccount }))],
    ['another kind', keys(transactionEvent({ kind: 'opcode_msg' }))],
    ['another token', keys(transactionEvent(), 'Bearer b')],
    ['no token', keys(transactionEvent(), null)],
  ])('a delivery with %s belongs to another stream', (_name, other) => {
    expect(other.eventKey).not.toBe(first.eventKey)
    expect(other.streamKey).not.toBe(first.streamKey)
  })

  test('the parts of an event key are separated, so that 1 and 11 differ from 11 and 1', () => {
    const event = (id: string, lt: string) =>
      keys(`{"event_type":"account_tx","account_id":"${id}","lt":${lt},"tx_hash":""}`)
    expect(event('0:1', '11').eventKey).not.toBe(event('0:11', '1').eventKey)
  })

  test('an invoice in another state is another event', () => {
    expect(read(invoiceBody('a', 'paid')).eventKey).toBe(read(invoiceBody('a', 'paid')).eventKey)
    expect(read(invoiceBody('a', 'paid')).eventKey).not.toBe(
      read(invoiceBody('a', 'pending')).eventKey,
    )
  })
})

describe('hostile bodies', () => {
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)

  test.each<[string, string | Uint8Array]>([
    ['of zero bytes', ''],
    ['of white space', ' \n\t'],
    ['of null', 'null'],
    ['of a number', '1'],
    ['of an array', '[{"event_type":"account_tx"}]'],
    ['of arrays nested 100,000 deep', deep('[', ']')],
    ['of objects nested 100,000 deep', deep('{"a":', '}')],
    ['of an object with deep nesting inside', `{"x":${deep('[', ']')}}`],
    ['of truncated JSON', '{"event_type":"account_tx"'],
    ['with trailing text', '{} {}'],
    ['of invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['of NUL bytes', Buffer.alloc(1000)],
    ['beyond the parsing limit', `{"boc":"${'x'.repeat(1024 * 1024)}"}`],
    ['with names of the prototype', '{"__proto__":{"event_type":"account_tx"},"constructor":1}'],
    ['with an event_type from the prototype', '{"event_type":"__proto__"}'],
    ['with the event_type toString', '{"event_type":"toString"}'],
    ['with an event_type that is no text', '{"event_type":["account_tx"]}'],
    ['with an event_type in another case', '{"event_type":"ACCOUNT_TX"}'],
  ])('a body %s is of an unknown kind and causes no exception', (_name, body) => {
    expect(read(body)).toMatchObject({ kind: 'unknown', account: null, lt: null, streamKey: null })
  })

  test('fields of the wrong type are omitted', () => {
    const body = '{"event_type":"opcode_msg","account_id":{"a":1},"lt":[],"tx_hash":true}'
    expect(read(body)).toMatchObject({
      kind: 'opcode_msg',
      account: null,
      lt: null,
      txHash: null,
      streamKey: null,
    })
    const strange = { payment_link: null, pay_to_address: [], status: {}, id: 5, amount: {} }
    expect(read(JSON.stringify(strange))).toMatchObject({ kind: 'invoice', account: null })
  })

  test('a repeated or escaped key counts as JSON defines it', () => {
    const twice = '{"event_type":"x","event_type":"account_tx"}'
    expect(read(twice).kind).toBe('account_tx')
    expect(read('{"\\u0065vent_type":"account_tx"}').kind).toBe('account_tx')
  })

  test('a body with prototype names does not change Object.prototype', () => {
    read('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
    expect('polluted' in {}).toBe(false)
  })

  test('huge fields are cut, and a summary is one short line without control characters', () => {
    const long = read(transactionEvent({ account: 'x'.repeat(500_000) }))
    expect(long.account?.length).toBe(4096)
    const lines = read('a\r\nb\u2028c\u202Ed\u200B\x1b[31m\0e'.padEnd(100_000, 'é'))
    expect(lines.summary.length).toBeLessThanOrEqual(160)
    expect(lines.summary).not.toMatch(/[\p{Cc}\p{Cf}\u2028]/u)
    expect(read('€'.repeat(200)).summary).toBe('€'.repeat(160))
    expect(read(invoiceBody(`a\n\u202Eb${'c'.repeat(9_000)}`)).summary).toMatch(/^a b?c+$/)
  })
})
