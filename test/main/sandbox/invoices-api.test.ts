/** Tests the invoices API over a real socket; sandbox-invoices-payments.test.ts tests the payments. */
import { Address } from '@ton/core'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import {
  type InvoiceShop,
  openInvoiceShop,
  shopToken,
  otherAddress,
  invoiceWebhooksOf,
} from '../../fixtures/invoice-shop.ts'

const other = `0:${'cd'.repeat(32)}`

describe('creating and reading invoices', () => {
  test('a created invoice is pending, has all fields that a payer needs, and no payer', async () => {
    await using shop = await openInvoiceShop()
    const answer = await shop.call('POST', '/invoice', {
      body: { amount: '2500000', currency: 'USDT', life_time: 60, description: 'Tea' },
    })
    const now = shop.clock.now() / 1000
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}$/) as unknown,
      status: 'pending',
      amount: '2500000',
      currency: 'USDT',
      description: 'Tea',
      date_create: now,
      date_expire: now + 60,
      payment_link: expect.stringContaining('https://app.tonkeeper.com/transfer/UQ') as unknown,
      pay_to_address: otherAddress,
    })
    const id = String(answer.json['id'])
    expect(await shop.get(id)).toEqual({ ...answer.json, date_change: now })
  })

  test('an unknown invoice id gets 404 with this root’s error format', async () => {
    await using shop = await openInvoiceShop()
    for (const [verb, path] of [
      ['GET', '/60ffb075'],
      ['GET', '/%27%20OR%201'],
      ['DELETE', '/60ffb075'],
      ['PATCH', '/60ffb075/cancel'],
    ] as const) {
      const { status, json } = await shop.call(verb, path)
      expect([status, json['code']]).toEqual([404, 404])
      expect(json['error']).toMatch(/^invoice .* not found$/)
    }
    const patch = await shop.call('PATCH', '/60ffb075', { body: { refunded: true } })
    expect(patch.status).toBe(404)
  })

  test('refund information is stored and returned, and changes no other field', async () => {
    await using shop = await openInvoiceShop()
    const { id } = await shop.create()
    const before = await shop.get(id)
    await shop.call('PATCH', `/${id}`, { body: { refunded: true } })
    const { status, json } = await shop.call('PATCH', `/${id}`, {
      body: '{"refund_amount": 9007199254740993}',
    })
    expect(status).toBe(200)
    expect(json).toEqual({
      ...before,
      info: { refunded: true, refund_amount: 9_007_199_254_740_993n },
    })
    for (const body of [{}, { refunded: 'yes' }, { refund_amount: -1 }, { refund_amount: 0.5 }]) {
      expect((await shop.call('PATCH', `/${id}`, { body })).status).toBe(400)
    }
  })
})

describe('cancelling invoices', () => {
  test('PATCH and DELETE cancel a pending invoice, once', async () => {
    await using shop = await openInvoiceShop()
    for (const [verb, suffix] of [
      ['PATCH', '/cancel'],
      ['DELETE', ''],
    ] as const) {
      const { id } = await shop.create()
      await shop.advance(10)
      const first = await shop.call(verb, `/${id}${suffix}`)
      expect([first.status, first.json['status']]).toEqual([200, 'cancelled'])
      expect(first.json['date_change']).toBe(shop.clock.now() / 1000)
      expect(first.json).not.toHaveProperty('overpayment')
      const second = await shop.call(verb, `/${id}${suffix}`)
      expect(second.status).toBe(400)
      expect(second.json['error']).toBe(
        `invoice ${id} is cancelled: only pending invoices can be cancelled`,
      )
    }
  })

  test('an expired invoice cannot be cancelled, even before its expiry was processed', async () => {
    await using shop = await openInvoiceShop()
    const { id } = await shop.create({ life_time: 60 })
    shop.clock.at += 61_000
    const { status, json } = await shop.call('DELETE', `/${id}`)
    expect([status, json['error']]).toEqual([
      400,
      `invoice ${id} is expired: only pending invoices can be cancelled`,
    ])
    expect((await shop.get(id)).status).toBe('expired')
  })
})

