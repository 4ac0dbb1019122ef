/**
 * Tests fiat values of payments: an app, the sandbox’s gateway behind a proxy that counts requests,
 * and the files.
 */
import { readXlsx } from 'hucre/xlsx'
import Papa from 'papaparse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataPaths } from '../../../src-main/app/paths.ts'
import { openDatabase } from '../../../src-main/database/database.ts'
import { usdtMaster } from '../../../src-main/sandbox/chain/contracts.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { writeInvoices } from '../../bench/lib/fill-invoices.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { type GatewayProxy, startGatewayProxy } from '../../fixtures/gateway-proxy.ts'

type Subject = Input<'invoiceExport.start'>['subject']

const resources = new AsyncDisposableStack()
let app: TestApp
let proxy: GatewayProxy
let network = ''
let reconciliation: Subject

/** There are 300 invoices, and a payment for each paid one, all within two days. */
beforeAll(async () => {
  app = resources.use(await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0 }))
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  const { urls } = await app.request('sandbox.state')
  proxy = resources.use(await startGatewayProxy(new URL(urls?.query ?? '').origin))
  const { origin } = proxy
  const added = { query: origin, webhooks: origin, testnetWebhooks: null, console: null }
  network = (await app.request('network.add', { name: 'Ours', urls: added, testOnly: false })).id
  const { now } = (await app.request('sandbox.chain', {})).clock
  reconciliation = { kind: 'closing', from: now - 3 * 86_400_000, to: now }
  const database = openDatabase(dataPaths(app.directory).database)
  writeInvoices(database, 300, { network, until: now })
  database
    .prepare(
      `INSERT INTO invoice_accounts (network, account, first_invoice, since, active_until, usdt_master)
       SELECT network, pay_to, min(key), 0, 0, ? FROM invoices WHERE network = ? GROUP BY 1, 2`,
    )
    .run(usdtMaster.toRawString(), network)
  database
    .prepare(
      `INSERT INTO payments (network, account, lt, hash, at, currency, amount, payer, invoice_key)
       SELECT network, pay_to, key, printf('%064d', key), ? - (key % 300 + 1) * 600000, currency, received,
         paid_by, key FROM invoices WHERE network = ? AND status = 'paid' AND confirmed_at IS NOT NULL`,
    )
    .run(Math.floor(now / 1000) * 1000, network)
  database.close()
})
afterAll(() => resources.disposeAsync())

const charts = () => proxy.calls.filter(({ path }) => path.startsWith('/v2/rates/chart'))

async function payments() {
  return (await app.request('payment.page', { network, offset: 0, limit: 500 })).payments
}

async function exported(format: 'csv' | 'jsonl' | 'xlsx', subject: Subject = { kind: 'invoices' }) {
  const order = { network, subject, options: { format } }
  const { id } = await app.request('invoiceExport.start', order)
  const job = () => app.job('invoiceExport', id)
  await app.until(async () => (await job()).state !== 'running', 'the export')
  const read = async (file: { readonly id: string } | null) => {
    const { base64, next } = await app.request('export.read', { id: file?.id ?? '', offset: 0 })
    expect(next).toBe(null)
    return Buffer.from(base64, 'base64')
  }
  const { file, manifest } = await job()
  return { bytes: await read(file), manifest: (await read(manifest)).toString() }
}

async function exportedRows(subject?: Subject) {
  const { bytes } = await exported('csv', subject)
  const options = { header: true, skipEmptyLines: true } as const
  return Papa.parse<Record<string, string>>(bytes.toString().slice(1), options).data
}

test('without a fiat currency no value is shown and no rate is requested', async () => {
  expect((await payments()).every(({ fiat }) => fiat === null)).toBe(true)
  expect((await exportedRows()).every((row) => row['fiat_currency'] === '')).toBe(true)
  expect(charts()).toEqual([])
})

