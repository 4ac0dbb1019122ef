/** Makes one attempt to send an alert. A secret goes only to its own service, and never into an error. */
import { spawn } from 'node:child_process'
import { z } from 'zod'
import type { AlertDestination } from '../../src-preload/contract/alert.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { appVersion } from '../app/version.ts'
import type { Http } from '../gateway/http.ts'
import type { TroubleData } from '../gateway/trouble.ts'
import { type AlertPayload, describeAlert, signedHeaders } from './message.ts'

export type AlertTarget =
  | Pick<AlertDestination & { kind: 'telegram' }, 'kind' | 'chatId'>
  | Pick<AlertDestination & { kind: 'webhook' }, 'kind' | 'url'>
  | Pick<AlertDestination & { kind: 'command' }, 'kind' | 'program' | 'args'>

export type Attempt = {
  /** Null if the alert arrived. */
  readonly problem: string | null
  readonly retryAfterMs?: number | undefined
}

type AlertToSend = {
  /** The id is the same in all attempts, so that a receiver can ignore a repeated alert. */
  readonly messageId: string
  readonly payload: AlertPayload
}

/** Sends a POST through the guard of forwarding targets. */
export type Post = (
  url: string,
  headers: readonly (readonly [string, string])[],
  body: string,
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<{ readonly status: number | null; readonly problem: string | null }>

const defaultLimits = { requestMs: 10_000, commandMs: 30_000 }

/** @throws only if the signal is aborted */
export type SendAlert = (
  target: AlertTarget,
  secret: string,
  alert: AlertToSend,
  signal: AbortSignal,
) => Promise<Attempt>

type SendAlertDeps = {
  readonly http: Http
  readonly post: Post
  /** True if the user confirmed the program. */
  readonly mayStart: (target: AlertTarget & { kind: 'command' }) => boolean
  readonly now: () => number
  readonly telegramUrl?: string
  readonly limits?: typeof defaultLimits
}

export function createSendAlert(deps: SendAlertDeps): SendAlert {
  const { http, post, mayStart, now } = deps
  const { telegramUrl = 'https://api.telegram.org', limits = defaultLimits } = deps

  return async (target, secret, alert, signal) => {
    try {
      switch (target.kind) {
        case 'telegram':
          return await sendToTelegram(target.chatId, secret, alert.payload, signal)
        case 'webhook':
          return await sendToWebhook(target.url, secret, alert, signal)
        case 'command': {
          if (!mayStart(target)) {
            return { problem: 'The program is not confirmed. Turn the destination on again.' }
          }
          const input = JSON.stringify({ id: alert.messageId, ...alert.payload })
          return { problem: await runProgram(target, input, limits.commandMs, signal) }
        }
      }
    } catch (error) {
      signal.throwIfAborted()
      return { problem: messageOf(error) }
    }
  }

  async function sendToTelegram(
    chatId: string,
    token: string,
    payload: AlertPayload,
    signal: AbortSignal,
  ): Promise<Attempt> {
    // The client has no key, because Telegram takes the token in the path. Errors of the client
    // never contain a path.
    const client = http.client({ name: 'Telegram', baseUrl: telegramUrl, key: null })
    try {
      await client.call({
        method: 'POST',
        path: `/bot${token}/sendMessage`,
        body: {
          chat_id: chatId,
          text: describeAlert(payload),
          link_preview_options: { is_disabled: true },
        },
        answer: z.object({ ok: z.literal(true) }),
        timeoutMs: limits.requestMs,
        signal,
      })
      return { problem: null }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { status, retryAfterMs } = (error.data ?? {}) as TroubleData
      if (status === 401 || status === 404) {
        return {
          problem: `Telegram does not accept the bot token (${status}). Enter the token that @BotFather shows for your bot.`,
        }
      }
      return { problem: error.message.replaceAll(token, '…'), retryAfterMs }
    }
  }

  async function sendToWebhook(
    url: string,
    secret: string,
    { messageId, payload }: AlertToSend,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const body = JSON.stringify(payload)
    const headers = [
      ['content-type', 'application/json'],
      ['user-agent', `Tondesk/${appVersion}`],
      ...signedHeaders(secret, messageId, body, now()),
    ] as const
    const { status, problem } = await post(url, headers, body, limits.requestMs, signal)
    signal.throwIfAborted()
    if (problem !== null || status === null) return { problem: problem ?? 'No response.' }
    if (status >= 200 && status < 300) return { problem: null }
    const host = URL.parse(url)?.host ?? url
    return status >= 300 && status < 400
      ? { problem: `${host} redirects (${status}). Enter the URL that it redirects to.` }
      : { problem: `${host} responded with ${status} instead of a status from 200 to 299.` }
  }
}

const isWindows = process.platform === 'win32'
/** The number of characters that are kept of the end of a failed program's stderr. */
const maxErrorCharacters = 200

function runProgram(
  { program, args }: AlertTarget & { kind: 'command' },
  input: string,
  limitMs: number,
  signal: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    // A detached program has its own process group, which ends as a whole at the time limit.
    const child = spawn(program, [...args], {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: !isWindows,
      windowsHide: true,
    })
    let written = ''
    const kill = () => {
      if (child.pid === undefined) return
      try {
        if (isWindows) child.kill('SIGKILL')
        else process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The process has already ended.
      }
    }
    const end = (problem: string | null) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      child.stderr.destroy()
      resolve(problem)
    }
    const stop = () => {
      kill()
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      kill()
      end(`${program} did not end within ${limitMs / 1000} s, so Tondesk stopped it.`)
    }, limitMs)
    signal.addEventListener('abort', stop, { once: true })
    child.on('error', (error) => end(describeStartError(program, error)))
    child.on('exit', (code, killedBy) => {
      const reason = killedBy === null ? `exit code ${code}` : `signal ${killedBy}`
      const said = written.trim().slice(-maxErrorCharacters)
      if (code === 0) end(null)
      else end(`${program} failed with ${reason}${said === '' ? '.' : `: ${said}`}`)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      written = (written + chunk.toString()).slice(-2 * maxErrorCharacters)
    })
    // A program may end without reading its input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

function describeStartError(program: string, error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return `${program} was not found. Enter the full path of the program.`
  if (code === 'EACCES') return `${program} may not be executed. Check its permissions.`
  return `${program} could not be started (${code === '' ? error.message : code}).`
}
