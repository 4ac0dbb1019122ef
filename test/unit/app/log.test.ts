import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLog } from '../../../src-main/app/log.ts'
import { redact } from '../../../src-preload/domain/mask.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

const noon = () => new Date('2026-11-20T12:00:00Z')
const secret = 'c4n4ry-0123456789abcdef'

test.each([
  `Authorization: Bearer ${secret}`,
  `authorization: bearer   ${secret}`,
  `GET /events?token=${secret}&limit=5`,
  `https://gateway.example/?api_key=${secret}`,
  `POST http://127.0.0.1:4801/hook/${secret}/invoices`,
  JSON.stringify({ url: `http://127.0.0.1:4801/hook/${secret}` }),
])('a credential in a quoted request is not written to the log: %s', (text) => {
  expect(redact(text)).not.toContain(secret)
})

const base64 = 'c4n4ry/9+Zz/Q==/x'

test.each([
  `Authorization: Bearer ${base64}`,
  `authorization: Basic ${base64}`,
  `Authorization: AWS4-HMAC ${base64}`,
  `{"authorization":"Bearer ${base64}"}`,
  `GET /events?token=${base64}&limit=5`,
  `apikey=${base64}`,
  `the secret whsec_${base64} is wrong`,
  JSON.stringify({ message: `said "whsec_${base64}"` }),
  JSON.stringify({ message: `said "Bearer ${base64}"` }),
])('a credential in base64 is masked completely, including its slashes: %s', (text) => {
  const masked = redact(text)
  for (const part of base64.split(/[^a-zA-Z0-9]+/).filter((each) => each.length > 1)) {
    expect(masked).not.toContain(part)
  }
  // The masked line is still JSON.
  if (text.startsWith('{')) expect(() => JSON.parse(masked) as unknown).not.toThrow()
})

test.each([
  [`https://api.telegram.org/bot123456:AAE_${secret}/sendMessage`, '/bot***/sendMessage'],
  [`https://discord.com/api/webhooks/12/${secret}?wait=1`, '/api/webhooks/12/***?wait=1'],
  [`https://hooks.slack.com/services/T0A/B0B/${secret}`, '/services/T0A/B0B/***'],
  [`postgres://ada:${secret}@db.example/x`, 'postgres://***@db.example/x'],
])('a credential in a path or before a host is masked: %s', (text, masked) => {
  expect(redact(text)).not.toContain(secret)
  expect(redact(text)).toContain(masked)
})

test('text without a credential is not masked', () => {
  const text = 'POST /hook/***/invoices?limit=5 bears the tokens of 3 webhooks'
  expect(redact(text)).toBe(text)
})

test('each log entry is one line of JSON, whatever it contains', () => {
  using directory = temporaryDirectory()
  const log = createLog(directory.path, noon)
  log.write('info', 'two\nlines', { count: 2, nothing: null })
  log.scope('receiver').write('warn', 'another')
  const lines = readFileSync(join(directory.path, '2026-11-20.log'), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      time: '2026-11-20T12:00:00.000Z',
      level: 'info',
      scope: 'app',
      message: 'two\nlines',
      count: 2,
      nothing: null,
    },
    {
      time: '2026-11-20T12:00:00.000Z',
      level: 'warn',
      scope: 'receiver',
      message: 'another',
    },
  ])
})

test('an error is logged with its causes and without a quoted credential', () => {
  using directory = temporaryDirectory()
  const cause = new Error(`refused for Bearer ${secret}`)
  createLog(directory.path, noon).failure('failed', new Error('outer', { cause }), { route: 'a.b' })
  const text = readFileSync(join(directory.path, '2026-11-20.log'), 'utf8')
  expect(text).toContain('outer')
  expect(text).toContain('caused by refused for')
  expect(text).toContain('a.b')
  expect(text).not.toContain(secret)
})

test('a circular chain of causes does not hang the log', () => {
  using directory = temporaryDirectory()
  const error = new Error('circle')
  error.cause = error
  createLog(directory.path, noon).failure('failed', error)
  expect(readdirSync(directory.path)).toEqual(['2026-11-20.log'])
})

test('log files older than two weeks are deleted, and foreign files stay', () => {
  using directory = temporaryDirectory()
  for (let day = 1; day <= 20; day += 1) {
    writeFileSync(join(directory.path, `2026-10-${String(day).padStart(2, '0')}.log`), '')
  }
  writeFileSync(join(directory.path, 'notes.txt'), 'mine')
  createLog(directory.path, noon).write('info', 'hello')
  const left = readdirSync(directory.path)
  expect(left).toContain('notes.txt')
  expect(left.filter((name) => name.endsWith('.log')).length).toBeLessThanOrEqual(15)
  expect(left).not.toContain('2026-10-01.log')
})

test('a log file that has reached its size limit does not grow', () => {
  using directory = temporaryDirectory()
  const file = join(directory.path, '2026-11-20.log')
  writeFileSync(file, Buffer.alloc(11 * 1024 * 1024))
  createLog(directory.path, noon).write('error', 'again')
  expect(statSync(file).size).toBe(11 * 1024 * 1024)
})

test('a log that cannot be written never throws', () => {
  using directory = temporaryDirectory()
  const taken = join(directory.path, 'logs')
  writeFileSync(taken, 'a file stands here')
  expect(() => createLog(taken, noon).write('error', 'lost')).not.toThrow()
})

test('log files are readable by their owner only', { skip: process.platform === 'win32' }, () => {
  using directory = temporaryDirectory()
  const logs = join(directory.path, 'logs')
  mkdirSync(directory.path, { recursive: true })
  createLog(logs, noon).write('info', 'hello')
  expect(statSync(logs).mode & 0o777).toBe(0o700)
  expect(statSync(join(logs, '2026-11-20.log')).mode & 0o777).toBe(0o600)
})