describe('the expiry of invoices', () => {
  test('an invoice expires in the second after date_expire, and its webhooks get the invoice', async () => {
    await using shop = await openInvoiceShop()
    await using endpoint = await startEndpoint()
    await using second = await startEndpoint()
    await shop.call('POST', '/app/1/webhook', { body: { webhook: endpoint.url } })
    await shop.call('POST', '/app/1/webhook', { body: { webhook: second.url } })
    const { id, date_expire: dateExpire } = await shop.create({ life_time: 60 })
    expect(shop.invoices.due.nextDue()).toBe((dateExpire + 1) * 1000)

    await shop.advance(60)
    expect((await shop.get(id)).status).toBe('pending')
    await shop.advance(1)
    const invoice = await shop.get(id)
    expect(invoice).toMatchObject({ status: 'expired', date_change: dateExpire + 1 })
    expect(invoice).not.toHaveProperty('overpayment')
    expect(shop.invoices.due.nextDue()).toBeNull()
    await Promise.all([endpoint.arrived(1), second.arrived(1)])
    expect(invoiceWebhooksOf(endpoint)).toEqual([invoice])
    expect(invoiceWebhooksOf(second)).toEqual([invoice])
    expect(endpoint.received[0]?.headers).not.toHaveProperty('authorization')
  })

  test('an invoice that expired while the sandbox was stopped has the time of its expiry', async () => {
    using directory = temporaryDirectory()
    let id: string
    let at: number
    {
      await using shop = await openInvoiceShop({ directory })
      id = (await shop.create({ life_time: 60 })).id
      at = shop.clock.at
    }
    await using shop = await openInvoiceShop({ directory })
    shop.clock.at = at + 3_600_000
    // The API never returns an outdated state, whether or not the job has run.
    expect(await shop.get(id)).toMatchObject({ status: 'expired', date_change: at / 1000 + 61 })
  })
})

