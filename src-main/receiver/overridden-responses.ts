import {
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { CaptureRecord } from '../captures/store/capture-record.ts'

/** A response that replaces the default one. The receiver sets the headers that frame the body. */
export type CompleteResponse = {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

export type ResponseOverride =
  | (CompleteResponse & { readonly kind: 'answer'; readonly delayMs: number })
  /** Sends no response until the sender disconnects or a limit is reached. */
  | { readonly kind: 'hang' }
  /** Closes the connection after this number of response bytes. */
  | { readonly kind: 'cut'; readonly after: number }
  /** Gets the response later, from `ask`, once the capture is on disk and has an id. */
  | { readonly kind: 'passed'; readonly ask: (capture: number) => Promise<CompleteResponse> }

/**
 * Called for each complete delivery before it is written; the record has the default status. Null
 * keeps that status. Must not throw or block, because deliveries wait for it.
 */
export type DecideResponse = (record: CaptureRecord) => ResponseOverride | null

/** The status to store with the capture; null when it is unknown yet or never sent. */
export const statusOf = (other: ResponseOverride): number | null =>
  other.kind === 'answer' ? other.status : null

export type OverriddenResponses = ReturnType<typeof createOverriddenResponses>

/** The time is longer than any sender waits; it prevents connections that stay open forever. */
const hangMs = 600_000
/** Beyond this number, delayed responses are sent at once and hanging connections closed. */
const maxHeld = 1_000

/** @param isOpen false while the receiver stops: no response is delayed then */
export function createOverriddenResponses(isOpen: () => boolean) {
  const locked = new Set<() => void>()
  let passing = 0

  /** Calls `end` after the delay or on release, unless the sender has disconnected. */
  function hold(response: ServerResponse, ms: number, end: () => void, onGone: () => void): void {
    const forget = () => {
      clearTimeout(timer)
      locked.delete(due)
      response.off('close', gone)
    }
    const gone = () => {
      forget()
      onGone()
    }
    const due = () => {
      forget()
      end()
    }
    const timer = setTimeout(due, ms)
    locked.add(due)
    response.once('close', gone)
  }

  const hasRoom = () => isOpen() && locked.size < maxHeld

  function hang(response: ServerResponse): void {
    const socket = response.req.socket
    if (!hasRoom()) {
      socket.destroy()
      return
    }
    const end = () => socket.destroy()
    hold(response, hangMs, end, () => undefined)
    // The server keeps half-closed connections open for a response; here none follows.
    socket.once('end', end)
  }

  async function pass(
    ask: (capture: number) => Promise<CompleteResponse>,
    response: ServerResponse,
    capture: number,
    onAnswered: (status: number | null) => void,
  ): Promise<void> {
    if (passing >= maxHeld) {
      writeResponse(response, { status: 503, headers: [], body: nothing }, isOpen())
      onAnswered(503)
      return
    }
    passing += 1
    const answer = await ask(capture)
      .catch(() => ({ status: 502, headers: [], body: nothing }))
      .finally(() => (passing -= 1))
    if (response.destroyed) return
    const isFinal = answer.status >= 200 && answer.status <= 599
    const sent = isFinal ? answer : { ...answer, status: 502 }
    writeResponse(response, sent, isOpen())
    onAnswered(sent.status)
  }

  return {
    /**
     * Sends the response to a stored delivery.
     * @param onAnswered called with the status if it differs from `statusOf`
     */
    give(
      other: ResponseOverride,
      response: ServerResponse,
      capture: number,
      onAnswered: (status: number | null) => void,
    ): void {
      switch (other.kind) {
        case 'answer':
          if (other.delayMs === 0 || !hasRoom()) writeResponse(response, other, isOpen())
          else {
            const write = () => writeResponse(response, other, isOpen())
            hold(response, other.delayMs, write, () => onAnswered(null))
          }
          return
        case 'hang':
          hang(response)
          return
        case 'cut':
          // The socket is assigned once earlier requests on the connection have their responses.
          if (response.socket !== null) cut(response.socket, other.after)
          else response.once('socket', (socket: Socket) => cut(socket, other.after))
          return
        case 'passed':
          void pass(other.ask, response, capture, onAnswered)
          return
      }
    },
    /** Ends all held requests: delayed responses are sent now, hanging connections are closed. */
    release(): void {
      for (const due of [...locked]) due()
    },
  }
}

const nothing = new Uint8Array(0)

/** Headers of the connection or of body framing. Rules and targets must not set them. */
const framing =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|date)$/i

function writeResponse(
  response: ServerResponse,
  answer: CompleteResponse,
  keepsAlive: boolean,
): void {
  const hasBody = answer.status !== 204 && answer.status !== 304
  const body = hasBody ? answer.body : nothing
  const headers = answer.headers.filter(isSendable).flat()
  if (hasBody) headers.push('Content-Length', String(body.byteLength))
  if (!keepsAlive) headers.push('Connection', 'close')
  response.writeHead(answer.status, headers).end(body)
}

function isSendable([name, value]: readonly [string, string]): boolean {
  if (framing.test(name)) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

function cut(socket: Socket, after: number): void {
  if (after === 0) socket.destroy()
  else socket.write(longAnswer.subarray(0, after), () => socket.destroy())
}

/** The text is longer than the largest number of bytes after which a response is cut. */
const longAnswer = Buffer.from(
  `HTTP/1.1 200 ${STATUS_CODES[200] ?? ''}\r\nContent-Type: text/plain\r\n` +
    `Content-Length: 1000\r\n\r\n${'.'.repeat(1000)}`,
)
