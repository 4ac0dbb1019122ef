import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type PostOptions, type TestApp, startApp } from '../../fixtures/app.ts'
import { testAccount, transactionEvent } from '../../fixtures/bodies.ts'
import { beginRequest } from '../../fixtures/slow-request.ts'

/** Starts an app with these captures, which have ids from 1 in this order and are all indexed. */
async function appWith(
  ...deliveries: readonly (string | Uint8Array | [string | Uint8Array, PostOptions])[]
): Promise<TestApp> {
  const app = await startApp()
  for (const delivery of deliveries) {
    await (Array.isArray(delivery) ? app.post(...delivery) : app.post(delivery))
  }
  await app.classified()
  return app
}

/** Returns all matches: on a busy computer a scan may return before it is complete, and is continued. */
function find(app: TestApp, text: string): Promise<number[]> {
  return findPaged(app, text, 500)
}

/** Searches by a scan, which finds characters anywhere. */
function findInside(app: TestApp, text: string): Promise<number[]> {
  return find(app, inside(text))
}

function inside(text: string): string {
  return `contains:"${text.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`
}

/** Returns all matches of a search page by page, like a list that is scrolled to its end. */
async function findPaged(app: TestApp, text: string, limit: number, between = async () => {}) {
  const ids: number[] = []
  let before: number | undefined
  for (;;) {
    const input = { query: { text }, limit, ...(before === undefined ? {} : { before }) }
    const page = await app.request('capture.list', input)
    ids.push(...page.rows.map(({ id }) => id))
    if (page.nextBefore === null) return ids
    before = page.nextBefore
    await between()
  }
}

test('a search finds whole words and the beginning of the last word, in method, path, headers and body', async () => {
  await using app = await appWith(
    ['payment settled', { path: '/orders/refund?shop=berlin', headers: { 'x-till': 'kiosk' } }],
    ['another', { method: 'PUT' }],
  )
  for (const text of [
    'payment',
    'settled payment',
    'sett',
    'refund',
    'berlin',
    'kiosk',
    'x-till',
  ]) {
    expect([text, await find(app, text)]).toEqual([text, [1]])
  }
  expect(await find(app, 'PUT')).toEqual([2])
  expect(await find(app, 'put another')).toEqual([2])
  // Parts of words do not match, only the last word may be a beginning, and all words are required.
  for (const text of ['ettled', 'pay settled', 'payment another']) {
    expect([text, await find(app, text)]).toEqual([text, []])
  }
})

test('the last word matches as a beginning, unless a space follows it', async () => {
  await using app = await appWith('settlement')
  expect(await find(app, 'settle')).toEqual([1])
  expect(await find(app, 'settle ')).toEqual([])
  expect(await find(app, 'settle* ')).toEqual([1])
})

test('parts of a word that the tokenizer splits match only next to each other', async () => {
  await using app = await appWith(
    'comment order-42 paid',
    'order of 42 pieces, 42 orders',
    transactionEvent({ account: testAccount }),
    `{"to":"${testAccount.replace('b113', 'b114')}"}`,
  )
  expect(await find(app, 'order-42')).toEqual([1])
  expect(await find(app, testAccount)).toEqual([3])
  expect(await find(app, testAccount.slice(0, 20))).toEqual([3])
  expect(await find(app, 'account_id')).toEqual([3])
  expect(await find(app, '"event_type":"account_tx"')).toEqual([3])
})

test('a search ignores case and accents in every alphabet', async () => {
  await using app = await appWith('Überweisung ZÜRICH für Ελλάδα, Москва, 東京')
  for (const text of ['überweisung', 'UBERWEISUNG', 'zurich', 'ελλάδα', 'МОСКВА', '東京']) {
    expect([text, await find(app, text)]).toEqual([text, [1]])
  }
})

const hostile = [
  'AND',
  'OR NOT',
  'NEAR(',
  'NEAR(a b, 3)',
  '"',
  '""',
  '"unclosed',
  "'",
  '*',
  '**',
  '-',
  '-word',
  ':',
  'body:word',
  '^word',
  '{body headers}: word',
  '(',
  ')',
  'a + b',
  '\\',
  '%',
  ';--',
  '\u0000',
  'wo\u0000rd',
  '"\u0000',
  '\ud800',
  '\ud800word',
  'e\u0301',
  '\u0301',
  '🙂',
  Array.from({ length: 400 }, (_, index) => index % 10).join(' '),
  'x'.repeat(1000),
]

