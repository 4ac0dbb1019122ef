/** The probe shows the handler's own state as JSON: a URL, or a command. */
import { parseJson } from '../../ton/lossless-json.ts'
import { messageOf } from '../../../src-preload/domain/app-error.ts'
import { runCommand } from './child.ts'
import { exchange } from './http.ts'

/** `problem` completes "the probe …"; null after a success. */
export type ProbeState = { readonly problem: string | null; readonly value: object }

const timeoutMs = 10_000
const maxBytes = 10_000_000

export const isUrl = (probe: string): boolean => /^https?:\/\//i.test(probe)

/** Without a probe, the state is always empty. */
export function createProbe(
  probe: string | undefined,
  env: Readonly<Record<string, string>>,
): () => Promise<ProbeState> {
  return async () => {
    if (probe === undefined) return failed('is not given: use --probe')
    try {
      const text = isUrl(probe)
        ? await request(probe)
        : await runCommand(probe, { env, timeoutMs, maxBytes })
      const value = parseJson(text)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        return { problem: null, value }
      }
      return failed('did not print a JSON object')
    } catch (error) {
      if (error instanceof SyntaxError) return failed('did not print JSON')
      return failed(`failed: ${messageOf(error)}`)
    }
  }
}

const failed = (problem: string): ProbeState => ({ problem, value: {} })

async function request(url: string): Promise<string> {
  const headers = { Accept: 'application/json' }
  const { status, body, isCut } = await exchange(url, {
    method: 'GET',
    headers,
    timeoutMs,
    maxBytes,
  })
  if (isCut) throw new Error(`the response has more than ${maxBytes / 1e6} MB`)
  if (status === 200) return body
  throw new Error(status === null ? body : `status ${status}`)
}

/**
 * Reads a value by its path. `undefined` if the probe does not show the first field; null if only a later one is
 * missing.
 */
export function valueAt(state: ProbeState, path: string | readonly string[]): unknown {
  const [first = '', ...rest] = typeof path === 'string' ? path.split('.') : path
  let found: unknown = ownField(state.value, first)
  if (found === undefined) return undefined
  for (const name of rest) found = ownField(found, name) ?? null
  return found
}

function ownField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}