describe('listing invoices', () => {
  /** Creates three TON and two USDT invoices, a minute apart; one is cancelled. */
  async function stock(shop: InvoiceShop) {
    const ids: string[] = []
    for (const [currency, amount, description] of [
      ['TON', '3000000000', 'c'],
      ['USDT', '5000000', 'a'],
      ['TON', '1000000000', 'b'],
      ['USDT', '9000000', undefined],
      ['TON', '20000000000', 'd'],
    ]) {
      ids.push((await shop.create({ currency, amount, description, life_time: 86_400 })).id)
      await shop.advance(60)
    }
    await shop.call('DELETE', `/${ids[2] ?? ''}`)
    return ids
  }

  test('the list is sorted newest first, filtered, sorted and paged, with the count of all', async () => {
    await using shop = await openInvoiceShop()
    const ids = await stock(shop)
    const list = async (query: Record<string, string | string[]>) => {
      const { status, json } = await shop.call('GET', '', { query })
      expect(status).toBe(200)
      const items = json['items'] as { id: string }[]
      return { ids: items.map(({ id }) => ids.indexOf(id)), count: json['count'] }
    }
    expect(await list({})).toEqual({ ids: [4, 3, 2, 1, 0], count: 5 })
    expect(await list({ limit: '2', offset: '1' })).toEqual({ ids: [3, 2], count: 5 })
    expect(await list({ limit: '0' })).toEqual({ ids: [], count: 5 })
    expect(await list({ offset: '9223372036854775807' })).toEqual({ ids: [], count: 5 })
    expect(await list({ field_order: 'amount', type_order: 'asc', currency: 'TON' })).toEqual({
      ids: [2, 0, 4],
      count: 3,
    })
    expect(await list({ field_order: 'description', type_order: 'desc' })).toEqual({
      ids: [4, 0, 2, 1, 3],
      count: 5,
    })
    expect(await list({ filter_status: 'cancelled' })).toEqual({ ids: [2], count: 1 })
    expect(await list({ filter_status: ['cancelled', 'pending'] })).toMatchObject({ count: 5 })
    expect(await list({ filter_status: 'paid,expired' })).toEqual({ ids: [], count: 0 })
    expect(await list({ overpayment: 'true' })).toEqual({ ids: [], count: 0 })
    const start = String(shop.clock.now() / 1000 - 240)
    const end = String(shop.clock.now() / 1000 - 120)
    expect(await list({ start, end })).toEqual({ ids: [3, 2, 1], count: 3 })
    const prefix = ids[3]?.slice(0, 7).toUpperCase() ?? ''
    expect(await list({ search_id: prefix })).toEqual({ ids: [3], count: 1 })
    expect(await list({ search_id: '%' })).toEqual({ ids: [], count: 0 })
    for (const order of ['id', 'status', 'life_time', 'pay_to_address', 'paid_by_address']) {
      expect((await list({ field_order: order })).count).toBe(5)
    }
    expect(await list({ field_order: 'date_paid' })).toMatchObject({ count: 5 })
  })

  test.each([
    [{ limit: '1001' }, /^limit must be 0 to 1000/],
    [{ limit: '-1' }, /^limit/],
    [{ limit: 'ten' }, /^limit must be a whole number/],
    [{ offset: '-1' }, /^offset must be 0 or more/],
    [{ offset: '9223372036854775808' }, /^offset is beyond 64 bits/],
    [{ field_order: 'date_change' }, /^field_order must be one of id, amount/],
    [{ type_order: 'up' }, /^type_order must be one of asc, desc/],
    [{ search_id: '' }, /^search_id must have 1 to 64/],
    [{ filter_status: 'lost' }, /^filter_status must be one of/],
    [{ currency: 'BTC' }, /^currency must be one of/],
    [{ overpayment: 'maybe' }, /^overpayment must be one of true, false/],
    [{ start: '1.5' }, /^start must be a whole number/],
    [{ end: '' }, /^end must be a whole number/],
    [{ app_id: 'one' }, /^app_id must be a whole number/],
  ])('an invalid parameter is named in the error: %j', async (query, message) => {
    await using shop = await openInvoiceShop()
    const { status, json } = await shop.call('GET', '', { query })
    expect([status, json['code']]).toEqual([400, 400])
    expect(json['error']).toMatch(message)
  })

  test('statistics cover one currency, with counts and amounts in minimal units', async () => {
    await using shop = await openInvoiceShop()
    await stock(shop)
    expect((await shop.call('GET', '/stats')).json).toEqual({
      stats: {
        total: 3,
        success_total: 0,
        success_in_week: 0,
        invoices_in_progress: 2,
        total_amount_pending: 23_000_000_000,
        currency: 'TON',
      },
    })
    const usdt = await shop.call('GET', '/stats', { query: { currency: 'USDT', app_id: '1' } })
    expect(usdt.json['stats']).toMatchObject({ total: 2, total_amount_pending: 14_000_000 })
    expect((await shop.call('GET', '/stats', { query: { currency: 'EUR' } })).status).toBe(400)
  })

  test('sums above 64 bits are returned exactly', async () => {
    await using shop = await openInvoiceShop()
    await shop.create({ amount: '100000000000000' })
    const copy = shop.database.prepare(
      `INSERT INTO invoices (id, app_id, status, amount, currency, life_time, date_create,
         date_expire, date_change, rule, pay_to_address, received)
       SELECT id || ?, app_id, status, amount * 10000, currency, life_time, date_create, date_expire,
         date_change, rule, pay_to_address, received FROM invoices WHERE number = 1`,
    )
    for (let index = 0; index < 10; index += 1) copy.run(`-${index}`)
    const { json } = await shop.call('GET', '/stats')
    expect(json['stats']).toMatchObject({ total_amount_pending: 10_000_100_000_000_000_000n })
  })

  test('the export has the invoices of the list as a CSV file', async () => {
    await using shop = await openInvoiceShop()
    const ids = await stock(shop)
    const { status, headers, text } = await shop.call('GET', '/export', {
      query: { currency: 'TON', filter_status: 'pending' },
    })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/csv')
    expect(headers.get('content-disposition')).toBe('attachment; filename=invoices-2026-01-05.csv')
    const [head, ...lines] = text.trimEnd().split('\r\n')
    expect(head).toMatch(/^id,status,amount,currency,description,/)
    expect(lines.map((line) => line.split(',')[0])).toEqual([ids[4], ids[0]])
  })
})

