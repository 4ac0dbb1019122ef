/** Tests exports of a history whose command is killed repeatedly, at random times from a seed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { historyView } from '../../src-preload/contract/chain/account.ts'
import { startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { startEndpoint } from '../fixtures/endpoint.ts'
import { startSandbox } from '../fixtures/sandbox.ts'
import { seededRandom } from '../fixtures/seeded.ts'
import { onUnix, startCommand } from '../main/command-line/cli-process.ts'

const seed = 20_261_125
const kills = 8
/** Small pages give more steps between which the command can be killed. */
const pageSize = 2

onUnix(
  `an export that is killed ${kills} times has the same rows, and requests no stored page again`,
  async () => {
    const random = seededRandom(seed)
    await using sandbox = await startSandbox()
    const { queryUrl, apiKey, wallets } = sandbox.ready
    const address = wallets[0]?.address ?? ''
    for (let sent = 0; sent < 60; sent += 1) {
      const [from, to] = sent % 3 === 0 ? [1, 2] : [2, 1]
      const currency = sent % 4 === 0 ? { currency: 'USDT' } : {}
      const order = { from: `wallet-${from}`, to: `wallet-${to}`, amount: '1000', ...currency }
      await sandbox.control('POST', '/send', order)
    }
    let onPage = (): void => undefined
    const pages: string[] = []
    await using gateway = await startEndpoint(({ method, path, body }, response) => {
      const work = async () => {
        const url = new URL(queryUrl + path)
        const isPage = /\/(?:transactions|events)\?/.test(path)
        if (isPage) url.searchParams.set('limit', String(pageSize))
        const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
        const answer = await fetch(url, { method, headers, ...(body !== '' && { body }) })
        const text = await answer.text()
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
        if (!isPage) return
        pages.push(path)
        onPage()
      }
      work().catch(() => response.destroy())
    })
    using temporary = temporaryDirectory()
    const directory = join(temporary.path, 'data')
    let network: string
    {
      await using app = await startApp({ dataDirectory: directory, receive: false })
      const { url } = gateway
      const urls = { query: url, webhooks: url, testnetWebhooks: null, console: null }
      network = (await app.request('network.add', { name: 'Near', urls, testOnly: false })).id
    }
    for (const view of historyView.options) {
      const fileOf = (name: string) => join(temporary.path, `${view}-${name}.jsonl`)
      const command = (name: string, ...more: string[]) =>
        startCommand([
          ...['history', 'export', address, '--network', network, '--rows', view, ...more],
          ...['--data-dir', directory, '--format', 'jsonl', '-o', fileOf(name)],
        ])
      onPage = () => undefined
      expect(await command('whole').exit).toBe(0)
      pages.length = 0
      let killed = 0
      for (let isDone = false; !isDone;) {
        const wanted = 1 + Math.floor(random() * 3)
        const afterMs = Math.floor(random() * 15)
        const reached = Promise.withResolvers<undefined>()
        let seen = 0
        onPage = () => {
          seen += 1
          if (seen === wanted) reached.resolve(undefined)
        }
        const running = command('killed', '--resume')
        if (killed === kills) {
          expect(await running.exit).toBe(0)
          isDone = true
        } else {
          await Promise.race([reached.promise, running.exit])
          await pause(afterMs)
          running.child.kill('SIGKILL')
          await running.exit
          killed += 1
        }
      }
      const [whole, resumed] = [fileOf('whole'), fileOf('killed')].map((file) =>
        readFileSync(file, 'utf8'),
      )
      expect(resumed).toBe(whole)
      // A kill between a response and its storage repeats only this request.
      expect(pages.length - new Set(pages).size).toBeLessThanOrEqual(kills)
      process.stdout.write(
        `${JSON.stringify({ view, kills, pages: pages.length, repeated: pages.length - new Set(pages).size })}\n`,
      )
    }
  },
)
