/** Tests explanations of captures in the app, with its sandbox and ledger, for deliveries of every kind. */
import { Address } from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CaptureKind } from '../../../src-preload/domain/capture-values.ts'
import type { CaptureRow, ExplanationFacts } from '../../../src-preload/contract/capture.ts'
import { usdtMaster } from '../../../src-main/sandbox/chain/contracts.ts'
import { formatAmount } from '../../../src-preload/domain/amount.ts'
import { formatUnits } from '../../../src-renderer/components/amount.ts'
import { shorten } from '../../../src-renderer/ui/format.ts'
import { friendlyAddress } from '../../../src-renderer/components/friendly-address.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'

const network = 'sandbox'
const minter = usdtMaster.toRawString()
const toMinter = '0x12345678'
let app: TestApp
let webhook = ''
const wallets = new Map<string, string>()

beforeAll(async () => {
  app = await startApp({ host: 'browser', startSandbox: true, sandboxPort: 0 })
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  const steps = await app.request('sandbox.doStep', { step: 'webhook' })
  webhook = String(steps.webhook?.id)
  await app.request('webhook.list', { network, fresh: true })
  await app.request('sandbox.doStep', { step: 'account' })
  await app.request('webhook.setMempool', { network, id: webhook, on: true })
  await app.request('webhook.setOpcode', { network, id: webhook, opcode: toMinter, on: true })
  await app.request('sandbox.setInvoicesApp', { webhooks: [await app.hook()] })
  const chain = await app.request('sandbox.chain', {})
  for (const { name, address } of chain.wallets) wallets.set(name, address)
})
afterAll(() => app[Symbol.asyncDispose]())

const rows = async () => (await app.request('capture.list', { limit: 500 })).rows
const get = (id: number) => app.request('explanation.get', { id })
const wallet = (name: string) => wallets.get(name) ?? ''

/** Returns the newest capture of this kind whose explanation matches. */
async function captureOf(
  kind: CaptureKind,
  fits: (explanation: ExplanationFacts) => boolean,
): Promise<CaptureRow> {
  let found: CaptureRow | undefined
  await app.until(async () => {
    found = (await rows()).find((row) => row.kind === kind && fits(row.meaning))
    return found !== undefined
  }, `the meaning of a delivery (${kind})`)
  if (found === undefined) throw new Error('nothing was found')
  return found
}

async function paidInvoice(currency: 'TON' | 'USDT', amount: string, from: string) {
  const form = { amount, currency, lifeTimeSeconds: 600 }
  const { id } = await app.request('sandbox.createInvoice', form)
  await app.request('sandbox.pay', { id, how: 'exact', from })
  return id
}

test('a payment is explained with amount, sender, comment and paid invoice, and a search finds it by each', async () => {
  await app.request('label.set', { network, address: wallet('wallet-1'), name: 'Alice', note: '' })
  const id = await paidInvoice('TON', '1500000001', 'wallet-1')
  const { id: capture, network: whose } = await captureOf(
    'account_tx',
    ({ state, invoice }) => state === 'known' && invoice === id,
  )
  expect(whose).toBe(network)
  const explanation = await get(capture)
  expect(explanation).toMatchObject({
    networkWhy: expect.stringContaining('token') as string,
    facts: {
      amount: { units: '1500000001', asset: { jetton: null, decimals: 9 }, direction: 'in' },
      sender: wallet('wallet-1'),
      recipient: wallet('merchant'),
      comment: id,
      opcode: '0x00000000',
      exitCode: 0,
      success: true,
    },
    sender: { label: 'Alice' },
    invoice: { relation: 'paid', told: null, detail: { status: 'paid', received: '1500000001' } },
    problem: null,
  })
  expect(explanation.transaction?.trace?.isComplete).toBe(true)
  // The announcement of the payment and its event share a trace.
  const { hash } = explanation.transaction?.trace?.nodes[0] ?? {}
  await app.until(async () => {
    const payments = (await rows()).filter(({ payment }) => payment?.trace === hash)
    return (
      payments.length > 1 &&
      payments.every(({ payment }) => payment?.deliveries === payments.length)
    )
  }, 'the other deliveries of the payment')
  const timeline = await app.request('explanation.timeline', { id: capture })
  const moments = timeline.map(({ what }) => what)
  expect(moments).toEqual(['block', 'arrived', 'stored', 'answered', 'understood'])

  // The index contains explanations that were found later, too.
  const find = async (text: string) =>
    (await app.request('capture.list', { query: { text } })).rows.map((row) => row.id)
  await app.until(async () => (await find(`invoice:${id}`)).includes(capture), 'the index')
  for (const text of [
    'amount:1.500000001TON',
    'amount:1.500000001GRAM',
    'asset:gram',
    `sender:${wallet('wallet-1')}`,
    'exit:0',
  ]) {
    expect(await find(text), text).toContain(capture)
  }
})

