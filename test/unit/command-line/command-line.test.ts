import { expect, test } from 'vitest'
import { captureLine } from '../../../src-main/command-line/capture-line.ts'
import type { CommandBody, LazyCommand } from '../../../src-main/command-line/command.ts'
import { watchCaptures } from '../../../src-main/command-line/watch-captures.ts'
import { watchListening } from '../../../src-main/command-line/listen-watch.ts'
import { parseCommandLine } from '../../../src-main/command-line/parse.ts'
import type { Session } from '../../../src-main/command-line/session.ts'
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import type { EventMessage } from '../../../src-preload/contract/routes.ts'

const body: CommandBody = {
  options: {
    port: { type: 'string', value: 'N', description: '' },
    json: { type: 'boolean', description: '' },
  },
  detail: [],
  run: () => Promise.resolve(0),
}
const command = (name: string, args?: string, loaded = body): LazyCommand => ({
  name,
  summary: '',
  ...(args === undefined ? {} : { arguments: args }),
  load: () => Promise.resolve(loaded),
})
const commands = [command('listen'), command('backup', '[FILE]'), command('restore', 'FILE')]
const parse = (...argv: string[]) => parseCommandLine(argv, commands)

test('--data-dir is accepted before and after the command', async () => {
  for (const argv of [
    ['--data-dir', '/a', 'listen', '--json'],
    ['--data-dir=/a', 'listen', '--json'],
    ['listen', '--json', '--data-dir', '/a'],
  ]) {
    const parsed = await parse(...argv)
    expect(parsed).toMatchObject({ kind: 'run', dataDirectory: '/a', options: { json: true } })
  }
  expect(await parse('listen')).toMatchObject({ kind: 'run', dataDirectory: undefined })
  await expect(parse('listen', '--data-dir', '')).rejects.toThrow('--data-dir needs a folder.')
})

test('--help and --version take precedence over a command', async () => {
  expect(await parse()).toEqual({ kind: 'help', command: null })
  expect(await parse('--version')).toEqual({ kind: 'version' })
  expect(await parse('restore', '--help')).toMatchObject({
    kind: 'help',
    command: { name: 'restore' },
  })
  expect(await parse('help')).toEqual({ kind: 'help', command: null })
})

test('an option that can be repeated becomes a list', async () => {
  const options = { to: { type: 'string', multiple: true, description: '' } } as const
  const many = command('listen', undefined, { ...body, options })
  const parsed = await parseCommandLine(['listen', '--to', 'a', '--to', 'b'], [many])
  expect(parsed).toMatchObject({ options: {}, lists: { to: ['a', 'b'] } })
})

test('missing, extra and unknown arguments of a command are refused', async () => {
  expect(await parse('backup')).toMatchObject({ positionals: [] })
  expect(await parse('backup', 'a')).toMatchObject({ positionals: ['a'] })
  await expect(parse('restore')).rejects.toThrow('needs FILE')
  await expect(parse('listen', 'a')).rejects.toThrow('"a" is an extra argument')
  await expect(parse('toString')).rejects.toThrow('Unknown command "toString"')
})

const row = (change: Partial<CaptureRow> = {}): CaptureRow => ({
  id: 1,
  origin: 'received',
  receivedAt: 1_700_000_000_123_456,
  method: 'POST',
  subpath: '',
  bodyBytes: 193,
  completeness: 'complete',
  status: 200,
  durationUs: 100,
  token: 'unchecked',
  kind: 'account_tx',
  account: '0:ab',
  lt: '1',
  txHash: null,
  summary: '',
  duplicateOf: null,
  outOfOrder: false,
  pinned: false,
  note: '',
  network: null,
  meaning: {
    state: 'none',
    amount: null,
    sender: null,
    recipient: null,
    comment: null,
    opcode: null,
    exitCode: null,
    success: null,
    invoice: null,
  },
  message: '',
  payment: null,
  forward: null,
  ...change,
})

test('the line of a capture contains no control characters from its sender', () => {
  const line = captureLine(row({ account: '\u001b[2J\u009b31m\u0007\r\n' }))
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
})

test('the line of a capture ends with the irregularities of the delivery', () => {
  const odd = row({ completeness: 'partial', token: 'wrong', duplicateOf: 7, status: null })
  expect(captureLine(odd)).toMatch(/ {4}- +193 B {2}partial, token wrong, duplicate of 7$/)
})

test('the line of a capture has its date unless the capture arrived today', () => {
  const today = new Date()
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1, 9, 5, 7)
  const lineAt = (at: Date) => captureLine(row({ receivedAt: at.getTime() * 1000 }))
  expect(lineAt(new Date(2025, 0, 2, 9, 5, 7))).toMatch(/^2025-01-02 09:05:07\.000 {2}->/)
  expect(lineAt(yesterday)).toMatch(/^\d{4}-\d\d-\d\d 09:05:07\.000 /)
  expect(lineAt(today)).toMatch(/^\d\d:\d\d:\d\d\./)
})

