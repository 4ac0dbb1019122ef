import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { Guard } from './guard.ts'
import type { Target } from './target.ts'

const connectMs = 10_000

/**
 * Connects to an address that the guard has checked. Undici gets the address, never the name, so that
 * no second lookup can change it.
 */
export function createConnector(guard: Guard, target: Target): buildConnector.connector {
  const settings = { timeout: connectMs, allowH2: false }
  const strict = buildConnector(settings)
  // Development servers on this computer have self-signed certificates.
  const lenient = buildConnector({ ...settings, rejectUnauthorized: false })

  async function open(options: buildConnector.Options): Promise<Socket> {
    const { kind, addresses } = await guard.addresses(target)
    const connect = kind === 'loopback' ? lenient : strict
    let last: Error | null = null
    for (const address of addresses) {
      try {
        const socket = await connectTo(connect, {
          ...options,
          hostname: address,
          host: address,
          // An IP address is no valid server name (RFC 6066).
          servername: target.isAddress ? '' : target.hostname,
        })
        try {
          guard.verify(target, kind, socket.remoteAddress)
          return socket
        } catch (error) {
          socket.destroy()
          throw error
        }
      } catch (error) {
        last = error instanceof Error ? error : new Error(String(error))
      }
    }
    throw last ?? new Error('Could not connect to any address.')
  }

  return (options, callback) => {
    open(options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

function connectTo(
  connect: buildConnector.connector,
  options: buildConnector.Options,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // For plain HTTP undici would resolve a server name, so it gets none.
    const { servername, ...plain } = options
    const named = options.protocol === 'https:' && servername ? { ...plain, servername } : plain
    connect(named, (error, socket) => {
      if (error === null) resolve(socket)
      else reject(error)
    })
  })
}
