import { describe, expect, it } from 'vitest'
import type { ConnectionStatus } from '../../../src-renderer/app/bridge.ts'
import { type SocketEvents, createWebTransport } from '../../../src-renderer/app/web-transport.ts'

type Answer = { status: number; body: unknown } | 'unreachable'

/** Simulates the server: the test sets its responses and the time. */
function createFar(options: { startToken?: string; session?: string } = {}) {
  const storage = new Map(
    options.session === undefined ? [] : [['tondesk.session', options.session]],
  )
  const sockets: { events: SocketEvents; sent: string[]; closed: boolean }[] = []
  const timers: { ms: number; run: () => void; off: boolean }[] = []
  const asked: { path: string; secret: string | null; body: unknown }[] = []
  const statuses: ConnectionStatus[] = []
  let answer = (path: string): Answer | Promise<Answer> =>
    path === '/session'
      ? { status: 200, body: { session: 'secret-1' } }
      : { status: 200, body: { ok: true, data: {} } }
  let token = options.startToken ?? null

  const transport = createWebTransport({
    async fetch(path, init) {
      const headers = new Headers(init.headers)
      asked.push({
        path,
        secret: headers.get('x-tondesk-session'),
        body: JSON.parse(init.body as string),
      })
      const given = await answer(path)
      if (given === 'unreachable') throw new TypeError('fetch failed')
      return Response.json(given.body, { status: given.status })
    },
    openSocket(events) {
      const socket = { events, sent: [] as string[], closed: false }
      sockets.push(socket)
      return {
        send: (text) => void socket.sent.push(text),
        close() {
          socket.closed = true
          events.closed()
        },
      }
    },
    storage: {
      getItem: (key) => storage.get(key) ?? null,
      setItem: (key, value) => void storage.set(key, value),
      removeItem: (key) => void storage.delete(key),
    },
    takeStartToken() {
      const taken = token
      token = null
      return taken
    },
    after(ms, run) {
      const timer = { ms, run, off: false }
      timers.push(timer)
      return () => {
        timer.off = true
      }
    },
  })

  return {
    transport,
    storage,
    sockets,
    asked,
    statuses,
    timers,
    start: () => transport.start((status) => void statuses.push(status)),
    answerWith(next: typeof answer) {
      answer = next
    },
    /** Lets all pending work continue. */
    settle: () => new Promise<void>((resolve) => setImmediate(resolve)),
    /** Runs the pending retry. */
    fire() {
      const timer = timers.findLast(({ off }) => !off)
      if (timer === undefined) throw new Error('nothing is waiting')
      timer.off = true
      timer.run()
    },
    /** The server accepts the session of the newest socket. */
    welcome() {
      const { events } = this.last()
      events.opened()
      events.message('[]')
    },
    last() {
      const socket = sockets.at(-1)
      if (socket === undefined) throw new Error('no socket yet')
      return socket
    },
  }
}

async function openFar(options: Parameters<typeof createFar>[0]) {
  const far = createFar(options)
  far.start()
  await far.settle()
  far.welcome()
  return far
}

describe('the session of browser mode', () => {
  it('the start token is exchanged once, however many requests run at the same time', async () => {
    const far = createFar({ startToken: 'start-1' })
    far.start()
    await Promise.all([
      far.transport.request('app.info', undefined),
      far.transport.request('capture.counts', undefined),
    ])
    expect(far.asked.filter(({ path }) => path === '/session')).toEqual([
      { path: '/session', secret: null, body: { start: 'start-1' } },
    ])
    expect(far.asked.filter(({ path }) => path === '/request').map(({ secret }) => secret)).toEqual(
      ['secret-1', 'secret-1'],
    )
  })

  it("the session's secret is the first message of the socket, and the connection is open after its acceptance", async () => {
    const far = await openFar({ startToken: 'start-1' })
    expect(far.last().sent).toEqual(['{"session":"secret-1"}'])
    expect(far.statuses).toEqual(['open'])
  })

  it('the session ends when the start token is used up and the tab has no session', async () => {
    const far = createFar({ startToken: 'old' })
    far.answerWith(() => ({ status: 403, body: {} }))
    far.start()
    await far.settle()
    expect(far.statuses).toEqual(['ended'])
    await expect(far.transport.request('app.info', undefined)).rejects.toMatchObject({
      code: 'SESSION_ENDED',
    })
  })

  it('the existing session is used when a used link is opened in the same tab', async () => {
    const far = createFar({ startToken: 'old', session: 'kept' })
    far.answerWith((path) =>
      path === '/session'
        ? { status: 403, body: {} }
        : { status: 200, body: { ok: true, data: {} } },
    )
    far.start()
    await far.settle()
    far.welcome()
    expect(far.statuses).toEqual(['open'])
    expect(far.last().sent).toEqual(['{"session":"kept"}'])
  })

  it('a 401 ends the session, deletes the secret and stops all retries', async () => {
    const far = await openFar({ session: 'kept' })
    far.answerWith(() => ({ status: 401, body: {} }))
    await expect(far.transport.request('app.info', undefined)).rejects.toMatchObject({
      code: 'SESSION_ENDED',
    })
    expect(far.statuses).toEqual(['open', 'ended'])
    expect(far.storage.size).toBe(0)
    expect(far.last().closed).toBe(true)
    expect(far.timers.filter(({ off }) => !off)).toEqual([])
  })

  it('the start token is not used up by a server that could not be reached', async () => {
    const far = createFar({ startToken: 'start-1' })
    far.answerWith(() => 'unreachable')
    far.start()
    await far.settle()
    expect(far.statuses).toEqual(['lost'])
    far.answerWith((path) =>
      path === '/session'
        ? { status: 200, body: { session: 's' } }
        : { status: 200, body: { ok: true, data: {} } },
    )
    far.fire()
    await far.settle()
    far.welcome()
    expect(far.statuses).toEqual(['lost', 'open'])
  })
})

