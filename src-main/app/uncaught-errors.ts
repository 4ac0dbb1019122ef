/**
 * Handles uncaught errors. A broken connection, pipe or thread must not end a process that receives
 * webhooks, so such an error is only logged. After a programming error the state of the process is
 * unknown, so the error is logged and the process ends.
 */
import codes from './connection-codes.json' with { type: 'json' }

/** System codes of connections and pipes; codes of files, such as EIO and ENOSPC, are excluded. */
const connectionCodes: ReadonlySet<string> = new Set(codes)
/** Error codes of Node, its HTTP parser, OpenSSL and undici for connections, streams and workers. */
const connectionFamilies =
  /^(ERR_HTTP2_|ERR_SSL_|ERR_STREAM_|ERR_SOCKET_|ERR_TLS_|ERR_WORKER_|HPE_|UND_ERR_)/

export const connectionErrorMessage = 'An unhandled connection error occurred. The app continues.'

export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return false
  }
  // Opening a file can fail with EMFILE too; only a file's error has a path.
  if (connectionCodes.has(error.code)) return !('path' in error)
  return connectionFamilies.test(error.code)
}

/**
 * Installs the policy in this process or worker thread.
 * @param events.onConnectionError only needs to log the error
 * @param events.onBug must log the error first and then end the process; without it the error is thrown, which
 *   ends the process or thread as it would without a handler
 */
export function handleUncaughtErrors(events: {
  readonly onConnectionError: (error: unknown) => void
  readonly onBug?: (error: unknown) => void
}): void {
  const handle = (error: unknown) => {
    if (isConnectionError(error)) events.onConnectionError(error)
    else if (events.onBug === undefined) throw error
    else events.onBug(error)
  }
  process.on('uncaughtException', handle)
  process.on('unhandledRejection', handle)
}
