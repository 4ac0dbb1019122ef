/**
 * What happens to an error that nothing caught. One connection, pipe or thread that breaks must not
 * end a process that receives webhooks, whatever listener was forgotten: such an error is logged and
 * the process goes on. After a programming error the state of the process is unknown, so it is
 * logged and the process ends.
 */
/** What the system reports of connections and pipes. Files are not among it: EIO, ENOSPC and such. */
const connectionCodes: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECANCELED',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENFILE',
  'ENOBUFS',
  'ENOTCONN',
  'ENOTFOUND',
  'EPIPE',
  'EPROTO',
  'ETIMEDOUT',
])
/** Errors that Node, its HTTP parser, OpenSSL and undici raise of connections, streams and workers. */
const connectionFamilies =
  /^(ERR_HTTP2_|ERR_SSL_|ERR_STREAM_|ERR_SOCKET_|ERR_TLS_|ERR_WORKER_|HPE_|UND_ERR_)/

export const connectionErrorMessage = 'A connection failed and nothing handled it. The app goes on.'

/** True for an error of a socket, a stream or a worker thread; false for one of a program. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return false
  }
  // Opening a file can fail with EMFILE too; the error of a file has its path.
  if (connectionCodes.has(error.code)) return !('path' in error)
  return connectionFamilies.test(error.code)
}

/**
 * Installs the policy for this process, or for this worker thread.
 * @param events.onConnectionError to be logged; nothing else is needed
 * @param events.onBug to be logged before anything else; then the process has to end
 */
export function handleUncaughtErrors(events: {
  readonly onConnectionError: (error: unknown) => void
  readonly onBug: (error: unknown) => void
}): void {
  const handle = (error: unknown) => {
    if (isConnectionError(error)) events.onConnectionError(error)
    else events.onBug(error)
  }
  process.on('uncaughtException', handle)
  process.on('unhandledRejection', handle)
}
