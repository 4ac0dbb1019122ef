import { spawn } from 'node:child_process'
import { type Tondesk, expect, test } from './fixture.ts'
import { type RawRequest, listenRaw, sendRaw } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { openCapture } from './pages/captures.ts'
import { openPage } from './pages/frame.ts'

const oddJson =
  '{ "amount" : 1.50,\n\t"lt":9007199254740993 , "memo":"caf\\u00e9",  "memo":"\\u0041" ,"a":[ ]}  \n'

const headers = [
  ['content-TYPE', 'application/json;  charset=utf-8'],
  ['X-Odd', 'first'],
  ['x-oDD', 'second, with "quotes" and $HOME and `ls`'],
  ['X-Empty', ''],
  ['X-ODD', "it's third"],
] as const

test('a body and its headers are shown exactly as they were sent', async ({ tondesk }) => {
  const { page } = tondesk
  expect(await sendRaw(tondesk.receiverUrl, headers, Buffer.from(oddJson))).toContain('200')
  const bytes = Buffer.from([0x00, 0xff, 0x00, 0x7f, 0x80, 0xc3, 0x28, 0x0a, 0x0d, 0xff])
  await sendRaw(tondesk.receiverUrl, [['Content-Type', 'application/octet-stream']], bytes)
  await openPage(page, 'inspector')
  await openCapture(page, 1)
  const {
    bodyTree,
    copyBodyText,
    treeWords,
    headers: shownHeaders,
    openTab,
    showBodyAs,
  } = captureDetail(page)

  // The tree shows the text itself: a number keeps its digits, and both members with the same name
  // are shown.
  await showBodyAs('tree')
  await expect(bodyTree).toContainText('1.50')
  await expect(bodyTree).toContainText('9007199254740993')
  await expect(bodyTree).toContainText('caf\\u00e9')
  await expect(treeWords('memo')).toHaveCount(2)
  expect(await copyBodyText(tondesk.readClipboard)).toBe(oddJson)

  await openTab('headers')
  const shown = await shownHeaders()
  expect(shown.filter(([name]) => /^(content-type|x-)/i.test(name ?? ''))).toEqual(headers)

  await test.step('bytes that are not text are shown in hex', async () => {
    await openCapture(page, 2)
    await openTab('body')
    await showBodyAs('hex')
    await expect(captureDetail(page, 2).open).toContainText(/00 ?ff ?00 ?7f ?80 ?c3 ?28 ?0a/i)
  })
})

const bodies = [
  { what: 'odd JSON', body: Buffer.from(oddJson) },
  { what: 'NUL and 0xFF bytes', body: Buffer.from([0, 255, 0, 10, 13, 0x27, 0x40, 255]) },
  { what: 'a body that names a file', body: Buffer.from("@/etc/passwd 'quoted' $(id) \\n") },
  { what: 'text beyond ASCII', body: Buffer.from('{"memo":"каф\u00e9 \ud83d\ude80"}') },
]

test('copy as curl sends the same request again, with tokens only if the user chooses so', async ({
  tondesk,
}) => {
  test.skip(process.platform === 'win32', 'This runs the command for a POSIX shell.')
  const { page } = tondesk
  const sent = [...headers, ['Authorization', 'Bearer secret-token-1234']] as const
  for (const { body } of bodies) {
    await sendRaw(`${tondesk.receiverUrl}/deep/..%2f?q=1%20&q=[2]`, sent, body)
  }
  await openPage(page, 'inspector')
  for (const [index, { what, body }] of bodies.entries()) {
    await test.step(what, async () => {
      await openCapture(page, index + 1)
      const command = await copyCurl(tondesk, 'curlWithTokens')

      await using second = await listenRaw()
      const { origin, pathname } = new URL(tondesk.receiverUrl)
      const [again] = await Promise.all([
        second.received,
        run(command.replaceAll(origin, second.origin)),
      ])
      expect(again.body.equals(body)).toBe(true)
      expect(again.line).toBe(`POST ${pathname}/deep/..%2f?q=1%20&q=[2] HTTP/1.1`)
      expect(withoutTransport(again)).toEqual(sent)
    })
  }
  const masked = await copyCurl(tondesk, 'curl')
  expect(masked).toContain('curl ')
  expect(masked).not.toContain('secret-token')
})

/** Waits until the clipboard has another command than before. */
async function copyCurl(tondesk: Tondesk, kind: 'curl' | 'curlWithTokens'): Promise<string> {
  const { copyAs, curlCopied } = captureDetail(tondesk.page)
  const before = await tondesk.readClipboard()
  await copyAs(kind)
  await expect.poll(() => tondesk.readClipboard()).not.toBe(before)
  await expect(curlCopied).toBeVisible()
  return tondesk.readClipboard()
}

/** Removes headers that depend on the connection, and the host, which the test itself has changed. */
function withoutTransport({ headers: all }: RawRequest) {
  return all.filter(([name]) => !/^(host|content-length|connection)$/i.test(name))
}

function run(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const shell = spawn('sh', ['-s'], { stdio: ['pipe', 'ignore', 'pipe'] })
    let stderr = ''
    shell.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    shell.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`The command ended with ${code ?? 'a signal'}: ${stderr}`))
    })
    shell.stdin.end(`${command}\n`)
  })
}
