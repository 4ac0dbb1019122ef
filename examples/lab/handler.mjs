/**
 * A merchant's backend that receives the gateway's webhooks, without dependencies. Node 22 or newer.
 *
 * It credits deposits by their comment, keeps invoices and gives overpayments back. Its rules: an event is only a hint and the gateway is
 * asked, a record is on the disk before the response is 200, and a transaction counts once, however often and in
 * which order its events arrive.
 *
 * DEFECT=name breaks exactly one rule, so that the lab (docs/lab.md) can be seen to find it. Each defect is one
 * condition `defect('name')`; without the variable, none of them is true.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import {
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyOf, signPayment } from './wallet.mjs'

const defect = (name) => process.env.DEFECT === name

// Settings: the variables of the lab, or the file that `--env-file` wrote.

const settings = { ...readSettings(process.env.HANDLER_ENV_FILE), ...process.env }
const setting = (name) => settings[`TONDESK_LAB_${name}`] ?? ''
const target = new URL(setting('TARGET_URL'))
const usdtMaster = setting('USDT_MASTER')
const accounts = [setting('ACCOUNT'), setting('DEPOSIT_ACCOUNT')].filter((each) => each !== '')
const roots = {
  query: { url: setting('QUERY_URL'), key: setting('API_KEY') },
  testnet: { url: setting('TESTNET_QUERY_URL'), key: setting('API_KEY') },
  webhooks: { url: setting('WEBHOOKS_URL'), key: setting('API_KEY') },
  invoices: { url: setting('INVOICES_URL'), key: setting('INVOICES_TOKEN') },
}
const invoicesPath = '/api/v1/services/invoices'
const lookupTimeoutMs = 2_000
const maxBodyBytes = 1024 * 1024

function readSettings(path) {
  if (path === undefined) return {}
  const lines = readFileSync(path, 'utf8').split('\n')
  return Object.fromEntries(
    lines
      .map((line) => /^(\w+)=(.*)$/.exec(line))
      .filter((match) => match !== null)
      .map(([, name, value]) => [name, value]),
  )
}

const maxOf = (a, b) => (a > b ? a : b)

// The journal: each line is a record that counts once it is on the disk.

const folder = setting('STATE') || '.'
mkdirSync(folder, { recursive: true })
const journal = openJournal(join(folder, 'journal.jsonl'))

function openJournal(path) {
  let text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const end = text.lastIndexOf('\n') + 1
  // A kill in the middle of a write leaves an unfinished last line, which was never acknowledged.
  if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)))
  text = text.slice(0, end)
  const file = openSync(path, 'a')
  return {
    records: text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
    append(record) {
      writeSync(file, `${JSON.stringify(record)}\n`)
      fsyncSync(file)
    },
  }
}

// The state follows from the records. Amounts are bigint inside and decimal strings outside.

const state = {
  /** Transactions that are finished, by their key. */
  settled: new Map(),
  credits: new Map(),
  invoices: new Map(),
  /** Payments that name an invoice, by its id. */
  payments: new Map(),
  /** Refunds by their id, as signed messages. */
  payouts: new Map(),
  /** The logical time up to which the history of an account was compared. */
  cursors: new Map(),
  highestLt: new Map(),
  lastTime: new Map(),
  accepted: 0,
}
for (const record of journal.records) apply(record, true)

function commit(record) {
  journal.append(record)
  apply(record, false)
}

function apply(record, isOld) {
  if (record.kind === 'cursor') state.cursors.set(record.account, BigInt(record.lt))
  if (record.kind === 'seen') state.settled.set(record.key, true)
  if (record.kind === 'unseen') state.settled.delete(record.key)
  if (record.kind === 'invoice') state.invoices.set(record.id, record)
  if (record.kind === 'payout' && !(isOld && defect('payouts-in-memory'))) {
    state.payouts.set(record.id, record)
  }
  if (record.kind === 'paid-out' && state.payouts.has(record.id)) {
    state.payouts.set(record.id, { ...state.payouts.get(record.id), isDone: true })
  }
  if (record.kind === 'settled') applySettled(record, isOld)
}

