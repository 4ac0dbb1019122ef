/** A watch whose app is killed again and again, at moments decided by a seed. */
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { startEndpoint } from '../fixtures/endpoint.ts'
import { startSandbox } from '../fixtures/sandbox.ts'
import { seeded } from '../fixtures/seeded.ts'
import { onUnix, start } from '../main/cli-process.ts'

const seed = 20_261_124
const rounds = 25
/** Small pages have more steps between which the app can be killed. */
const pageSize = 2

onUnix(
  'killed between any two steps, a watch loses or doubles a capture',
  async () => {
    const random = seeded(seed)
    await using sandbox = await startSandbox()
    const { queryUrl, apiKey, wallets } = sandbox.ready
    const address = wallets[0]?.address ?? ''
    let onPage = (): void => undefined
    await using gateway = await startEndpoint(({ method, path, body }, response) => {
      const work = async () => {
        const url = new URL(queryUrl + path)
        const isPage = path.includes('/transactions')
        if (isPage) url.searchParams.set('limit', String(pageSize))
        const headers = {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
        }
        const answer = await fetch(url, { method, headers, ...(body !== '' && { body }) })
        const text = await answer.text()
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
        if (isPage) onPage()
      }
      work().catch(() => response.destroy())
    })
    using temporary = temporaryDirectory()
    const directory = join(temporary.path, 'data')
    {
      await using app = await startApp({ dataDirectory: directory, receive: false })
      const { url } = gateway
      const urls = { query: url, webhooks: url, testnetWebhooks: null, console: null }
      const { id: network } = await app.request('network.add', {
        name: 'Near',
        urls,
        testOnly: false,
      })
      await app.request('watch.save', {
        ...{ network, address, report: 'notice', makesCaptures: true, isForwarded: true },
        rules: [{ kind: 'incoming', amount: '0.5' }],
      })
    }
    const history = async () => {
      const { body } = await sandbox.query<{
        transactions: { hash: string; in_msg?: { value: number | bigint } | null }[]
      }>('GET', `/blockchain/accounts/${address}/transactions?limit=1000`)
      return body.transactions
    }
    const before = new Set((await history()).map(({ hash }) => hash))
    for (let round = 0; round < rounds; round += 1) {
      for (let count = 2 + Math.floor(random() * 6); count > 0; count -= 1) {
        // A third of them does not match.
        const amount = random() < 0.33 ? '499999999' : '500000000'
        await sandbox.control('POST', '/send', { from: 'wallet-2', to: 'wallet-1', amount })
      }
      const pages = 1 + Math.floor(random() * 3)
      const afterMs = Math.floor(random() * 12)
      const reached = Promise.withResolvers<undefined>()
      let seen = 0
      onPage = () => {
        seen += 1
        if (seen === pages) reached.resolve(undefined)
      }
      const app = start(
        ['--no-open', '--data-dir', directory, '--port', '0', '--receiver-port', '0'],
        { entry: 'serve' },
      )
      // The last pages of a round may have been read already in the round before.
      await Promise.race([reached.promise, pause(10_000), app.exit])
      await pause(afterMs)
      app.child.kill('SIGKILL')
      await app.exit
      expect(seen, app.errors()).toBeGreaterThan(0)
    }
    onPage = () => undefined
    const wanted = (await history())
      .filter(({ hash, in_msg: message }) => {
        return !before.has(hash) && BigInt(message?.value ?? 0) >= 500_000_000n
      })
      .map(({ hash }) => hash)
    await using app = await startApp({ host: 'browser', dataDirectory: directory })
    const watch = async () => (await app.request('watch.list'))[0]
    await app.until(async () => (await watch())?.matches === wanted.length, 'the last transactions')
    await app.classified()
    const found: (string | null)[] = []
    for (let last: number | null = Number.MAX_SAFE_INTEGER; last !== null;) {
      const page: { rows: { txHash: string | null }[]; nextBefore: number | null } =
        await app.request('capture.list', {
          ...{ query: { text: 'origin:watched' }, before: last, limit: 500 },
        })
      found.push(...page.rows.map(({ txHash }) => txHash))
      last = page.nextBefore
    }
    expect(found.length).toBe(wanted.length)
    expect(found.toSorted()).toEqual(wanted.toSorted())
    expect((await watch())?.gap).toBeNull()
  },
  600_000,
)
