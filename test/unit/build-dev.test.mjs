/** The development server in front of the app (build/lib/develop.mjs). */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import { join } from 'node:path'
import { createServer } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { hasCrashed, readRunRecord, updateRun } from '../../src-main/app/run-record.ts'
import { createProxy, keepTabs, windowConfig } from '../../build/lib/develop.mjs'
import { temporaryDirectory } from '../fixtures/directory.ts'

/** Starts an app that responds with the received origin and host, behind the server of Vite. */
async function serveDevelopment() {
  const app = createHttpServer(({ headers, url }, response) =>
    response.end([url, headers.host, headers.origin].join(' ')),
  )
  await new Promise((resolve) => app.listen(0, '127.0.0.1', resolve))
  const target = `http://127.0.0.1:${app.address().port}`
  const passing = createProxy(target)
  const config = windowConfig(passing.proxy)
  const root = temporaryDirectory()
  const window = await createServer({
    ...config,
    root: root.path,
    appType: 'custom',
    optimizeDeps: { noDiscovery: true },
    server: { ...config.server, port: 0, watch: null },
  })
  await window.listen()
  onTestFinished(async () => {
    await window.close()
    app.close()
    root[Symbol.dispose]()
  })
  const { origin } = new URL(window.resolvedUrls.local[0])
  passing.setOrigin(origin)
  const post = (headers) =>
    new Promise((resolve, reject) => {
      const sent = request(`${origin}/request`, { method: 'POST', headers }, async (response) => {
        resolve((await response.toArray()).join(''))
      })
      sent.on('error', reject).end()
    })
  return { ...passing, target, origin, post }
}

test('the development server passes on requests of its page with the origin of the app', async () => {
  const { setServing, target, origin, post } = await serveDevelopment()
  setServing(true)
  expect(await post({ origin })).toBe(`/request ${new URL(target).host} ${target}`)
})

test('the development server passes on requests of other pages with their own origin', async () => {
  const { setServing, origin, post } = await serveDevelopment()
  setServing(true)
  for (const other of ['http://127.0.0.1:1', origin.replace('127.0.0.1', 'localhost'), 'null']) {
    expect((await post({ origin: other })).split(' ').at(-1)).toBe(other)
  }
})

test('requests to the development server wait while the app restarts', async () => {
  const { setServing, origin, post } = await serveDevelopment()
  setServing(true)
  setServing(false)
  const waiting = post({ origin })
  const later = post({ origin }).then(() => 'responded')
  expect(
    await Promise.race([later, new Promise((resolve) => setImmediate(resolve, 'waits'))]),
  ).toBe('waits')
  setServing(true)
  expect(await waiting).toContain('/request')
  await later
})

test('a restart after a change preserves the ports and the open tabs, and is not reported as a crash', () => {
  using temporary = temporaryDirectory()
  const directory = temporary.path
  const file = join(directory, 'run.json')
  const record = {
    processId: process.pid,
    version: '0.1.0',
    host: 'browser',
    system: 'linux x64',
    startedAt: Date.now(),
    crash: null,
    crashes: [],
    receiverPort: 1,
    windowPort: 2,
    sessions: ['digest'],
  }
  writeFileSync(file, JSON.stringify(record))
  keepTabs(directory)
  expect(updateRun(directory, { sessions: [] })).toBe(false)
  const kept = readRunRecord(directory)
  expect(kept).toMatchObject({ receiverPort: 1, windowPort: 2, sessions: ['digest'] })
  expect(hasCrashed(kept, Date.now())).toBe(false)
  writeFileSync(file, JSON.stringify({ ...record, crash: { at: Date.now(), error: 'Error' } }))
  keepTabs(directory)
  expect(hasCrashed(readRunRecord(directory), Date.now())).toBe(true)
  expect(readFileSync(file, 'utf8')).toContain('"processId":0')
})