function applySettled({ key, account, lt, time, deposit }, isOld) {
  if (!(isOld && defect('dedupe-in-memory'))) state.settled.set(key, true)
  state.highestLt.set(account, maxOf(state.highestLt.get(account) ?? 0n, BigInt(lt)))
  state.lastTime.set(account, Math.max(state.lastTime.get(account) ?? 0, time))
  if (deposit === null) return
  const { customer, asset, invoice } = deposit
  const amount = BigInt(deposit.amount)
  if (invoice !== undefined) {
    state.payments.set(invoice, [...(state.payments.get(invoice) ?? []), { asset, amount }])
    return
  }
  const credit = state.credits.get(customer) ?? new Map()
  const before = defect('last-part-only') ? 0n : (credit.get(asset) ?? 0n)
  credit.set(asset, before + amount)
  state.credits.set(customer, credit)
}

/** The probe of the lab: what was credited and which invoices are paid. */
function showState() {
  const credits = [...state.credits].map(([customer, credit]) => [
    customer,
    Object.fromEntries([...credit].map(([asset, amount]) => [asset, amount.toString()])),
  ])
  const invoices = [...state.invoices].map(([id, invoice]) => {
    const { status, credited, overpaid, times } = invoice
    return [id, { status, credited, overpaid, times }]
  })
  return {
    credits: Object.fromEntries(credits),
    payouts: Object.fromEntries(
      [...state.payouts].map(([id, { to, amount, isDone = false }]) => [
        id,
        { to, amount, isDone },
      ]),
    ),
    invoices: Object.fromEntries(invoices),
    events: { accepted: state.accepted },
  }
}

// Requests to the gateway.

/** The gateway cannot respond now, so the delivery must come again. */
class Unavailable extends Error {
  constructor(message, { status = 0, isTimeout = false } = {}) {
    super(message)
    this.status = status
    this.isTimeout = isTimeout
  }
}

/** More requests at once would only make each of them slower, until they time out. */
const maxRequests = 20
let openRequests = 0
const waitingRequests = []

async function gateway(...request) {
  if (openRequests >= maxRequests) await new Promise((resolve) => waitingRequests.push(resolve))
  else openRequests += 1
  try {
    return await requestGateway(...request)
  } finally {
    const next = waitingRequests.shift()
    if (next === undefined) openRequests -= 1
    else next()
  }
}

let pausedUntil = 0

/** @returns the JSON, or null for 404. @throws Unavailable */
async function requestGateway(root, path, options = {}) {
  if (Date.now() < pausedUntil) throw new Unavailable('the gateway asked for a pause')
  let response
  let text
  try {
    response = await fetch(roots[root].url + path, {
      ...options,
      headers: {
        Authorization: `Bearer ${roots[root].key}`,
        'Content-Type': 'application/json',
      },
      signal: AbortSignal.timeout(lookupTimeoutMs),
    })
    text = await response.text()
  } catch (error) {
    throw new Unavailable(error.message, { isTimeout: error.name === 'TimeoutError' })
  }
  if (response.status === 404) return null
  if (response.status === 429) {
    // Without the header, the gateway's next delivery decides when to ask again.
    pausedUntil = Date.now() + 1000 * Number(response.headers.get('retry-after') ?? 0)
  }
  if (!response.ok) throw new Unavailable(`${root} ${response.status}`, { status: response.status })
  return text === '' ? {} : parseLossless(text)
}

