/**
 * Tests the whole sequence as your own backend would run it, with only the public interfaces of the
 * sandbox.
 */
import { Address, Cell, beginCell, external, internal, storeMessage } from '@ton/core'
import { mnemonicToPrivateKey } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'
import { expect, test } from 'vitest'
import { startEndpoint } from '../../fixtures/endpoint.ts'
import { startSandbox } from '../../fixtures/sandbox.ts'

/** Returns a transfer, signed with only the displayed mnemonic, as base64. */
async function signed(
  words: readonly string[],
  seqno: number,
  order: { to: string; value: bigint; comment: string },
): Promise<string> {
  const { publicKey, secretKey } = await mnemonicToPrivateKey([...words])
  const wallet = WalletContractV4.create({ workchain: 0, publicKey })
  const body = wallet.createTransfer({
    seqno,
    secretKey,
    sendMode: 1,
    timeout: 0xffffffff,
    messages: [
      internal({
        to: Address.parse(order.to),
        value: order.value,
        bounce: false,
        body: order.comment,
      }),
    ],
  })
  const message = beginCell()
    .store(storeMessage(external({ to: wallet.address, body })))
    .endCell()
  return message.toBoc().toString('base64')
}

test.each(['', '/testnet'])(
  'a transfer signed outside is delivered and found by its hash with the same lt and raw cell (network root "%s")',
  async (root) => {
    await using endpoint = await startEndpoint()
    await using sandbox = await startSandbox({ clock: 'real' })
    const { apiKey, queryUrl, wallets } = sandbox.ready
    const [payer, payee] = wallets
    if (payer === undefined || payee === undefined) throw new Error('no wallets')
    const ask = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${queryUrl}${root}${path}`, {
        method,
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    }

    const made = await ask('POST', '/webhooks', { endpoint: endpoint.url })
    const { webhook_id: id, token } = JSON.parse(made.text) as { webhook_id: number; token: string }
    const accounts = [{ account_id: payee.address }]
    expect((await ask('POST', `/webhooks/${id}/account-tx/subscribe`, { accounts })).status).toBe(
      200,
    )

    const { seqno } = JSON.parse((await ask('GET', `/v2/wallet/${payer.address}/seqno`)).text) as {
      seqno: number
    }
    const order = { to: payee.address, value: 1_500_000_000n, comment: 'the whole way' }
    const boc = await signed(payer.mnemonic, seqno, order)
    expect(await ask('POST', '/v2/blockchain/message', { boc })).toEqual({ status: 200, text: '' })
    expect((await ask('POST', '/v2/blockchain/message', { boc })).status).toBe(400)

    await endpoint.arrived(1)
    const [delivery] = endpoint.received
    expect(delivery?.headers.authorization).toBe(`Bearer ${token}`)
    const event =
      /^\{"event_type":"account_tx","account_id":"(.+)","lt":(\d+),"tx_hash":"(\w{64})"\}$/
    const [, account, lt, hash] = event.exec(delivery?.body ?? '') ?? []
    expect(account).toBe(payee.address)

    const found = await ask('GET', `/v2/blockchain/transactions/${hash ?? ''}`)
    expect(found.status).toBe(200)
    const transaction = JSON.parse(found.text) as {
      hash: string
      raw: string
      in_msg: { value: number; decoded_op_name: string; decoded_body: { text: string } }
    }
    expect(found.text).toContain(`"lt":${lt ?? '?'},`)
    expect(transaction.hash).toBe(hash)
    expect(Cell.fromBoc(Buffer.from(transaction.raw, 'hex'))[0]?.hash().toString('hex')).toBe(hash)
    expect(transaction.in_msg).toMatchObject({
      value: 1_500_000_000,
      decoded_op_name: 'text_comment',
      decoded_body: { text: 'the whole way' },
    })

    // The two networks are separate chains.
    const other = await fetch(
      `${queryUrl}${root === '' ? '/testnet' : ''}/v2/blockchain/transactions/${hash ?? ''}`,
    )
    expect(other.status).toBe(404)
  },
)

test('a message sent before a reset can be sent again after it, with the same hashes', async () => {
  await using sandbox = await startSandbox()
  const [payer, payee] = sandbox.ready.wallets
  if (payer === undefined || payee === undefined) throw new Error('no wallets')
  const order = { to: payee.address, value: 1n, comment: 'again' }
  const boc = await signed(payer.mnemonic, 0, order)
  const send = async () => {
    const { status } = await sandbox.query('POST', '/blockchain/message', { boc })
    const { body } = await sandbox.query<{ transactions: { hash: string }[] }>(
      'GET',
      `/blockchain/accounts/${payer.address}/transactions`,
    )
    return { status, hashes: body.transactions.map(({ hash }) => hash) }
  }
  const first = await send()
  expect(first.status).toBe(200)
  await sandbox.control('POST', '/reset')
  expect(await send()).toEqual(first)
})
