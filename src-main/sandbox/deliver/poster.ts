/**
 * Sends deliveries. Threats: an endpoint may hang, redirect, answer for ever or a gigabyte, speak
 * something else than HTTP, or be a name that stands for somebody else's machine.
 */
import { type Dispatcher, Agent, request } from 'undici'
import { connectAllowed } from './connect-allowed.ts'
import type { TargetDescription } from './delivery-queue.ts'
import { errorText, statusText } from './failure-text.ts'

export type Posting = {
  /** Null when it was acknowledged, else why it was not. Never rejects. */
  readonly problem: Promise<string | null>
  /** Ends the connection; the problem is then of no meaning. */
  giveUp(): void
}

type Poster = {
  post(to: TargetDescription, body: string, timeoutMs: number): Posting
  close(): Promise<void>
}

/** What an endpoint says beside its status is nobody's: read a little, to keep the connection. */
const bodyLimit = 64 * 1024
const bodyMs = 250

export function createPoster(allowHost: (host: string) => boolean): Poster {
  const agent = new Agent({
    connect: connectAllowed(allowHost),
    allowH2: false,
    pipelining: 1,
    // An endpoint that closes idle connections must not be charged with a failure for it.
    keepAliveTimeout: 1_000,
    keepAliveMaxTimeout: 1_000,
    // The deadline of an attempt is its own; these only catch what it would have missed.
    headersTimeout: 0,
    bodyTimeout: 0,
  })

  async function send(
    { url, bearer }: TargetDescription,
    body: string,
    timeoutMs: number,
    deadline: AbortController,
  ): Promise<string | null> {
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'tondesk-sandbox',
          ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }),
        },
        body,
        signal: deadline.signal,
      })
      await putAway(answer.body)
      return answer.statusCode === 200 ? null : `POST ${url}: ${statusText(answer.statusCode)}`
    } catch (error) {
      const isLate = deadline.signal.aborted
      return `POST ${url}: ${isLate ? `timed out after ${timeoutMs / 1000} s` : errorText(error)}`
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    post(to, body, timeoutMs) {
      const deadline = new AbortController()
      return {
        problem: send(to, body, timeoutMs, deadline),
        giveUp: () => deadline.abort(),
      }
    },
    close: () => agent.destroy(),
  }
}

/** The status has decided already; whatever becomes of the body changes nothing. */
async function putAway(body: Dispatcher.ResponseData['body']): Promise<void> {
  const timer = setTimeout(() => body.destroy(), bodyMs)
  try {
    await body.dump({ limit: bodyLimit })
  } catch {
    body.destroy()
  } finally {
    clearTimeout(timer)
  }
}