describe('the reconnection of browser mode', () => {
  it('the delays between reconnections grow to four seconds, and start again after a success', async () => {
    const far = await openFar({ session: 'kept' })
    for (let round = 0; round < 6; round += 1) {
      far.last().events.closed()
      await far.settle()
      far.fire()
      await far.settle()
    }
    expect(far.timers.map(({ ms }) => ms)).toEqual([250, 500, 1000, 2000, 4000, 4000])
    far.welcome()
    far.last().events.closed()
    expect(far.timers.at(-1)?.ms).toBe(250)
    expect(far.statuses).toEqual(['open', 'lost', 'open', 'lost'])
  })

  it('the connection is not open before the server has accepted the session', async () => {
    const far = createFar({ session: 'kept' })
    far.start()
    await far.settle()
    far.last().events.opened()
    await far.settle()
    expect(far.statuses).toEqual([])
    far.last().events.message('[]')
    expect(far.statuses).toEqual(['open'])
  })

  it('a socket that is refused for its session ends the connection', async () => {
    const far = await openFar({ session: 'kept' })
    far.last().events.closed()
    far.fire()
    await far.settle()
    far.answerWith(() => ({ status: 401, body: {} }))
    far.last().events.opened()
    far.last().events.closed()
    await far.settle()
    expect(far.statuses).toEqual(['open', 'lost', 'ended'])
    expect(far.timers.filter(({ off }) => !off)).toEqual([])
  })

  it('a refused socket is retried while the session is valid', async () => {
    const far = await openFar({ session: 'kept' })
    far.last().events.closed()
    far.fire()
    await far.settle()
    far.last().events.closed()
    await far.settle()
    expect(far.statuses).toEqual(['open', 'lost'])
    expect(far.timers.filter(({ off }) => !off)).toHaveLength(1)
  })

  it('a closed socket delivers no more events', async () => {
    const far = await openFar({ session: 'kept' })
    const heard: unknown[] = []
    far.transport.on((messages) => void heard.push(...messages))
    const old = far.last()
    old.events.message('[{"name":"notice.changed","payload":{"notices":[]}}]')
    old.events.closed()
    far.fire()
    await far.settle()
    far.welcome()
    old.events.message('[{"name":"notice.changed","payload":{"notices":["late"]}}]')
    old.events.closed()
    expect(heard).toHaveLength(1)
    expect(far.statuses).toEqual(['open', 'lost', 'open'])
  })

  it('a late response to an earlier check does not start a second series of retries', async () => {
    const far = await openFar({ session: 'kept' })
    far.last().events.closed()
    far.fire()
    await far.settle()
    let release: (answer: Answer) => void = () => undefined
    far.answerWith(() => new Promise<Answer>((resolve) => (release = resolve)))
    far.last().events.closed()
    far.transport.retry()
    await far.settle()
    far.welcome()
    release({ status: 200, body: { ok: true, data: {} } })
    await far.settle()
    expect(far.statuses).toEqual(['open', 'lost', 'open'])
    expect(far.timers.filter(({ off }) => !off)).toEqual([])
  })
})

describe('the responses in browser mode', () => {
  it('a response envelope is returned unchanged, including an error', async () => {
    const far = await openFar({ session: 'kept' })
    const envelope = { ok: false, error: { code: 'INVALID_INPUT', message: 'No.' } }
    far.answerWith(() => ({ status: 200, body: envelope }))
    await expect(far.transport.request('settings.change', {})).resolves.toEqual(envelope)
  })

  it('a response that is no envelope is an INTERNAL error', async () => {
    const far = await openFar({ session: 'kept' })
    far.answerWith(() => ({ status: 502, body: 'bad gateway' }))
    await expect(far.transport.request('app.info', undefined)).rejects.toMatchObject({
      code: 'INTERNAL',
    })
  })
})
