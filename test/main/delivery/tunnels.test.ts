/** Tests the tunnel: if it counts as working while no delivery arrives, the user loses events. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src-main/database/database.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { hookOf, countCaptures } from '../../fixtures/hook.ts'
import { type PlayedServer, ngrokAgent, playServer, tunnelTo } from '../../fixtures/tunnel.ts'

let app: TestApp
let agent: PlayedServer
let metrics: PlayedServer
let tunnel: PlayedServer
let port = 0
let urls: string[] = []

beforeAll(async () => {
  agent = await playServer(ngrokAgent(() => urls.map((url) => ({ url, port }))))
  metrics = await playServer((_request, response) => response.writeHead(404).end())
  tunnel = await playServer(tunnelTo(() => port))
  app = await startApp({
    tunnelAgentPorts: { ngrok: [agent.port], cloudflared: [metrics.port] },
  })
  port = (await hookOf(app)).port
})
afterAll(async () => {
  for (const each of [app, agent, metrics, tunnel]) await each[Symbol.asyncDispose]()
})

const stepStates = async () => {
  const { check } = await app.request('tunnel.check')
  return check?.steps.map(({ name, state }) => `${name} ${state}`)
}

test('a check without a URL is refused, and invalid, oversized or missing responses of agents are reported', async () => {
  expect(await app.refusal('tunnel.check')).toBe('TUNNEL_NO_URL')
  expect(await app.refusal('tunnel.use', { publicUrl: 'https://a.app' })).toBe('TUNNEL_NOT_FOUND')
  const usual = agent.handle
  const answers: readonly [PlayedServer['handle'], string][] = [
    [(_request, response) => response.end('<html>'), 'Another program uses this port.'],
    [(_request, response) => response.end('{"tunnels":7}'), 'Another program uses this port.'],
    [(_request, response) => response.end('x'.repeat(600_000)), 'The response is too large.'],
    [
      (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'The program on this port responded with 302.',
    ],
    [(request) => request.socket.end('SSH-2.0\r\n'), 'Not an HTTP server.'],
    [
      (_request, response) => response.writeHead(200).flushHeaders(),
      'The program on this port did not respond in time.',
    ],
  ]
  for (const [handle, said] of answers) {
    agent.handle = handle
    const { found, asked } = await app.request('tunnel.detect')
    expect([found, asked[0]?.answer]).toEqual([[], said])
  }
  agent.handle = usual
})

test('a tunnel that is found can be selected and checked from end to end, and its check is no capture', async () => {
  urls = [`http://127.0.0.1:${tunnel.port}/`]
  const [found] = (await app.request('tunnel.detect')).found
  expect(found).toMatchObject({ agent: 'ngrok', isOurs: true })
  const state = await app.request('tunnel.use', { publicUrl: found?.publicUrl ?? '' })
  expect(state).toMatchObject({ source: 'found', publicUrl: found?.publicUrl, former: null })
  expect(state.check).toMatchObject({ ok: true, problem: null })
  expect(state.check?.steps.map(({ state: each }) => each)).toEqual([
    'done',
    'done',
    'done',
    'done',
  ])
  expect(state.check?.via).toContainEqual({ source: 'X-Forwarded-For', value: '203.0.113.7' })
  expect((await app.request('settings.get')).receiver.publicUrl).toBe(found?.publicUrl)
  expect(await app.request('capture.counts')).toMatchObject({ total: 0, others: 0 })
  const commands = (await app.request('tunnel.instructions')).map(({ command }) => command)
  expect(commands[0]).toBe(`ngrok http ${port}`)
  expect(commands[1]).toBe(`cloudflared tunnel --url http://127.0.0.1:${port}`)
})

test('a check fails if the request does not arrive here, whatever the response', async () => {
  const usual = tunnel.handle
  const troubles: readonly [PlayedServer['handle'], string, RegExp][] = [
    [(_request, response) => response.end(), 'arrive failed', /Another server responded with 200:/],
    [
      (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Hello'),
      'arrive failed',
      /responded with 200 and a web page: .* Check the port that the tunnel forwards to/,
    ],
    [
      (_request, response) =>
        response.writeHead(404, { 'ngrok-error-code': 'ERR_NGROK_3200' }).end(),
      'arrive failed',
      /ERR_NGROK_3200/,
    ],
    [
      (_request, response) => response.writeHead(302, { location: '/' }).end(),
      'arrive failed',
      /redirects/,
    ],
    [(request) => request.socket.destroy(), 'arrive failed', /./],
    [
      (request, response) => {
        // The request arrives, but its response is lost.
        usual(request, response)
        response.writeHead = () => (response.destroy(), response)
      },
      'answer failed',
      /The request arrived, but no response/,
    ],
  ]
  for (const [handle, step, why] of troubles) {
    tunnel.handle = handle
    expect(await stepStates()).toContain(step)
    const { check } = await app.request('tunnel.state')
    expect(check?.ok).toBe(false)
    expect(check?.problem).toMatch(why)
  }
  tunnel.handle = usual
  expect(await stepStates()).toEqual(['resolve done', 'connect done', 'arrive done', 'answer done'])
})

test('test deliveries of each kind, with right, wrong and no token, are captured as tests and never counted', async () => {
  // Response rules apply to the gateway’s deliveries only.
  const rule = { action: { kind: 'answer', status: 500 } } as const
  await app.request('responseRule.save', rule)
  await app.request('settings.change', { receiver: { rejectWrongToken: true } })
  const { url, deliveries } = await app.request('tunnel.testDelivery', {})
  expect(url).toContain(`127.0.0.1:${tunnel.port}/hook/`)
  expect(deliveries.map(({ problem }) => problem)).toEqual(Array(13).fill(null))
  expect(deliveries.map(({ auth, status }) => `${auth} ${status ?? 0}`)).toEqual([
    ...Array.from({ length: 4 }, () => ['right 200', 'wrong 401', 'none 401']).flat(),
    'none 200',
  ])
  expect(deliveries[0]?.via).toContainEqual({ source: 'X-Forwarded-For', value: '203.0.113.7' })
  const rows = await app.classified()
  expect(rows.map(({ origin, duplicateOf }) => [origin, duplicateOf])).toEqual(
    Array(13).fill(['test', null]),
  )
  expect(new Set(rows.map(({ kind }) => kind)).size).toBe(5)
  expect(rows.find(({ id }) => id === deliveries[1]?.capture)).toMatchObject({ token: 'wrong' })
  expect(await countCaptures(app)).toBe(0)
  const direct = await app.request('tunnel.testDelivery', { direct: true })
  expect(direct.deliveries.every(({ ok, via }) => ok && via.length === 0)).toBe(true)
  expect((await app.request('responseRule.allOff')).map(({ used }) => used)).toEqual([0])

  // A tunnel that removes a header is detected.
  const usual = tunnel.handle
  tunnel.handle = (request, response) => {
    delete request.headers.authorization
    usual(request, response)
  }
  const robbed = (await app.request('tunnel.testDelivery', {})).deliveries
  expect(robbed[0]).toMatchObject({ ok: false, status: 401 })
  expect(robbed[0]?.problem).toContain('Authorization')
  tunnel.handle = (_request, response) => response.writeHead(502).end()
  const lost = (await app.request('tunnel.testDelivery', {})).deliveries
  expect(lost.map(({ status, capture }) => [status, capture]).slice(0, 3)).toEqual([
    [502, null],
    [502, null],
    [null, null],
  ])
  tunnel.handle = usual
})

test('a changed public URL is adopted, and webhooks with the former URL are named', async () => {
  const { path } = await hookOf(app)
  const before = `http://127.0.0.1:${tunnel.port}`
  const database = openDatabase(join(app.directory, 'tondesk.db'))
  database
    .prepare(
      `INSERT INTO webhooks (network, id, endpoint) VALUES ('sandbox', '7', ?), ('sandbox', '8', ?)`,
    )
    .run(before + path, `https://elsewhere.example${path}`)
  database.close()
  await using next = await playServer(tunnelTo(() => port))
  urls = [`http://127.0.0.1:${next.port}`]
  const state = await app.request('tunnel.detect')
  expect(state).toMatchObject({
    source: 'found',
    publicUrl: urls[0],
    former: { publicUrl: before, webhooks: [{ network: 'sandbox', webhook: '7' }] },
    check: { ok: true, url: urls[0] },
  })
  // A URL that the user has entered is never replaced automatically.
  await app.request('settings.change', { receiver: { publicUrl: `${before}/below/` } })
  urls = [before]
  expect(await app.request('tunnel.detect')).toMatchObject({
    source: 'by-hand',
    publicUrl: `${before}/below/`,
    former: { publicUrl: before },
    check: null,
  })
  expect(await app.request('tunnel.forgetPrevious')).toMatchObject({ former: null })
  // A header alone does not make a request a probe: an unexpected one is a delivery.
  await app.post('{}', { headers: { 'x-tondesk-probe': 'a'.repeat(32) } })
  await app.until(async () => (await countCaptures(app)) === 1, 'the delivery')
  await app.request('receiver.stop')
  expect(await app.refusal('tunnel.check')).toBe('TUNNEL_NOT_LISTENING')
})

test('a public URL with a forbidden address gets no connection, and repeated failures open an incident', async () => {
  await using window = await playServer((_request, response) => response.end())
  app.app.windowOn(window.port)
  await app.request('receiver.start')
  let requests = 0
  window.handle = (_request, response) => {
    requests += 1
    response.end()
  }
  for (const [publicUrl, why] of [
    ['http://169.254.169.254', 'a link-local address'],
    ['https://169.254.169.254', 'a link-local address'],
    ['https://10.0.0.1', 'a private address'],
    ['http://0.0.0.0:9', 'an unspecified address'],
    [`http://127.0.0.1:${window.port}`, 'the window of Tondesk itself'],
    [`http://localhost:${window.port}`, 'the window of Tondesk itself'],
  ] as const) {
    await app.request('settings.change', { receiver: { publicUrl } })
    const { check } = await app.request('tunnel.check')
    expect(check, publicUrl).toMatchObject({
      ok: false,
      problem: expect.stringContaining(why) as string,
    })
    expect(check?.steps[0]).toMatchObject({ name: 'resolve', state: 'failed' })
  }
  expect(requests).toBe(0)

  const incidents = async () => {
    const found = await app.request('incident.list', { open: true, offset: 0, limit: 9 })
    return found.incidents.filter(({ subject }) => subject === 'tunnel')
  }
  expect(await incidents()).toEqual([])
  for (let check = 0; check < 2; check += 1) await app.request('tunnel.check')
  expect(await incidents()).toMatchObject([{ network: null, level: 'alarm', count: 3 }])
  await app.request('settings.change', { receiver: { publicUrl: null } })
  expect(await incidents()).toEqual([])
})
