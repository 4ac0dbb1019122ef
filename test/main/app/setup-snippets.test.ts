/** Tests the receivers that the setup guide shows, started as a user would start them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { freePort } from '../../fixtures/free-port.ts'

const token = 'the-token-of-this-webhook'
const hash = (digit: string) => digit.repeat(64)

/** The start command of each language; `version` shows whether the language is installed here. */
const languages = [
  {
    file: 'receiver.mjs',
    version: [process.execPath, '--version'],
    start: () => [process.execPath],
  },
  { file: 'receiver.py', version: ['python3', '--version'], start: () => ['python3'] },
  { file: 'receiver.go', version: ['go', 'version'], start: () => ['go', 'run'] },
  {
    file: 'receiver.php',
    version: ['php', '--version'],
    start: (port: number) => ['php', '-S', `127.0.0.1:${port}`],
  },
].map((language) => {
  const [command = '', ...args] = language.version
  return { ...language, isHere: spawnSync(command, args).status === 0 }
})

type Receiver = { readonly output: () => string; readonly end: () => Promise<void> }

async function startReceiver(
  { file, start }: (typeof languages)[number],
  port: number,
  directory: string,
): Promise<Receiver> {
  const [command = '', ...args] = start(port)
  const path = resolve('src-renderer/components/start/snippets', file)
  const child: ChildProcess = spawn(command, [...args, path], {
    // The process must end together with the process that `go run` starts.
    detached: true,
    cwd: directory,
    env: {
      ...process.env,
      WEBHOOK_TOKEN: token,
      PORT: String(port),
      GOCACHE: join(directory, 'go'),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const exited = once(child, 'exit')
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const kill = () => isRunning() && process.kill(-(child.pid ?? 0), 'SIGTERM')
  onTestFinished(() => void kill())
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}`).then(
        ({ status }) => status,
        () => output,
      ),
    )
    // The receiver responds that GET is not allowed or not implemented.
    .toSatisfy((status) => status === 405 || status === 501)
  return {
    output: () => output,
    async end() {
      kill()
      await exited
    },
  }
}

for (const language of languages) {
  const name = `${language.file} verifies the token, handles a transaction once, also after a restart, and responds as documented`
  test.skipIf(!language.isHere)(name, async () => {
    using home = temporaryDirectory()
    const port = await freePort()
    const send = async (body: string, authorization?: string) =>
      (
        await fetch(`http://127.0.0.1:${port}`, {
          method: 'POST',
          body,
          ...(authorization !== undefined && { headers: { authorization } }),
        })
      ).status
    const event = (txHash: string) =>
      JSON.stringify({ event_type: 'account_tx', account_id: '0:ab', lt: 1, tx_hash: txHash })
    const right = `Bearer ${token}`
    const count = (text: string, part: string) => text.split(part).length - 1

    const first = await startReceiver(language, port, home.path)
    expect(await send(event(hash('a')))).toBe(401)
    expect(await send(event(hash('a')), 'Bearer another-token')).toBe(401)
    expect(await send(event(hash('a')), token)).toBe(401)
    expect(await send('{', right)).toBe(400)
    expect(await send('{"tx_hash":7}', right)).toBe(400)
    expect(await send('null', right)).toBe(400)
    expect(await send(event(hash('b')), right)).toBe(200)
    expect(await send(event(hash('b')), right)).toBe(200)
    await expect.poll(() => count(first.output(), hash('b'))).toBe(1)
    expect(first.output()).not.toContain(hash('a'))
    await first.end()

    const second = await startReceiver(language, port, home.path)
    expect(await send(event(hash('b')), right)).toBe(200)
    expect(await send(event(hash('c')), right)).toBe(200)
    await expect.poll(() => count(second.output(), hash('c'))).toBe(1)
    expect(second.output()).not.toContain(hash('b'))
    await second.end()
  })
}
