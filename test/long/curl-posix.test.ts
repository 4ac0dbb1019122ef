import { spawn, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { type Hook, type ReadBackCapture, capturesOf, hookOf } from '../fixtures/hook.ts'
import { sendRaw, sendUntilClosed } from '../fixtures/raw-http.ts'

const here = ['bash', 'curl', 'base64'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
)
const place = temporaryDirectory()
/** The file that a command would create if its text were executed as code. */
const trap = join(place.path, 'trap')
let app: TestApp
let hook: Hook
beforeAll(async () => {
  app = await startApp()
  hook = await hookOf(app)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  place[Symbol.dispose]()
})

/**
 * Runs the command as if it were pasted into a shell, without settings of this computer that could change it.
 */
function run(command: string): Promise<{ status: number | null; output: string }> {
  const env = { PATH: process.env['PATH'], HOME: place.path }
  // The command is in a file, because a pasted command may be longer than an argument can be.
  const script = join(place.path, 'pasted')
  writeFileSync(script, command)
  const child = spawn('bash', [script], { env, cwd: place.path })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  return new Promise((resolve) => {
    child.on('close', (status) => resolve({ status, output }))
  })
}

type Original = {
  readonly request?: string
  readonly headers?: readonly string[]
  readonly body?: string | Buffer
}

async function capture({
  request = 'POST /',
  headers = [],
  body,
}: Original): Promise<ReadBackCapture> {
  const [method = '', below = '', version = '1.1'] = request.split(' ')
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.alloc(0))
  const chunked = headers.some((line) => /^transfer-encoding:/i.test(line))
  const lengthLine = body === undefined || chunked ? [] : [`Content-Length: ${bytes.length}`]
  const lines = [...headers, ...lengthLine].map((line) => `${line}\r\n`).join('')
  const sent = chunked ? [`${bytes.length.toString(16)}\r\n`, bytes, '\r\n0\r\n\r\n'] : [bytes]
  const [kept] = await capturesOf(app, 1, async () => {
    const head = `${method} ${hook.path}${below} HTTP/${version}\r\n${lines}\r\n`
    expect((await sendRaw(hook.port, head, ...sent)).status).toBe(200)
  })
  if (kept === undefined) throw new Error('not captured')
  return kept
}

async function runAgain(original: ReadBackCapture, command: string): Promise<ReadBackCapture> {
  let ran: Awaited<ReturnType<typeof run>> | undefined
  const [again] = await capturesOf(app, 1, async () => {
    ran = await run(command)
  })
  expect(ran?.status, ran?.output).toBe(0)
  if (again === undefined) throw new Error(`not captured again: ${ran?.output ?? ''}`)
  expect(again.id).toBe(original.id + 1)
  return again
}

const sent = (kept: ReadBackCapture) => ({
  method: kept.method,
  target: kept.target,
  httpVersion: kept.httpVersion,
  headers: kept.headers,
  body: kept.body.toString('latin1'),
})

const usual = ['Host: hooks.example.org', 'User-Agent: gateway/1.0', 'Accept: */*']
const json = [...usual, 'Content-Type: application/json']
const binary = Buffer.from(Array.from({ length: 256 }, (_, value) => value))

