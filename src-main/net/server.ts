/** How our servers take a port and end; the sandbox has its own servers and uses the same. */
import type { Server } from 'node:http'
import {
  type ListenOptions,
  type Server as SocketServer,
  type Socket,
  createServer,
} from 'node:net'

/** @returns why it cannot listen there; null when it does */
export function tryListen(
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

/** Whether a server of this computer could take the port; someone may take it a moment later. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const problem = await tryListen(server, { port, host: '127.0.0.1' })
  if (problem === null) await new Promise((resolve) => server.close(resolve))
  return problem === null
}

/**
 * Closes the connection that has been without a request for longest while there are more than `max`, because each
 * holds a descriptor of the process. Connections that were upgraded count, but are not closed.
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
 * Requests under way may finish, for as long as this; then none holds up the end.
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
