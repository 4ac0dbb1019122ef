/** What a sender gets in the place of 200: by rules that a person made, or from where it is sent on. */
import {
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { CaptureRecord } from '../captures/store/capture-record.ts'

type AnswerHeaders = readonly (readonly [string, string])[]

/** An answer as a target or a rule has it; what frames it on the connection is ours. */
type WholeAnswer = {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Uint8Array
}

export type OtherAnswer =
  | (WholeAnswer & { readonly kind: 'answer'; readonly delayMs: number })
  /** Never, until the sender gives up or a limit is reached. */
  | { readonly kind: 'hang' }
  /** Ends the connection after so many bytes of an answer. */
  | { readonly kind: 'cut'; readonly after: number }
  /** Known later: asked for once the capture is on disk, with its id. */
  | { readonly kind: 'passed'; readonly ask: (capture: number) => Promise<WholeAnswer> }

/**
 * Asked of each whole delivery before it is written, its usual status in the record; null leaves it
 * at that. Must neither throw nor take long: deliveries wait for it.
 */
export type DecideAnswer = (record: CaptureRecord) => OtherAnswer | null

/** Written down with the capture; null where it is not known yet, or never will be. */
export function statusOf(other: OtherAnswer): number | null {
  return other.kind === 'answer' ? other.status : null
}

export type OtherAnswers = {
  /**
   * Answers a delivery that is on disk.
   * @param onAnswered told the status, where it is another than `statusOf` said
   */
  give(
    other: OtherAnswer,
    response: ServerResponse,
    capture: number,
    onAnswered: (status: number | null) => void,
  ): void
  /** Ends all that is held: what waits for its time is answered now, what hangs is cut. */
  release(): void
}

/** Longer than any sender waits; a connection is not held for ever. */
const hangMs = 600_000
/** Deliveries held at a time: beyond, what is to be late is answered now and what is to hang is cut. */
const maxHeld = 1_000

type Held = { readonly timer: NodeJS.Timeout; readonly end: () => void }

/** @param isOpen false while the receiver drains: nothing is held any more */
export function createOtherAnswers(isOpen: () => boolean): OtherAnswers {
  const held = new Set<Held>()
  let passing = 0

  /** Calls `end` after a while, or on release; not at all once the sender is gone. */
  function hold(response: ServerResponse, ms: number, end: () => void, onGone: () => void): void {
    const forget = () => {
      clearTimeout(one.timer)
      held.delete(one)
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
    const one: Held = { timer: setTimeout(due, ms), end: due }
    held.add(one)
    response.once('close', gone)
  }

  const hasRoom = () => isOpen() && held.size < maxHeld

  function answerLate(
    answer: WholeAnswer & { readonly delayMs: number },
    response: ServerResponse,
    onAnswered: (status: number | null) => void,
  ): void {
    const write = () => writeAnswer(response, answer, isOpen())
    if (answer.delayMs === 0 || !hasRoom()) write()
    else hold(response, answer.delayMs, write, () => onAnswered(null))
  }

  function hang(response: ServerResponse): void {
    const socket = response.req.socket
    if (!hasRoom()) {
      socket.destroy()
      return
    }
    hold(
      response,
      hangMs,
      () => socket.destroy(),
      () => undefined,
    )
    // Half a connection is left open for an answer; here there will be none.
    socket.once('end', () => socket.destroy())
  }

  async function pass(
    ask: (capture: number) => Promise<WholeAnswer>,
    response: ServerResponse,
    capture: number,
    onAnswered: (status: number | null) => void,
  ): Promise<void> {
    if (passing >= maxHeld) {
      writeAnswer(response, { status: 503, headers: [], body: nothing }, isOpen())
      onAnswered(503)
      return
    }
    passing += 1
    const answer = await ask(capture)
      .catch(() => ({ status: 502, headers: [], body: nothing }))
      .finally(() => (passing -= 1))
    if (response.destroyed) return
    const isFinal = answer.status >= 200 && answer.status <= 599
    const given = isFinal ? answer : { ...answer, status: 502 }
    writeAnswer(response, given, isOpen())
    onAnswered(given.status)
  }

  return {
    give(other, response, capture, onAnswered) {
      switch (other.kind) {
        case 'answer':
          answerLate(other, response, onAnswered)
          return
        case 'hang':
          hang(response)
          return
        case 'cut':
          inTurn(response, (socket) => cut(socket, other.after))
          return
        case 'passed':
          void pass(other.ask, response, capture, onAnswered)
          return
      }
    },
    release() {
      for (const { end } of [...held]) end()
    },
  }
}

const nothing = new Uint8Array(0)

/** Of a connection, and of how a body is framed on it: never another's to say. */
const framing =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|date)$/i

/** True for a header that an answer of ours cannot take from a rule or a target. */
function isFraming(name: string): boolean {
  return framing.test(name)
}

function writeAnswer(response: ServerResponse, answer: WholeAnswer, keepsAlive: boolean): void {
  const hasBody = answer.status !== 204 && answer.status !== 304
  const body = hasBody ? answer.body : nothing
  const headers = answer.headers.filter(isSendable).flat()
  if (hasBody) headers.push('Content-Length', String(body.byteLength))
  if (!keepsAlive) headers.push('Connection', 'close')
  response.writeHead(answer.status, headers).end(body)
}

function isSendable([name, value]: readonly [string, string]): boolean {
  if (isFraming(name)) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** When what was asked before it on the same connection has been answered. */
function inTurn(response: ServerResponse, work: (socket: Socket) => void): void {
  if (response.socket !== null) work(response.socket)
  else response.once('socket', work)
}

function cut(socket: Socket, after: number): void {
  if (after === 0) socket.destroy()
  else socket.write(longAnswer.subarray(0, after), () => socket.destroy())
}

/** Longer than any number of bytes after which it is cut. */
const longAnswer = Buffer.from(
  `HTTP/1.1 200 ${STATUS_CODES[200] ?? ''}\r\nContent-Type: text/plain\r\n` +
    `Content-Length: 1000\r\n\r\n${'.'.repeat(1000)}`,
)