const originals: readonly (readonly [string, Original])[] = [
  ['a webhook', { headers: json, body: '{"lt": 9007199254740993,\n "amount":1.50}\n' }],
  ['a body that names a file', { headers: json, body: '@/etc/passwd' }],
  ['a body that is @ alone', { headers: json, body: '@' }],
  ['a body that names standard input', { headers: json, body: '@-' }],
  ['a body like an option', { headers: json, body: '--output trap' }],
  ['a body that redirects', { headers: json, body: `< /etc/passwd > ${trap}` }],
  ['single quotes', { headers: json, body: "'it''s' \\'quoted\\' '" }],
  ['double quotes and backslashes', { headers: json, body: '"\\"\\\\" \\n \\x41 \\u00e9 \\' }],
  ['line breaks', { headers: json, body: 'a\nb\r\nc\rd\n\n' }],
  ['a trailing line break', { headers: json, body: 'a\n' }],
  ['a line break alone', { headers: json, body: '\n' }],
  ['a command', { headers: json, body: `$(touch ${trap}) \`touch ${trap}\` \${HOME} $HOME` }],
  ['the end of a quote', { headers: json, body: `'; touch ${trap}; '` }],
  ['the end of a here-document', { headers: json, body: `\0\nEOF\ntouch ${trap}\n` }],
  ['history expansion', { headers: json, body: '!! !$ !touch' }],
  ['percent signs', { headers: json, body: '%PATH% %s %n %%' }],
  ['emoji', { headers: json, body: '{"a":"😀👩‍👩‍👧é\u2028"}' }],
  ['Latin-1 range as UTF-8', { headers: json, body: 'é\u0080\u00ff' }],
  ['right-to-left and invisible', { headers: json, body: '\u202egnp.exe\u200b\ufeff' }],
  ['control characters', { headers: json, body: 'a\tb\x1b[31mc\x07\x08\x7f' }],
  ['NUL bytes', { headers: json, body: '\0a\0' }],
  ['every byte', { headers: json, body: binary }],
  ['invalid UTF-8', { headers: json, body: Buffer.from([0x61, 0xc3, 0x28, 0xff]) }],
  ['40 kB of text', { headers: json, body: "é'".repeat(13_334) }],
  ['32 kB of text, as an argument', { headers: json, body: 'a'.repeat(32 * 1024) }],
  ['2 MB of bytes', { headers: json, body: Buffer.alloc(900_000, binary) }],
  ['a compressed body', { headers: [...json, 'Content-Encoding: gzip'], body: gzipSync('{}') }],
  [
    'a form',
    { headers: [...usual, 'Content-Type: application/x-www-form-urlencoded'], body: 'a=b' },
  ],
  ['an empty body', { headers: json, body: '' }],
  ['no body', { headers: json }],
  ['no headers at all', { body: 'x' }],
  ['a GET', { request: 'GET /', headers: usual }],
  ['a GET with a body', { request: 'GET /', headers: usual, body: 'x' }],
  ['a HEAD', { request: 'HEAD /', headers: usual }],
  ['a HEAD with a body', { request: 'HEAD /', headers: usual, body: 'x' }],
  ['a PUT', { request: 'PUT /', headers: json, body: '{}' }],
  ['a PUT without a body', { request: 'PUT /', headers: usual }],
  ['a DELETE', { request: 'DELETE /x', headers: usual }],
  ['an OPTIONS', { request: 'OPTIONS /', headers: [...usual, 'Origin: https://a.example'] }],
  ['a TRACE', { request: 'TRACE /', headers: usual }],
  ['HTTP/1.0', { request: 'POST / 1.0', headers: json, body: '{}' }],
  ['HTTP/1.0 without Host', { request: 'POST / 1.0', body: '{}' }],
  ['chunks', { headers: [...json, 'Transfer-Encoding: chunked'], body: '{"a":1}' }],
  ['an empty body in chunks', { headers: [...json, 'transfer-encoding: chunked'], body: '' }],
  ['globs', { request: 'POST /a?b[]={1,2}&c=[1-3]', headers: json, body: '{}' }],
  [
    'shell characters in the target',
    { request: `GET /;&|<>$(touch\${IFS}x)\`'"\\*~!`, headers: usual },
  ],
  ['dots and slashes', { request: 'GET /../a/./b//c/..', headers: usual }],
  ['escapes', { request: 'GET /%2F%zz%00?%20=+&&=', headers: usual }],
  ['a query alone', { request: 'POST ?a=1;b=2', headers: json, body: '' }],
  ['a fragment', { request: 'GET /a?b#c?d#e', headers: usual }],
  ['an at sign', { request: 'GET /@user:pass@evil.example/', headers: usual }],
  [
    'headers twice, empty, in any case',
    { headers: ['Host: a', 'X-A: 1', 'x-a: 2', 'X-Empty:', 'X-A: 1', 'ACCEPT:', 'User-agent:'] },
  ],
  [
    'headers with quotes and code',
    {
      headers: [...usual, `X-Q: 'a' "b" \\ $(touch ${trap}) \`id\` %PATH% !! #;@x`, 'X-At: @trap'],
    },
  ],
  ['headers beyond ASCII', { headers: [...usual, "X-L: caf\xe9 '\\ \x80\xff", 'X-U: \xc3\xa9'] }],
  ['header names of symbols', { headers: [...usual, "!#$%&'*+-.^_`|~: v", '#x: y', '-H: z'] }],
  ['header values of punctuation', { headers: [...usual, 'A: ;', 'B: :', 'C: a;', 'D: "'] }],
  ['a header of 50 kB', { headers: [...usual, `X-Long: ${"a'\xe9".repeat(16_000)}`] }],
  [
    'headers curl has options for',
    {
      headers: [
        ...usual,
        'Cookie: a=1',
        'Cookie: b=2',
        'Authorization: Bearer 0123456789abcdef',
        'Proxy-Authorization: Basic eDp5',
        'Referer: https://a.example/',
        'Range: bytes=0-1',
        'Accept-Encoding: gzip, br',
        'TE: trailers',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Expect: 100-continue',
      ],
      body: 'x',
    },
  ],
  ['an expectation of its own', { headers: [...usual, 'Expect: 200-maybe'], body: 'x' }],
]