describe('the application', () => {
  test('an application exists at the first start, and its name, description and recipient can be changed', async () => {
    await using shop = await openInvoiceShop()
    const app = await shop.call('GET', '/app', { query: { project_id: '1' } })
    expect(app.json['app']).toEqual({
      id: 1,
      project_id: 1,
      name: 'Sandbox shop',
      description: '',
      recipient_address: otherAddress,
      date_create: shop.clock.now() / 1000,
      webhooks: [],
    })
    const friendly = Address.parseRaw(other).toString({ bounceable: false })
    const changed = await shop.call('PATCH', '/app/1', {
      body: { name: 'Tea house', description: 'x', recipient_address: friendly },
    })
    expect(changed.json['app']).toMatchObject({ name: 'Tea house', recipient_address: other })
    expect((await shop.create()).pay_to_address).toBe(other)
  })

  test('an invoice keeps the recipient with which it was created', async () => {
    await using shop = await openInvoiceShop()
    const { id } = await shop.create()
    await shop.call('PATCH', '/app/1', { body: { recipient_address: other } })
    expect((await shop.get(id)).pay_to_address).toBe(otherAddress)
  })

  test('webhooks are added, changed and removed, and their ids are never used again', async () => {
    await using shop = await openInvoiceShop()
    const hooks = (answer: { json: Readonly<Record<string, unknown>> }) =>
      (answer.json['app'] as { webhooks: unknown }).webhooks
    const [one, two] = ['http://127.0.0.1:1/one', 'https://example.org/two']
    await shop.call('POST', '/app/1/webhook', { body: { webhook: one } })
    const added = await shop.call('POST', '/app/1/webhook', { body: { webhook: two } })
    expect(hooks(added)).toEqual([
      { id: '1', webhook: one },
      { id: '2', webhook: two },
    ])
    const three = 'http://127.0.0.1:1/three'
    const changed = await shop.call('PATCH', '/app/1/webhook/1', { body: { webhook: three } })
    expect(hooks(changed)).toEqual([
      { id: '1', webhook: three },
      { id: '2', webhook: two },
    ])
    await shop.call('DELETE', '/app/1/webhook/2')
    const again = await shop.call('POST', '/app/1/webhook', { body: { webhook: two } })
    expect(hooks(again)).toEqual([
      { id: '1', webhook: three },
      { id: '3', webhook: two },
    ])
    expect((await shop.call('DELETE', '/app/1/webhook/2')).status).toBe(404)
    const twice = await shop.call('POST', '/app/1/webhook', { body: { webhook: two } })
    expect([twice.status, twice.json['error']]).toEqual([
      400,
      'webhook is registered already, as 3',
    ])
  })

  test('a removed webhook gets no more deliveries, and its waiting ones are dropped', async () => {
    await using shop = await openInvoiceShop()
    await shop.call('POST', '/app/1/webhook', { body: { webhook: 'http://127.0.0.1:1/gone' } })
    const { id } = await shop.create()
    await shop.call('DELETE', `/${id}`)
    await shop.queue.settled()
    expect(shop.queue.count()).toEqual({ waiting: 1, failing: 1 })
    expect(shop.invoices.app()?.webhooks).toMatchObject([{ failedAttempts: 1 }])
    await shop.call('DELETE', '/app/1/webhook/1')
    expect(shop.queue.count().waiting).toBe(0)
  })

  test('an application can be registered once, removed and registered again', async () => {
    await using shop = await openInvoiceShop()
    const form = { name: 'Another', recipient_address: other, webhooks: ['http://127.0.0.1:1/'] }
    const { id } = await shop.create()
    const present = await shop.call('POST', '/app', { body: form })
    expect(present.status).toBe(400)
    expect((await shop.call('DELETE', '/app/1')).status).toBe(200)
    for (const [verb, path] of [
      ['GET', '/app'],
      ['GET', ''],
      ['GET', '/stats'],
      ['GET', '/token'],
      ['GET', `/${id}`],
    ] as const) {
      expect((await shop.call(verb, path)).status).toBe(404)
    }
    expect(shop.invoices.canCreate()).toBe(false)
    const made = await shop.call('POST', '/app', { query: { project_id: '1' }, body: form })
    expect(made.status).toBe(201)
    expect(made.json['app']).toMatchObject({ id: 2, name: 'Another', recipient_address: other })
    // Invoices belong to the application that issued them.
    expect((await shop.call('GET', `/${id}`)).status).toBe(404)
    expect((await shop.create()).pay_to_address).toBe(other)
  })

  test.each([
    ['POST', '/app', {}, /^name is required/],
    ['POST', '/app', { name: 'ab', recipient_address: other }, /^name must have 3 to 64/],
    ['POST', '/app', { name: 'x'.repeat(65), recipient_address: other }, /^name must have 3 to 64/],
    ['POST', '/app', { name: 'abc' }, /^recipient_address is required/],
    ['POST', '/app', { name: 'abc', recipient_address: 5 }, /^recipient_address must be a string/],
    ['POST', '/app', { name: 'abc', recipient_address: 'UQx' }, /can't decode address UQx/],
    [
      'POST',
      '/app',
      { name: 'abc', recipient_address: '0QAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACkT' },
      /^recipient_address .* is for test networks/,
    ],
    [
      'POST',
      '/app',
      { name: 'abc', recipient_address: other, webhooks: 'http://x' },
      /^webhooks must be an array/,
    ],
    [
      'POST',
      '/app',
      { name: 'abc', recipient_address: other, webhooks: ['http://x', 'ftp://x'] },
      /^webhooks\[1\] must be a URL that begins with http/,
    ],
    ['PATCH', '/app/1', {}, /^the body must have name/],
    ['PATCH', '/app/1', { description: 'x'.repeat(256) }, /^description must have at most 255/],
    ['PATCH', '/app/one', { name: 'abc' }, /^the application id must be a number/],
    ['POST', '/app/1/webhook', {}, /^webhook is required/],
    ['POST', '/app/1/webhook', { webhook: 'example.org' }, /^webhook must be a URL/],
    [
      'POST',
      '/app/1/webhook',
      { webhook: `http://x/${'y'.repeat(2048)}` },
      /^webhook must have at/,
    ],
    ['POST', '/app/1/webhook', [], /^the body must be a JSON object, not an array/],
  ])('%s %s %j is refused with a reason', async (verb, path, body, message) => {
    await using shop = await openInvoiceShop()
    const { status, json } = await shop.call(verb, path, { body })
    expect([status, json['code']]).toEqual([400, 400])
    expect(json['error']).toMatch(message)
  })

  test('an id of another application, project or webhook gets 404', async () => {
    await using shop = await openInvoiceShop()
    const hook = { webhook: 'http://127.0.0.1:1/' }
    for (const [verb, path, body] of [
      ['PATCH', '/app/2', { name: 'abc' }],
      ['DELETE', '/app/2', undefined],
      ['DELETE', '/app/99999999999999999999', undefined],
      ['POST', '/app/2/webhook', hook],
      ['PATCH', '/app/1/webhook/7', hook],
      ['DELETE', '/app/1/webhook/x', undefined],
      ['GET', '/app?project_id=2', undefined],
      ['GET', '/token?app_id=2', undefined],
      ['GET', '/?app_id=2', undefined],
      ['POST', '/invoice?app_id=2', { amount: '1000000000', currency: 'TON', life_time: 5 }],
    ] as const) {
      const { status } = await shop.call(verb, path, body === undefined ? {} : { body })
      expect([verb, path, status]).toEqual([verb, path, 404])
    }
  })
})

describe('access to the invoices API', () => {
  test('every path requires a key as header or parameter, and the header takes precedence', async () => {
    await using shop = await openInvoiceShop()
    for (const path of ['', '/app', '/stats', '/60ffb075', '/no/such/path']) {
      const none = await shop.call('GET', path, { key: null })
      expect([none.status, none.json['code']]).toEqual([401, 401])
      expect(none.headers.get('www-authenticate')).toBe('Bearer')
      expect((await shop.call('GET', path, { key: 'TC-INVOICES_wrong' })).status).toBe(401)
    }
    const parameter = { api_key: shopToken }
    expect((await shop.call('GET', '', { key: null, query: parameter })).status).toBe(200)
    expect((await shop.call('GET', '', { key: 'wrong', query: parameter })).status).toBe(401)
    expect((await shop.call('GET', '', { query: { api_key: 'wrong' } })).status).toBe(200)
    const bare = { key: null, headers: { Authorization: shopToken } }
    expect((await shop.call('GET', '', bare)).status).toBe(401)
    expect((await shop.call('GET', '', { ...bare, query: parameter })).status).toBe(200)
  })

  test('before access is granted and after its withdrawal, requests get 403', async () => {
    await using shop = await openInvoiceShop()
    const { access, canCreate } = shop.invoices
    expect([access.state(), canCreate()]).toEqual(['granted', true])
    for (const state of ['registered', 'requested', 'verified'] as const) {
      access.change(state)
      expect([access.token(), canCreate()]).toEqual([null, false])
      const { status, json } = await shop.call('GET', '')
      expect([status, json['code']]).toEqual([403, 403])
      expect(json['error']).toMatch(/^access to invoices is not granted/)
      expect((await shop.call('GET', '', { key: null })).status).toBe(401)
    }
    access.change('granted')
    expect(access.token()).toBe(shopToken)
    expect((await shop.call('GET', '')).status).toBe(200)
    access.change('withdrawn')
    const refused = await shop.call('POST', '/invoice', { body: {} })
    expect([refused.status, refused.json['error']]).toEqual([
      403,
      'access to invoices was withdrawn',
    ])
    expect((await shop.call('GET', '', { key: 'wrong' })).status).toBe(401)
    access.change('granted')
    await shop.create()
  })

  test('a regenerated token replaces the old one at once and after a restart', async () => {
    using directory = temporaryDirectory()
    let token: string
    {
      await using shop = await openInvoiceShop({ directory })
      expect((await shop.call('GET', '/token')).json).toEqual({ token: shopToken })
      token = String((await shop.call('PATCH', '/token')).json['token'])
      expect(token).toMatch(/^TC-INVOICES_[\w-]{32}$/)
      expect((await shop.call('GET', '/token')).status).toBe(401)
      expect((await shop.call('GET', '/token', { key: token })).json).toEqual({ token })
    }
    await using shop = await openInvoiceShop({ directory })
    expect((await shop.call('GET', '')).status).toBe(401)
    expect((await shop.call('GET', '', { key: token })).status).toBe(200)
  })

  test('a token for one start replaces the stored one and is not stored', async () => {
    using directory = temporaryDirectory()
    {
      await using shop = await openInvoiceShop({ directory, givenToken: 'given-for-once' })
      expect((await shop.call('GET', '', { key: 'given-for-once' })).status).toBe(200)
      expect((await shop.call('GET', '')).status).toBe(401)
      shop.invoices.access.changeRule('amount')
    }
    await using shop = await openInvoiceShop({ directory })
    expect((await shop.call('GET', '', { key: 'given-for-once' })).status).toBe(401)
    expect((await shop.call('GET', '')).status).toBe(200)
  })

  test('replaced tables reset access and rule, but not the token', async () => {
    await using shop = await openInvoiceShop()
    const { invoices } = shop
    const { access } = invoices
    const token = String((await shop.call('PATCH', '/token')).json['token'])
    access.changeRule('address')
    access.change('withdrawn')
    shop.database.exec(
      `UPDATE invoice_access SET token = '${shopToken}', state = 'granted', rule = 'comment'`,
    )
    invoices.reload()
    expect([access.state(), access.rule(), access.token()]).toEqual(['granted', 'comment', token])
    shop.database.exec('DELETE FROM invoice_access; DELETE FROM invoice_apps')
    invoices.reload()
    expect([access.state(), invoices.canCreate(), access.token()]).toEqual(['granted', true, token])
  })
})

describe('invalid requests to the invoices API', () => {
  test('another method on a known path gets 405 with the allowed methods', async () => {
    await using shop = await openInvoiceShop()
    for (const [verb, path, allow] of [
      ['PUT', '/invoice', 'POST'],
      ['GET', '/invoice', 'POST'],
      ['DELETE', '/', 'GET, HEAD'],
      ['POST', '/stats', 'GET, HEAD'],
      ['DELETE', '/export', 'GET, HEAD'],
      ['POST', '/token', 'GET, HEAD, PATCH'],
      ['PUT', '/app', 'POST, GET, HEAD'],
      ['GET', '/app/1', 'PATCH, DELETE'],
      ['GET', '/app/1/webhook', 'POST'],
      ['POST', '/app/1/webhook/1', 'PATCH, DELETE'],
      ['POST', '/60ffb075', 'GET, HEAD, PATCH, DELETE'],
      ['POST', '/60ffb075/cancel', 'PATCH'],
    ] as const) {
      const { status, headers, json } = await shop.call(verb, path)
      expect([verb, path, status, headers.get('allow')]).toEqual([verb, path, 405, allow])
      expect(json['code']).toBe(405)
    }
  })

  test('an unknown path gets 404', async () => {
    await using shop = await openInvoiceShop()
    for (const path of ['/invoice/list', '/60ffb075/refund', '/app/1/webhooks', '/a/b/c/d']) {
      const { status, json } = await shop.call('GET', path)
      expect([path, status, json['code']]).toEqual([path, 404, 404])
    }
  })

  test('bodies that are not JSON, too deep or too long are refused, and the server continues', async () => {
    await using shop = await openInvoiceShop()
    for (const path of ['/invoice', '/app', '/app/1/webhook']) {
      for (const [body, status] of [
        ['', 400],
        ['{', 400],
        ['{"amount": }', 400],
        ['[['.repeat(50_000), 400],
        [`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400],
        [`{"amount":"${'9'.repeat(1024 * 1024)}"}`, 413],
        ['x'.repeat(10 * 1024 * 1024), 413],
      ] as const) {
        const answer = await shop.call('POST', path, { body })
        expect([path, body.slice(0, 12), answer.status]).toEqual([path, body.slice(0, 12), status])
        expect(answer.json['code']).toBe(status)
      }
    }
    expect(shop.errors).toEqual([])
    await shop.create()
  })
})

describe('the control API of invoices', () => {
  test('recipient and webhooks are set as a whole, and unchanged webhooks keep their ids', async () => {
    await using shop = await openInvoiceShop()
    const { invoices } = shop
    invoices.putApp({ webhooks: ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b'] })
    const put = invoices.putApp({
      recipient: other,
      webhooks: ['http://127.0.0.1:1/b', 'http://x/c'],
    })
    expect(put.recipient).toBe(other)
    expect(put.webhooks.map(({ id, url }) => [id, url])).toEqual([
      [2, 'http://127.0.0.1:1/b'],
      [3, 'http://x/c'],
    ])
    expect(() => invoices.putApp({ recipient: 'nowhere' })).toThrow(/^recipient is not an address/)
    expect(() => invoices.putApp({ webhooks: ['nowhere'] })).toThrow(/^webhooks\[0\] must be a URL/)
    expect(invoices.app()).toEqual(put)
    await shop.call('DELETE', '/app/1')
    expect(invoices.putApp({}).name).toBe('Sandbox shop')
  })
})