test('a delivery of an invoice is explained by its own data, and the ledger adds the network and status', async () => {
  const id = await paidInvoice('USDT', '2500000', 'wallet-2')
  const { id: capture } = await captureOf('invoice', ({ invoice }) => invoice === id)
  await app.until(async () => (await get(capture)).invoice?.detail?.status === 'paid', 'the ledger')
  expect(await get(capture)).toMatchObject({
    network,
    facts: { state: 'known', amount: { units: '2500000', asset: { jetton: minter } } },
    invoice: { relation: 'told', told: { status: 'paid', units: '2500000', currency: 'USDT' } },
    problem: null,
  })
})

test('a jetton transfer is explained with its owners; before its arrival, from the sending wallet', async () => {
  const [{ id: arrived, meaning }, { id: announced }] = await Promise.all([
    captureOf('account_tx', ({ amount }) => amount?.asset.symbol === 'USDT'),
    captureOf('mempool_msg', ({ amount }) => amount?.asset.symbol === 'USDT'),
  ])
  const moved = { units: '2500000', asset: { jetton: minter, symbol: 'USDT', decimals: 6 } }
  const parties = { sender: wallet('wallet-2'), recipient: wallet('merchant') }
  expect(meaning).toMatchObject({ ...parties, amount: { ...moved, direction: 'in' } })
  const before = await get(announced)
  expect(before.facts).toMatchObject({ ...parties, amount: { ...moved, direction: 'out' } })
  // This message caused the payment, so it pays the same invoice.
  expect(before.invoice?.id).toBe((await get(arrived)).invoice?.id)
})

test('a refusal by a contract is explained with its exit code', async () => {
  await app.request('sandbox.opcode', { opcode: toMinter, to: minter, amount: '50000000' })
  const { meaning } = await captureOf('opcode_msg', ({ opcode }) => opcode === toMinter)
  expect(meaning).toMatchObject({ state: 'known', exitCode: 65_535, success: false })
})

test('a dictionary of the user names operations, and a search finds captures by its names and fields', async () => {
  const known = (await rows()).find(({ meaning }) => meaning.opcode === toMinter)?.id ?? 0
  const find = async (text: string) =>
    (await app.request('capture.list', { query: { text } })).rows.map(({ id }) => id)
  await expect(find('opcode:Refill')).rejects.toMatchObject({ code: 'QUERY_INVALID' })
  const { code } = await app.request('contract.get', { network, address: minter })
  const text = 'Refill#12345678 query_id:uint64 = Message;'
  await app.request('dictionary.import', { codeHash: code?.hash ?? '', text })
  // The name of the operation finds captures that were explained before.
  await app.until(async () => (await find('opcode:refill')).includes(known), 'the index')
  expect(await find('refill')).toContain(known)
  const read = await app.request('captureQuery.read', { text: 'opcode:Ref', cursor: 10 })
  expect(read.completion.choices).toContainEqual({ text: 'Refill', hint: toMinter })
  await app.request('sandbox.opcode', { opcode: toMinter, to: minter, amount: '60000000' })
  let id = known
  await app.until(async () => {
    const [row] = (await rows()).filter(({ meaning }) => meaning.opcode === toMinter)
    id = row?.id ?? known
    return id !== known
  }, 'the explanation of a later capture')
  expect((await get(id)).transaction?.transaction.inMessage).toMatchObject({
    operation: 'Refill',
    body: { fields: [{ name: 'query_id' }] },
  })
  await app.until(async () => (await find('"Refill query_id"')).includes(id), 'the index')
  await app.request('dictionary.remove', { codeHash: code?.hash ?? '' })
})

