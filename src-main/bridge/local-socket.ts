/**
 * Serves the contract on a local socket, for commands that find the data directory held by this
 * process. Threat model: whoever can open the socket can do everything the app can, so only its owner
 * may. On Unix the socket has mode 0600 in a folder of mode 0700; on Windows the pipe's default access
 * list lets only its creator and administrators write. No browser can reach it, so there is no Origin
 * to check; size limits only guard against mistakes.
 */
import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, rm } from 'node:fs/promises'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { EventMessage } from '../../src-preload/contract/routes.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import type { Dispatch } from './dispatch.ts'
import type { EventHub } from './events.ts'
import { closeServer, listenOnce } from '../net/server.ts'

export const localSocketCodes = {
  /** A command holds the data directory, so there is no window to open. */
  noWindow: 'NO_WINDOW',
  unsafeFolder: 'SOCKET_FOLDER_UNSAFE',
} as const

/** `sun_path` holds 104 bytes on macOS and 108 on Linux, including the final NUL. */
const longestSocketPath = 103
const nameInDataDirectory = 'tondesk.sock'
const requestLimitBytes = 1024 * 1024
/** A listener with this many unread bytes is stopped or lost: it must reconnect and load its data again. */
const unreadLimitBytes = 4 * 1024 * 1024
const drainMs = 1000

export function localSocketPath(dataDirectory: string, place = thisPlace()): string {
  const hash = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 32)
  if (place.platform === 'win32') return `\\\\.\\pipe\\tondesk-${hash}`
  const path = join(dataDirectory, nameInDataDirectory)
  if (Buffer.byteLength(path) <= longestSocketPath) return path
  return join(place.temporaryDirectory, `tondesk-${place.userId}`, `${hash.slice(0, 16)}.sock`)
}

const thisPlace = () => ({
  platform: process.platform,
  temporaryDirectory: tmpdir(),
  userId: ownUserId(),
})

// Not os.userInfo(): it throws for a user without an entry, as in a container that runs with a numeric
// id.
const ownUserId = () => process.getuid?.() ?? 0

type LocalSocketOptions = {
  readonly path: string
  readonly dispatch: Dispatch
  readonly events: EventHub
  /** Absent if the process has no window, as for a command. */
  readonly open?: (() => Promise<{ url: string | null }>) | undefined
}

/**
 * Replaces a socket file left by a killed process: the caller holds the data directory's lock, so no
 * living process owns the file.
 */
export async function serveLocalSocket(options: LocalSocketOptions): Promise<AsyncDisposable> {
  const { dispatch, events, open } = options
  let ended: Promise<void> | undefined
  const streams = new Set<ServerResponse>()
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 5_000 },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy()
        else send(response, statusOf(error), { error: bodyOf(error) })
      })
    },
  )

  // Node removes its own error listener from a socket that requests CONNECT or an upgrade.
  server.on('connection', (socket) => socket.on('error', () => undefined))
  // While the app ends, kept-alive connections end with their response.
  server.on('request', (_request, response: ServerResponse) => {
    response.once('finish', () => {
      if (ended) setImmediate(() => server.closeIdleConnections())
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (`${request.method ?? ''} ${request.url ?? ''}`) {
      case 'GET /hello':
        send(response, 200, { processId: process.pid, canOpen: open !== undefined })
        return
      case 'POST /request': {
        const { name, input } = parseCall(await readBody(request))
        send(response, 200, await dispatch(name, input))
        return
      }
      case 'GET /events':
        streamEvents(response)
        return
      case 'POST /open':
        request.resume()
        if (!open) {
          throw new AppError(
            localSocketCodes.noWindow,
            'A Tondesk command is using this data directory, so no window can open. Stop that command and try again.',
          )
        }
        send(response, 200, await open())
        return
      default:
        request.resume()
        send(response, 404, { error: { code: bridgeCodes.unknownRoute, message: 'Not found.' } })
    }
  }

  function streamEvents(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
    // The headers confirm the subscription: the listener gets every event after this one.
    response.flushHeaders()
    const stop = events.subscribe((messages: readonly EventMessage[]) => {
      if (response.writableEnded) return
      response.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
      if (response.writableLength > unreadLimitBytes) response.destroy()
    })
    streams.add(response)
    response.once('close', () => {
      stop()
      streams.delete(response)
    })
  }

  const isFile = !options.path.startsWith('\\\\.\\pipe\\')
  if (isFile) {
    await ensureFolder(options.path)
    await rm(options.path, { force: true })
  }
  const problem = await listenOnce(server, { path: options.path })
  if (problem !== null) throw problem
  if (isFile) await chmod(options.path, 0o600)

  return {
    [Symbol.asyncDispose]() {
      for (const stream of streams) stream.end()
      ended ??= closeServer(server, drainMs)
      return ended
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > requestLimitBytes) {
      throw new AppError(bridgeCodes.invalidInput, 'The request is larger than 1 MiB.')
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseCall(text: string): { name: unknown; input: unknown } {
  let call: unknown
  try {
    call = JSON.parse(text)
  } catch {
    call = undefined
  }
  if (typeof call !== 'object' || call === null || !('name' in call)) {
    throw new AppError(bridgeCodes.invalidInput, 'The request is invalid.')
  }
  return { name: call.name, input: 'input' in call ? call.input : undefined }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return
  // A refused request may still be arriving, so its connection cannot be reused.
  if (status >= 400) response.setHeader('Connection', 'close')
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

function statusOf(error: unknown): number {
  if (!(error instanceof AppError)) return 500
  return error.code === localSocketCodes.noWindow ? 409 : 400
}

function bodyOf(error: unknown) {
  if (error instanceof AppError) return error.toBody()
  return { code: bridgeCodes.internal, message: 'An internal error occurred.' }
}

/**
 * Creates the socket's folder. The store protects the data directory, but the fallback is in a
 * folder that every user can write to, where another user could have created it first.
 */
async function ensureFolder(path: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!(await isPrivateFolder(path))) {
    throw new AppError(
      localSocketCodes.unsafeFolder,
      `The path of the data directory is too long for Tondesk’s local socket. The folder ${folder} cannot be used instead, because other users can access it. Delete that folder, or choose a data directory with a shorter path.`,
    )
  }
}

/** True if only this user can have created the socket there. */
export async function isPrivateFolder(path: string): Promise<boolean> {
  if (basename(path) === nameInDataDirectory) return true
  const found = await lstat(dirname(path))
  return found.isDirectory() && (found.mode & 0o077) === 0 && found.uid === ownUserId()
}
