/** The call log: the requests that reached the APIs, so that developers see the requests of their own code. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { unescape } from 'node:querystring'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import type { SandboxCall, sandboxCalls } from '../../src-preload/contract/sandbox.ts'
import type { callsInput, callsQuery } from '../../src-preload/contract/sandbox-control.ts'
import { isSecretHeader, maskSecret, maskTarget, redact } from '../../src-preload/domain/mask.ts'
import { readJson } from '../../src-preload/domain/read-json.ts'
import { maxCalls } from '../../src-preload/domain/sandbox-values.ts'
import { readAddress } from '../ton/address.ts'
import { readHash } from '../ton/hash.ts'
import type { NetworkName } from './chain/chain.ts'
import type { Clock } from './clock.ts'
import type { QueuedDelivery } from './deliver/delivery-queue.ts'
import { bodies } from './http.ts'
import type { ListenerRoot } from './listener.ts'
import type { CallStore } from './store/calls.ts'

type Query = z.infer<typeof callsQuery>

export type Calls = ReturnType<typeof createCalls>

/** A killed process loses the calls of this time. */
const writeMs = 250
const pollMs = 100
const maxText = 4096

export function createCalls(deps: {
  /** Null for a sandbox that stores nothing. */
  readonly store: CallStore | null
  readonly clock: Pick<Clock, 'now'>
  /** Keys that are never recorded, wherever a call contains them. */
  readonly secrets: () => readonly string[]
  readonly openDeliveries: (network: NetworkName) => readonly QueuedDelivery[]
  readonly onError: (error: unknown) => void
}) {
  const { store, clock } = deps
  let calls = store?.all() ?? []
  let last = calls.at(-1)?.number ?? 0
  let unwritten: SandboxCall[] = []
  let timer: NodeJS.Timeout | undefined
  let keepsBodies = false

  function hide(text: string): string {
    let hidden = text
    for (const secret of deps.secrets()) hidden = hidden.replaceAll(secret, '****')
    return hidden.slice(0, maxText)
  }

  function add(call: SandboxCall): void {
    last = call.number
    calls.push(call)
    if (calls.length > maxCalls) calls.shift()
    if (store === null) return
    unwritten.push(call)
    timer ??= setTimeout(write, writeMs).unref()
  }

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    try {
      if (unwritten.length > 0) store?.add(unwritten.splice(0), last - maxCalls + 1)
    } catch (error) {
      deps.onError(error)
    }
  }

  function select({ after, since = 0, limit, ...filter }: Query): SandboxCall[] {
    const from = Math.max(since, (after ?? -1) + 1)
    const found = calls.filter((call) => call.number >= from && isMatch(call, filter))
    return after === undefined ? found.slice(-limit).reverse() : found.slice(0, limit)
  }

  return {
    /** Records a request, except of the control API, once its response is sent or its connection is closed. */
    record: (
      request: IncomingMessage,
      response: ServerResponse,
      target: URL | null,
      root: ListenerRoot | undefined,
    ): void => {
      if (root?.name === 'control') return
      const { method = '', url = '', headers, socket } = request
      const { pathname = url.replace(/[?#].*/s, ''), searchParams = new URLSearchParams() } =
        target ?? {}
      const began = { at: Date.now(), chainAt: clock.now() }
      const [beganMs, sentBefore] = [performance.now(), socket.bytesWritten]
      const open = root === undefined ? [] : deps.openDeliveries(networkOf(root.name))
      response.once('close', () => {
        const body = bodies.get(request) ?? ''
        const json = body === '' ? undefined : readJson(body)
        add({
          number: last + 1,
          ...began,
          root: (root?.name ?? null) as SandboxCall['root'],
          method,
          template: root?.templateOf(method, pathname) ?? null,
          path: hide(redact(pathname)),
          queryNames: [...new Set(searchParams.keys())].slice(0, 50).map(hide),
          status: response.writableFinished ? response.statusCode : null,
          durationMs: Math.round((performance.now() - beganMs) * 10) / 10,
          requestBytes: Number(headers['content-length'] ?? Buffer.byteLength(body)),
          responseBytes: socket.bytesWritten - sentBefore,
          shape: json === undefined ? null : hide(JSON.stringify(shapeOf(json))),
          body: keepsBodies && json !== undefined ? hide(JSON.stringify(json, maskField)) : null,
          key: keyHint(headers.authorization, searchParams),
          client: hide(redact(headers['user-agent'] ?? '')),
          delivery: open.length === 0 ? null : inferDelivery(open, pathname, body),
        })
      })
    },
    /** Newest first. With `after`, oldest first, and the response waits for a match. */
    find: async (query: Query): Promise<z.infer<typeof sandboxCalls>> => {
      const until = performance.now() + query.waitMs
      let { after } = query
      let found = select(query)
      while (found.length === 0 && performance.now() < until) {
        after = last
        await sleep(pollMs, undefined, { ref: false })
        found = select({ ...query, after })
      }
      return { calls: found, last }
    },
    /** Bodies are recorded from now on, until the sandbox stops. */
    set: (change: z.infer<typeof callsInput>) => {
      keepsBodies = change.bodies
      return change
    },
    clear(): void {
      calls = []
      unwritten = []
      store?.clear()
    },
    close: write,
  }
}

const networkOf = (root: string): NetworkName =>
  root.startsWith('testnet-') ? 'testnet' : 'mainnet'

function isMatch(call: SandboxCall, filter: Partial<Query>): boolean {
  const { network, root, method, status, path, client } = filter
  const labels = [String(call.status ?? 'aborted'), `${String(call.status).slice(0, 1)}xx`]
  return (
    (network === undefined || (call.root !== null && networkOf(call.root) === network)) &&
    (root === undefined || call.root === root) &&
    (method === undefined || call.method === method) &&
    (status === undefined || labels.includes(status)) &&
    (path === undefined || call.path.includes(path)) &&
    (client === undefined || call.client.startsWith('Tondesk/') === (client === 'tondesk'))
  )
}

/** The last four characters of a key; none of other credentials. */
function keyHint(authorization = '', query: URLSearchParams): string | null {
  const [, bearer] = /^Bearer\s+(\S+)/i.exec(authorization) ?? []
  const key = bearer ?? query.get('token') ?? query.get('api_key')
  return key === null && authorization === '' ? null : maskSecret(key ?? '')
}

function maskField(name: string, value: unknown): unknown {
  if (isSecretHeader(name)) return '****'
  return typeof value === 'string' ? redact(maskTarget(value)) : value
}

/** Types instead of values; an array shows its first item. */
function shapeOf(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  if (depth === 10) return '…'
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => shapeOf(item, depth + 1))
  const fields = Object.entries(value).slice(0, 100)
  return Object.fromEntries(fields.map(([name, field]) => [name, shapeOf(field, depth + 1)]))
}

/** Fields of an event that a call may name. */
const subjects = [
  ['tx_hash', 'transaction'],
  ['id', 'invoice'],
  ['account_id', 'account'],
] as const

/** An open delivery is only a likely cause: the client may have sent the request for another reason. */
function inferDelivery(open: readonly QueuedDelivery[], path: string, body: string) {
  const texts = [...unescape(path).split('/'), ...body.split('"')]
  const named = new Set<unknown>(
    texts.map((text) => readHash(text) ?? readAddress(text)?.raw ?? text),
  )
  for (const [field, inferredFrom] of subjects) {
    const subjectOf = ({ body: event }: QueuedDelivery) =>
      Reflect.get(readJson(event) as object, field) as unknown
    const found = open.find((delivery) => named.has(subjectOf(delivery)))
    if (found !== undefined) return { id: found.id, eventType: found.eventType, inferredFrom }
  }
  return null
}
