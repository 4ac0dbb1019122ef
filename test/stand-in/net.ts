/**
 * Plays Electron's `net`: HTTP requests of the main process through Node, and requests to the app's
 * own scheme.
 */
import { EventEmitter } from 'node:events'
import { request as requestHttp } from 'node:http'
import type { ClientRequestConstructorOptions, Net } from 'electron'
import { serveRequest } from './protocol.ts'

export const net = {
  isOnline: () => true,

  async fetch(input: string, { method = 'GET' } = {}) {
    const response = await serveRequest(input, { method })
    if (!response) throw new Error('net::ERR_UNKNOWN_URL_SCHEME')
    return response
  },

  request(options: ClientRequestConstructorOptions | string) {
    const given = typeof options === 'string' ? { url: options } : options
    const { method = 'GET', hostname, port, path, headers } = given
    const url = given.url ?? `${given.protocol ?? 'http:'}//${hostname}:${port ?? 80}${path ?? '/'}`
    // The stand-in may only connect to this computer.
    if (new URL(url).hostname !== '127.0.0.1') throw new Error('net::ERR_INTERNET_DISCONNECTED')
    const request = requestHttp(url, { method, headers: { ...headers } })
    const played = Object.assign(new EventEmitter(), {
      end: () => void request.end(),
      abort: () => void request.destroy(),
      write: (chunk: string | Buffer) => void request.write(chunk),
      setHeader: (name: string, value: string) => void request.setHeader(name, value),
      followRedirect: () => undefined,
    })
    request.on('response', (response) => played.emit('response', response))
    request.on('error', (error) => played.emit('error', error))
    request.on('close', () => played.emit('close'))
    return played as unknown as ReturnType<Net['request']>
  },
} satisfies { [N in 'isOnline' | 'request']: Net[N] } & {
  // The stories use only an address and a method.
  fetch: (input: string, init?: { method?: string }) => ReturnType<Net['fetch']>
}
