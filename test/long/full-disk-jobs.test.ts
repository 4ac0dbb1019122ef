/** Tests jobs, imports, exports and downloads on a small disk that is full. */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createExportFiles } from '../../src-main/exports/export-files.ts'
import { type TestApp, startApp } from '../fixtures/app.ts'
import { harOf, importOf } from '../fixtures/capture-files.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { startEndpoint } from '../fixtures/endpoint.ts'
import { startSandbox } from '../fixtures/sandbox.ts'
import { smallDisk } from '../fixtures/small-disk.ts'

/**
 * Fills the disk except for the last pages, which deliveries use. @returns a function that frees
 * the space
 */
async function fill(app: TestApp, folder: string): Promise<() => void> {
  await app.until(() => existsSync(join(app.directory, 'reserve.bin')), 'the reserve')
  let count = 0
  for (let size = 1024 * 1024; size >= 1024; size /= 4) {
    try {
      for (;;) {
        count += 1
        writeFileSync(join(folder, `ballast-${count}`), Buffer.alloc(size))
      }
    } catch {
      // The disk is full for pieces of this size.
    }
  }
  for (let size = 10_000; size > 100; size = Math.floor(size / 10)) {
    while ((await app.post('x'.repeat(size))) === 200);
  }
  return () => {
    for (; count > 0; count -= 1) rmSync(join(folder, `ballast-${count}`), { force: true })
  }
}

async function* chunks(text: string) {
  yield await Promise.resolve(text)
}

test('imports, exports and downloads on a full disk fail with the reason, leave no partial file, and work again with free space', async () => {
  using directory = temporaryDirectory()
  using disk = smallDisk(directory.path, 100)
  if (disk === null) return
  await using app = await startApp({ dataDirectory: join(directory.path, 'data') })
  for (let index = 0; index < 60; index += 1) await app.post(`${index}:`.padEnd(100_000, 'y'))
  const exported = async () => {
    const subject = { kind: 'query', text: '' } as const
    const { id } = await app.request('captureExport.start', { subject, format: 'jsonl' })
    const find = async () => (await app.jobs('captureExport')).find((run) => run.id === id)
    await app.until(async () => (await find())?.state !== 'running', 'the end of the export')
    return find()
  }
  const leftovers = () => readdirSync(join(app.directory, 'exports'))
  const total = async () => (await app.request('capture.counts')).total
  const file = Buffer.concat([...harOf(20)])
  const target = join(directory.path, 'saved.jsonl')
  const download = createExportFiles(join(app.directory, '..', 'downloads'))
  const whole = await download.make('whole.txt', chunks('z'.repeat(200_000)))

  const free = await fill(app, directory.path)
  const before = await total()
  expect(await exported()).toMatchObject({
    state: 'failed',
    file: null,
    problem: expect.stringMatching(
      /its disk is full.*No partial file remains.*Free some space/,
    ) as string,
  })
  const failed = await importOf(app, 'many.har', file).catch((error: unknown) => error)
  expect(failed).toMatchObject(
    failed instanceof Error
      ? { message: expect.stringMatching(/disk is full.*Nothing was imported/) as string }
      : {
          state: 'failed',
          problem: expect.stringMatching(/disk is full.*[Nn]othing was imported/) as string,
        },
  )
  await expect(download.save(whole.id, target)).rejects.toThrow(/its disk is full.*Free some space/)
  expect(readdirSync(directory.path).filter((name) => name.startsWith('saved'))).toEqual([])
  expect(leftovers()).toEqual([])
  expect(await total()).toBe(before)

  free()
  await app.until(async () => (await app.post('again')) === 200, 'writable captures')
  expect(await importOf(app, 'many.har', file)).toMatchObject({ state: 'done', imported: 20 })
  expect(await exported()).toMatchObject({ state: 'done', problem: null })
  await download.save(whole.id, target)
  expect(statSync(target).size).toBe(200_000)
  expect(await app.request('app.checkIntegrity')).toMatchObject({ ok: true })
})

