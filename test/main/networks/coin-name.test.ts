/**
 * Tests the coin’s name, which is learned from the gateway of each network, stored, and overridden
 * by the settings.
 */
import { expect, test } from 'vitest'
import { findNetwork } from '../../../src-main/command-line/session.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import { jsonResponse, openScriptedServer } from '../../fixtures/scripted-server.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'

test('a network whose gateway sends gram fields says GRAM, also after a restart; other networks say TON', async () => {
  using home = temporaryDirectory()
  await using server = await openScriptedServer()
  let id: NetworkId
  {
    await using app = await startApp({ dataDirectory: home.path, receive: false })
    const { origin: query } = server
    const urls = { query, webhooks: query, testnetWebhooks: null, console: null }
    const added = await app.request('network.add', { name: 'Ours', urls, testOnly: false })
    id = added.id
    const named = async (text: string) => {
      server.answer = jsonResponse(text)
      await app.refusal('block.latest', { network: id, before: null })
      return (await app.request('settings.get')).appearance.gramNetworks
    }
    // These are other names with this ending, and a text that quotes the field.
    expect(await named('{"telegram":1,"grams":2,"comment":"\\"gram\\":3"}')).toEqual([])
    expect(await named('{"actions":[{"gram_attached":1}]}')).toEqual([id])
    expect(coinName()).toBe('TON')
    await app.request('network.select', { id })
    expect(coinName()).toBe('GRAM')
  }
  await using app = await startApp({ dataDirectory: home.path, receive: false })
  expect(coinName()).toBe('GRAM')
  // A command uses the coin’s name of its own network.
  const call: TestApp['request'] = (name, ...input) => app.request(name, ...input)
  const session = { call } as unknown as Parameters<typeof findNetwork>[0]
  expect([await named(session, 'sandbox'), await named(session, 'ours')]).toEqual(['TON', 'GRAM'])

  await app.request('settings.change', { appearance: { coinName: 'TON' } })
  expect(coinName()).toBe('TON')
  await choose(app, 'GRAM')
  await app.request('network.select', { id: 'sandbox' })
  expect(coinName()).toBe('GRAM')
  await choose(app, 'network')
  expect(coinName()).toBe('TON')
})

async function named(session: Parameters<typeof findNetwork>[0], network: string) {
  await findNetwork(session, network)
  return coinName()
}

const choose = (app: TestApp, name: 'network' | 'GRAM') =>
  app.request('settings.change', { appearance: { coinName: name } })
