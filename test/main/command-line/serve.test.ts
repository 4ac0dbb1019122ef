import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { deadlines } from '../../deadlines.ts'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { afterEach, beforeEach, expect } from 'vitest'
import { localSocketPath } from '../../../src-main/bridge/local-socket.ts'
import { openRaw, sendAndReset } from '../../fixtures/raw-http.ts'
import { beginRequest } from '../../fixtures/slow-request.ts'
import {
  type Running,
  postDelivery,
  killAll,
  onLinux,
  onUnix,
  runCommand,
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

const at = () => ['--data-dir', directory.path]

function serve(
  args: string[] = ['--no-open'],
  env: Record<string, string> = {},
  preload?: string,
): Running {
  const ports = ['--port', '0', '--receiver-port', '0', '--without-sandbox']
  return startCommand(['--json', ...ports, ...at(), ...args], {
    entry: 'serve',
    env,
    ...(preload === undefined ? {} : { preload }),
  })
}

/** Returns the log of the data directory, one object per line. */
async function logged(): Promise<Record<string, string>[]> {
  const logs = join(directory.path, 'logs')
  const files = await Promise.all(
    (await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')),
  )
  return files
    .flatMap((text) => text.trim().split('\n'))
    .map((line) => JSON.parse(line) as Record<string, string>)
}

async function enter(appUrl: string): Promise<(name: string) => Promise<unknown>> {
  const { origin, hash } = new URL(appUrl)
  const headers = { Origin: origin, 'Content-Type': 'application/json' }
  const entered = await fetch(`${origin}/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ start: hash.replace('#start=', '') }),
  })
  expect(entered.status).toBe(200)
  const { session } = (await entered.json()) as { session: string }
  return async (name) => {
    const answer = await fetch(`${origin}/request`, {
      method: 'POST',
      headers: { ...headers, 'X-Tondesk-Session': session },
      body: JSON.stringify({ name }),
    })
    return answer.json()
  }
}

onUnix('serve prints both URLs, and its page shows the deliveries of the receiver', async () => {
  const app = serve()
  const ready = await app.json()
  expect(ready).toMatchObject({
    event: 'ready',
    appUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#start=[\w-]{22}$/) as string,
    receiverUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/hook\/[0-9a-f]{32}$/) as string,
    dataDirectory: directory.path,
    pid: app.child.pid,
  })
  const ask = await enter(String(ready['appUrl']))
  await postDelivery(ready['receiverUrl'], 1)
  expect(await ask('capture.counts')).toMatchObject({ ok: true, data: { total: 1 } })
  app.child.kill('SIGTERM')
  expect(await Promise.race([app.exit, after(deadlines.wait, 'hung', { ref: false })])).toBe(0)
})

onUnix(
  'serve ends with exit code 0 on SIGTERM, also if its connections take more than three seconds',
  async () => {
    const app = serve()
    const { receiverUrl } = await app.json()
    // An unfinished request to the command’s socket delays the end by a second, and an unfinished
    // delivery by two more.
    const command = connect(localSocketPath(directory.path)).on('error', () => undefined)
    await once(command, 'connect')
    command.write('GET /hello HTTP/1.1\r\n')
    const begun = await beginRequest(String(receiverUrl))
    app.child.kill('SIGTERM')
    expect(await app.exit).toBe(0)
    await begun[Symbol.asyncDispose]()
    expect(app.errors()).toBe('')
  },
)

onUnix('a session of a tab survives a restart of the app', async () => {
  const app = serve()
  const { appUrl, receiverUrl } = await app.json()
  const ask = await enter(String(appUrl))
  expect(await ask('app.restart')).toMatchObject({ ok: true })
  expect(await app.json()).toEqual({ event: 'restarted', receiverUrl })
  expect(await ask('app.info')).toMatchObject({ ok: true, data: { host: 'browser' } })
})

onUnix('a second serve and `open` print another URL of the running app, and end', async () => {
  const app = serve()
  const first = await app.json()
  const second = serve()
  const again = await second.json()
  expect(await second.exit).toBe(0)
  expect(again).toMatchObject({ receiverUrl: first['receiverUrl'], pid: app.child.pid })
  expect(again['appUrl']).not.toBe(first['appUrl'])
  const { code, lines } = await runCommand('open', '--no-open', ...at())
  expect(code).toBe(0)
  const url = lines[0]?.replace('Tondesk    ', '') ?? ''
  for (const each of [first['appUrl'], again['appUrl'], url]) await enter(String(each))
})

onUnix(
  'a CONNECT or upgrade request that is reset ends neither the receiver nor the window’s server',
  async () => {
    const app = serve()
    const { appUrl, receiverUrl } = await app.json()
    for (const [method, target, more] of [
      ['CONNECT', 'x:1', ''],
      ['GET', '/events', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
    ] as const) {
      const request = `${method} ${target} HTTP/1.1\r\n${more}\r\n`
      for (const url of [receiverUrl, appUrl]) {
        await sendAndReset(Number(new URL(String(url)).port), request, 10)
      }
    }
    expect(await postDelivery(receiverUrl, 1)).toBe(200)
    const ask = await enter(String(appUrl))
    expect(await ask('capture.counts')).toMatchObject({ ok: true, data: { total: 1 } })
    expect(app.child.exitCode).toBeNull()
    // Catches a connection that its sender keeps open after CONNECT, which once delayed the end.
    await using open = await openRaw(Number(new URL(String(receiverUrl)).port))
    open.socket.allowHalfOpen = true
    open.write('CONNECT x:1 HTTP/1.1\r\n\r\n')
    expect((await open.answer())?.status).toBe(404)
    app.child.kill('SIGTERM')
    expect(await app.exit).toBe(0)
  },
)

onUnix(
  'an uncaught error of a connection is logged, and an uncaught error of the program ends it with exit code 1',
  async () => {
    const broken = `{ errno: -104, code: 'ECONNRESET', syscall: 'read' }`
    const app = serve(
      ['--no-open'],
      {},
      `process.on('SIGUSR2', () => { throw Object.assign(new Error('read ECONNRESET'), ${broken}) })
     process.on('SIGWINCH', () => { throw new TypeError('a bug: Bearer c4n4ry in it') })`,
    )
    const { receiverUrl } = await app.json()
    app.child.kill('SIGUSR2')
    await expect.poll(logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringMatching(/continues/) as string,
      }),
    )
    expect(await postDelivery(receiverUrl, 1)).toBe(200)
    app.child.kill('SIGWINCH')
    expect(await app.exit).toBe(1)
    const last = (await logged()).at(-1)
    expect(last).toMatchObject({ level: 'fatal', scope: 'command' })
    expect(last?.['error']).toMatch(/^TypeError: a bug: Bearer \*\*\* in it\n +at /)
  },
)

onUnix('serve fails with the reason if its writer thread dies during the start', async () => {
  const dying = JSON.stringify(join(directory.path, 'dying'))
  // The writer ends after its first reply, to the call that starts it. The index waits until the
  // writer has ended.
  const app = serve(
    ['--no-open'],
    {},
    `import { existsSync, writeFileSync } from 'node:fs'
     import { parentPort, threadName } from 'node:worker_threads'
     if (threadName === 'tondesk-writer') {
       const post = parentPort.postMessage.bind(parentPort)
       parentPort.postMessage = (message) => {
         post(message)
         if ('answer' in message) setImmediate(() => {
           writeFileSync(${dying}, '')
           throw new Error('the disk is gone')
         })
       }
     }
     if (threadName === 'tondesk-index') {
       const pause = new Int32Array(new SharedArrayBuffer(4))
       while (!existsSync(${dying})) Atomics.wait(pause, 0, 0, 5)
     }`,
  )
  expect(await app.exit).toBe(1)
  expect(app.errors()).toMatch(
    /^tondesk: Captures can no longer be written, .*the disk is gone.*\n$/,
  )
  expect((await logged()).at(-1)).toMatchObject({ level: 'fatal' })
})

onUnix('serve continues when its standard output is closed, as after `| head -1`', async () => {
  const app = serve()
  const { appUrl, receiverUrl } = await app.json()
  const ask = await enter(String(appUrl))
  app.child.stdout.destroy()
  // Catches an app that ended here with exit code 0.
  expect(await ask('app.restart')).toMatchObject({ ok: true })
  expect(await ask('app.info')).toMatchObject({ ok: true })
  expect(await postDelivery(receiverUrl, 1)).toBe(200)
  expect(app.child.exitCode).toBeNull()
  app.child.kill('SIGTERM')
  expect(await app.exit).toBe(0)
})

onUnix(
  'serve exits with 3 and a reason if a command without a window uses the directory',
  async () => {
    const listen = startCommand(['listen', '--json', '--port', '0', ...at()])
    await listen.json()
    const second = serve()
    expect(await second.exit).toBe(3)
    expect(second.errors()).toContain('so no window can open')
  },
)

onLinux(
  'the browser’s arguments have no start token, and the file that has it is private and temporary',
  async () => {
    // A program that replaces the browser and writes its arguments to a file.
    const bin = join(directory.path, '..', 'bin')
    const said = join(bin, 'said')
    await mkdir(bin)
    await writeFile(
      join(bin, 'xdg-open'),
      `#!/bin/sh\necho "$*" > ${said}.new && mv ${said}.new ${said}\n`,
    )
    await chmod(join(bin, 'xdg-open'), 0o755)
    const env = { DISPLAY: ':0', PATH: `${bin}:${process.env['PATH'] ?? ''}` }
    await mkdir(directory.path, { mode: 0o700 })
    const stale = join(directory.path, `open-${'0'.repeat(16)}.html`)
    await writeFile(stale, 'of a process that was killed')

    const app = serve([], env)
    await app.json()
    await expect.poll(() => readFile(said, 'utf8')).not.toBe('')
    const file = (await readFile(said, 'utf8')).trim()
    expect(file).toMatch(/open-[0-9a-f]{16}\.html$/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await expect(stat(stale)).rejects.toThrow()
    const url = /url=([^"]+)"/.exec(await readFile(file, 'utf8'))?.[1] ?? ''
    expect(file).not.toContain(new URL(url).hash.replace('#start=', ''))

    await enter(url)
    await expect.poll(() => readdir(directory.path)).not.toContain(file.split('/').at(-1))
    app.child.kill('SIGINT')
    expect(await app.exit).toBe(0)
  },
)

onLinux(
  'without a display, serve starts no browser and prints that you can open the address',
  async () => {
    const app = serve([], { DISPLAY: '', WAYLAND_DISPLAY: '' })
    await app.json()
    await expect.poll(() => app.errors()).toContain('Open the address above')
  },
)

onUnix(
  'doctor reports the process that uses the directory, and fails if the data directory is a file',
  async () => {
    const app = serve()
    await app.json()
    const well = await runCommand('doctor', '--json', ...at())
    expect(well.code).toBe(0)
    const findings = well.lines.map((line) => JSON.parse(line) as Record<string, string>)
    expect(findings[0]).toMatchObject({ event: 'ready', dataDirectory: directory.path })
    for (const well of ['Node', 'Data directory', 'Held by', 'Database', 'Receiver']) {
      expect(findings).toContainEqual(expect.objectContaining({ check: well, status: 'ok' }))
    }
    expect(findings.find(({ check }) => check === 'Held by')?.['message']).toContain(
      `process ${app.child.pid}`,
    )
    const ill = await runCommand('doctor', '--data-dir', import.meta.filename)
    expect(ill.code).toBe(1)
    expect(ill.lines.join('\n')).toMatch(/^fail {2}Data directory .*is not a folder/m)
  },
)
