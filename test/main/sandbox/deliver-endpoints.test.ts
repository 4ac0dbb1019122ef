/** Tests misbehaving endpoints, none of which may affect more than its own deliveries. */
import { type Socket, createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openQueue } from '../../fixtures/deliveries.ts'
import { respondWith, startEndpoint } from '../../fixtures/endpoint.ts'

/** Returns the error of a delivery to this URL; null if it was acknowledged. */
async function failureAt(
  url: string,
  options: { timeoutMs?: number; allow?: string } = {},
): Promise<string | null> {
  await using test = openQueue({ allowHost: (host) => host === options.allow })
  if (options.timeoutMs !== undefined) test.policy.timeoutMs = options.timeoutMs
  test.targets.set('webhook:1', { url, bearer: null })
  await test.send({})
  expect(test.failures.length + test.delivered.length).toBe(1)
  const message = test.failures[0]?.message ?? null
  return message?.replace(`POST ${url}: `, '') ?? null
}

/** Starts a TCP server without HTTP. */
async function startSocket(serve: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test.each([
  [201, '201 Created'],
  [204, '204 No Content'],
  [400, '400 Bad Request'],
  [429, '429 Too Many Requests'],
  [500, '500 Internal Server Error'],
  [599, '599'],
])('a delivery that gets %i fails, because only 200 acknowledges', async (status, message) => {
  await using endpoint = await startEndpoint(respondWith(status))
  expect(await failureAt(endpoint.url)).toBe(message)
})

test.each([301, 302, 303, 307, 308])(
  'a delivery that gets a redirect with %i fails, and the redirect is not followed',
  async (status) => {
    await using other = await startEndpoint()
    await using endpoint = await startEndpoint((_request, response) => {
      response.writeHead(status, { Location: other.url }).end()
    })
    expect(await failureAt(endpoint.url)).toMatch(/^30. .+ \(redirects are not followed\)$/)
    expect(other.received).toEqual([])
  },
)

test('a delivery to a closed port fails as refused', async () => {
  const endpoint = await startEndpoint()
  await endpoint[Symbol.asyncDispose]()
  expect(await failureAt(endpoint.url)).toBe('connection refused')
  expect(await failureAt(endpoint.url.replace('127.0.0.1', 'localhost'))).toBe('connection refused')
})

test('a delivery fails if the endpoint closes the connection at once or within the headers', async () => {
  await using atOnce = await startSocket((socket) => socket.destroy())
  expect(await failureAt(atOnce.url)).toMatch(/^connection (reset|closed before the answer)$/)
  await using reset = await startSocket((socket) =>
    socket.on('data', () => socket.resetAndDestroy()),
  )
  expect(await failureAt(reset.url)).toBe('connection reset')
  await using middle = await startSocket((socket) => {
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-'))
  })
  expect(await failureAt(middle.url)).not.toBeNull()
})

test('a delivery times out if the endpoint sends no response, or only interim responses', async () => {
  await using silent = await startSocket(() => undefined)
  expect(await failureAt(silent.url, { timeoutMs: 100 })).toBe('timed out after 0.1 s')
  await using processing = await startEndpoint((_request, response) => {
    const timer = setInterval(() => response.writeProcessing(), 5)
    response.on('close', () => clearInterval(timer))
  })
  expect(await failureAt(processing.url, { timeoutMs: 100 })).toBe('timed out after 0.1 s')
})

test('a delivery times out if the endpoint sends its headers endlessly', async () => {
  await using endpoint = await startSocket((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('X: y\r\n'), 5)
    socket.on('close', () => clearInterval(timer))
  })
  expect(await failureAt(endpoint.url, { timeoutMs: 100 })).toBe('timed out after 0.1 s')
})

