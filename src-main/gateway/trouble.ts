/**
 * Converts every failure into one error: who failed, why, and what the user can do. Covers three
 * dialects of the service, and TLS, proxies and captive portals on the way to it.
 */
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import { parseJson } from '../ton/lossless-json.ts'
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'
import problems from './connection-problems.json' with { type: 'json' }

export type TroubleData = {
  readonly status?: number
  /** The failure is temporary, so a retry may succeed. */
  readonly isPassing?: boolean | undefined
  /** There was no connection, so the gateway cannot have received the request. */
  readonly isUnsent?: boolean | undefined
  readonly retryAfterMs?: number | undefined
  /** The gateway refuses requests about invoices that do not name the application. */
  readonly wantsAppId?: true
  readonly errorCode?: number | undefined
  readonly hint?: string | undefined
}

type Party = {
  readonly name: string
  readonly origin: string
  /** The key must never appear in an error. */
  readonly key: string | null
  readonly takesKeys: boolean
}

export type Trouble = ReturnType<typeof createTrouble>

export function createTrouble({ name, origin, key, takesKeys }: Party) {
  const secrets = key === null ? [] : [key, encodeURIComponent(key)]
  const hide = (text: string) => secrets.reduce((left, each) => left.replaceAll(each, '…'), text)

  function make(code: string, message: string, data: TroubleData, cause?: unknown): AppError {
    const { hint } = data
    return new AppError(code, hide(hint === undefined ? message : `${message} ${hint}`), {
      data,
      // Only the message is kept: errors of the HTTP parser contain received data.
      cause: cause instanceof Error ? new Error(hide(cause.message)) : undefined,
    })
  }

  return {
    timeout: (ms: number, cause: unknown) =>
      make(gatewayCodes.timeout, `${name} did not respond within ${seconds(ms)} s.`, {}, cause),

    tooLong: (limit: number) =>
      make(
        gatewayCodes.badAnswer,
        `${name} sent a response of more than ${Math.round(limit / 1024)} KiB, which is the limit.`,
        {},
      ),

    unexpected: (what: string) =>
      make(gatewayCodes.badAnswer, `${name} sent an unexpected response (${what}).`, {}),

    page: (status: number) =>
      make(gatewayCodes.badAnswer, `${name} responded with a web page instead of data.`, {
        status,
        hint: behindPortal,
      }),

    /** The gateway requires a pause that is longer than the request's time limit. */
    paused: (leftMs: number) =>
      make(gatewayCodes.rateLimited, `${name} received too many requests and requires a pause.`, {
        retryAfterMs: leftMs,
        hint: retryIn(leftMs),
      }),

    /** `proxy` is the host and port of the proxy in use. */
    connection(cause: unknown, proxy: string | null) {
      const { why, ...data } = explain(cause)
      const through = proxy === null ? '' : ` through the proxy ${proxy}`
      const message = `${name} cannot be reached at ${origin}${through}: ${endSentence(why)}`
      return make(gatewayCodes.unreachable, message, data, cause)
    },

    /** Redirects are not followed, because the key may go to its own origin only. */
    redirect(status: number, location: string | undefined) {
      const to = URL.canParse(location ?? '', origin) ? new URL(location ?? '', origin) : null
      const where =
        to === null ? 'elsewhere' : `to ${to.origin === origin ? 'another path' : to.host}`
      const hint =
        to === null || to.origin === origin
          ? 'Check the base URL.'
          : 'Check the base URL. On a guest network, sign in with a browser first.'
      return make(
        gatewayCodes.badAnswer,
        `${name} redirects ${where} (${status}). Tondesk does not follow redirects, because the key is for this host only.`,
        { status, hint },
      )
    },

    status(status: number, text: string, retryAfterMs: number | null) {
      const { said, errorCode, isPage } = readError(text, hide)
      const [code, words] = describeStatus(status)
      const message =
        said === undefined ? `${name} ${words}.` : `${name} ${words}: ${endSentence(said)}`
      return make(code, message, {
        status,
        isPassing: passingStatuses.has(status) || undefined,
        retryAfterMs: retryAfterMs ?? undefined,
        errorCode,
        hint: hintOf(status, retryAfterMs, isPage),
      })
    },
  }

  function hintOf(
    status: number,
    retryAfterMs: number | null,
    isPage: boolean,
  ): string | undefined {
    if (status === 511 || (isPage && status < 500)) return behindPortal
    if (status === 429 && retryAfterMs !== null) return retryIn(retryAfterMs)
    if (!takesKeys) return undefined
    if (status === 401)
      return key === null ? 'Add a key in Settings.' : 'Replace the key in Settings.'
    return status === 403 && key !== null ? 'The key may lack this capability.' : undefined
  }
}

