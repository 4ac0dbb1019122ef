import { describe, expect, test } from 'vitest'
import type { CaptureKind } from '../../../src-preload/domain/capture-values.ts'
import { harFormat, lineOf } from '../../../src-main/captures/files/format-records.ts'
import { maskCapture } from '../../../src-main/captures/files/run-export.ts'
import { htmlFormat } from '../../../src-main/captures/files/format-html.ts'
import { jsonlFormat } from '../../../src-main/exports/table.ts'
import {
  type Exported,
  formatMoment,
  readMoment,
} from '../../../src-main/captures/files/exported.ts'
import { readHarEntry, readJsonLine } from '../../../src-main/captures/files/read-record.ts'
import {
  type FoundRecord,
  createHarSplitter,
  createLineSplitter,
} from '../../../src-main/captures/files/split-records.ts'
import { isJson, jsonTokens, layOutJson } from '../../../src-main/captures/json-tokens.ts'
import { pseudonymiseRecord, rewriteJson } from '../../../src-main/captures/files/pseudonymise.ts'
import { createPseudonyms } from '../../../src-main/captures/files/pseudonyms.ts'
import { formatFriendly } from '../../../src-main/ton/address.ts'

const token = '0123456789abcdef0123456789abcdef'
const raw = `0:${'ab'.repeat(32)}`
const hash = 'cd'.repeat(32)

function exported(change: Partial<Exported> = {}): Exported {
  const body = change.body ?? Buffer.from(`{"account_id": "${raw}",\n "lt":9007199254740993}`)
  return {
    id: 7,
    origin: 'received',
    receivedAt: 1_790_000_000_123_456,
    durationUs: 1234,
    status: 200,
    method: 'POST',
    target: `/hook/${token}/x?a=1&token=secretsecret`,
    httpVersion: '1.1',
    headers: [
      ['Host', 'hooks.example.org'],
      ['X-A', '1'],
      ['x-a', 'caf\xe9'],
      ['Authorization', 'Bearer bearer-bearer-bearer'],
      ['Content-Length', String(body.byteLength)],
    ],
    bodyBytes: body.byteLength,
    completeness: 'complete',
    incident: null,
    token: 'right',
    remoteAddress: '127.0.0.1',
    pinned: true,
    note: 'mine',
    kind: 'account_tx',
    account: raw,
    lt: '9007199254740993',
    txHash: hash,
    duplicateOf: null,
    outOfOrder: false,
    network: null,
    meaning: null,
    ...change,
    body,
  }
}

