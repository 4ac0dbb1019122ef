/** `tondesk lookup`, killed and taken up again. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startApp } from '../fixtures/app.ts'
import { answerJson, printAccount, startBulkGateway } from '../fixtures/bulk-gateway.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { onUnix, run, start } from '../main/cli-process.ts'

onUnix('killed half-way, --resume asks again only what was in flight', async () => {
  await using gateway = await startBulkGateway()
  using temporary = temporaryDirectory()
  const directory = join(temporary.path, 'killed')
  {
    await using before = await startApp({ dataDirectory: directory, receive: false })
    const { url } = gateway
    const urls = { query: url, webhooks: url, testnetWebhooks: null, console: null }
    await before.request('network.add', { name: 'Local', urls, testOnly: false })
  }
  const list = Array.from(
    { length: 7000 },
    (_, index) => `0:${index.toString(16).padStart(64, '0')}`,
  )
  const file = join(temporary.path, 'killed.txt')
  writeFileSync(file, list.join('\r\n'))
  const output = join(temporary.path, 'resumed.csv')
  const args = ['lookup', file, '--network', 'local', '-o', output]
  const command = [...args, '--data-dir', directory]
  const held = Promise.withResolvers<undefined>()
  gateway.meddle = () => {
    if (gateway.asked.length === 6) held.resolve(undefined)
    return gateway.asked.length > 3
  }
  const first = start(command)
  await held.promise
  first.child.kill('SIGKILL')
  await first.exit
  expect(first.errors()).toContain('Job 1: 7000 addresses to look up.')

  // Three at a time: the first three answers were kept before the sixth request went out.
  const inFlight = gateway.asked.slice(3, 6).flat()
  gateway.meddle = (asked, response) =>
    answerJson(response, 200, { accounts: asked.map((each) => printAccount(each)) })
  const second = await run(...command, '--resume')
  expect(second.code).toBe(0)
  expect(second.errors).toContain('Job 1 continues: 3000 of 7000 are done.')
  const seen = new Set<string>()
  const twice = gateway.asked.flat().filter((each) => seen.size === seen.add(each).size)
  expect(twice).toEqual(inFlight)
  const given = readFileSync(output, 'utf8').trimEnd().split('\r\n').slice(1)
  expect(given.map((line) => line.split(',')[1])).toEqual(list)
  expect(given.every((line) => line.includes(',answered,'))).toBe(true)
})
