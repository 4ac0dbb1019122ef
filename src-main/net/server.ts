/** How our servers take a port and close; the sandbox's own servers use the same functions. */
import type { Server } from 'node:http'
import {
  type ListenOptions,
  type Server as SocketServer,
  type Socket,
  createServer,
} from 'node:net'

/** @returns why the server cannot listen on the port; null if it listens */
export function listenOnce(
  server: SocketServer,
  at: ListenOptions,
): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen(at, () => {
      server.off('error', resolve)
      resolve(null)
    })
  })
}

/**
 * True if a server on this computer could listen on the port; another process may take the port a
 * moment later.
 */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer()
  const problem = await listenOnce(server, { port, host: '127.0.0.1' })
  if (problem === null) await new Promise((resolve) => server.close(resolve))
  return problem === null
}

/**
 * While there are more than `max` connections, closes the one that has been without a request longest,
 * because each connection uses a descriptor of the process. Upgraded connections count, but are not closed.
 */
export function limitConnections(server: Server, max: number): void {
  const open = new Set<Socket>()
  const idle = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    idle.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
    if (open.size <= max) return
    const [longest = socket] = idle
    open.delete(longest)
    idle.delete(longest)
    longest.destroy()
  })
  server.on('request', ({ socket }, response) => {
    idle.delete(socket)
    response.once('close', () => {
      if (open.has(socket)) idle.add(socket)
    })
  })
  server.on('upgrade', ({ socket }) => idle.delete(socket))
}

/**
 * Pending requests may finish within this time; then they are aborted.
 * @param isBusy whether accepted requests wait for this process, however slow it is, and not for their sender
 */
export function closeServer(
  server: Server,
  drainMs: number,
  isBusy: () => boolean = () => false,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => isBusy() || server.closeAllConnections(), drainMs)
    server.close(() => {
      clearInterval(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
