/** Tests `tondesk lookup` when it is killed and resumed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startApp } from '../fixtures/app.ts'
import { respondJson, accountJson, startBulkGateway } from '../fixtures/bulk-gateway.ts'
import { temporaryDirectory } from '../fixtures/directory.ts'
import { makeJetton, startJettonGateway } from '../fixtures/jetton-bulk-gateway.ts'
import { onUnix, runCommand, startCommand } from '../main/command-line/cli-process.ts'

onUnix(
  'a killed lookup requests again with --resume only the accounts whose requests were running',
  async () => {
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
    const first = startCommand(command)
    await held.promise
    first.child.kill('SIGKILL')
    await first.exit
    expect(first.errors()).toContain('Job 1: 7000 addresses to look up.')

    // Three requests run at a time, so the first three results were stored before the sixth request
    // was sent.
    const inFlight = gateway.asked.slice(3, 6).flat()
    gateway.meddle = (asked, response) =>
      respondJson(response, 200, { accounts: asked.map((each) => accountJson(each)) })
    const second = await runCommand(...command, '--resume')
    expect(second.code).toBe(0)
    expect(second.errors).toContain('Job 1 continues: 3000 of 7000 are done.')
    const seen = new Set<string>()
    const twice = gateway.asked.flat().filter((each) => seen.size === seen.add(each).size)
    expect(twice).toEqual(inFlight)
    const given = readFileSync(output, 'utf8').trimEnd().split('\r\n').slice(1)
    expect(given.map((line) => line.split(',')[1])).toEqual(list)
    expect(given.every((line) => line.includes(',answered,'))).toBe(true)
  },
)

/** docs/benchmarks.md uses 100000. */
const addresses = Number(process.env['LOOKUP_ADDRESSES'] ?? 2000)

onUnix(
  'a lookup that is killed twice while it reads jetton wallets repeats no request that got a response',
  async () => {
    const jettons = [makeJetton('A', 9), makeJetton('B', 9), makeJetton('C', 9)]
    await using gateway = await startJettonGateway(jettons, 1000)
    using temporary = temporaryDirectory()
    const directory = join(temporary.path, 'jettons')
    {
      await using before = await startApp({ dataDirectory: directory, receive: false })
      const { url } = gateway
      const urls = { query: url, webhooks: url, testnetWebhooks: null, console: null }
      await before.request('network.add', { name: 'Local', urls, testOnly: false })
    }
    const list = Array.from(
      { length: addresses },
      (_, at) => `0:${at.toString(16).padStart(64, '0')}`,
    )
    const file = join(temporary.path, 'jettons.txt')
    writeFileSync(file, list.join('\n'))
    const output = join(temporary.path, 'jettons.csv')
    const minters = jettons.flatMap(({ address }) => ['--jetton', address])
    const args = ['lookup', file, '--network', 'local', '-o', output, ...minters]
    const command = [...args, '--data-dir', directory]
    const answered: string[] = []
    let heldRequests = 0
    // A quarter of the requests is for accounts. Of three concurrent requests for wallets one gets
    // a response, and the next request is sent when that response is stored.
    for (const [more, answers] of [
      [[], (1.5 * addresses) / 1000],
      [['--resume'], addresses / 2000],
    ] as const) {
      const held = Promise.withResolvers<undefined>()
      let number = 0
      gateway.holds = () => {
        number += 1
        const request = gateway.asked.at(-1)
        if (number <= answers)
          answered.push(...(request?.addresses ?? []).map((each) => `${request?.kind} ${each}`))
        else heldRequests += 1
        if (number === answers + 3) held.resolve(undefined)
        return number > answers
      }
      const run = startCommand([...command, ...more])
      await held.promise
      run.child.kill('SIGKILL')
      await run.exit
    }
    gateway.holds = () => {
      const request = gateway.asked.at(-1)
      answered.push(...(request?.addresses ?? []).map((each) => `${request?.kind} ${each}`))
      return false
    }
    const last = await runCommand(...command, '--resume')
    expect(last.code).toBe(0)
    expect(answered).toHaveLength(4 * list.length)
    expect(new Set(answered).size).toBe(answered.length)
    expect(gateway.asked).toHaveLength((4 * addresses) / 1000 + heldRequests)
    const lines = readFileSync(output, 'utf8').trimEnd().split('\r\n').slice(1)
    expect(lines).toHaveLength(list.length)
    expect(lines.every((line) => line.includes(',answered,'))).toBe(true)
  },
)