test('the network of a delivery with an unknown token is not guessed, and setting it sends no request for stored data', async () => {
  // The test uses a new payment: only the latest requests are listed, and a slow computer sends
  // many in between.
  const paid = await paidInvoice('TON', '1300000001', 'wallet-3')
  const { txHash, account, lt } = await captureOf(
    'account_tx',
    ({ state, invoice }) => state === 'known' && invoice === paid,
  )
  const forged = { account_id: account, lt: Number(lt), tx_hash: txHash, event_type: 'account_tx' }
  await app.post(JSON.stringify(forged), { headers: { authorization: 'Bearer of-nobody' } })
  const { id } = await captureOf('account_tx', ({ state }) => state === 'unavailable')
  expect(await get(id)).toMatchObject({
    network: null,
    networkWhy: null,
    transaction: null,
    problem: expect.stringContaining('choose the network') as string,
  })
  expect(
    await app.refusal('explanation.setNetwork', { ids: [id], network: 'custom-00000000' }),
  ).toBe('NETWORK_UNKNOWN')
  // Meanwhile invoices are matched with the same gateway root, so only requests for this transaction count.
  const asked = async () =>
    (await app.request('traffic.read')).recent.filter(
      (each) => each.network === network && each.path.includes(txHash ?? 'no hash'),
    ).length
  const before = await asked()
  expect(before).toBeGreaterThan(0)
  await app.request('explanation.setNetwork', { ids: [id], network })
  await app.until(async () => (await get(id)).facts.state === 'known', 'the meaning')
  expect(await asked()).toBe(before)
  expect(await get(id)).toMatchObject({ network, networkWhy: 'You chose this network.' })
  await app.request('explanation.setNetwork', { ids: [id], network: null })
  expect((await get(id)).network).toBeNull()
})

test('a capture is found by any text that its row or explanation shows, in any notation', async () => {
  for (const [at, units] of [
    '480000000',
    '1284750000000',
    '12000000',
    '900000007',
    '2000000000',
  ].entries()) {
    const send = { from: `wallet-${at + 1}`, amount: units, comment: `order-47${at}1` }
    await app.request('sandbox.send', { ...send, to: 'merchant' })
    await app.request('sandbox.send', { ...send, from: 'merchant', to: `wallet-${9 - at}` })
    await app.request('sandbox.send', {
      ...send,
      amount: '1234567',
      to: 'merchant',
      currency: 'USDT',
    })
    await paidInvoice(at % 2 === 0 ? 'TON' : 'USDT', units.slice(0, 7), `wallet-${at + 1}`)
  }
  const lastComment = ({ state, comment }: ExplanationFacts) =>
    state === 'known' && comment === 'order-4741'
  await captureOf('account_tx', lastComment)
  const isSettled = ({ kind, meaning }: CaptureRow) => kind !== null && meaning.state !== 'waiting'
  await app.until(async () => (await rows()).every(isSettled), 'the explanations')
  async function find(text: string): Promise<Set<number>> {
    const { rows: matching } = await app.request('capture.list', { query: { text }, limit: 500 })
    return new Set(matching.map(({ id }) => id))
  }
  const all = await rows()
  const idsByText = new Map<string, number[]>()
  for (const row of all) {
    for (const text of new Set([...shownIn(row), ...explained(await get(row.id))])) {
      idsByText.set(text, [...(idsByText.get(text) ?? []), row.id])
    }
  }
  async function missing(): Promise<string[]> {
    const texts: string[] = []
    for (const [text, ids] of idsByText) {
      const found = await find(text)
      if (ids.some((id) => !found.has(id))) texts.push(text)
      else idsByText.delete(text)
    }
    return texts
  }
  // Explanations are indexed moments after the list shows them.
  let left: string[] = []
  await app
    .until(async () => (left = await missing()).length === 0, 'what rows show')
    .catch(() => undefined)
  expect(left).toEqual([])
  expect(all.length).toBeGreaterThanOrEqual(50)

  // The texts begin with parts of compounds with a hyphen, complete or incomplete.
  const orders = await find('order-4711')
  expect(orders.size).toBeGreaterThan(2)
  expect(await find('comment:order-471*')).toEqual(orders)
  for (const text of ['order-4', 'order-47', 'order-47*']) {
    const begun = await find(text)
    expect([text, [...orders].every((id) => begun.has(id))]).toEqual([text, true])
  }
  for (const text of ['1 284.75', '1,284.75', '+1\u202f284.750000000 TON', '1284.75']) {
    expect([text, [...(await find(text))]]).toEqual([text, [...(await find('amount:1284.75TON'))]])
  }
  expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(4)

  // Names find some of the captures: labels of the address book, and the gateway’s names of
  // wallets.
  for (const text of [
    'Alice',
    'alic',
    'wallet-1',
    'sender:Alice',
    'sender:wallet-2',
    'recipient:merch',
  ]) {
    const { size } = await find(text)
    expect([text, size > 0 && size < all.length]).toEqual([text, true])
  }
  expect(await find('sender:wallet-1')).toEqual(await find(`sender:${wallet('wallet-1')}`))
  expect((await find('wallet-1284')).size).toBe(0)
  expect((await find(`${wallet('merchant').slice(0, 8)}…0000`)).size).toBe(0)
})

