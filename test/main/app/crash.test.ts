import { deadlines } from '../../deadlines.ts'
/**
 * Browser mode after an uncaught error: its supervisor restarts it, and the next start reports the
 * error.
 */
import { setTimeout as after } from 'node:timers/promises'
import { afterEach, beforeEach, expect } from 'vitest'
import { readRunRecord } from '../../../src-main/app/run-record.ts'
import { localSocketPath } from '../../../src-main/bridge/local-socket.ts'
import { connectLocalSocket } from '../../../src-main/bridge/local-socket-client.ts'
import type { Output, RouteName } from '../../../src-preload/contract/routes.ts'
import {
  type Running,
  postDelivery,
  killAll,
  onUnix,
  startCommand,
  withDirectory,
} from '../command-line/cli-process.ts'

let directory: Awaited<ReturnType<typeof withDirectory>>

beforeEach(async () => {
  directory = await withDirectory()
})

afterEach(async () => {
  // The supervisor passes this signal on; `killAll` would leave its child running.
  const served = readRunRecord(directory.path)?.processId
  killAll()
  if (served !== undefined) kill(served, 'SIGKILL')
  await directory.remove()
})

function kill(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(processId, signal)
  } catch {
    // The process has already ended.
  }
}

// The stack quotes this source, so the canary is split into two parts.
const bug = `process.on('SIGWINCH', () => setImmediate(() => {
  throw new TypeError('a bug: Bearer c4' + 'n4ry in it')
}))`

function serve(entry: 'serve' | 'supervised'): Running {
  const ports = ['--port', '0', '--receiver-port', '0', '--without-sandbox']
  const args = ['--json', '--no-open', ...ports, '--data-dir', directory.path]
  return startCommand(args, { entry, preload: bug })
}

async function ask<N extends RouteName>(name: N, input?: unknown): Promise<Output<N>> {
  const client = await connectLocalSocket(localSocketPath(directory.path))
  if (client === null) throw new Error('The app does not answer.')
  try {
    const envelope = await client.request(name, input)
    if (!envelope.ok) throw new Error(envelope.error.message)
    return envelope.data as Output<N>
  } finally {
    client.dispose()
  }
}

/** Opens a session as a tab does. @returns the status of a request with it */
async function openTab(appUrl: string): Promise<() => Promise<number>> {
  const { origin, hash } = new URL(appUrl)
  const headers = { Origin: origin, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ start: hash.replace('#start=', '') })
  const entered = await fetch(`${origin}/session`, { method: 'POST', headers, body })
  const { session } = (await entered.json()) as { session: string }
  return async () => {
    const response = await fetch(`${origin}/request`, {
      method: 'POST',
      headers: { ...headers, 'X-Tondesk-Session': session },
      body: JSON.stringify({ name: 'app.info' }),
    })
    await response.arrayBuffer()
    return response.status
  }
}

// Catches a receiver that stays stopped or gets another URL, and tabs that must be opened again.
onUnix(
  'after an uncaught error the app restarts with the same URLs, for senders and for open tabs',
  async () => {
    const app = serve('supervised')
    const { appUrl, receiverUrl, pid } = await app.json()
    const tab = await openTab(String(appUrl))
    expect([await postDelivery(receiverUrl, 1), await tab()]).toEqual([200, 200])

    kill(Number(pid), 'SIGWINCH')
    expect(await app.json()).toMatchObject({ event: 'restarted', receiverUrl })
    expect([await postDelivery(receiverUrl, 2), await tab()]).toEqual([200, 200])
    const processId = readRunRecord(directory.path)?.processId
    expect(processId).not.toBe(pid)
    expect(app.errors()).toMatch(/ended unexpectedly .*Restarting now\./)

    expect(await ask('notice.list')).toMatchObject([
      {
        id: 'app.crashed',
        level: 'warning',
        detail: expect.stringContaining('TypeError') as string,
      },
    ])
    const { crash } = await ask('log.crash')
    expect(crash).toMatchObject({ error: 'TypeError: a bug: Bearer *** in it' })
    expect(crash?.report).not.toContain('c4n4ry')
    const { entries } = await ask('log.list', { level: 'fatal' })
    expect(entries).toMatchObject([{ level: 'fatal', scope: 'command' }])

    await ask('notice.dismiss', { id: 'app.crashed' })
    expect(await ask('notice.list')).toEqual([])
    // Catches a supervisor that restarts an app that the user ended.
    app.child.kill('SIGTERM')
    expect(await app.exit).toBe(0)
    expect(await app.rest()).toEqual([])
    expect(readRunRecord(directory.path)).toBeNull()
  },
)

onUnix(
  'a kill is reported once at the next start; a clean end and a failed start are not reported',
  async () => {
    const crashed = async () => {
      const app = serve('serve')
      await app.json()
      const notices = await ask('notice.list')
      return { app, ids: notices.map(({ id, level }) => `${id} ${level}`) }
    }
    const first = await crashed()
    expect(first.ids).toEqual([])
    first.app.child.kill('SIGKILL')
    await first.app.exit

    const second = await crashed()
    expect(second.ids).toEqual(['app.crashed info'])
    expect((await ask('log.crash')).crash).toMatchObject({ error: null })
    await ask('notice.dismiss', { id: 'app.crashed' })
    second.app.child.kill('SIGTERM')
    expect(await second.app.exit).toBe(0)

    const third = await crashed()
    expect(third.ids).toEqual([])
    third.app.child.kill('SIGTERM')
    expect(await third.app.exit).toBe(0)
  },
)

// Catches a supervisor that endlessly restarts an app that cannot start.
onUnix('a start that fails under the supervisor is not repeated', async () => {
  const app = startCommand(['--json', '--no-open', '--port', 'x', '--data-dir', directory.path], {
    entry: 'supervised',
  })
  expect(await Promise.race([app.exit, after(deadlines.wait, 'hung', { ref: false })])).toBe(2)
  expect(app.errors()).not.toContain('Restarting')
})