/** A content delivery network sends 520 to 527 and 530 when the gateway behind it cannot be reached. */
const passingStatuses: ReadonlySet<number> = new Set([
  ...[500, 502, 503, 504],
  ...[520, 521, 522, 523, 524, 525, 526, 527, 530],
])

const behindPortal =
  'A proxy or the sign-in page of a guest network may block requests: open any page in a browser, then try again.'

type Explanation = Pick<TroubleData, 'isPassing' | 'isUnsent' | 'hint'> & { readonly why: string }

function explain(cause: unknown): Explanation {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const message = messageOf(cause)
  const refusedByProxy = /^Proxy response \((\d+)\)/.exec(message)?.[1]
  if (refusedByProxy === '407') {
    return {
      why: 'the proxy requires a user name and a password (407)',
      isUnsent: true,
      hint: 'Set the user name and the password in the environment variable HTTPS_PROXY, as http://name:password@host:port.',
    }
  }
  if (refusedByProxy !== undefined) {
    return { why: `the proxy blocks the request (${refusedByProxy})`, isUnsent: true }
  }
  const known = connectionProblems[code]
  if (known !== undefined) {
    const { mayBeSent = false, ...problem } = known
    return { ...problem, ...(!mayBeSent && { isUnsent: true }) }
  }
  if (cause instanceof Error && cause.name === 'HTTPParserError')
    return { why: 'the response is not HTTP' }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    return { why: 'the TLS handshake failed' }
  }
  return { why: message }
}

/** Causes of failed connections by the code of the error. */
const connectionProblems: Readonly<Record<string, ConnectionProblem>> = lookupTable(problems)

type ConnectionProblem = Omit<Explanation, 'isUnsent'> & {
  /**
   * The connection failed after the request or at an unknown time, so the gateway may have received
   * it.
   */
  readonly mayBeSent?: boolean
}

type StatusWords = readonly [code: string, words: string]

const statuses: Readonly<Record<number, StatusWords>> = {
  401: [gatewayCodes.keyRefused, 'does not accept the key (401)'],
  403: [gatewayCodes.forbidden, 'denies this request (403)'],
  404: [gatewayCodes.notFound, 'found nothing (404)'],
  406: [gatewayCodes.notAccepted, 'rejected the message (406)'],
  429: [gatewayCodes.rateLimited, 'received too many requests (429)'],
}

function describeStatus(status: number): StatusWords {
  const known = statuses[status]
  if (known !== undefined) return known
  if (status >= 500) return [gatewayCodes.failed, `failed (${status})`]
  if (status >= 400) return [gatewayCodes.refused, `rejected the request (${status})`]
  return [gatewayCodes.badAnswer, `responded with the undocumented status ${status}`]
}

const retryIn = (ms: number): string => `Try again in ${seconds(Math.ceil(ms / 1000) * 1000)} s.`

const seconds = (ms: number): string => String(Math.round(ms) / 1000)

const maxWords = 500

type SaidError = { said?: string; errorCode?: number; isPage: boolean }

/**
 * Error fields: `{error}` of the query and webhooks APIs, `{Error}` of the query API's framework,
 * `{error, code}` of the console, `{message}` of older documents, `{description}` of Telegram,
 * `{title, detail}` of RFC 9457.
 */
function readError(text: string, hide: (text: string) => string): SaidError {
  // The key is removed before the text is cut, because half a key must not remain either.
  const toWords = (words: string) => cut(hide(words.trim()))
  let body: unknown
  try {
    body = parseJson(text)
  } catch {
    const isPage = isHtml(text)
    return text.trim() === '' || isPage ? { isPage } : { said: toWords(text), isPage }
  }
  if (typeof body !== 'object' || body === null) return { isPage: false }
  const fields = body as Record<string, unknown>
  const textsIn = (names: readonly string[]) =>
    names
      .map((name) => fields[name])
      .filter((field): field is string => typeof field === 'string' && field.trim() !== '')
  const problem = textsIn(['title', 'detail'])
  const said =
    textsIn(['error', 'Error', 'message', 'description'])[0] ??
    (problem.length === 0 ? undefined : problem.join(': '))
  const code = fields['error_code'] ?? fields['code']
  return {
    ...(said !== undefined && { said: toWords(said) }),
    ...(typeof code === 'number' && { errorCode: code }),
    isPage: false,
  }
}

export const isHtml = (text: string): boolean => /^\s*<[a-z!?]/i.test(text)

const cut = (text: string): string =>
  text.length > maxWords ? `${text.slice(0, maxWords)}…` : text

const endSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)
