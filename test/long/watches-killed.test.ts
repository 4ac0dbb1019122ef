/**
 * Tests a watch whose app is killed repeatedly, at random times from a seed, and a watch of a very
 * busy account.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../fixtures/app.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { startEndpoint } from '../fixtures/endpoint.ts'
import { startSandbox } from '../fixtures/sandbox.ts'
import { seededRandom } from '../fixtures/seeded.ts'
import { onUnix, startCommand } from '../main/command-line/cli-process.ts'
import { requiredFields } from '../fixtures/raw-transaction.ts'

const seed = 20_261_124
const rounds = 25
/** Small pages give more steps between which the app can be killed. */
const pageSize = 2

onUnix(
  'a watch whose app is killed between any two steps captures each matching transaction once',
  async () => {
    const random = seededRandom(seed)
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
        network,
        address,
        report: 'notice',
        makesCaptures: true,
        isForwarded: true,
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
        // A third of the transactions are below the limit.
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
      const app = startCommand(
        ['--no-open', '--data-dir', directory, '--port', '0', '--receiver-port', '0'],
        { entry: 'serve' },
      )
      // The last pages of a round may have been read in the previous round.
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
          query: { text: 'origin:watched' },
          before: last,
          limit: 500,
        })
      found.push(...page.rows.map(({ txHash }) => txHash))
      last = page.nextBefore
    }
    expect(found.length).toBe(wanted.length)
    expect(found.toSorted()).toEqual(wanted.toSorted())
    expect((await watch())?.gap).toBeNull()
  },
)

/** Each entry adds 10 nanotons. */
function entryAt(address: string, index: number) {
  const lt = index * 10
  const hash = index.toString(16).padStart(64, '0')
  return {
    hash,
    lt,
    account: { address },
    success: true,
    utime: 1_700_000_000 + index,
    orig_status: 'active',
    end_status: 'active',
    total_fees: 1,
    end_balance: index,
    transaction_type: 'TransOrd',
    prev_trans_lt: index === 1 ? 0 : lt - 10,
    aborted: false,
    in_msg: {
      ...requiredFields.message,
      msg_type: 'int_msg',
      value: 10,
      hash,
      ihr_disabled: true,
      source: { address: `0:${'b2'.repeat(32)}` },
      destination: { address },
    },
    out_msgs: [],
  }
}

test('thousands of new transactions are captured once each, and beyond 10,000 a gap is reported', async () => {
  const address = `0:${'a1'.repeat(32)}`
  let entries = 5
  // Without the bulk request for raw accounts, the time of the last activity shows which accounts
  // changed.
  await using gateway = await startEndpoint(({ path }, response) => {
    const url = new URL(path, 'http://gateway')
    const json = { 'content-type': 'application/json' }
    const answer = (body: object) => response.writeHead(200, json).end(JSON.stringify(body))
    if (path === '/v2/accounts/_bulk') {
      const state = { status: 'active', interfaces: [], get_methods: [], is_wallet: true }
      const last_activity = 1_700_000_000 + entries
      answer({ accounts: [{ address, balance: 1, last_activity, ...state }] })
    } else if (url.pathname.endsWith('/transactions')) {
      const limit = Number(url.searchParams.get('limit'))
      const isUp = url.searchParams.get('sort_order') === 'asc'
      const after = Math.floor(Number(url.searchParams.get('after_lt')) / 10)
      const first = isUp ? after + 1 : entries
      const length = Math.min(limit, isUp ? entries - first + 1 : entries)
      const step = isUp ? 1 : -1
      const transactions = Array.from({ length }, (_, at) => entryAt(address, first + at * step))
      answer({ transactions })
    } else response.writeHead(404, json).end('{"error":"no such operation"}')
  })
  await using app = await startApp({ host: 'browser', receive: false })
  const urls = {
    query: gateway.url,
    webhooks: gateway.url,
    testnetWebhooks: null,
    console: null,
  }
  const { id: network } = await app.request('network.add', { name: 'Busy', urls, testOnly: false })
  await app.request('watch.save', {
    network,
    address,
    report: 'none',
    makesCaptures: true,
    isForwarded: false,
    rules: [{ kind: 'incoming', amount: '0.00000001' }],
  })
  const watch = async () => (await app.request('watch.list'))[0]
  await app.until(async () => (await watch())?.checkedAt !== null && !(await watch())?.isBehind)
  expect(await watch()).toMatchObject({ matches: 0, gap: null })
  entries += 3000
  await app.until(async () => (await watch())?.matches === 3000, '3,000 transactions')
  // The limit counts transactions since the watch was last up to date.
  await app.until(async () => !(await watch())?.isBehind, 'the end of the 3,000 transactions')
  entries += 12_000
  // The gap is reported as soon as it is found, while later transactions are still being read.
  await app.until(async () => (await watch())?.matches === 13_000, 'the transactions after the gap')
  expect((await watch())?.gap?.why).toMatch(
    /More than 10,000 transactions .* between lt 130050 and 150050/,
  )
  entries += 7
  await app.until(async () => (await watch())?.matches === 13_007, 'the newest transactions')
  await app.classified()
  expect((await app.request('capture.counts')).others).toBe(13_007)
})
