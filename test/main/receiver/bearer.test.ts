import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { invoiceBody, transactionEvent } from '../../fixtures/bodies.ts'
import { type Hook, capturesOf, hookOf } from '../../fixtures/hook.ts'
import { sendRaw } from '../../fixtures/raw-http.ts'

// GHSA-3fcr-jvgp-7f58: a receiver once accepted deliveries without a token as if their token were right.

const token = 'wh-0123456789abcdef'
const other = 'wh-fedcba9876543210'
let app: TestApp
let hook: Hook

beforeAll(async () => {
  app = await startApp()
  hook = await hookOf(app)
  // The keychain is checked at the start; a choice made before the check ends would be overwritten.
  const asked = 'The keychain has not been checked yet.'
  await app.until(async () => (await app.request('secrets.state')).problem !== asked)
  await app.request('secrets.useSessionOnly')
})
afterAll(() => app[Symbol.asyncDispose]())

async function deliver(body: string, lines: string) {
  let status = 0
  const [capture] = await capturesOf(app, 1, async () => {
    const head = `POST ${hook.path} HTTP/1.1\r\nContent-Length: ${body.length}\r\n${lines}\r\n`
    status = (await sendRaw(hook.port, head, body)).status
  })
  return { answered: status, verdict: capture?.token, status: capture?.status }
}

test('without a stored token every delivery is unchecked', async () => {
  for (const lines of ['', `Authorization: Bearer ${token}\r\n`]) {
    const delivery = await deliver(transactionEvent(), lines)
    expect(delivery).toEqual({ answered: 200, verdict: 'unchecked', status: 200 })
  }
})

const right = [
  ['as the gateway sends it', `Authorization: Bearer ${token}`],
  ['the other stored token', `Authorization: Bearer ${other}`],
  ['scheme in lower case', `authorization: bearer ${token}`],
  ['scheme in upper case', `AUTHORIZATION: BEARER ${token}`],
  ['more spaces', `Authorization:   Bearer    ${token}   `],
  ['first of two', `Authorization: Bearer ${token}\r\nAuthorization: Bearer wrong`],
] as const

const wrong = [
  ['another token', 'Authorization: Bearer wh-0000000000000000'],
  ['the beginning of the token', `Authorization: Bearer ${token.slice(0, -1)}`],
  ['one character more', `Authorization: Bearer ${token}x`],
  ['another case', `Authorization: Bearer ${token.toUpperCase()}`],
  ['two tokens in one', `Authorization: Bearer ${token} ${token}`],
  ['a comma after it', `Authorization: Bearer ${token},`],
  ['quoted', `Authorization: Bearer "${token}"`],
  ['no scheme', `Authorization: ${token}`],
  ['no space', `Authorization: Bearer${token}`],
  ['Basic', `Authorization: Basic ${token}`],
  ['Basic, encoded', `Authorization: Basic ${Buffer.from(`:${token}`).toString('base64')}`],
  ['scheme alone', 'Authorization: Bearer'],
  ['empty', 'Authorization:'],
  ['second of two', `Authorization: Bearer wrong\r\nAuthorization: Bearer ${token}`],
] as const

const missing = [
  ['no header', 'X-Nothing: 1'],
  ['another header', `Proxy-Authorization: Bearer ${token}`],
  ['a similar name', `Authorizatio: Bearer ${token}\r\nAuthorization2: Bearer ${token}`],
  ['in a cookie', `Cookie: Authorization=Bearer ${token}`],
] as const

describe('with stored tokens', () => {
  beforeAll(async () => {
    await app.request('webhookToken.add', { label: 'Main', token })
    await app.request('webhookToken.add', { label: 'Second', token: other })
  })

  test.each(right)('a delivery is right: %s', async (_name, lines) => {
    const delivery = await deliver(transactionEvent(), `${lines}\r\n`)
    expect(delivery).toEqual({ answered: 200, verdict: 'right', status: 200 })
  })

  test.each(wrong)('a delivery is wrong: %s', async (_name, lines) => {
    const delivery = await deliver(transactionEvent(), `${lines}\r\n`)
    expect(delivery).toEqual({ answered: 200, verdict: 'wrong', status: 200 })
  })

  test.each(missing)('a delivery has no token: %s', async (_name, lines) => {
    const delivery = await deliver(transactionEvent(), `${lines}\r\n`)
    expect(delivery).toEqual({ answered: 200, verdict: 'missing', status: 200 })
  })

  test('the bearer token is masked unless revealed, and the capture says that a value is masked', async () => {
    const [capture] = await capturesOf(app, 1, () =>
      deliver('{}', `Authorization: Bearer ${token}\r\n`),
    )
    const id = capture?.id ?? 0
    const masked = await app.request('capture.get', { id })
    expect(masked.masked).toBe(true)
    expect(JSON.stringify(masked)).not.toContain(token)
    expect(masked.headers).toContainEqual(['Authorization', 'Bearer ****cdef'])
    expect(capture?.masked).toBe(false)
    expect(capture?.headers).toContainEqual(['Authorization', `Bearer ${token}`])
  })

  describe('with rejection of wrong tokens', () => {
    beforeAll(async () => {
      await app.request('settings.change', { receiver: { rejectWrongToken: true } })
    })

    test.each([...wrong, ...missing])(
      'a delivery gets 401 and is stored: %s',
      async (_name, lines) => {
        const delivery = await deliver(transactionEvent(), `${lines}\r\n`)
        expect(delivery).toMatchObject({ answered: 401, status: 401 })
      },
    )

    test.each(right)('a delivery gets 200: %s', async (_name, lines) => {
      expect(await deliver(transactionEvent(), `${lines}\r\n`)).toMatchObject({ answered: 200 })
    })

    test('an invoice delivery gets 200 without a token, because the service sends none', async () => {
      const delivery = await deliver(invoiceBody('60ffb075'), '')
      expect(delivery).toMatchObject({ answered: 200, status: 200 })
      const [row] = await app.classified()
      expect(row).toMatchObject({ kind: 'invoice', token: 'unchecked' })
    })

    test.each([
      [
        'an event with the fields of an invoice',
        `{"event_type":"account_tx",${invoiceBody('1').slice(1)}`,
      ],
      ['an array with an invoice in it', `[${invoiceBody('1')}]`],
      ['an invoice that breaks off', invoiceBody('1').slice(0, -1)],
      ['an empty body', ''],
    ])('the exception for invoices does not apply to %s', async (_name, body) => {
      expect(await deliver(body, '')).toMatchObject({ answered: 401 })
    })

    test('a delivery with a removed token is wrong, and after the last token is removed deliveries are unchecked', async () => {
      const known = await app.request('webhookToken.list')
      const [main, second] = ['Main', 'Second'].map((label) =>
        known.find((record) => record.label === label),
      )
      await app.request('webhookToken.remove', { id: second?.id ?? '' })
      const lines = `Authorization: Bearer ${other}\r\n`
      expect(await deliver('{}', lines)).toMatchObject({ answered: 401, verdict: 'wrong' })
      await app.request('webhookToken.remove', { id: main?.id ?? '' })
      expect(await deliver('{}', lines)).toMatchObject({ answered: 200, verdict: 'unchecked' })
    })
  })
})
