import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { type Hook, capturesOf, hookOf } from '../../fixtures/hook.ts'
import { sendRaw } from '../../fixtures/raw-http.ts'

// Not every computer has PowerShell, so the test replaces it: it writes the files, removes the
// quotes, and runs curl with the remaining arguments. curl.exe on Windows is the same program.

const curlHere = spawnSync('curl', ['--version']).status === 0
const place = temporaryDirectory()
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

const made =
  /\$(\w+) = New-TemporaryFile; \[IO\.File\]::WriteAllBytes\(\$\1, \[Convert\]::FromBase64String\('([\w+/=]*)'\)\); /g
const argument = /'((?:[^']|'')*)'|"@\$(\w+)"|([^\s'"$;`&|(){}@]+)/y

/**
 * Returns the commands that PowerShell would read from the script. Fails on anything that this
 * parser does not know.
 */
function readScript(script: string): string[] {
  const files = new Map<string, string>()
  const call = script.replaceAll(made, (_all, name: string, base64: string) => {
    const path = join(place.path, name)
    writeFileSync(path, Buffer.from(base64, 'base64'))
    files.set(name, path)
    return ''
  })
  const names = [...files.keys()].map((name) => `$${name}`).join(', ')
  const end = `; Remove-Item ${names}`
  expect(call.startsWith('curl.exe ') && call.endsWith(end)).toBe(true)
  const text = call.slice('curl.exe '.length, -end.length)
  const args: string[] = []
  for (argument.lastIndex = 0; argument.lastIndex < text.length; argument.lastIndex += 1) {
    const found = argument.exec(text)
    if (found === null) throw new Error(`Not understood: ${text.slice(argument.lastIndex)}`)
    const [, quoted, file, bare] = found
    args.push(
      file === undefined
        ? (quoted?.replaceAll("''", "'") ?? bare ?? '')
        : `@${files.get(file) ?? ''}`,
    )
    if (argument.lastIndex === text.length) break
    expect(text[argument.lastIndex]).toBe(' ')
  }
  return args
}

/** cmd.exe passes the same script in base64, because its quoting cannot express every character. */
function readCmd(command: string): string {
  const encoded = /^powershell -NoProfile -EncodedCommand ([\w+/=]+)$/.exec(command)?.[1]
  return Buffer.from(encoded ?? '', 'base64').toString('utf16le')
}

const usual = ['Host: hooks.example.org', 'User-Agent: gateway/1.0', 'Accept: */*']
const originals: readonly (readonly [string, string, readonly string[], string | Buffer])[] = [
  ['a webhook', 'POST /', [...usual, 'Content-Type: application/json'], '{"lt":9007199254740993}'],
  ['a body that names a file', 'POST /', usual, '@C:\\Windows\\win.ini'],
  ['quotes', 'POST /', usual, `'single' "double" \u2018typographic\u2019 \`back\``],
  ['variables and commands', 'POST /', usual, '$env:PATH $(calc) %PATH% & calc | more'],
  ['every byte', 'POST /', usual, Buffer.from(Array.from({ length: 256 }, (_, value) => value))],
  ['40 kB', 'POST /', usual, Buffer.alloc(40_000, 'é')],
  ['an empty body', 'POST /', usual, ''],
  [
    'headers of every kind',
    'POST /',
    [...usual, 'X-Empty:', 'x-q: \'a\' "b" $x', 'X-L: caf\xe9 \xff', '#x: y'],
    'x',
  ],
  ['shell characters in the target', "POST /$env:x;'a'&%PATH%`|^<>(){}[]@x?b=1,2", usual, 'x'],
  ['a fragment', 'POST /a?b#c', usual, 'x'],
]

describe.skipIf(!curlHere)('curl commands copied for Windows, read as PowerShell does', () => {
  test.each(originals)(
    'a copied command sends the same bytes again: %s',
    async (_name, request, headers, body) => {
      const [method = '', below = ''] = request.split(' ')
      const bytes = Buffer.from(body as string)
      const lines = [...headers, `Content-Length: ${bytes.length}`].join('\r\n')
      const head = `${method} ${hook.path}${below} HTTP/1.1\r\n${lines}\r\n\r\n`
      const [first] = await capturesOf(app, 1, () => sendRaw(hook.port, head, bytes))
      if (first === undefined) throw new Error('not captured')
      const ask = { id: first.id, reveal: true }
      const { text: command } = await app.request('capture.snippet', {
        ...ask,
        language: 'powershell',
      })
      const args = readScript(command)
      const [again] = await capturesOf(app, 1, async () => {
        const child = spawn('curl', args, { env: { HOME: place.path }, stdio: 'ignore' })
        expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
      })
      expect(again).toMatchObject({
        id: first.id + 1,
        method: first.method,
        target: first.target,
        headers: first.headers,
      })
      expect(again?.body.equals(first.body)).toBe(true)

      const cmd = await app.envelope('capture.snippet', { ...ask, language: 'cmd' })
      if (cmd.ok) expect(readCmd((cmd.data as { text: string }).text)).toBe(command)
      else expect(cmd.error.code).toBe('CAPTURE_TOO_LARGE')
    },
  )
})

test('a capture that is too large for one line of cmd.exe is refused with PowerShell as the alternative', async () => {
  const [capture] = await capturesOf(app, 1, () => app.post('x'.repeat(3_000)))
  const input = { id: capture?.id, language: 'cmd' }
  expect(await app.envelope('capture.snippet', input)).toMatchObject({
    ok: false,
    error: { code: 'CAPTURE_TOO_LARGE', message: expect.stringContaining('PowerShell') as string },
  })
})
