/** Tests the commands for captures with one `listen` process that holds the directory. */
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { connectLocalSocket } from '../../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../../src-main/bridge/local-socket.ts'
import type { Terminal } from '../../../src-main/command-line/command.ts'
import { parseCommandLine } from '../../../src-main/command-line/parse.ts'
import { commands } from '../../../src-main/command-line/run.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { openScriptedServer, type ScriptedServer } from '../../fixtures/scripted-server.ts'
import { checkLine } from '../../fixtures/published-output.ts'
import {
  type Running,
  postDelivery,
  killAll,
  onUnix,
  startCommand,
  withDirectory,
} from './cli-process.ts'

let directory: Awaited<ReturnType<typeof withDirectory>>
let target: ScriptedServer
let listening: Running
let url: unknown

beforeAll(async () => {
  directory = await withDirectory()
  target = await openScriptedServer()
  target.answer = (_request, response) => response.writeHead(204).end()
  const forward = ['--forward', `${target.origin}/in`, '--filter', 'event:account_tx']
  listening = command('listen', '--json', '--port', '0', ...forward)
  url = (await listening.json())['receiverUrl']
  expect(await postDelivery(url, '9007199254740993')).toBe(200)
})

afterAll(async () => {
  killAll()
  await target[Symbol.asyncDispose]()
  await directory.remove()
})

const command = (...args: string[]) => startCommand([...args, '--data-dir', directory.path])

/**
 * Runs a command in this process, which calls the app that holds the directory, because a separate
 * process would take a second.
 */
async function ran(...args: string[]) {
  const asked = await parseCommandLine(args, commands)
  if (asked.kind !== 'run') throw new Error('no command')
  const lines: string[] = []
  const notes: string[] = []
  const { options, lists, positionals } = asked
  const at = { dataDirectory: directory.path, isDirectoryGiven: true }
  const stop = new AbortController().signal
  const terminal: Terminal = {
    print(line) {
      checkLine(args, line)
      return Promise.resolve(void lines.push(line))
    },
    write: (bytes) => Promise.resolve(void lines.push(Buffer.from(bytes).toString())),
    note: (line) => void notes.push(line),
    ask: () => Promise.resolve(null),
    readSecret: () => Promise.resolve(''),
    closed: stop,
  }
  const given = { ...at, options, lists, positionals, terminal, stop }
  const code = await asked.command.run(given).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    notes.push(error.message)
    return error.code
  })
  return { code, lines, errors: notes.join('\n') }
}

const parsed = (lines: readonly string[]) =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>)

onUnix(
  'listen prints one line for a capture and one line for the result of its forwarding',
  async () => {
    expect(await listening.json()).toMatchObject({
      event: 'capture',
      id: 1,
      lt: '9007199254740993',
    })
    expect(await listening.json()).toMatchObject({
      event: 'forwarded',
      capture: 1,
      target: `${target.origin}/in`,
      status: 204,
      try: 1,
      state: 'delivered',
    })
    expect(target.seen[0]?.body).toContain('9007199254740993')
  },
)

onUnix(
  'captures are searched, shown, replayed, exported and imported, and each command prints its result as JSON',
  async () => {
    const found = await ran('captures', 'search', 'lt:9007199254740993', '--json')
    expect(parsed(found.lines)).toMatchObject([{ event: 'capture', id: 1, kind: 'account_tx' }])

    const shown = await ran('captures', 'show', '1')
    expect(shown.lines.join('\n')).toMatch(/^lt +9007199254740993$/m)
    expect(shown.lines.join('\n')).toMatch(/"lt":9007199254740993/)
    const whole = await ran('captures', 'show', '1', '--json')
    expect(parsed(whole.lines)).toMatchObject([{ event: 'capture', id: 1 }])

    const before = target.seen.length
    const to = ['--to', `${target.origin}/again`]
    const replayed = await ran('captures', 'replay', '1', ...to, '--times', '3', '--json')
    expect(replayed).toMatchObject({ code: 0 })
    expect(parsed(replayed.lines)).toMatchObject([{ event: 'replayed', sent: 3, delivered: 3 }])
    expect(target.seen.slice(before).map((seen) => seen.url)).toEqual(Array(3).fill('/again'))

    const file = join(directory.path, 'x.har')
    const exported = await ran(
      'captures',
      'export',
      '--query',
      'event:account_tx',
      '-o',
      file,
      '--json',
    )
    expect(parsed(exported.lines)).toMatchObject([{ event: 'exported', captures: 1 }])
    expect(await readFile(file, 'utf8')).toContain('"version":"1.2"')
    expect(await ran('captures', 'export', '1', '-o', file)).toMatchObject({
      code: 'TARGET_EXISTS',
    })

    // Catches tokens in a file that every user of the computer can read.
    const revealed = join(directory.path, 'revealed.har')
    expect(await ran('captures', 'export', '1', '--reveal', '-o', revealed)).toMatchObject({
      code: 0,
    })
    expect((await stat(revealed)).mode & 0o777).toBe(0o600)

    const imported = await ran('import', file, '--json')
    expect(parsed(imported.lines)).toMatchObject([
      { event: 'imported', format: 'har', imported: 1 },
    ])
    const bad = join(directory.path, 'bad.har')
    await writeFile(bad, 'PK')
    expect(await ran('import', bad)).toMatchObject({ code: 'IMPORT_FAILED', lines: [] })
  },
)

