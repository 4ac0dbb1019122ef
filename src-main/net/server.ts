/** How our servers take a port and end; the sandbox has its own servers and uses the same. */
import type { Server } from 'node:http'
import { type ListenOptions, type Server as SocketServer, createServer } from 'node:net'

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
