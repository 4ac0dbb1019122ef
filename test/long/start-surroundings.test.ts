/** Tests starts in unusual surroundings: home, clock, language, and other users. */
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { connectLocalSocket } from '../../src-main/bridge/local-socket-client.ts'
import { localSocketPath } from '../../src-main/bridge/local-socket.ts'
import { startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { freePort } from '../fixtures/free-port.ts'
import { readOnly } from '../fixtures/small-disk.ts'
import {
  type Running,
  postDelivery,
  killAll,
  onUnix,
  startCommand,
} from '../main/command-line/cli-process.ts'

afterEach(killAll)

const anyPorts = ['--port', '0', '--receiver-port', '0']

/** Starts browser mode without opening a window. */
function serve(args: readonly string[], options: Parameters<typeof startCommand>[1] = {}): Running {
  return startCommand(['--no-open', '--json', '--without-sandbox', ...args], {
    entry: 'serve',
    ...options,
  })
}

async function ended(app: Running) {
  app.child.kill('SIGTERM')
  return app.exit
}

/** Returns the output of a route of the running app. */
async function ask<T>(dataDirectory: string, name: string, input?: unknown): Promise<T> {
  const client = await connectLocalSocket(localSocketPath(dataDirectory))
  if (client === null) throw new Error('The app is not running.')
  const envelope = await client.request(name, input)
  client.dispose()
  if (!envelope.ok) throw new Error(envelope.error.message)
  return envelope.data as T
}

type List = { rows: { receivedAt: number; kind: string | null }[] }

onUnix(
  'a start in a read-only home fails with the directory and the option to use another',
  async ({ skip }) => {
    using home = temporaryDirectory()
    using made = readOnly(home.path)
    if (made === null) return skip('This needs root on Linux, or a user who is not root.')
    const app = serve(anyPorts, { env: { HOME: home.path } })
    expect(await app.exit).not.toBe(0)
    expect(app.errors()).toContain(home.path)
    expect(app.errors()).toContain('--data-dir')
    // The home directory is not needed if another data directory is set.
    using elsewhere = temporaryDirectory()
    const other = serve([...anyPorts, '--data-dir', join(elsewhere.path, 'data')], {
      env: { HOME: home.path },
    })
    const { receiverUrl } = await other.json()
    expect(await postDelivery(receiverUrl, 1)).toBe(200)
    expect(await ended(other)).toBe(0)
  },
)

const nobody = 65_534
const asRoot = test.skipIf(process.getuid?.() !== 0)

asRoot(
  'a start on the data directory of another user is refused with a reason and changes no file',
  async () => {
    using directory = temporaryDirectory()
    const dataDirectory = join(directory.path, 'data')
    await (await startApp({ dataDirectory, receive: false })).app.dispose()
    const files = () => readdirSync(dataDirectory, { recursive: true }).toSorted()
    const before = files()
    const app = serve([...anyPorts, '--data-dir', dataDirectory], { userId: nobody })
    expect(await app.exit).not.toBe(0)
    expect(app.errors()).toContain('--data-dir')
    expect(files()).toEqual(before)
  },
)

asRoot(
  'for two users at once the second start uses other ports and says so, and each has its own deliveries',
  async () => {
    using ours = temporaryDirectory()
    const port = String(await freePort())
    const receiverPort = String(await freePort())
    const ports = ['--port', port, '--receiver-port', receiverPort]
    const first = serve([...ports, '--data-dir', join(ours.path, 'data')])
    const { receiverUrl } = await first.json()
    // A directory of the other user, like a home directory.
    using shared = temporaryDirectory()
    chmodSync(shared.path, 0o755)
    mkdirSync(join(shared.path, 'home'))
    chownSync(join(shared.path, 'home'), nobody, nobody)
    const dataDirectory = join(shared.path, 'home', 'data')
    const second = serve([...ports, '--data-dir', dataDirectory], {
      userId: nobody,
      env: { HOME: join(shared.path, 'home') },
    })
    const other = await second.json()
    expect(other['receiverUrl']).not.toBe(receiverUrl)
    expect(second.errors()).toContain(`Port ${port} is taken`)
    expect(await postDelivery(receiverUrl, 1)).toBe(200)
    expect(await postDelivery(other['receiverUrl'], 2)).toBe(200)
    const { rows } = await ask<List>(join(ours.path, 'data'), 'capture.list', {})
    expect(rows).toHaveLength(1)
    expect(await ended(second)).toBe(0)
    expect(await ended(first)).toBe(0)
  },
)

/** Changes every clock of the process, because the app’s threads load the module too. */
const clockAt = (moment: string) => `
  const shift = Date.parse(${JSON.stringify(moment)}) - Date.now()
  const Real = Date
  globalThis.Date = class Date extends Real {
    constructor(...parts) { parts.length === 0 ? super(Real.now() + shift) : super(...parts) }
    static now() { return Real.now() + shift }
  }
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shift })`

test.each(['1970-01-01T00:00:10Z', '2100-06-01T12:00:00Z'])(
  'an app with the clock at %s receives deliveries, and after the clock is corrected none is lost',
  async (moment) => {
    using directory = temporaryDirectory()
    const at = [...anyPorts, '--data-dir', directory.path]
    const app = serve(at, { preload: clockAt(moment) })
    const { receiverUrl } = await app.json()
    for (const lt of [1, 2, 3]) expect(await postDelivery(receiverUrl, lt)).toBe(200)
    await ask(directory.path, 'backup.create')
    const listed = await ask<List>(directory.path, 'capture.list', {})
    expect(
      listed.rows.map(({ receivedAt }) => new Date(receivedAt / 1000).getUTCFullYear()),
    ).toEqual(Array(3).fill(new Date(moment).getUTCFullYear()))
    expect(await ended(app)).toBe(0)
    // Detects a timer that is longer than Node supports and therefore fires at once, again and again.
    expect(app.errors()).toBe('')

    const again = serve(at)
    const ready = await again.json()
    expect(await postDelivery(ready['receiverUrl'], 4)).toBe(200)
    const { rows } = await ask<List>(directory.path, 'capture.list', {})
    // The newest arrival comes first, whatever times the others have.
    expect(rows).toHaveLength(4)
    expect(rows[0]?.receivedAt).toBeGreaterThan(Date.parse('2020-01-01') * 1000)
    expect(rows[0]?.receivedAt).toBeLessThan(Date.parse('2099-01-01') * 1000)
    expect(await ended(again)).toBe(0)
    expect(again.errors()).toBe('')
  },
)

/** The output of commands for the same deliveries in one language, without times. */
async function printedIn(language: string): Promise<string> {
  using directory = temporaryDirectory()
  const env = { LANG: `${language}.UTF-8`, LC_ALL: `${language}.UTF-8`, LANGUAGE: language }
  const app = serve([...anyPorts, '--data-dir', directory.path], { env })
  const { receiverUrl } = await app.json()
  for (const lt of [1_234_567, 2]) expect(await postDelivery(receiverUrl, lt)).toBe(200)
  const kinds = async () =>
    (await ask<List>(directory.path, 'capture.list', {})).rows.map(({ kind }) => kind)
  // Before classification a search finds fewer captures.
  await expect.poll(kinds).toEqual(['account_tx', 'account_tx'])
  const query = startCommand(
    ['captures', 'search', 'EVENT:ACCOUNT_TX', '--json', '--data-dir', directory.path],
    { env },
  )
  const lines = await query.rest()
  expect(await query.exit, query.errors()).toBe(0)
  const help = startCommand(['help'], { env })
  const all = [...lines, ...(await help.rest())].join('\n')
  expect(await ended(app)).toBe(0)
  return all.replaceAll(/"(receivedAt|durationUs|remoteAddress)":\s*("[^"]*"|\d+)/g, '')
}

let english: string | undefined

// Detects numbers in Arabic digits that scripts cannot parse, and the Turkish I, with which `EVENT`
// does not match `event`.
test.each(['tr_TR', 'ar_EG', 'ja_JP', 'de_CH'])(
  'in the language %s the output of commands is the same',
  async (language) => {
    english ??= await printedIn('en_US')
    expect(await printedIn(language)).toBe(english)
  },
)
