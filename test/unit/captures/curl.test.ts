import { expect, test } from 'vitest'
import type { CurlRequest } from '../../../src-main/captures/curl.ts'
import { formatSnippet } from '../../../src-main/captures/files/snippet.ts'
import type { Shell } from '../../../src-preload/contract/capture.ts'

const request = (change: Partial<CurlRequest>): CurlRequest => ({
  method: 'POST',
  origin: 'http://127.0.0.1:4801',
  target: '/hook/0123456789abcdef0123456789abcdef',
  httpVersion: '1.1',
  headers: [['Host', 'a']],
  body: new Uint8Array(0),
  ...change,
})
const withBody = (text: string) => request({ body: Buffer.from(text) })

test('the curl command of a plain delivery is readable', () => {
  const headers = [
    ['Host', 'a'],
    ['User-Agent', 'b'],
    ['Accept', '*/*'],
    ['Content-Type', 'application/json'],
    ['Content-Length', '7'],
  ] as const
  expect(formatSnippet({ ...withBody('{"a":1}'), headers }, 'posix')).toBe(
    'curl --globoff --path-as-is --http1.1 --request POST' +
      ' http://127.0.0.1:4801/hook/0123456789abcdef0123456789abcdef' +
      " --header 'Host: a' --header 'User-Agent: b' --header 'Accept: */*'" +
      " --header 'Content-Type: application/json' --header Expect: --data-raw '{\"a\":1}'",
  )
})

test('no body can name a file in a curl command, because bodies are passed as --data-raw or on standard input', () => {
  for (const text of ['@/etc/passwd', '@-', '@', '<x', '\0@x', '@'.repeat(40_000)]) {
    for (const shell of ['posix', 'powershell'] as const) {
      const command = formatSnippet(withBody(text), shell)
      // A body after --data, --data-urlencode, --form or --data-binary could name a file.
      const given = command.match(/--(?:data|form)[\w-]* \S+/g)
      expect(given).toHaveLength(1)
      expect(given?.[0]).toMatch(/^--data-raw '?[@<]|^--data-binary (?:@-|"@\$body");?$/)
    }
  }
})

test.each<[Shell, number]>([
  ['posix', 2 * 1024 * 1024],
  ['powershell', 2 * 1024 * 1024],
])(
  'a curl command for %s accepts bodies up to %i bytes and refuses larger bodies with an error',
  (shell, largest) => {
    const body = Buffer.alloc(largest)
    expect(formatSnippet(request({ body }), shell)).toContain(body.toString('base64', 0, 48))
    const longer = request({ body: Buffer.alloc(largest + 1) })
    expect(() => formatSnippet(longer, shell)).toThrow(
      expect.objectContaining({ code: 'CAPTURE_TOO_LARGE' }),
    )
  },
)

test('a curl command for cmd.exe is one line below its length limit, or is refused', () => {
  const command = formatSnippet(withBody('"%PATH%" & calc'), 'cmd')
  // The command contains no character that is special in cmd.exe.
  expect(command).toMatch(/^powershell -NoProfile -EncodedCommand [A-Za-z0-9+/]+=*$/)
  let length = 1
  for (; ; length += 10) {
    try {
      expect(formatSnippet(withBody('x'.repeat(length)), 'cmd').length).toBeLessThan(8191)
    } catch (error) {
      expect(error).toMatchObject({ code: 'CAPTURE_TOO_LARGE' })
      break
    }
  }
  expect(length).toBeGreaterThan(1000)
})