test('a delivery fails if the response’s headers are too long', async () => {
  await using endpoint = await startSocket((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(1024 * 1024)}\r\n\r\n`)
  })
  expect(await failureAt(endpoint.url)).toBe('the headers of the answer are too long')
})

test('a delivery fails if the endpoint does not speak HTTP', async () => {
  await using endpoint = await startSocket((socket) => {
    socket.on('data', () => socket.end('220 mail.example.com ESMTP\r\n'))
  })
  expect(await failureAt(endpoint.url)).toBe('the answer is not HTTP')
})

test('a 200 with a body of a gigabyte acknowledges the delivery, and little of the body is read', async () => {
  let written = 0
  const closed = Promise.withResolvers<undefined>()
  await using endpoint = await startEndpoint((_request, response) => {
    const chunk = Buffer.alloc(64 * 1024)
    const write = () => {
      if (response.destroyed) return
      written += chunk.byteLength
      if (written > 1024 ** 3) response.end()
      else if (response.write(chunk)) setImmediate(write)
      else response.once('drain', write)
    }
    response.on('close', () => closed.resolve(undefined))
    write()
  })
  expect(await failureAt(endpoint.url)).toBeNull()
  await closed.promise
  // At most the buffers on both sides have been filled.
  expect(written).toBeLessThan(64 * 1024 ** 2)
})

test('a 200 that announces a gigabyte acknowledges the delivery before the body arrives', async () => {
  await using endpoint = await startEndpoint((_request, response) => {
    response.writeHead(200, { 'Content-Length': 1024 ** 3 }).flushHeaders()
  })
  expect(await failureAt(endpoint.url)).toBeNull()
})

test('a response whose body never ends blocks neither its queue nor a connection', async () => {
  let closed = 0
  const all = Promise.withResolvers<undefined>()
  await using endpoint = await startEndpoint((_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 5)
    response.on('close', () => {
      clearInterval(timer)
      closed += 1
      if (closed === 3) all.resolve(undefined)
    })
  })
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  await test.send({ body: '1' }, { body: '2' }, { body: '3' })
  expect(test.delivered).toHaveLength(3)
  await all.promise
})

test('an endpoint that hangs delays no other endpoint of the same server', async () => {
  await using endpoint = await startEndpoint((request, response) => {
    if (request.path !== '/hangs') respondWith(200)(request, response)
  })
  await using test = openQueue()
  test.policy.timeoutMs = 60_000
  test.targets.set('webhook:1', { url: `${endpoint.url}/hangs`, bearer: null })
  test.targets.set('webhook:2', { url: `${endpoint.url}/answers`, bearer: null })
  test.add(Array.from({ length: 20 }, (_, i) => ({ lane: String(i) })))
  await endpoint.arrived(test.policy.concurrency)
  test.add(Array.from({ length: 100 }, () => ({ target: 'webhook:2' })))
  await endpoint.arrived(test.policy.concurrency + 100)
})

test('connections to an endpoint are used again', async () => {
  const ports = new Set<number | undefined>()
  await using endpoint = await startEndpoint((request, response) => {
    ports.add(response.socket?.remotePort)
    respondWith(200)(request, response)
  })
  await using test = openQueue()
  test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
  await test.send(...Array.from({ length: 50 }, () => ({})))
  expect(test.delivered).toHaveLength(50)
  expect(ports.size).toBeLessThan(5)
})

test('a delivery is repeated at once on a new connection if the endpoint closes a reused one', async () => {
  for (const close of ['destroy', 'resetAndDestroy'] as const) {
    const used = new Set<unknown>()
    let requests = 0
    await using endpoint = await startEndpoint((request, response) => {
      requests += 1
      if (used.has(response.socket)) response.socket?.[close]()
      else respondWith(200)(request, response)
      used.add(response.socket)
    })
    await using test = openQueue()
    test.targets.set('webhook:1', { url: endpoint.url, bearer: null })
    await test.send(...Array.from({ length: 20 }, () => ({})))
    expect(test.delivered).toHaveLength(20)
    expect(test.failures).toEqual([])
    expect(requests).toBeGreaterThan(20)
  }
})

test('a new connection that is closed before any response is one failed attempt', async () => {
  for (const answer of ['', 'HTTP/1.1 200 OK\r\nContent-']) {
    let connections = 0
    await using endpoint = await startSocket((socket) => {
      connections += 1
      socket.on('data', () => socket.end(answer))
    })
    expect(await failureAt(endpoint.url)).not.toBeNull()
    expect(connections).toBe(1)
  }
})

test.each([
  'http://example.com/',
  'https://example.com/',
  'http://10.0.0.1/',
  'http://192.168.1.1:8080/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0.0.0.0:1/',
  'http://[::]:1/',
  'http://[fe80::1]/',
  'http://localhost.example.com/',
  'http://127.0.0.1.example.com/',
])(
  'a delivery to a host outside of this computer fails unless the host is allowed: %s',
  async (url) => {
    const { hostname } = new URL(url)
    expect(await failureAt(url)).toContain(
      `${hostname.replace(/[[\]]/g, '')} is not this computer, and is not among the hosts`,
    )
  },
)

test('every notation of a loopback address is this computer', async () => {
  await using endpoint = await startEndpoint()
  const hosts = ['localhost', 'LOCALHOST', '127.0.0.1', '127.1', '2130706433', '0x7f.1']
  for (const host of hosts) {
    expect(await failureAt(`http://${host}:${endpoint.port}/`)).toBeNull()
  }
})

test('an allowed host name may resolve to any address', async () => {
  await using endpoint = await startEndpoint()
  // An allowed name is resolved: the look-up fails, but the delivery is not refused.
  const url = `http://hooks.invalid:${endpoint.port}/`
  expect(await failureAt(url, { allow: 'hooks.invalid' })).toBe('host not found')
})
