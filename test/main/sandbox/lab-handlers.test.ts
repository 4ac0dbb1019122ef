import { describe, expect, test } from 'vitest'
import { depositAccount, usdtMaster } from '../../../src-main/sandbox/chain/contracts.ts'
import { walletNamed } from '../../../src-main/sandbox/chain/wallets.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { type HandlerLanguage, handlerCommands, startHandler } from '../../fixtures/lab-handler.ts'
import { startSandbox } from '../../fixtures/sandbox.ts'

/** A sandbox whose webhooks reach a sample handler, and what starts the handler again. */
async function startShop(language: HandlerLanguage, defect?: string) {
  await using resources = new AsyncDisposableStack()
  const sandbox = resources.use(await startSandbox())
  const folder = resources.use(temporaryDirectory())
  const target = `http://127.0.0.1:${await freePort()}/hook`
  const webhook = await sandbox.webhooks<{ webhook_id: number; token: string }>(
    'POST',
    '/webhooks',
    { endpoint: target },
  )
  const account = walletNamed('merchant').address.toRawString()
  await sandbox.webhooks('POST', `/webhooks/${webhook.body.webhook_id}/account-tx/subscribe`, {
    accounts: [{ account_id: account }],
  })
  await sandbox.call('setInvoicesApp', { webhooks: [target] })
  const { ready } = sandbox
  const start = () =>
    startHandler(language, {
      TONDESK_LAB_TARGET_URL: target,
      TONDESK_LAB_QUERY_URL: ready.queryUrl,
      TONDESK_LAB_TESTNET_QUERY_URL: ready.testnetQueryUrl,
      TONDESK_LAB_WEBHOOKS_URL: ready.webhooksUrl,
      TONDESK_LAB_INVOICES_URL: ready.consoleUrl,
      TONDESK_LAB_API_KEY: ready.apiKey,
      TONDESK_LAB_INVOICES_TOKEN: ready.invoicesToken,
      TONDESK_LAB_WEBHOOK_TOKEN: webhook.body.token,
      TONDESK_LAB_USDT_MASTER: usdtMaster.toRawString(),
      TONDESK_LAB_ACCOUNT: account,
      TONDESK_LAB_ACCOUNT_MNEMONIC: walletNamed('merchant').mnemonic.join(' '),
      TONDESK_LAB_DEPOSIT_ACCOUNT: depositAccount.toRawString(),
      TONDESK_LAB_STATE: folder.path,
      ...(defect === undefined ? {} : { DEFECT: defect }),
    })
  let handler = await start()
  resources.defer(() => handler.kill())
  const kept = resources.move()
  return {
    sandbox,
    webhook: webhook.body,
    state: () => handler.state(),
    kill: () => handler.kill(),
    async start() {
      handler = await start()
    },
    async deliver(body: object, token: string | null = webhook.body.token) {
      const headers = token === null ? undefined : { Authorization: `Bearer ${token}` }
      const request = { method: 'POST', body: JSON.stringify(body), ...(headers && { headers }) }
      return (await fetch(target, request)).status
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const ton = (comment: string, amount = '1500000000') => ({
  from: 'wallet-1',
  to: 'merchant',
  amount,
  comment,
})

describe.for(Object.keys(handlerCommands) as HandlerLanguage[])('the %s handler', (language) => {
  test('credits TON and USDT by their comment and hands a paid invoice out once', async () => {
    await using shop = await startShop(language)
    await shop.sandbox.send(ton('alice'))
    await shop.sandbox.send(ton('alice', '9007199254'))
    await shop.sandbox.send({ ...ton('bob', '2500000'), currency: 'USDT' })
    const invoice = await shop.sandbox.invoices<{ id: string }>('POST', '/invoice', {
      amount: '1000000000',
      currency: 'TON',
      life_time: 600,
    })
    await shop.sandbox.pay(invoice.body.id, { how: 'over' })
    await shop.sandbox.idle()
    const { credits, invoices } = await shop.state()
    expect(credits).toEqual({ alice: { TON: '10507199254' }, bob: { USDT: '2500000' } })
    expect(invoices).toEqual({
      [invoice.body.id]: {
        status: 'paid',
        credited: '1000000000',
        overpaid: '100000000',
        times: 1,
      },
    })
  })

  test('credits a repeated event once, also after it was killed', async () => {
    await using shop = await startShop(language)
    const { transactions } = await shop.sandbox.send(ton('alice'))
    await shop.sandbox.idle()
    const paid = transactions.find(({ account }) => account === merchant)
    const event = {
      event_type: 'account_tx',
      account_id: merchant,
      lt: 1,
      tx_hash: paid?.hash.toUpperCase(),
    }
    expect(await Promise.all([1, 2, 3].map(() => shop.deliver(event)))).toEqual([200, 200, 200])
    await shop.kill()
    await shop.start()
    expect(await shop.deliver(event)).toBe(200)
    expect((await shop.state()).credits).toEqual({ alice: { TON: '1500000000' } })
  })

  test('credits what was paid while it was down, and accepts a replaced token', async () => {
    await using shop = await startShop(language)
    await shop.kill()
    await shop.sandbox.send(ton('alice'))
    await shop.sandbox.advance(90_000_000)
    await shop.start()
    expect((await shop.state()).credits).toEqual({ alice: { TON: '1500000000' } })
    const { webhook_id: id } = shop.webhook
    await shop.sandbox.waitFor({ network: 'mainnet', webhook: id, status: 'online' })
    await shop.sandbox.webhooks('POST', `/webhooks/${id}/generate-new-token`)
    await shop.sandbox.send(ton('bob'))
    await shop.sandbox.idle()
    expect((await shop.state()).credits['bob']).toEqual({ TON: '1500000000' })
    expect(await shop.deliver({}, shop.webhook.token)).toBe(401)
    expect(await shop.deliver({}, null)).toBe(401)
  })

  test('gives an overpayment back once, also after it was killed', async () => {
    await using shop = await startShop(language)
    const { body } = await shop.sandbox.invoices<{ id: string }>('POST', '/invoice', {
      amount: '1000000000',
      currency: 'TON',
      life_time: 600,
    })
    await shop.sandbox.pay(body.id, { how: 'over', from: 'wallet-4' })
    await shop.sandbox.idle()
    await shop.kill()
    await shop.start()
    expect(await shop.deliver({ id: body.id, status: 'paid' }, null)).toBe(200)
    const path = `/blockchain/accounts/${merchant}/transactions?limit=100`
    const history = await shop.sandbox.query<{
      transactions: { out_msgs: { value: number; destination: { address: string } }[] }[]
    }>('GET', path)
    const sent = history.body.transactions.flatMap(({ out_msgs }) => out_msgs)
    expect(sent.map(({ value, destination }) => [value, destination.address])).toEqual([
      [100_000_000, walletNamed('wallet-4').address.toRawString()],
    ])
  })

  test('with a defect, breaks that rule only', async () => {
    await using shop = await startShop(language, 'no-dedupe')
    await shop.sandbox.send(ton('alice'))
    await shop.sandbox.idle()
    expect((await shop.state()).credits).toEqual({ alice: { TON: '1500000000' } })
    const [newest] = await newestOf(shop.sandbox)
    const event = { event_type: 'account_tx', account_id: merchant, tx_hash: newest?.hash }
    expect(await shop.deliver(event)).toBe(200)
    expect((await shop.state()).credits).toEqual({ alice: { TON: '3000000000' } })
  })
})

const merchant = walletNamed('merchant').address.toRawString()

async function newestOf({ query }: Awaited<ReturnType<typeof startSandbox>>) {
  const path = `/blockchain/accounts/${merchant}/transactions?limit=1`
  const { body } = await query<{ transactions: { hash: string }[] }>('GET', path)
  return body.transactions
}