/** Simulates a store that responds as the routes do. */
function storeOf(rows: CaptureRow[]) {
  let emit: (messages: readonly EventMessage[]) => void = () => undefined
  let questions = 0
  const session = {
    holder: null,
    on(listener: typeof emit) {
      emit = listener
      return Promise.resolve(() => undefined)
    },
    call(name: string, input: { after?: number; before?: number; limit: number }) {
      if (name === 'capture.counts') return Promise.resolve({ newestId: rows.at(-1)?.id ?? null })
      questions += 1
      const { after = 0, before = Infinity, limit } = input
      const found = rows.filter(({ id }) => id > after && id < before).toReversed()
      const page = found.slice(0, limit)
      const nextBefore = found.length > limit ? (page.at(-1)?.id ?? null) : null
      return Promise.resolve({ rows: page, nextBefore })
    },
  }
  return {
    // The session has only the calls that `followCaptures` needs.
    session: session as unknown as Session,
    questions: () => questions,
    added: () => emit([{ name: 'capture.added', payload: {} } as unknown as EventMessage]),
  }
}

async function follow(rows: CaptureRow[], now?: () => number) {
  const store = storeOf(rows)
  const printed: number[] = []
  const print = (one: CaptureRow) => {
    printed.push(one.id)
    return Promise.resolve()
  }
  const follower = await watchCaptures({
    session: store.session,
    print,
    onGone: () => undefined,
    ...(now === undefined ? {} : { now }),
  })
  follower.start()
  return { follower, printed, ...store }
}

const sequence = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('listen writes captures that fill more than a page once each, oldest first', async () => {
  const rows: CaptureRow[] = [row({ id: 3 })]
  const { follower, printed, added } = await follow(rows)
  rows.push(...sequence(4, 1800).map((id) => row({ id })))
  added()
  added()
  await follower.finish()
  expect(printed).toEqual(sequence(4, 1800))
})

test('a gap of deleted ids is crossed with fewer than 100 requests', async () => {
  const rows: CaptureRow[] = []
  const { follower, printed, added, questions } = await follow(rows)
  const ids = [...sequence(1, 3), ...sequence(5_000_000, 5_000_900)]
  rows.push(...ids.map((id) => row({ id })))
  added()
  await follower.finish()
  expect(printed).toEqual(ids)
  expect(questions()).toBeLessThan(100)
})

test('listen writes no captures from before its start', async () => {
  const { follower, printed } = await follow([row({ id: 1 }), row({ id: 2 })])
  await follower.finish()
  expect(printed).toEqual([])
})

test('a capture without an explanation delays the captures after it for at most ten seconds', async () => {
  const rows: CaptureRow[] = []
  let now = 1_700_000_000_123
  const { follower, printed, added } = await follow(rows, () => now)
  rows.push(row({ id: 1 }), row({ id: 2, kind: null }), row({ id: 3 }))
  added()
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  await settled()
  expect(printed).toEqual([1])
  now += 9_000
  added()
  await settled()
  expect(printed).toEqual([1])
  now += 1_001
  added()
  await settled()
  expect(printed).toEqual([1, 2, 3])
  await follower.finish()
})

test('listen reports sleep, a changed network, a stopped receiver and a broken tunnel, once each', async () => {
  const told: string[] = []
  let at = 0
  let network = 'home'
  let isListening = true
  let tunnelWorks = true
  const call = (name: string) => {
    if (name === 'receiver.start') isListening = true
    if (name === 'tunnel.check') {
      return { check: { url: 'https://a', ok: tunnelWorks, problem: tunnelWorks ? null : 'gone.' } }
    }
    return isListening
      ? { status: 'listening', port: 1, url: 'http://x', problem: null }
      : { status: 'failed', port: null, url: null, problem: 'taken' }
  }
  const watch = watchListening({
    session: { call: (name: string) => Promise.resolve(call(name)) } as unknown as Session,
    note: (text) => told.push(text),
    hasTunnel: true,
    now: () => at,
    interfaces: () => network,
    connects: () => Promise.resolve(isListening),
  })
  const look = async (ms = 5000) => {
    told.length = 0
    at += ms
    await watch.look()
    return told.join(' ')
  }
  // The first check has no earlier state to compare with.
  await look(0)
  expect(await look()).toBe('')
  expect(await look(3_600_000)).toMatch(
    /slept for 60 min.*receiver listens.*arrive through https:\/\/a/,
  )
  network = 'elsewhere'
  tunnelWorks = false
  expect(await look()).toMatch(/network has changed.*do not arrive through https:\/\/a: gone/)
  expect(await look(61_000 - 45_000)).toBe('')
  tunnelWorks = true
  expect(await look(15_000)).toBe('')
  isListening = false
  expect(await look()).toMatch(
    /is not listening: taken. Starting the receiver. The receiver is listening again/,
  )
  watch.stop()
})