test.each(hostile)(
  'any text is either a valid query or refused as QUERY_INVALID: %j',
  async (text) => {
    for (const asked of [text, inside(text), `pinned:no body:${text}`]) {
      const answer = await hostileApp.envelope('capture.list', { query: { text: asked } })
      // An invalid query is reported; nothing else may fail.
      if (!answer.ok) expect([asked, answer.error.code]).toEqual([asked, 'QUERY_INVALID'])
    }
  },
)

// All tests share one app, because they only read.
const hostileApp = await appWith('a word AND another', 'NEAR the end: body')

test('operators of the search engine are found as words', async () => {
  expect(await find(hostileApp, 'AND')).toEqual([1])
  expect(await find(hostileApp, 'near')).toEqual([2])
  expect(await find(hostileApp, '"body:"')).toEqual([2])
  // A text of only spaces does not search.
  expect(await find(hostileApp, '  \t ')).toEqual([2, 1])
  expect(await find(hostileApp, '"end"')).toEqual([2])
  expect(await find(hostileApp, 'wo\u0000rd')).toEqual([])
  expect(await find(hostileApp, 'word\u0000another')).toEqual([1])
  await hostileApp[Symbol.asyncDispose]()
})

test('words after a NUL or broken UTF-8 are found', async () => {
  await using app = await appWith(
    Buffer.from('before\u0000behind', 'latin1'),
    Buffer.concat([Buffer.from('left '), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from(' right')]),
  )
  expect(await find(app, 'behind')).toEqual([1])
  expect(await findInside(app, 'behind')).toEqual([1])
  expect(await find(app, 'right')).toEqual([2])
  expect(await findInside(app, 'ight')).toEqual([2])
})

test('a capture is found as soon as its delivery got its response, before it is indexed', async () => {
  await using app = await startApp()
  for (let round = 1; round <= 10; round += 1) {
    await app.post(`fresh delivery number${round}`)
    expect(await find(app, `number${round} `)).toEqual([round])
    expect(await find(app, 'deliv')).toHaveLength(round)
  }
})

test('a slow request that began before the indexed captures is found at once', async () => {
  await using app = await startApp()
  await using slow = await beginRequest(await app.hook())
  await app.post('quick')
  await app.classified()
  await slow.finish()
  expect(await find(app, 'slow delivery')).toEqual([2])
})

test('deleted captures are not found, before and after the index is updated', async () => {
  await using app = await appWith('common one', 'common two', 'common three')
  await app.request('capture.delete', { ids: [2] })
  expect(await find(app, 'common')).toEqual([3, 1])
  expect(await findInside(app, 'two')).toEqual([])
  await app.post('common four')
  await app.classified()
  await app.request('capture.clear', { keepPinned: false })
  expect(await find(app, 'common')).toEqual([])
  await app.post('common five')
  expect(await find(app, 'common')).toEqual([5])
})

test('a search for pinned captures finds only pinned ones, in the index, in its tail and by a scan', async () => {
  await using app = await appWith('common one', 'common two')
  await app.post('common three')
  await app.post('common four')
  await app.request('capture.pin', { ids: [1, 3], pinned: true })
  expect(await find(app, 'common pinned:yes')).toEqual([3, 1])
  expect(await find(app, `pinned:yes ${inside('ommo')}`)).toEqual([3, 1])
  await app.classified()
  expect(await find(app, 'common pinned:yes')).toEqual([3, 1])
})

const evens = Array.from({ length: 15 }, (_, index) => 30 - 2 * index)

test.each(['words', 'inside'] as const)(
  'pages of a search by %s have each hit once and in order, while captures arrive and are indexed',
  async (by) => {
    await using app = await startApp()
    const url = await app.hook()
    for (let index = 1; index <= 30; index += 1) {
      const body = gzipSync(index % 2 === 0 ? `even ${index}` : `odd ${index}`)
      await fetch(url, { method: 'POST', body, headers: { 'content-encoding': 'gzip' } })
    }
    const text = by === 'words' ? 'even' : inside('even')
    const ids = await findPaged(app, text, 4, async () => {
      await app.post('even and later')
    })
    expect(ids).toEqual(evens)
  },
)

test('a search during indexing returns no capture twice', async () => {
  await using app = await startApp()
  const url = await app.hook()
  const send = (index: number) => {
    const body = gzipSync(`burst ${index} ${'filler '.repeat(2000)}`)
    return fetch(url, { method: 'POST', body, headers: { 'content-encoding': 'gzip' } })
  }
  for (let round = 0; round < 12; round += 1) {
    await Promise.all(Array.from({ length: 8 }, (_, index) => send(index)))
    const found = await Promise.all([find(app, 'burst'), find(app, 'burst'), find(app, 'filler')])
    for (const ids of found) {
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a))
      expect(ids).toHaveLength((round + 1) * 8)
    }
  }
})