/**
 * Returns the texts in the cells of a row, as the window writes them, and other notations of the
 * same values.
 */
function shownIn({
  kind,
  account,
  status,
  network: of,
  meaning,
  summary,
  lt,
}: CaptureRow): string[] {
  const texts: string[] = [kind ?? '', String(status), of ?? '']
  for (const address of [account, meaning.sender, meaning.recipient]) {
    const raw = address === null ? null : Address.parse(address).toRawString()
    if (raw !== null) texts.push(...written(raw))
  }
  if (meaning.amount !== null) {
    const { units, asset } = meaning.amount
    texts.push(`+${formatUnits(units, asset.decimals)} ${asset.symbol}`)
    texts.push(formatAmount(BigInt(units), asset.decimals))
  }
  if (meaning.invoice !== null)
    texts.push(`invoice ${meaning.invoice.slice(0, 8)}`, meaning.invoice)
  if (meaning.success === false) texts.push(`exit ${meaning.exitCode}`)
  if (meaning.opcode !== null) texts.push(meaning.opcode)
  if (kind === 'invoice') texts.push(summary)
  texts.push(meaning.comment ?? '', lt === null ? '' : `lt ${lt}`)
  return texts.filter((text) => text !== '')
}

/** Returns an address in all its forms, and shortened as in a list. */
function written(raw: string): string[] {
  const address = Address.parse(raw)
  const forms = [true, false].flatMap((bounceable) =>
    [true, false].flatMap((testOnly) =>
      [true, false].map((urlSafe) => address.toString({ bounceable, testOnly, urlSafe })),
    ),
  )
  const usual = friendlyAddress(raw, { bounceable: true, testOnly: false }) ?? ''
  const short = [raw, usual, ...forms].map((form) => shorten(form))
  const named = [...wallets].filter(([, wallet]) => wallet === raw).map(([name]) => name)
  return [raw, ...forms, ...short, usual.slice(0, 6), raw.slice(0, 8), ...named]
}

/** Returns the sentence, and the names of operations and accounts in it. */
function explained({ transaction }: Awaited<ReturnType<typeof get>>): string[] {
  const operation = transaction?.transaction.inMessage?.operation
  const sentence = transaction?.trace?.sentence ?? []
  const text = sentence.map((part) => {
    switch (part.kind) {
      case 'account': {
        const { label, name, address } = part.account
        const friendly = friendlyAddress(address, { bounceable: true, testOnly: false })
        return label ?? name ?? shorten(friendly ?? address)
      }
      case 'amount':
        return `${formatUnits(part.units, part.asset.decimals)} ${part.asset.symbol}`
      case 'quote':
        return `“${part.text}”`
      case 'words':
        return part.text
    }
  })
  return [...(operation ? [operation] : []), ...(text.length === 0 ? [] : [text.join('')])]
}

test('stored explanations are read without the network, and a reset of the chain removes them', async () => {
  const { id } = await captureOf('account_tx', ({ invoice }) => invoice !== null)
  await app.request('sandbox.stop')
  const explanation = await get(id)
  expect(explanation).toMatchObject({ problem: null, transaction: { offline: null } })
  expect(await app.request('explanation.get', { id, again: true })).toMatchObject({
    facts: explanation.facts,
    problem: expect.stringContaining('not running') as string,
  })
  await app.request('sandbox.start')
  await app.until(async () => (await app.request('sandbox.state')).status === 'running', 'sandbox')
  await app.request('sandbox.reset')
  expect(await get(id)).toMatchObject({
    network,
    facts: { state: 'unavailable', amount: null },
    transaction: null,
  })
  expect((await app.request('explanation.progress')).waiting).toBe(0)
})
