/** The client side of the local socket, for commands. */
import { type IncomingMessage, Agent, request as httpRequest } from 'node:http'
import {
  type Envelope,
  type ErrorBody,
  AppError,
  bridgeCodes,
} from '../../src-preload/domain/app-error.ts'
import type { EventMessage } from '../../src-preload/contract/routes.ts'
import { isPrivateFolder } from './local-socket.ts'

export type LocalSocketClient = NonNullable<Awaited<ReturnType<typeof connectLocalSocket>>>

/** The system also accepts connections for an app that hangs; a busy app responds late. */
const helloMs = 60_000
/** ENOTDIR and EACCES mean an unusable directory; the next step that opens the directory explains the cause. */
const absentCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'EACCES'])

/** @returns null if no app listens @throws AppError DISCONNECTED if the listener gives no response */
export async function connectLocalSocket(path: string) {
  // Each request gets its own connection: the other side may close an idle connection at the moment
  // of its reuse, and the request would look like an app that hangs. Connecting is cheap here.
  const agent = new Agent({ keepAlive: false, maxSockets: 8 })
  const call = caller(path, agent)
  try {
    if (!path.startsWith('\\\\.\\pipe\\') && !(await isPrivateFolder(path))) return null
    const hello = (await json(await call('GET', '/hello', undefined, helloMs))) as {
      processId: number
    }
    // The app has responded once, so from now on a refused connection means that the app has ended.
    const ask: typeof call = (...requested) =>
      call(...requested).catch((error: unknown) => {
        throw disconnected(error)
      })
    return {
      processId: hello.processId,
      async request(name: string, input?: unknown): Promise<Envelope<unknown>> {
        const response = await ask('POST', '/request', { name, input })
        return (await json(response)) as Envelope<unknown>
      },
      /**
       * Resolves once subscribed, so that no later event is missed. `onEnd` is called only if the other
       * side ends the stream.
       */
      async on(listener: (messages: readonly EventMessage[]) => void, onEnd?: () => void) {
        return readEvents(await ask('GET', '/events'), listener, onEnd)
      },
      /** Requests that the app show its window; browser mode responds with a new start URL. */
      async open(): Promise<{ url: string | null }> {
        return (await json(await ask('POST', '/open'))) as { url: string | null }
      },
      dispose: () => agent.destroy(),
    }
  } catch (error) {
    agent.destroy()
    if (isAbsent(error)) return null
    throw error instanceof AppError ? error : disconnected(error)
  }
}

function caller(path: string, agent: Agent) {
  return (method: string, target: string, body?: unknown, timeoutMs?: number) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const request = httpRequest(
        {
          socketPath: path,
          agent,
          method,
          path: target,
          ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' } }),
        },
        resolve,
      )
      if (timeoutMs !== undefined) {
        request.setTimeout(timeoutMs, () =>
          request.destroy(new Error('The other Tondesk process did not respond.')),
        )
      }
      request.once('error', reject)
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
}

async function json(response: IncomingMessage): Promise<unknown> {
  response.setTimeout(0)
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk as string
  } catch (error) {
    throw disconnected(error)
  }
  const body = JSON.parse(text) as { error?: ErrorBody }
  // An envelope contains its error and has status 200; any other status comes from the transport.
  if (response.statusCode !== 200 && body.error) throw AppError.fromBody(body.error)
  return body
}

function readEvents(
  response: IncomingMessage,
  listener: (messages: readonly EventMessage[]) => void,
  onEnd?: () => void,
): () => void {
  let stopped = false
  let rest = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    // The messages need no validation, because both ends are this program.
    const messages = lines.map((line) => JSON.parse(line) as EventMessage)
    if (messages.length > 0 && !stopped) listener(messages)
  })
  response.on('error', () => undefined)
  response.once('close', () => {
    if (!stopped) onEnd?.()
  })
  return () => {
    stopped = true
    response.destroy()
  }
}

function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && absentCodes.has(code)
}

function disconnected(cause: unknown): AppError {
  return new AppError(
    bridgeCodes.disconnected,
    'Another Tondesk process uses this data directory but does not respond. The process may have just exited, or may be stuck. Try again, or end the process.',
    { cause },
  )
}
