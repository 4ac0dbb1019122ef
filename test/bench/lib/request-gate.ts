/** A proxy between an app and a gateway, which reports each request before and after its response. */
import { type IncomingMessage, type ServerResponse, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

type RequestGate = AsyncDisposable & {
  readonly url: string
  /** `false` drops the request or its response, because the app has been killed. */
  pass: (when: 'before' | 'after') => Promise<boolean>
}

/** @param target base URL of the gateway */
export async function openRequestGate(target: string): Promise<RequestGate> {
  const base = new URL(target)
  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing).catch(() => outgoing.destroy())
  })

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body: Buffer[] = []
    for await (const part of incoming) body.push(part as Buffer)
    if (!(await gate.pass('before'))) return void outgoing.destroy()
    const { status, headers, text } = await ask(incoming, Buffer.concat(body))
    if (!(await gate.pass('after'))) return void outgoing.destroy()
    outgoing.writeHead(status, headers).end(text)
  }

  async function ask({ method, url, headers }: IncomingMessage, body: Buffer) {
    const answered = Promise.withResolvers<IncomingMessage>()
    const sent = { ...headers, host: base.host }
    delete sent['transfer-encoding']
    const asked = request(
      { host: base.hostname, port: base.port, path: url, method, headers: sent },
      answered.resolve,
    )
    asked.on('error', answered.reject)
    asked.end(body)
    const response = await answered.promise
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part as Buffer)
    return {
      status: response.statusCode ?? 502,
      headers: { 'content-type': response.headers['content-type'] ?? 'application/json' },
      text: Buffer.concat(parts),
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const gate: RequestGate = {
    url: `http://127.0.0.1:${port}${base.pathname.replace(/\/$/, '')}`,
    pass: () => Promise.resolve(true),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return gate
}