onUnix(
  'export -o - writes only the file to standard output, and import - reads the file from standard input',
  async () => {
    const file = join(directory.path, 'first.jsonl')
    expect(await ran('captures', 'export', '1', '-o', file)).toMatchObject({ code: 0 })
    const piped = command('captures', 'export', '1', '--format', 'jsonl', '-o', '-')
    const lines = await piped.rest()
    expect(await piped.exit).toBe(0)
    const input = await readFile(file, 'utf8')
    // The explanation of a capture may become known between the two exports.
    const { meaning: _, ...capture } = parsed(input.trimEnd().split('\n'))[0] ?? {}
    expect(parsed(lines)).toMatchObject([capture])
    expect(existsSync('-')).toBe(false)

    const reading = startCommand(['import', '-', '--json', '--data-dir', directory.path], { input })
    expect(await reading.json()).toMatchObject({ event: 'imported', format: 'jsonl', imported: 1 })
    expect(await reading.exit).toBe(0)
    const empty = command('import', '-')
    expect([await empty.rest(), await empty.exit]).toEqual([[], 1])
    expect(empty.errors()).toContain('“standard input” is empty')
  },
)

onUnix(
  'wait ends with the first matching capture, with exit code 4 after the timeout, and with 2 for an invalid query',
  async () => {
    let hasEnded = false
    const waiting = ran('wait', '--filter', 'lt:77', '--timeout', '10m', '--json').finally(
      () => (hasEnded = true),
    )
    // A delivery before `wait` does not count, so the test sends deliveries until `wait` ends.
    const deliverBoth = async () => {
      await postDelivery(url, 76)
      await postDelivery(url, 77)
      return hasEnded
    }
    await expect.poll(deliverBoth, { interval: 20 }).toBe(true)
    const { code, lines } = await waiting
    expect(code).toBe(0)
    expect(parsed(lines)).toMatchObject([{ event: 'ready' }, { event: 'capture', lt: '77' }])
    expect(await ran('wait', '--filter', 'lt:78', '--timeout', '1s')).toMatchObject({ code: 4 })
    const wrong = await ran('wait', '--filter', 'lt:>', '--timeout', '1s')
    expect(wrong).toMatchObject({
      code: 'USAGE',
      errors: expect.stringMatching(/^--filter: /) as string,
    })
  },
)

onUnix(
  'a forwarding rule of listen is deleted when the command ends, or by the next listen after a kill',
  async () => {
    const rules = async () => {
      const client = await connectLocalSocket(localSocketPath(directory.path))
      const answer = await client?.request('forwardRule.list')
      client?.dispose()
      return (answer?.ok === true ? (answer.data as { targets: string[] }[]) : []).flatMap(
        ({ targets }) => targets,
      )
    }
    const second = command('listen', '--json', '--forward', `${target.origin}/second`)
    await second.json()
    expect(await rules()).toEqual([`${target.origin}/in`, `${target.origin}/second`])
    second.child.kill('SIGKILL')
    await second.exit
    const third = command('listen', '--json', '--forward', `${target.origin}/third`)
    await third.json()
    expect(await rules()).toEqual([`${target.origin}/in`, `${target.origin}/third`])
    third.child.kill('SIGINT')
    expect(await third.exit).toBe(0)
    expect(await rules()).toEqual([`${target.origin}/in`])
  },
)
