import { setTimeout as after } from 'node:timers/promises'
import { deadlines } from '../../deadlines.ts'
import { afterEach, beforeEach, expect } from 'vitest'
import { connectLocalSocket } from '../../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../../src-main/bridge/local-socket.ts'
import {
  type Running,
  postDelivery,
  killAll,
  onUnix,
  startCommand,
  withDirectory,
} from './cli-process.ts'

let directory: Awaited<ReturnType<typeof withDirectory>>

beforeEach(async () => {
  directory = await withDirectory()
})

afterEach(async () => {
  killAll()
  await directory.remove()
})

async function listen(...args: string[]): Promise<{ command: Running; url: unknown }> {
  const command = startCommand([
    'listen',
    '--json',
    '--port',
    '0',
    '--data-dir',
    directory.path,
    ...args,
  ])
  const ready = await command.json()
  expect(ready['event']).toBe('ready')
  return { command, url: ready['receiverUrl'] }
}

async function end(command: Running): Promise<Record<string, unknown>[]> {
  command.child.kill('SIGINT')
  const lines = await command.rest()
  expect(await command.exit).toBe(0)
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

onUnix(
  'listen prints its URL, then each delivery with its explanation as a JSON line, and ends cleanly on Ctrl-C',
  async () => {
    const { command, url } = await listen()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/hook\/[0-9a-f]{32}$/)
    expect(await postDelivery(url, '9007199254740993')).toBe(200)
    expect(await command.json()).toMatchObject({
      event: 'capture',
      id: 1,
      method: 'POST',
      status: 200,
      kind: 'account_tx',
      lt: '9007199254740993',
      account: '0:ab',
    })
    expect(await end(command)).toEqual([])
    expect(command.errors()).toBe('')
  },
)

onUnix('without --json a delivery is a line of time, kind, account, status and size', async () => {
  const command = startCommand(['listen', '--port', '0', '--data-dir', directory.path])
  const url = (await command.line())?.replace('Receiver   ', '')
  await postDelivery(url, 5, `0:${'ab'.repeat(32)}`)
  expect(await command.line()).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} {2}-> {2}#1 {7}account_tx {5}0:abab…ababab {2}200 +\d+ B$/,
  )
})

onUnix('deliveries that got a response before Ctrl-C are printed', async () => {
  const { command, url } = await listen()
  const wanted = Array.from({ length: 200 }, (_, index) => index + 1)
  await Promise.all(wanted.map((lt) => postDelivery(url, lt)))
  expect((await end(command)).map(({ id }) => id)).toEqual(wanted)
})

onUnix(
  'a second listen uses the app of the first, and both print every capture once, in order',
  async () => {
    const first = await listen()
    await postDelivery(first.url, 1)
    expect((await first.command.json())['lt']).toBe('1')

    const second = await listen()
    expect(second.url).toBe(first.url)
    expect(second.command.errors()).toContain('--port has no effect')
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(
        Array.from({ length: 50 }, (_, i) => postDelivery(first.url, batch * 50 + i + 2)),
      )
    }
    const heard = await end(second.command)
    expect(heard.map(({ id }) => id)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 2))
    expect((await end(first.command)).map(({ id }) => id)).toEqual(heard.map(({ id }) => id))
  },
)

onUnix('a reader of the output that stalls delays no delivery and misses none', async () => {
  const { command, url } = await listen()
  command.child.stdout.pause()
  const statuses: number[] = []
  for (let batch = 0; batch < 30; batch += 1) {
    const answers = Array.from({ length: 50 }, (_, i) => postDelivery(url, batch * 50 + i + 1))
    statuses.push(...(await Promise.all(answers)))
  }
  expect(statuses.every((status) => status === 200)).toBe(true)
  const ids: unknown[] = []
  while (ids.length < 1500) ids.push((await command.json())['id'])
  expect(ids).toEqual(Array.from({ length: 1500 }, (_, i) => i + 1))
})

onUnix(
  'listen ends with exit code 0 when the reader of its output closes, as after `| head`',
  async () => {
    const { command, url } = await listen()
    command.child.stdout.destroy()
    await postDelivery(url, 1)
    expect(await Promise.race([command.exit, after(deadlines.wait, 'hung', { ref: false })])).toBe(
      0,
    )
    expect(command.errors()).toBe('')
  },
)

onUnix('listen still prints all captures if Ctrl-C arrives twice, as through npm', async () => {
  const { command, url } = await listen()
  await postDelivery(url, 1)
  command.child.kill('SIGINT')
  command.child.kill('SIGTERM')
  expect((await command.rest()).join('\n')).toContain('"lt":"1"')
  expect(await command.exit).toBe(0)
})

onUnix('listen starts the stopped receiver of a running app, and reports that', async () => {
  const first = await listen()
  const client = await connectLocalSocket(localSocketPath(directory.path))
  await client?.request('receiver.stop')
  const second = await listen()
  expect(second.command.errors()).toContain('has been started')
  expect(await postDelivery(second.url, 1)).toBe(200)
  expect((await second.command.json())['lt']).toBe('1')
  client?.dispose()
  await end(first.command)
})

onUnix('listen ends with an error when the app that it uses ends', async () => {
  const first = await listen()
  const second = await listen()
  await end(first.command)
  expect(await second.command.exit).toBe(1)
  expect(second.command.errors()).toContain('Tondesk has ended')
})

onUnix('a killed listen releases the directory, and its captures remain', async () => {
  const first = await listen()
  await postDelivery(first.url, 1)
  first.command.child.kill('SIGKILL')
  await first.command.exit
  const second = await listen()
  await postDelivery(second.url, 2)
  expect(await second.command.json()).toMatchObject({ id: 2, lt: '2' })
  await end(second.command)
})