describe.skipIf(!here)('a command copied for bash (needs bash, curl and base64)', () => {
  test.each(originals)('the command sends the same bytes again: %s', async (_name, original) => {
    const first = await capture(original)
    const { text: command, masked } = await app.request('capture.snippet', {
      id: first.id,
      language: 'posix',
      reveal: true,
    })
    const again = await runAgain(first, command)
    expect(sent(again)).toEqual(sent(first))
    expect(existsSync(trap)).toBe(false)
    expect(masked).toBe(false)
  })

  test('the command sends Host first and Content-Length last, as curl does, and changes no other header', async () => {
    const lines = ['X-A: 1', 'HOST: a.example', 'X-B: 2', 'Host: b.example']
    const head = `POST ${hook.path} HTTP/1.1\r\ncontent-length: 1\r\n${lines.join('\r\n')}\r\n\r\nx`
    const [first] = await capturesOf(app, 1, () => sendRaw(hook.port, head))
    if (first === undefined) throw new Error('not captured')
    const { text: command } = await app.request('capture.snippet', {
      id: first.id,
      language: 'posix',
      reveal: true,
    })
    expect((await runAgain(first, command)).headers).toEqual([
      ['Host', 'a.example'],
      ['X-A', '1'],
      ['X-B', '2'],
      ['Content-Length', '1'],
    ])
  })

  test('the command sends the stored part of an interrupted delivery, with the length of that part', async () => {
    const [first] = await capturesOf(app, 1, () =>
      sendUntilClosed(hook.port, `POST ${hook.path} HTTP/1.1\r\nTransfer-Encoding: x\r\n\r\nabc`),
    )
    expect(first?.completeness).toBe('partial')
    const [cut] = await capturesOf(app, 1, async () => {
      await app.request('settings.change', { receiver: { bodyLimitBytes: 1024 } })
      expect(await app.post('y'.repeat(2000))).toBe(413)
      await app.request('settings.change', { receiver: { bodyLimitBytes: 1024 * 1024 } })
    })
    if (cut === undefined) throw new Error('not captured')
    const { text: command } = await app.request('capture.snippet', {
      id: cut.id,
      language: 'posix',
      reveal: true,
    })
    const again = await runAgain(cut, command)
    expect(again).toMatchObject({ completeness: 'complete', body: Buffer.alloc(1024, 'y') })
  })

  test('after the token was rotated the command uses the present receiver URL', async () => {
    const first = await capture({ request: 'POST /below?x=1', headers: json, body: '{}' })
    await app.request('receiver.rotateToken')
    hook = await hookOf(app)
    const { text: command } = await app.request('capture.snippet', {
      id: first.id,
      language: 'posix',
      reveal: true,
    })
    expect((await runAgain(first, command)).target).toBe(`${hook.path}/below?x=1`)
  })
})

const secret = 'wh_5ecr3t5ecr3t5ecr3t'

test.each(['posix', 'powershell', 'cmd'] as const)(
  'a command for %s has no secret unless revealed',
  async (language) => {
    const first = await capture({
      request: `POST /?token=${secret}&x=1`,
      headers: [
        ...json,
        `Authorization: Bearer ${secret}`,
        `AUTHORIZATION: ${secret}`,
        `Cookie: s=${secret}`,
        `X-Api-Key: ${secret}`,
        `X-Webhook-Token: ${secret}`,
        `CF-Access-Client-Secret: ${secret}`,
      ],
      body: '{"a":1}',
    })
    const masked = await app.request('capture.snippet', { id: first.id, language })
    expect(masked.masked).toBe(true)
    expect(unpacked(masked.text)).not.toContain(secret)
    expect(unpacked(masked.text)).toContain('****')
    const revealed = await app.request('capture.snippet', { id: first.id, language, reveal: true })
    expect(unpacked(revealed.text).split(secret)).toHaveLength(8)
  },
)

/** Decodes the base64 parts of the command, including nested ones. */
function unpacked(command: string): string {
  const texts = [command]
  const inside = (text: string) => text.match(/[A-Za-z0-9+/]{24,}=*/g) ?? []
  for (const encoded of inside(command)) {
    const wide = Buffer.from(encoded, 'base64').toString('utf16le')
    texts.push(wide, ...inside(wide).map((each) => Buffer.from(each, 'base64').toString()))
    texts.push(Buffer.from(encoded, 'base64').toString())
  }
  return texts.slice(texts.length > 3 && command.startsWith('powershell') ? 1 : 0).join('\n')
}