test('one request for each asset provides the rate of every payment, and files have its source and time', async () => {
  await app.request('settings.change', { reports: { fiatCurrency: 'USD' } })
  await app.until(async () => (await payments()).every(({ fiat }) => fiat?.value !== null), 'rates')
  expect(charts().map(({ path }) => path.includes('token=ton'))).toEqual([true, false])
  const all = await payments()
  expect(all.length).toBeGreaterThan(100)
  for (const { at, amount, currency, fiat } of all) {
    const [rate, unit] = currency === 'TON' ? ['3', 10n ** 9n] : ['1', 10n ** 6n]
    const cents = (BigInt(amount) * BigInt(rate) * 200n + unit) / (2n * unit)
    const value = `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
    expect(fiat).toMatchObject({ currency: 'USD', value, rate, problem: null })
    // Two days with their margins have 200 rates.
    expect(Math.abs((fiat?.rateAt ?? 0) - at)).toBeLessThan(15 * 60_000)
  }
  const rows = await exportedRows()
  const closed = await exportedRows(reconciliation)
  for (const { invoice, fiat } of all) {
    const cells = {
      fiat_value: fiat?.value,
      fiat_currency: 'USD',
      fiat_rate: fiat?.rate,
      fiat_rate_at: new Date(fiat?.rateAt ?? 0).toISOString(),
      fiat_source: 'gateway',
    }
    for (const row of [
      rows.find(({ id }) => id === invoice),
      closed.find((each) => each['invoice'] === invoice),
    ]) {
      const written = new Date(row?.['fiat_rate_at'] ?? '').toISOString()
      expect({ ...row, fiat_rate_at: written }).toMatchObject(cells)
    }
  }
  // An invoice without a payment has no value.
  expect(rows.filter((row) => row['fiat_value'] !== '')).toHaveLength(all.length)

  const { bytes, manifest } = await exported('xlsx')
  const { sheets } = await readXlsx(bytes)
  const [header = [], ...lines] = sheets.find(({ name }) => name === 'Payments')?.rows ?? []
  const [valueAt, rateAt] = [header.indexOf('fiat_value'), header.indexOf('fiat_rate_at')]
  expect(lines).toHaveLength(all.length)
  expect(lines.every((cells) => typeof cells[valueAt] === 'number')).toBe(true)
  expect(lines.every((cells) => cells[rateAt] instanceof Date)).toBe(true)
  expect(JSON.parse(manifest)).toMatchObject({ fiat: { currency: 'USD' } })

  const [line = ''] = (await exported('jsonl', reconciliation)).bytes.toString().split('\n')
  expect(JSON.parse(line)).toMatchObject({
    fiat_source: 'gateway',
    payments: [{ fiat_currency: 'USD', fiat_source: 'gateway' }],
  })
})

test.each([
  ['EUR', 404],
  ['GBP', 500],
] as const)(
  'a gateway that responds to requests for rates in %s with %d leaves the values unknown, and exports say so',
  async (fiatCurrency, status) => {
    proxy.judge = ({ path }) =>
      path.startsWith('/v2/rates') ? { status, body: { error: 'no such thing' } } : 'pass'
    const before = charts().length
    await app.request('settings.change', { reports: { fiatCurrency } })
    const isTold = ({ fiat }: Awaited<ReturnType<typeof payments>>[number]) =>
      fiat?.problem?.startsWith('The rate could not be loaded: ') === true
    await app.until(async () => (await payments()).every(isTold), 'the problem')
    const row = (await exportedRows(reconciliation)).find((each) => each['status'] === 'paid')
    expect(row).toMatchObject({ fiat_value: '', fiat_currency: fiatCurrency, fiat_rate: '' })
    expect(row?.['fiat_source']).toMatch(/^unknown: The rate could not be loaded: .*no such thing/)
    // The count includes retries by the client, and is still lower than one request for each payment.
    expect(charts().length - before).toBeLessThan(20)
  },
)

test('a payment has no value in a currency without rates at the gateway, and the problem is stated', async () => {
  proxy.judge = () => 'pass'
  await app.request('settings.change', { reports: { fiatCurrency: 'CHF' } })
  const problem = 'The gateway has no rate in CHF near the payment’s time.'
  await app.until(
    async () => (await payments()).every(({ fiat }) => fiat?.problem === problem),
    'no rates',
  )
})
