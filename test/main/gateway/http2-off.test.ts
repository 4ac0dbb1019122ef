/**
 * The forwarder sends the exact bytes and headers of a request. HTTP/2 cannot carry them: it
 * lowers the case of names, drops `Connection` and merges cookies. undici negotiates HTTP/2 by
 * ALPN unless it is turned off.
 */
import { type AddressInfo } from 'node:net'
import { createSecureServer } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { createGuard } from '../../../src-main/delivery/sender/guard.ts'
import { createHttpSender } from '../../../src-main/delivery/sender/sender.ts'
import { selfSigned } from '../../fixtures/self-signed.ts'

type Seen = {
  readonly version: string
  readonly alpn: unknown
  readonly headers: readonly string[]
}

/** A server that offers HTTP/2 first, then HTTP/1.1. */
async function startServer() {
  const seen: Seen[] = []
  const server = createSecureServer({ ...selfSigned, allowHTTP1: true }, (incoming, response) => {
    const { alpnProtocol } = incoming.socket as TLSSocket
    const { httpVersion: version, rawHeaders: headers } = incoming
    seen.push({ version, alpn: alpnProtocol, headers })
    response.writeHead(200).end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    seen,
    url: `https://localhost:${port}/in`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

test('a target that offers HTTP/2 gets a forwarded request by HTTP/1.1, with its header names unchanged', async () => {
  await using server = await startServer()
  const sender = createHttpSender(
    createGuard({
      resolve: () => Promise.resolve(['127.0.0.1']),
      own: () => ({ ports: [], publicUrls: [] }),
      isConfirmed: () => false,
    }),
  )
  try {
    const result = await sender.send(
      { method: 'POST', headers: [['X-Odd-CASE', '1']], body: Buffer.from('{}') },
      server.url,
      { timeoutMs: 10_000, keepHost: false, subpath: null, extraHeaders: [] },
    )
    expect(result).toMatchObject({ status: 200, failure: null })
    expect(server.seen).toMatchObject([{ version: '1.1' }])
    expect(server.seen[0]?.alpn).not.toBe('h2')
    expect(server.seen[0]?.headers).toContain('X-Odd-CASE')
  } finally {
    await sender.close()
  }
})

test('the same server uses HTTP/2 with a client that allows HTTP/2', async () => {
  await using server = await startServer()
  const dispatcher = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } })
  try {
    const { statusCode, body } = await request(server.url, { dispatcher })
    await body.dump()
    expect(statusCode).toBe(200)
    expect(server.seen).toMatchObject([{ version: '2.0' }])
  } finally {
    await dispatcher.destroy()
  }
})