test('a lookup and a history export pause on a full disk, and are complete after they are resumed', async () => {
  using directory = temporaryDirectory()
  using disk = smallDisk(directory.path, 40)
  if (disk === null) return
  await using sandbox = await startSandbox({ seed: 'full-disk' })
  const { queryUrl, webhooksUrl, wallets } = sandbox.ready
  const address = wallets[0]?.address ?? ''
  for (let index = 0; index < 30; index += 1) {
    await sandbox.control('POST', '/send', { from: 'wallet-1', to: 'wallet-2', amount: '1000000' })
  }
  let arrived = Promise.withResolvers<undefined>()
  let hold: Promise<unknown> | null = null
  await using gateway = await startEndpoint(({ method, path, body }, response) => {
    const forward = async () => {
      if (hold !== null && /bulk|transactions/.test(path)) arrived.resolve(undefined)
      await hold
      const answer = await fetch(queryUrl + path, {
        method,
        ...(body !== '' && { body }),
        headers: {
          authorization: `Bearer ${sandbox.ready.apiKey}`,
          'content-type': 'application/json',
        },
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(await answer.text())
    }
    forward().catch(() => response.destroy())
  })
  await using app = await startApp({ dataDirectory: join(directory.path, 'data'), host: 'browser' })
  await app.until(async () => {
    const { place, problem } = await app.request('secrets.state')
    return place !== 'none' || problem?.includes('not checked yet') === false
  }, 'the keychain')
  await app.request('secrets.useSessionOnly')
  const urls = { query: gateway.url, webhooks: webhooksUrl, testnetWebhooks: null, console: null }
  const { id: network } = await app.request('network.add', { name: 'Held', urls, testOnly: false })

  const start = {
    async history() {
      const { id } = await app.request('historyExport.start', {
        network,
        address,
        view: 'transactions',
      })
      return id
    },
    async lookup() {
      const { id: draft } = await app.request('lookup.begin', { network, replaces: null })
      const text = Array.from(
        { length: 3000 },
        (_, index) => `0:${index.toString(16).padStart(64, '0')}`,
      )
      await app.request('lookup.append', { draft, piece: { text: text.join('\n') }, isLast: true })
      const input = { draft, name: 'list', currency: null, jettons: [] }
      return (await app.request('lookup.start', input)).id
    },
  }
  const get = {
    history: (id: number) => app.job('historyExport', id),
    lookup: (id: number) => app.job('lookup', id),
  }
  const resume = {
    history: (id: number) => app.request('job.resume', { kind: 'historyExport', id }),
    lookup: (id: number) => app.request('job.resume', { kind: 'lookup', id }),
  }
  for (const kind of ['history', 'lookup'] as const) {
    arrived = Promise.withResolvers()
    const held = Promise.withResolvers<undefined>()
    hold = held.promise
    const id = await start[kind]()
    await arrived.promise
    const free = await fill(app, directory.path)
    hold = null
    held.resolve(undefined)
    await app.until(async () => (await get[kind](id)).state !== 'running', `the end of the ${kind}`)
    expect(await get[kind](id)).toMatchObject({
      state: 'paused',
      problem: expect.stringMatching(/disk is full.*Free some space.*Then resume/) as string,
    })
    free()
    await app.until(async () => (await app.post('again')) === 200, 'writable captures')
    await resume[kind](id)
    await app.until(async () => (await get[kind](id)).state !== 'running', `the end of the ${kind}`)
    expect(await get[kind](id)).toMatchObject({ state: 'done', problem: null })
  }
  const [job] = await app.jobs('historyExport')
  expect(job?.assets[0]).toMatchObject({ key: 'TON', difference: '0' })
  const [list] = await app.jobs('lookup')
  expect(list).toMatchObject({ answered: 3000, failed: 0 })
})