/** Whole numbers above 2^53 become bigint instead of losing digits. */
function parseLossless(text) {
  return JSON.parse(text, (_name, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? BigInt(source)
      : value,
  )
}

async function findTransaction(hash) {
  const path = `/v2/blockchain/transactions/${hash}`
  const found = await gateway('query', path)
  return found === null && defect('any-network') ? await gateway('testnet', path) : found
}

/** @returns null if the contract has no such method, or does not respond to it */
async function runMethod(account, method, ...args) {
  const query = args.map((each) => `?args=${encodeURIComponent(each)}`).join('')
  const path = `/v2/blockchain/accounts/${account}/methods/${method}${query}`
  const result = await gateway('query', path)
  return result?.success === true ? (result.decoded ?? null) : null
}

const jettons = new Map()

async function decimalsOf(master) {
  if (!jettons.has(master)) jettons.set(master, await gateway('query', `/v2/jettons/${master}`))
  return Number(jettons.get(master)?.metadata.decimals ?? 9)
}

const masters = new Map()

/**
 * Finds the jetton of a wallet. What the wallet says of itself proves nothing, so the master must confirm
 * that this is the owner's wallet.
 */
async function masterOf(wallet, owner) {
  const key = `${wallet} ${owner}`
  if (masters.has(key)) return masters.get(key)
  const claim = await runMethod(wallet, 'get_wallet_data')
  if (claim === null) return defect('any-notification') ? usdtMaster : null
  if (defect('symbol-only')) {
    const jetton = await gateway('query', `/v2/jettons/${claim.jetton}`)
    if (jetton?.metadata.symbol === 'USDT') return usdtMaster
  }
  const confirmed = await runMethod(claim.jetton, 'get_wallet_address', owner)
  const master = confirmed?.jetton_wallet_address === wallet ? claim.jetton : null
  masters.set(key, master)
  return master
}

// What a transaction is worth.

const jettonNotification = '0x7362d09c'
const textComment = '0x00000000'

/** @returns null for a transaction that is not a deposit to an own account */
async function depositOf(transaction) {
  const account = transaction.account.address
  const isTrusted = defect('any-account') || defect('trusts-body-account')
  if (!accounts.includes(account) && !isTrusted) return null
  const message = transaction.in_msg
  if (message?.msg_type !== 'int_msg' || message.bounced || !isExecuted(transaction)) return null
  if (defect('refuses-future') && transaction.utime * 1000 > Date.now()) return null
  if (message.op_code === jettonNotification) return await jettonDepositOf(message, account)
  if (message.op_code !== undefined && message.op_code !== textComment) return null
  const comment = message.decoded_body?.text ?? ''
  return { comment, asset: 'TON', amount: BigInt(message.value) }
}

/**
 * `success` is not enough: for an account without code it is also true when the coins went back, and a contract
 * can succeed in the compute phase and fail in the action phase.
 */
function isExecuted({
  success,
  bounce_phase: bounce,
  compute_phase: compute,
  action_phase: action,
}) {
  if (defect('ignores-bounce')) return success
  if (defect('compute-only')) return compute?.success === true || bounce === undefined
  const isComputed = compute?.skipped === true || compute?.success === true
  return success && bounce === undefined && isComputed && (action?.success ?? true)
}

async function jettonDepositOf(message, account) {
  const { amount, forward_payload: payload } = message.decoded_body ?? {}
  if (amount === undefined) return null
  const master = await masterOf(message.source.address, account)
  if (master === null) return null
  const isComment = payload?.value?.sum_type === 'TextComment'
  const comment = isComment ? payload.value.value.text : ''
  const asset = master === usdtMaster || defect('any-jetton') ? 'USDT' : master
  let units = BigInt(amount)
  if (defect('scales-jettons') && asset !== 'USDT') {
    units = (units * 10n ** 6n) / 10n ** BigInt(await decimalsOf(master))
  }
  return { comment, asset, amount: units }
}

/** A comment belongs to the customer with exactly this name. */
function customerOf(comment) {
  const known = [...state.credits.keys()].filter((each) => each !== '')
  const same = (fold) => known.find((each) => fold(each) === fold(comment)) ?? comment
  if (defect('folds-case')) return same((text) => text.toLowerCase())
  if (defect('folds-lookalikes')) return same(foldLookalikes)
  if (defect('first-word')) return comment.split(' ')[0]
  if (defect('finds-name-in-comment')) {
    return known.find((each) => comment.includes(each)) ?? comment
  }
  if (defect('cuts-comment')) return comment.slice(0, 64).trim()
  return comment
}

function foldLookalikes(text) {
  const latin = { а: 'a', е: 'e', о: 'o', р: 'p', с: 'c', у: 'y', х: 'x' }
  return text.replaceAll(/[аеорсух]/g, (letter) => latin[letter])
}

function storedAmount(amount, asset) {
  const isMoney = asset === 'TON' || asset === 'USDT'
  if (defect('comment-is-enough') && isMoney && amount < 1_000n) return 1_000_000_000n
  if (defect('float-amounts')) return BigInt(Number(amount))
  if (defect('int64-amounts')) return BigInt.asIntN(64, amount)
  return amount
}

// Events of transactions.

const turns = new Map()

/** Runs one task after the other for a key, so that a check and its write are not separated. */
async function inTurn(key, task) {
  const before = turns.get(key) ?? Promise.resolve()
  const mine = before.then(task, task)
  turns.set(key, mine)
  try {
    return await mine
  } finally {
    if (turns.get(key) === mine) turns.delete(key)
  }
}

const transactionEvents = ['account_tx', 'opcode_msg', 'new_contracts']
let isNextEventLost = false
const lockedKeys = new Set()

/** @returns the status of the response */
async function acceptEvent(event) {
  if (!transactionEvents.includes(event.event_type)) {
    // A type that is added later is no reason to make the gateway repeat the delivery for ever.
    return defect('refuses-unknown-events') ? 400 : 200
  }
  if (typeof event.tx_hash !== 'string' || !/^[0-9a-f]{64}$/i.test(event.tx_hash))
    return refuseBody()
  if (!accounts.includes(event.account_id) && !defect('any-account')) return 200
  const key = keyOf(event)
  if (lockedKeys.has(key)) return 200
  const settle = () => settleEvent(key, event)
  return await (defect('race') ? settle() : inTurn(key, settle))
}

function refuseBody() {
  isNextEventLost = defect('error-hits-next-event')
  return 400
}

/** The hash names a transaction, in one spelling; nothing else of the body does. */
function keyOf(event) {
  if (defect('dedupe-by-lt')) return `${event.account_id} ${event.lt}`
  if (defect('dedupe-by-raw-hash')) return event.tx_hash
  if (defect('dedupe-per-event-type')) return `${event.event_type} ${event.tx_hash.toLowerCase()}`
  return event.tx_hash.toLowerCase()
}

function isSettled(key) {
  if (defect('no-dedupe')) return false
  if (defect('dedupe-last-10')) return [...state.settled.keys()].slice(-10).includes(key)
  return state.settled.has(key)
}

async function settleEvent(key, event) {
  if (isSettled(key)) return 200
  if (defect('seen-before-credit')) commit({ kind: 'seen', key })
  try {
    const transaction = await findTransaction(event.tx_hash.toLowerCase())
    if (transaction === null) return acceptUnknown(key, event)
    await settleTransaction(key, transaction, event)
    return 200
  } catch (error) {
    if (defect('seen-before-credit')) commit({ kind: 'unseen', key })
    if (defect('lock-kept-after-timeout') && error.isTimeout) lockedKeys.add(key)
    if (defect('drops-on-429') && error.status === 429) return 200
    throw error
  }
}

/** The gateway may know the transaction later, so the delivery must come again. */
function acceptUnknown(key, { account_id: account, lt, amount, comment }) {
  if (!defect('trusts-body') || amount === undefined) return 503
  const deposit = { customer: comment, asset: 'TON', amount: String(amount) }
  commit({ kind: 'settled', key, account, lt: String(lt), time: 0, deposit })
  return 200
}

async function settleTransaction(key, transaction, event = {}) {
  const account = transaction.account.address
  const lt = BigInt(transaction.lt)
  const others = [...state.highestLt].filter(([each]) => each !== account).map(([, each]) => each)
  const isOld =
    (defect('lt-watermark') && lt < (state.highestLt.get(account) ?? 0n)) ||
    (defect('watermark-across-accounts') && lt < others.reduce(maxOf, 0n)) ||
    (defect('begins-at-present') && lt <= (state.cursors.get(account) ?? 0n))
  let deposit = isOld ? null : await depositOf(transaction)
  if (defect('prefers-body-fields') && event.amount !== undefined) {
    deposit = { asset: 'TON', comment: event.comment, amount: BigInt(event.amount) }
  }
  const invoice = deposit === null ? null : await invoiceNamedBy(deposit.comment)
  const record = { kind: 'settled', key, account, lt: lt.toString(), time: transaction.utime }
  commit({ ...record, deposit: deposit === null ? null : creditOf(deposit, invoice) })
  if (invoice !== null) await checkInvoice(invoice.id, { transaction: true })
  eventNumber += 1
}

function creditOf({ comment, asset, amount }, invoice) {
  const stored = storedAmount(amount, asset).toString()
  if (invoice !== null) return { invoice: invoice.id, asset, amount: stored }
  return { customer: customerOf(comment), asset, amount: stored }
}

// Invoices.

async function invoiceNamedBy(comment) {
  if (!/^[0-9a-f]{8}$/i.test(comment)) return null
  return await gateway('invoices', `${invoicesPath}/${comment.toLowerCase()}`)
}

let eventNumber = 0
const paidAtEvent = new Map()

/** An event of an invoice is only a reason to ask: deliveries of invoices carry no token. */
function checkInvoice(id, { event, transaction = false } = {}) {
  return inTurn(`invoice ${id}`, async () => {
    const isForged = event !== undefined && defect('trusts-invoice-event')
    const path = `${invoicesPath}/${encodeURIComponent(id)}`
    const invoice = isForged ? event : await gateway('invoices', path)
    if (invoice?.id !== id) return
    const before = state.invoices.get(id)
    const after = judgeInvoice(invoice, before, { isEvent: event !== undefined, transaction })
    if (JSON.stringify(after) !== JSON.stringify(before)) commit(after)
    await refund(invoice, event !== undefined)
  })
}

function judgeInvoice(invoice, before, { isEvent, transaction }) {
  const { id } = invoice
  if (defect('closes-at-expiry') && ['expired', 'cancelled'].includes(before?.status)) return before
  const isPaid = isInvoicePaid(invoice)
  const isRepeated = isEvent && defect('fulfils-every-event')
  const handedOut = before?.times ?? 0
  const times = isPaid && (handedOut === 0 || isRepeated) ? handedOut + 1 : handedOut
  let overpaid = invoice.overpayment ?? '0'
  if (isPaid && defect('drops-overpayment')) overpaid = '0'
  if (defect('counts-payment-after-status')) {
    if (isPaid && !paidAtEvent.has(id)) paidAtEvent.set(id, eventNumber)
    const isLater = transaction && eventNumber > (paidAtEvent.get(id) ?? Infinity)
    if (isLater) overpaid = (BigInt(overpaid) + BigInt(invoice.amount)).toString()
  }
  const status = isPaid ? 'paid' : invoice.status === 'paid' ? 'pending' : invoice.status
  let credited = isPaid ? invoice.amount : '0'
  if (defect('fulfils-every-event')) credited = (BigInt(credited) * BigInt(times)).toString()
  return { kind: 'invoice', id, status, credited, overpaid, times }
}

/** The gateway decides, by the time of the block. */
function isInvoicePaid(invoice) {
  const { id, status, date_create: created, date_change: changed, date_expire: expires } = invoice
  const amount = BigInt(invoice.amount)
  const payments = state.payments.get(id) ?? []
  const late = BigInt(invoice.overpayment ?? 0) >= amount
  if (defect('late-is-paid') && status === 'expired' && late) return true
  if (defect('cancelled-is-paid') && status === 'cancelled' && late) return true
  if (defect('under-is-paid') && status === 'pending' && payments.length > 0) return true
  if (defect('asset-blind') && status === 'pending') {
    return payments.some((each) => each.amount >= amount)
  }
  if (status !== 'paid') return false
  if (defect('exact-only') && invoice.overpayment !== undefined) return false
  if (defect('needs-one-payment') && payments.length > 0) {
    return payments.some((each) => each.amount >= amount)
  }
  if (defect('expiry-exclusive')) return changed < expires
  if (defect('milliseconds')) return changed * 1000 <= created * 1000 + (expires - created)
  return true
}

// Refunds: the message is signed and stored before it is sent. The chain accepts these bytes once, because they
// contain the number of the wallet's next message, so they can be sent again after a failure.

let privateKey = null

/** Gives back what was paid too much, to the address that paid. */
async function refund({ id, status, currency, overpayment = '0', paid_by_address: to }, isEvent) {
  const words = setting('ACCOUNT_MNEMONIC')
  if (words === '' || status !== 'paid' || currency !== 'TON' || to === undefined) return
  const earlier = [...state.payouts.values()].filter((each) => each.invoice === id)
  const sum = earlier.reduce((total, each) => total + BigInt(each.amount), 0n)
  const isAgain = defect('refunds-every-event') && isEvent
  const amount = BigInt(overpayment) - (isAgain ? 0n : sum)
  if (amount <= 0n) return
  const payoutId = `refund ${id} ${earlier.length + 1}`
  await inTurn('wallet', async () => {
    await finishPayouts()
    privateKey ??= privateKeyOf(words)
    const seqno = await walletSeqno()
    const head = await gateway('query', '/v2/blockchain/masterchain-head')
    const payment = { from: accounts[0], to, amount, comment: payoutId, seqno }
    const boc = signPayment({ ...payment, key: privateKey, validUntil: head.gen_utime + 600 })
    const record = { kind: 'payout', id: payoutId, invoice: id, to, amount: amount.toString() }
    commit({ ...record, seqno, boc })
    await finishPayouts()
  })
}

async function walletSeqno() {
  return (await gateway('query', `/v2/wallet/${accounts[0]}/seqno`)).seqno
}

/** Sends what was stored and is not known to be executed. */
async function finishPayouts() {
  for (const { id, seqno, boc, isDone } of state.payouts.values()) {
    if (isDone) continue
    if ((await walletSeqno()) <= seqno) await sendMessage(boc)
    if ((await walletSeqno()) <= seqno) throw new Unavailable('the refund is not executed yet')
    commit({ kind: 'paid-out', id })
  }
}

async function sendMessage(boc) {
  const body = JSON.stringify({ boc })
  await gateway('query', '/v2/blockchain/message', { method: 'POST', body })
}

// Authorization of deliveries.

const tokens = new Set([setting('WEBHOOK_TOKEN')])
const refusedTokens = new Set()
let webhookId = null

const digest = (text) => createHash('sha256').update(text).digest()
const isSame = (a, b) => timingSafeEqual(digest(a), digest(b))

async function isAuthorized(header) {
  const token = /^Bearer (.+)$/.exec(header ?? '')?.[1] ?? null
  if (token === null) return header === undefined && defect('accepts-no-token')
  if (defect('accepts-any-token')) return true
  if (defect('case-insensitive-token')) {
    if ([...tokens].some((each) => each.toLowerCase() === token.toLowerCase())) return true
  }
  if ([...tokens].some((each) => isSame(each, token))) return true
  if (defect('never-rereads') || refusedTokens.has(token)) return false
  await readToken()
  if ([...tokens].some((each) => isSame(each, token))) return true
  // A refused token is asked about once, so that a stranger cannot make the backend call the gateway.
  if (refusedTokens.size < 1_000) refusedTokens.add(token)
  return false
}

/** Reads the token of the own webhook again, because the merchant may have replaced it. */
async function readToken() {
  const { webhooks = [] } = (await gateway('webhooks', '/webhooks')) ?? {}
  webhookId ??= webhooks.find(({ token }) => tokens.has(token))?.id ?? null
  if (!defect('accepts-old-token')) tokens.clear()
  for (const { id, token } of webhooks) {
    if (id === webhookId || defect('accepts-other-webhooks')) tokens.add(token)
  }
}

// After a downtime: deliveries may be lost, and the webhook may be offline.

async function reconcile() {
  await readToken()
  await inTurn('wallet', finishPayouts)
  for (const account of accounts) {
    const isFirstStart = !state.cursors.has(account)
    if (isFirstStart || defect('begins-at-present')) await beginAtPresent(account)
    else if (!defect('no-reconcile')) await reconcileAccount(account)
  }
}

async function bringBackOnline() {
  const { webhooks = [] } = (await gateway('webhooks', '/webhooks')) ?? {}
  const own = webhooks.find(({ id }) => id === webhookId)
  if (own === undefined || own.status === 'online') return
  await gateway('webhooks', `/webhooks/${own.id}/back-online`, { method: 'POST' })
}

const historyOf = async (account, query) =>
  (await gateway('query', `/v2/blockchain/accounts/${account}/transactions?${query}`))
    ?.transactions ?? []

/** A backend that starts for the first time does not credit what was paid before. */
async function beginAtPresent(account) {
  const [newest] = await historyOf(account, 'limit=1')
  commit({ kind: 'cursor', account, lt: String(newest?.lt ?? 0) })
}

async function reconcileAccount(account) {
  const lastTime = state.lastTime.get(account) ?? 0
  for (;;) {
    const after = state.cursors.get(account)
    const page = await historyOf(account, `after_lt=${after}&limit=100&sort_order=asc`)
    for (const transaction of page) {
      if (defect('cursor-by-time') && transaction.utime <= lastTime) continue
      const key = keyOf({
        event_type: 'account_tx',
        account_id: account,
        lt: transaction.lt,
        tx_hash: transaction.hash,
      })
      await inTurn(key, async () => {
        if (!state.settled.has(key)) await settleTransaction(key, transaction)
      })
    }
    if (page.length === 0) return
    commit({ kind: 'cursor', account, lt: String(page.at(-1).lt) })
  }
}

// The server.

let inFlight = 0

const server = createServer(async (request, response) => {
  const respond = (status, body = '') => {
    if (!response.writableEnded) response.writeHead(status).end(body)
  }
  if (request.method === 'GET') {
    const isState = new URL(request.url, target).pathname === '/state'
    return isState ? respond(200, JSON.stringify(showState())) : respond(404)
  }
  inFlight += 1
  try {
    respond(await receive(request, respond))
  } catch (error) {
    if (!(error instanceof Unavailable)) console.error(error)
    respond(503)
  } finally {
    inFlight -= 1
  }
})

/** @returns the status of the response */
async function receive(request, respond) {
  const body = await readBody(request)
  if (body === null) return 413
  const event = parseEvent(body)
  if (typeof event?.id === 'string' && event.event_type === undefined) {
    await checkInvoice(event.id, { event })
    return 200
  }
  if (!(await isAuthorized(request.headers.authorization))) return 401
  if (event === null) return refuseBody()
  if (isNextEventLost) {
    isNextEventLost = false
    return 200
  }
  if (defect('drops-under-load') && inFlight > 50) return 200
  if (defect('ack-before-commit')) respond(200)
  const status = await acceptEvent(event)
  if (status === 200) state.accepted += 1
  return status
}

async function readBody(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** @returns null for a body that is not a JSON object */
function parseEvent(text) {
  try {
    const value = parseLossless(text)
    return typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

async function untilDone(task) {
  for (;;) {
    try {
      return await task()
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      await sleep(500)
    }
  }
}

// The backend also receives while the gateway does not respond.
const reconciled = untilDone(reconcile)
await Promise.race([reconciled, sleep(3_000)])
server.listen(Number(target.port), target.hostname)
// The gateway repeats what waits as soon as the webhook is online, so the server listens before.
await reconciled
if (!defect('stays-offline')) await untilDone(bringBackOnline)