test('a scan finds parts of words, without case, in any alphabet', async () => {
  await using app = await appWith(
    ['prefix-MiDdLe-suffix', { path: '/Some/Path', headers: { 'X-Kind': 'Header-Value' } }],
    'Straße nach МОСКВА und ÀÉÎ',
  )
  for (const text of ['iddl', 'MIDDLE-S', 'ome/pat', 'eader-val', 'x-kind: head']) {
    expect([text, await findInside(app, text)]).toEqual([text, [1]])
  }
  for (const text of ['traß', 'оскв', 'ОСКВА u', 'àé', 'ÉÎ']) {
    expect([text, await findInside(app, text)]).toEqual([text, [2]])
  }
})

test('a scan matches spaces and wildcards literally, and returns how far back it has scanned', async () => {
  await using app = await appWith('100% of  it_is', '100 of itXis')
  expect(await findInside(app, '0% of  i')).toEqual([1])
  expect(await findInside(app, 't_i')).toEqual([1])
  const { rows } = await app.request('capture.list', {})
  const page = await app.request('capture.list', { query: { text: inside('zzz') } })
  expect(page).toMatchObject({ rows: [], nextBefore: null, scannedBack: rows.at(-1)?.receivedAt })
})

test('a compressed body is searched and classified by its decompressed content', async () => {
  const packed: readonly [string, Uint8Array][] = [
    ['gzip', gzipSync(transactionEvent({ lt: '1' }))],
    ['br', brotliCompressSync(transactionEvent({ lt: '2' }))],
    ['zstd', zstdCompressSync(transactionEvent({ lt: '3' }))],
    ['gzip, br', brotliCompressSync(gzipSync(transactionEvent({ lt: '4' })))],
  ]
  await using app = await appWith(
    ...packed.map(([coding, body]): [Uint8Array, PostOptions] => [
      body,
      { headers: { 'content-encoding': coding } },
    ]),
  )
  expect(await find(app, 'account_tx')).toEqual([4, 3, 2, 1])
  expect(await findInside(app, 'ccount_t')).toEqual([4, 3, 2, 1])
  const rows = await app.classified()
  expect(rows.map(({ kind, lt }) => [kind, lt])).toEqual(
    ['4', '3', '2', '1'].map((lt) => ['account_tx', lt]),
  )
})

test('compression bombs, broken bodies and unknown encodings are stored raw and stop neither index nor scan', async () => {
  const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024))
  const coded = (coding: string): PostOptions => ({ headers: { 'content-encoding': coding } })
  await using app = await appWith(
    [bomb, coded('gzip')],
    [gzipSync(bomb), coded('gzip, gzip')],
    ['not compressed at all', coded('gzip')],
    [gzipSync('cut off').subarray(0, 12), coded('gzip')],
    ['in some coding', coded('x-future')],
    ['seven times', coded('gzip,gzip,gzip,gzip,gzip,gzip,gzip')],
    ['after all that', {}],
  )
  expect(await find(app, 'after all that')).toEqual([7])
  expect(await findInside(app, 'fter al')).toEqual([7])
  expect(await find(app, 'some coding')).toEqual([5])
  expect(await find(app, 'not compressed')).toEqual([3])
  const decoded = await app.request('capture.body', { id: 1, form: 'decoded', limit: 10 })
  expect(decoded.decodeProblem).toMatch(/64 MiB/)
  expect(decoded.totalBytes).toBe(bomb.byteLength)
})

test('words find only the beginning of a large body, and a scan finds the whole body', async () => {
  const filler = Buffer.alloc(3 * 1024 * 1024, 'lorem ')
  const big = Buffer.concat([Buffer.from('beginning '), filler, Buffer.from(' theveryend')])
  await using app = await startApp()
  await app.request('settings.change', { receiver: { bodyLimitBytes: 8 * 1024 * 1024 } })
  for (let index = 0; index < 6; index += 1) expect(await app.post(big)).toBe(200)
  await app.post('small')
  await app.classified()
  expect(await find(app, 'beginning')).toHaveLength(6)
  expect(await find(app, 'theveryend')).toEqual([])
  expect(await findInside(app, 'heveryen')).toHaveLength(6)
  expect(await find(app, 'small')).toEqual([7])
})