const printing = {
  appVersion: '1',
  at: 0,
  isRevealed: true,
  hasPseudonyms: false,
  subject: '<script>alert(1)</script>',
}
const bodies: readonly (readonly [string, Uint8Array])[] = [
  ['JSON with odd digits', Buffer.from('{ "a":1.50,"a":1e400,\t"b":[9007199254740993]}\n')],
  ['every byte', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
  ['NUL and a byte order mark', Buffer.from('\ufeff\0é😀\u2028')],
  ['an empty body', new Uint8Array(0)],
]

test.each(bodies)(
  'a capture survives an export to HAR or JSON Lines and an import without a change: %s',
  (_name, body) => {
    const capture = exported({ body, status: null, completeness: 'truncated', bodyBytes: 9999 })
    const printers = { har: harFormat(printing), jsonl: jsonlFormat(lineOf) }
    const har = JSON.parse(
      printers.har.begin + printers.har.row(capture, 0) + printers.har.end(1),
    ) as { log: { version: string; entries: unknown[] } }
    expect(har.log.version).toBe('1.2')
    const line: unknown = JSON.parse(printers.jsonl.row(capture, 0))
    const { receivedAt, durationUs, pinned, note } = capture
    for (const { record, detail } of [readHarEntry(har.log.entries[0]), readJsonLine(line)]) {
      expect(Buffer.from(record.body).equals(body)).toBe(true)
      expect(record.rawHeaders).toEqual(capture.headers.flat())
      const { target, token: verdict, completeness, status, bodyBytes } = record
      const { target: wanted } = capture
      const rest = { target, token: verdict, completeness, status, bodyBytes }
      expect(rest).toEqual({
        target: wanted,
        token: 'right',
        completeness: 'truncated',
        status: null,
        bodyBytes: 9999,
      })
      expect({ receivedAt: record.receivedAt, ...detail }).toEqual({
        receivedAt,
        durationUs,
        pinned,
        note,
      })
    }
  },
)

test('an exported page contains nothing that runs or loads, and every digit of a body', () => {
  const printer = htmlFormat(printing, () => new Map())
  const evil = exported({
    body: Buffer.from('{"x":"</pre><img src=//e onerror=alert(1)>","lt":9007199254740993}'),
    note: '"><script>',
    headers: [['X-"><b', '\u0007\x9b<i>']],
  })
  const page = printer.begin + printer.row(evil, 0) + printer.end(1)
  expect(page).toMatch(/default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='/)
  expect(page).toContain('9007199254740993')
  expect(page.match(/<(?:script|img|b|i|link|iframe)\b/g)).toBeNull()
  expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
})

// The amount of an expired or cancelled invoice must not look like incoming money.
test('an exported page shows the amount of an invoice without a direction', () => {
  const amount = { units: '1500000000', direction: 'in', asset: { symbol: 'TON', decimals: 9 } }
  const pageOf = (kind: CaptureKind) =>
    htmlFormat(printing, () => new Map()).row(
      exported({ kind, meaning: { amount } as unknown as Exported['meaning'] }),
      0,
    )
  expect(pageOf('invoice')).toMatch(/<dd>1\.5(0+)? TON<\/dd>/)
  expect(pageOf('account_tx')).toMatch(/<dd>1\.5(0+)? TON in<\/dd>/)
})

test('an exported page shows the label of an account beside its address', () => {
  const sender = `0:${'ef'.repeat(32)}`
  const labels = new Map([
    [raw, 'Shop & Co'],
    [sender, 'Alice'],
  ])
  const capture = exported({
    account: raw,
    network: 'testnet',
    meaning: { amount: null, sender, recipient: raw } as unknown as Exported['meaning'],
  })
  const page = htmlFormat(printing, (network) => (network === 'testnet' ? labels : new Map())).row(
    capture,
    0,
  )
  expect(page).toContain(`<span class="a">Shop &#38; Co (${raw})</span>`)
  expect(page).toContain(`<dt>Sender</dt><dd>Alice (${sender})</dd>`)
  const other = htmlFormat(printing, () => new Map()).row(capture, 0)
  expect(other).toContain(`<span class="a">${raw}</span>`)
})

test("masking removes the receiver's token, bearer tokens and secrets of the query from every header and URL", () => {
  const masked = maskCapture(
    exported({
      headers: [
        ['X-Original-URI', `/hook/${token}/x?key=topsecrettopsecret`],
        ['Cookie', 'a=secretsecretsecret'],
        ['X-Forwarded-For', '10.0.0.1'],
      ],
    }),
  )
  const text = jsonlFormat(lineOf).row(masked, 0)
  for (const secret of [token, 'secretsecret', 'topsecrettop']) expect(text).not.toContain(secret)
  expect(masked.target.length).toBeGreaterThan(`/hook/${token}`.length)
  expect(masked.headers[2]).toEqual(['X-Forwarded-For', '10.0.0.1'])
})

describe('pseudonyms', () => {
  const names = createPseudonyms(Buffer.alloc(32, 1))
  const friendly = formatFriendly(raw, { bounceable: true, testOnly: false })
  const spellings = [
    raw,
    raw.toUpperCase(),
    friendly,
    formatFriendly(raw, { bounceable: false, testOnly: false, urlSafe: false }),
    formatFriendly(raw, { bounceable: true, testOnly: true }),
    raw.replace(':', '%3A'),
    encodeURIComponent(formatFriendly(raw, { bounceable: false, testOnly: false, urlSafe: false })),
  ]

  test('an address has the same pseudonym in each of its spellings, and the pseudonym is no valid address', () => {
    const made = new Set(spellings.map((each) => names.inText(`x ${each}, y`)))
    expect([...made]).toEqual([`x ${names.address(raw)}, y`])
    expect(names.address(raw)).toMatch(/^fictive-address-[0-9a-f]{16}$/)
    expect(createPseudonyms(Buffer.alloc(32, 2)).address(raw)).not.toBe(names.address(raw))
  })

  test('a hash has the same pseudonym in hexadecimal and in base64', () => {
    const made = names.hash(Buffer.from(hash, 'hex'))
    expect(names.inText(hash)).toBe(made.toString('hex'))
    expect(names.inText(Buffer.from(hash, 'hex').toString('base64'))).toBe(made.toString('base64'))
  })

  test('pseudonyms replace the values of a body and preserve its layout and all other digits', () => {
    const text = `{ "account_id" : "${raw}", "lt": 9007199254740993,\n\t"a":[1.50, 1e3, -0],
      "amount":"1500000000","overpayment":"0", "status":"paid", "id":"60ffb075", "date_create":1700000000,
      "payment_link":"ton://transfer/${friendly}?amount=1500000000&text=60ffb075",
      "value":"27.5 TON", "total":"0x5f5e100", "tx":"${Buffer.from(hash, 'hex').toString('base64').slice(0, -1)}",
      "boc":"te6cckEBAQEADgAAGAAAAABmb3IgQW5u", "description":"for Ann", "info":{"who":["Ann",5]}, "${raw}": null}`
    const made = rewriteJson(text, names)
    for (const gone of [
      'zc3N',
      '27.5',
      '5f5e100',
      'te6c',
      'abab',
      friendly,
      '1500000000',
      '60ffb075',
      'Ann',
      '9007199254740993',
    ]) {
      expect(made).not.toContain(gone)
    }
    expect(isJson(made)).toBe(true)
    for (const kept of [
      '[1.50, 1e3, -0]',
      '"status":"paid"',
      '"date_create":1700000000',
      '"overpayment":"0"',
      '{ "account_id" : "',
    ]) {
      expect(made).toContain(kept)
    }
    expect(made).toContain(`amount=${names.amount('1500000000')}`)
    expect(names.amount('1.50')).toMatch(/^[1-9]\d{9}\.\d\d$/)
    expect(BigInt(names.lt('12')) - BigInt(names.lt('10'))).toBe(2n)
  })

  test('a body that is not JSON is replaced by a note of its size, with a matching Content-Length', async () => {
    const repeated: [string, string] = ['X-Original-Uri', `/hook/${token}/x?token=by-proxy`]
    const body = Buffer.from(`${raw} is mine`)
    const { headers } = exported({ body })
    const made = await pseudonymiseRecord(
      exported({ body, headers: [repeated, ...headers] }),
      names,
    )
    expect(Buffer.from(made.body).toString()).toMatch(/^\(74 bytes omitted/)
    expect(made.headers.at(-1)).toEqual(['Content-Length', String(made.body.byteLength)])
    const text = jsonlFormat(lineOf).row(made, 0)
    for (const gone of [token, 'bearer-bearer', 'secretsecret', 'by-proxy', raw, hash, 'mine']) {
      expect(text).not.toContain(gone)
    }
    expect(made.account).toBe(names.address(raw))
  })
})

/** Splits the text into pieces of every size, so that state lost between two pieces is detected. */
function split(make: typeof createHarSplitter, text: string, piece: number) {
  const found: FoundRecord[] = []
  const splitter = make((record) => found.push(record), 200)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += piece) splitter.push(bytes.subarray(at, at + piece))
  const end = splitter.end()
  return { end, found: found.map(({ bytes, problem }) => problem ?? bytes?.toString()) }
}

test.each([1, 2, 7, 10_000])(
  'the entries of an import file are found when it arrives in pieces of %i bytes',
  (piece) => {
    const har = `\ufeff{"entries":[0],"x":{"log":{"entries":[1]}},"log" : {"a":[{"entries":[2]}],"entries"
    :[ {"a":"]},\\"[{é"} ,[],{"b":{"c":[1,{}]}}, 5 ,"${'y'.repeat(300)}",${'['.repeat(300)}${']'.repeat(300)}],
    "entries":[{"twice":1}],"z":"entries"}}`
    expect(split(createHarSplitter, har, piece)).toEqual({
      end: null,
      found: [
        '{"a":"]},\\"[{é"} ',
        '[]',
        '{"b":{"c":[1,{}]}}',
        '5 ',
        'it is too large',
        'it is nested too deeply',
        '{"twice":1}',
      ],
    })
    expect(split(createHarSplitter, '{"log":{"entries":[{"a":1},{"b"', piece)).toEqual({
      end: 'The file ends within entry 2, which was omitted.',
      found: ['{"a":1}'],
    })
    const lines = `{"a":1}\r\n\n \n${'x'.repeat(300)}\n{"b":"é"}`
    expect(split(createLineSplitter, lines, piece).found).toEqual([
      '{"a":1}\r',
      'it is too long',
      '{"b":"é"}',
    ])
  },
)

test.each<[string, unknown, string]>([
  ['no object', 5, 'it has no request'],
  ['no method', { request: { headers: [], url: 'http://a/' } }, 'it has no method'],
  [
    'a header with a line break',
    { request: { method: 'GET', url: 'http://a/', headers: [{ name: 'A', value: 'b\r\nC: d' }] } },
    'its header A has a line break or NUL in it',
  ],
  [
    'a header of a number',
    { request: { method: 'GET', url: 'http://a/', headers: [{ name: 1 }] } },
    'its header 1 is not text',
  ],
  [
    'another scheme',
    { request: { method: 'GET', url: 'file:///etc/passwd', headers: [] } },
    'its URL is not an HTTP URL',
  ],
  [
    'an invalid time',
    { startedDateTime: 'now', request: { method: 'GET', url: 'http://a/', headers: [] } },
    'it has no time of arrival',
  ],
  [
    'invalid base64',
    {
      startedDateTime: '2026-01-01T00:00:00Z',
      request: {
        method: 'GET',
        url: 'http://a/',
        headers: [],
        postData: { text: '%%', encoding: 'base64' },
      },
    },
    'its body is not base64',
  ],
])('an entry with %s is refused with a message that names the problem', (_name, entry, message) => {
  expect(() =>
    readHarEntry({ startedDateTime: '2026-01-01T00:00:00Z', ...(entry as object) }),
  ).toThrow(message)
})

test("the path of a foreign HAR entry is placed below the receiver's path, and its pseudo-headers are left out", () => {
  const { record } = readHarEntry({
    startedDateTime: '2026-01-01T00:00:00.123+02:00',
    time: 1.5,
    request: {
      method: 'POST',
      url: 'https://hook.example/a//../b?c=%2F#d',
      httpVersion: 'h2',
      headers: [
        { name: ':authority', value: 'hook.example' },
        { name: 'x', value: 'é😀' },
      ],
      postData: { mimeType: 'x', params: [{ name: 'a', value: 'b c' }] },
    },
    response: { status: 0 },
  })
  expect(record.target).toBe(`/hook/${'0'.repeat(32)}/a//../b?c=%2F`)
  const bytes = Buffer.from('é😀').toString('latin1')
  expect(record.rawHeaders).toEqual(['Host', 'hook.example', 'x', bytes])
  expect(formatMoment(record.receivedAt)).toBe('2025-12-31T22:00:00.123000Z')
  expect({ status: record.status, body: Buffer.from(record.body).toString() }).toEqual({
    status: null,
    body: 'a=b+c',
  })
  expect(readMoment('2300-01-01T00:00:00Z')).toBeNull()
})

const posted = (request: object, more: object = {}) =>
  readHarEntry({
    startedDateTime: '2026-01-01T00:00:00Z',
    ...more,
    request: { method: 'POST', url: 'http://a/', headers: [], ...request },
  })

test.each<[string, object, string, number]>([
  ['in another file', { postData: { text: '', _file: 'x.bin' }, bodySize: 196 }, 'missing', 196],
  ['in another file of unknown size', { postData: { _sha1: 'ab' }, bodySize: -1 }, 'missing', 0],
  ['omitted, with its size', { bodySize: 7 }, 'missing', 7],
  [
    'omitted, with a Content-Length header',
    { headers: [{ name: 'content-length', value: '12' }], bodySize: -1 },
    'missing',
    12,
  ],
  [
    'a multipart form without its content',
    { postData: { mimeType: 'multipart/form-data; boundary=x', params: [{ name: 'a' }] } },
    'missing',
    0,
  ],
  ['shorter than its size', { postData: { text: 'abc' }, bodySize: 4 }, 'truncated', 4],
  ['as long as its size', { postData: { text: 'é' }, bodySize: 2 }, 'complete', 2],
  ['empty', { postData: { text: '' }, bodySize: 0 }, 'complete', 0],
  ['without a size', { bodySize: -1 }, 'complete', 0],
])(
  'an imported body that is %s has the right completeness and size',
  (_name, request, completeness, bodyBytes) => {
    expect(posted(request).record).toMatchObject({ completeness, bodyBytes })
  },
)

test('a duration and a status that are missing in the import file remain unknown', () => {
  for (const more of [{ time: -1 }, {}, { time: null }]) {
    expect(posted({}, more).detail.durationUs).toBeNull()
  }
  expect(posted({}, { time: 0, response: { status: -1 } })).toMatchObject({
    detail: { durationUs: 0 },
    record: { status: null },
  })
})

test('a missing body and an unknown duration survive an export and an import', () => {
  const capture = exported({
    body: new Uint8Array(0),
    bodyBytes: 196,
    completeness: 'missing',
    durationUs: null,
    status: null,
  })
  const entry: unknown = JSON.parse(harFormat(printing).row(capture, 0))
  expect(entry).toMatchObject({ time: -1, request: { bodySize: 196 } })
  expect(entry).not.toHaveProperty('request.postData')
  const line: unknown = JSON.parse(jsonlFormat(lineOf).row(capture, 0))
  for (const { record, detail } of [readHarEntry(entry), readJsonLine(line)]) {
    expect(record).toMatchObject({ completeness: 'missing', bodyBytes: 196, status: null })
    expect(detail.durationUs).toBeNull()
  }
})

test('the error of a header that is not text names the header', () => {
  expect(() => posted({ headers: [{ name: 'x-count', value: 5 }] })).toThrow(
    'its header x-count is not text',
  )
  expect(() => posted({ headers: [{ name: 'a', value: '' }, { value: 'b' }] })).toThrow(
    'its header 2 is not text',
  )
})

test('formatting JSON preserves every token as it was written', () => {
  const text = '{"a":[],"b":{},"c":[1.0,{"d":"\\u0041 :,"}],"a":null}'
  expect(layOutJson(text)).toBe(
    '{\n  "a": [],\n  "b": {},\n  "c": [\n    1.0,\n    {\n      "d": "\\u0041 :,"\n    }\n  ],\n  "a": null\n}',
  )
  const spaced = ' [ 1 , "x" ] \n'
  expect([...jsonTokens(spaced)].map(({ space, raw: each }) => space + each).join('')).toBe(spaced)
})
