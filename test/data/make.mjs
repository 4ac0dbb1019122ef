/**
 * Writes a directory of `test/data` with the code of the commit in its name (see README.md in this
 * folder). Run with Node 24: `node make.mjs <checkout of the commit> <output folder>`.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'

const [checkout, output, directory] = process.argv.slice(2).map((path) => resolve(path))
const load = (path) => import(pathToFileURL(join(checkout, path)).href)
/** Loads the first of these files that the commit has, because files have moved since 4f8ee14. */
const loadFirst = (...paths) => load(paths.find((path) => existsSync(join(checkout, path))))
const hasWatches = existsSync(join(checkout, 'src-preload/contract/watch.ts'))
const address = (number) => `0:${number.toString(16).padStart(64, '0')}`
const addresses = (from, to) =>
  Array.from({ length: to - from + 1 }, (_, index) => address(from + index))

/**
 * Invented keys, which the test's sandbox uses too. Both roots have the same key, so that the proxy
 * need not choose.
 */
const keys = {
  apiKey: 'stored-api-key-of-a-test',
  invoicesToken: 'stored-api-key-of-a-test',
  controlKey: 'stored-control-key-of-a-test',
}

if (directory === undefined) pack()
else await work()

/** Lets a child process fill a directory and end itself with SIGKILL, then compresses the directory. */
function pack() {
  const home = mkdtempSync(join(tmpdir(), 'stored-'))
  const data = join(home, 'data')
  const program = fileURLToPath(import.meta.url)
  const child = spawnSync(process.execPath, [program, checkout, output, data], {
    stdio: 'inherit',
  })
  if (child.signal !== 'SIGKILL') throw new Error(`The child ended with ${child.status}.`)
  rmSync(output, { recursive: true, force: true })
  const files = readdirSync(data, { recursive: true })
    .filter((name) =>
      /^(tondesk\.db|backups\/.*\.db|sandbox\/(mainnet|testnet)\.db|exports\/.*)$/.test(name),
    )
    .sort()
  for (const name of files) {
    const path = join(data, name)
    if (name.endsWith('.db')) {
      // Moves the contents of the write-ahead log into the database, as the next start would.
      const database = new DatabaseSync(path)
      database.exec('VACUUM')
      database.close()
    }
    save(name, readFileSync(path))
  }
  save('expected.json', readFileSync(join(home, 'expected.json')))
  rmSync(home, { recursive: true })
}

function save(name, bytes) {
  const path = join(output, `${name}.gz`)
  mkdirSync(dirname(path), { recursive: true })
  const packed = gzipSync(bytes, { level: 9 })
  writeFileSync(path, packed)
  process.stdout.write(`${name}: ${bytes.length} bytes, ${packed.length} packed\n`)
}

/**
 * Starts a proxy before the sandbox, which can refuse requests, or leave them without a response
 * before or after the sandbox has handled them.
 */
async function startProxy(origin) {
  const target = new URL(origin)
  /** The first rule whose `match` is true applies; `times` is counted down to 0. */
  const rules = []
  const calls = []
  const server = createServer(async (incoming, response) => {
    const chunks = []
    for await (const chunk of incoming) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const call = { method: incoming.method, path: incoming.url, body: bytes.toString() }
    calls.push(call)
    const rule = rules.find((each) => each.times > 0 && each.match(call))
    if (rule !== undefined) {
      rule.times -= 1
      rule.met()
      if (rule.status !== undefined) {
        response.writeHead(rule.status, { 'Content-Type': 'application/json' })
        response.end(JSON.stringify({ error: rule.error }))
        return
      }
      if (rule.hold === 'before') return
    }
    const headers = {
      ...incoming.headers,
      host: target.host,
      authorization: `Bearer ${keys.apiKey}`,
    }
    const { hostname, port } = target
    send({ hostname, port, method: call.method, path: call.path, headers }, (answer) => {
      if (rule?.hold === 'after') {
        answer.resume().on('end', () => rule.passed())
        return
      }
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
    }).end(bytes)
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  /** @returns the rule, with promises of its first request and of the sandbox's response to that request */
  const on = (match, what, times = 1) => {
    const first = Promise.withResolvers()
    const passed = Promise.withResolvers()
    const rule = { match, times, met: first.resolve, passed: passed.resolve, ...what }
    rules.push(rule)
    return { first: first.promise, passed: passed.promise, end: () => (rule.times = 0) }
  }
  return { origin: `http://127.0.0.1:${server.address().port}`, on, calls }
}

async function startTarget() {
  const target = { respond: () => 200, received: [] }
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      const one = { path: incoming.url, headers: incoming.headers }
      target.received.push(one)
      const status = target.respond(one, target.received.length)
      if (status !== null) response.writeHead(status).end('received')
    })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  target.origin = `http://127.0.0.1:${server.address().port}`
  return target
}

async function work() {
  const { createSandbox } = await load('src-main/sandbox/sandbox.ts')
  const { createApp } = await loadFirst('src-main/app/create-app.ts', 'src-main/compose.ts')
  const { fields } = await loadFirst(
    'src-main/captures/query/fields.ts',
    'src-main/inspector/query/fields.ts',
  )
  const sandbox = await createSandbox({
    dataDirectory: join(directory, 'sandbox'),
    port: 0,
    seed: 'stored',
    clock: 'virtual',
    keys,
  })
  const proxy = await startProxy(sandbox.ready.queryUrl)
  const target = await startTarget()
  const app = await createApp({
    dataDirectory: directory,
    host: 'browser',
    version: '0.1.0',
    receiverPort: 0,
    startSandbox: false,
  })
  const ask = async (name, input) => {
    const envelope = await app.dispatch(name, input)
    if (!envelope.ok) throw new Error(`${name}: ${JSON.stringify(envelope.error)}`)
    return envelope.data
  }
  const until = async (what, condition) => {
    for (let round = 0; round < 1000; round += 1) {
      if (await condition()) return
      await new Promise((done) => setTimeout(done, 10))
    }
    throw new Error(`Waited for ${what} in vain.`)
  }
  const step = (text) => process.stdout.write(`${text}\n`)
  const state = async (route, { id }) => (await ask(route, { id })).state
  const ended = (route, job) =>
    until(`the end of ${route} ${job.id}`, async () => (await state(route, job)) !== 'running')

  step('settings, networks, labels')
  await ask('secrets.useSessionOnly')
  await ask('settings.change', {
    receiver: {
      port: 4899,
      bodyLimitBytes: 2 * 1024 * 1024,
      publicUrl: 'https://hooks.example.com/tondesk',
    },
    retention: { maxCount: 250_000, maxBytes: 512 * 1024 * 1024 },
    inspector: { meaning: false },
    sandbox: { startWithApp: false, port: 4898 },
    monitoring: {
      sample: false,
      everySeconds: 300,
      failedAttempts: 3,
      lagMinutes: 45,
      native: false,
      quietHours: { from: '22:00', to: '06:30' },
    },
    appearance: { theme: 'dark', listPercent: 40 },
  })
  const at = (root) => ({ query: root, webhooks: root, testnetWebhooks: null, console: root })
  const added = (name, root, testOnly) => ask('network.add', { name, urls: at(root), testOnly })
  const { id: network } = await added('Office gateway', proxy.origin, false)
  // Both networks have the same gateway: invoice jobs of one network run in turn, so only one of
  // them can be interrupted in each.
  const { id: second } = await added('Second office', proxy.origin, false)
  const staging = await added('Staging', 'https://gateway.example.com/ton', true)
  const secret = 'staging-key-of-a-test-0001'
  await ask('network.setSecret', { id: staging.id, slot: 'api', secret })
  await ask('network.select', { id: network })
  for (const [of, number, name, note] of [
    [network, 1, 'Cold wallet', 'Two signatures, see the safe.'],
    [network, 2, 'Käse & Söhne', ''],
    ['mainnet', 1, 'Till 7', 'Closed on Sundays'],
    [staging.id, 3, '=cmd()', 'A name that a spreadsheet must not run'],
  ]) {
    await ask('label.set', { network: of, address: address(number), name, note })
  }

  await ask('webhookToken.add', { label: 'shop', token: 'token-of-a-test' })

  step('captures, marks, rules, views')
  const { url: hook } = await ask('receiver.state')
  const post = async (body, headers = {}, path = '', method = 'POST') => {
    const response = await fetch(hook + path, { method, headers, body })
    await response.arrayBuffer()
  }
  const event = (lt, number = 1, kind = 'account_tx') =>
    `{"event_type":"${kind}","account_id":"${address(number)}","lt":${lt},"tx_hash":"${String(lt).padStart(64, 'a')}"}`
  const json = { 'Content-Type': 'application/json' }
  await post(event('51876543000001'), json)
  await post(event('51876543000001'), json)
  await post(event('9007199254740993', 2, 'opcode_msg'), { ...json, 'X-Request': 'caf\u00e9' })
  await post(Buffer.from(Array.from({ length: 256 }, (_, value) => value)), {}, '/raw?a=%2F')
  await post(gzipSync('{"id":"f00d","status":"paid"}'), { ...json, 'Content-Encoding': 'gzip' })
  await post('{"a":1.50,"a":1e400,"é":"😀"}', json, '/odd', 'PUT')
  await post('to be deleted')
  await post(event('51876543000002', 1, 'mempool_msg'), { Authorization: 'Bearer token-of-a-test' })
  await until('the captures', async () => (await ask('capture.counts')).newestId === 8)
  await ask('capture.delete', { ids: [7] })
  await ask('capture.pin', { ids: [1, 4], pinned: true })
  await ask('capture.note', { id: 4, note: 'All 256 bytes.\nDo not delete.' })
  await ask('capture.markRead', { upTo: 5 })
  const respond = (status, body = '') => ({
    kind: 'answer',
    status,
    headers: [['Retry-After', '7']],
    body,
    delayMs: 0,
  })
  await ask('responseRule.save', { filter: 'path:/refused', action: respond(429, 'späť'), next: 5 })
  await ask('responseRule.save', { action: respond(503), sharePercent: 25, enabled: false })
  await ask('responseRule.save', { action: { kind: 'hang' }, enabled: false })
  await ask('responseRule.save', { action: { kind: 'cut', after: 12 }, enabled: false })
  await post('one', {}, '/refused')
  await post('two', {}, '/refused')
  // Combines each field with each of its notations.
  const queries = fields.flatMap(({ names, example }) =>
    names.map((name) => `${name}:${example.replace('EQ…', address(1))}`),
  )
  queries.push(
    '',
    'event:account_tx,opcode_msg -path:/refused',
    '"Do not delete"',
    `account:${address(1)} status:2xx`,
    '-event:unknown size:<1kb',
    'paid',
    'header.content-type:*json*',
  )
  for (const text of new Set(queries)) {
    const { problems } = await ask('captureQuery.read', { text })
    if (problems.length > 0) step(`  left out: ${text} (${problems[0].message})`)
    else await ask('captureView.save', { name: text.slice(0, 60) || 'Everything', text })
  }

  step('forwarding, replays')
  for (const host of ['partner.example.com:443', 'api.example.com:8443']) {
    await ask('target.confirm', { host })
  }
  const rule = await ask('forwardRule.save', {
    name: 'Orders',
    filter: 'event:account_tx',
    targets: [`${target.origin}/orders`],
  })
  await ask('forwardRule.save', {
    name: 'Partner',
    filter: '-event:mempool_msg path:/partner*',
    targets: ['https://partner.example.com/in?of=tondesk', 'https://api.example.com:8443/in'],
    mode: 'through',
    enabled: false,
    keepHost: true,
    appendPath: true,
    timeoutSeconds: 7,
    fullAnswer: true,
    giveUpHours: 48,
  })
  await post(event('51876543000010'), json)
  await post(event('51876543000011', 2), json)
  const deliveries = async (wanted) =>
    (await ask('forward.list', { rule: rule.id, state: wanted })).deliveries
  await until('two deliveries', async () => (await deliveries('delivered')).length === 2)
  target.respond = ({ path }) => (path === '/orders' ? 503 : 200)
  for (const [lt, number] of [
    ['51876543000013', 1],
    ['51876543000012', 1],
    ['51876543000014', 2],
    ['51876543000015', 3],
  ]) {
    await post(event(lt, number), json)
  }
  await until('four that wait', async () => (await deliveries('waiting')).length === 4)
  await until('a failed try', async () =>
    (await deliveries('waiting')).some((each) => each.attempts > 0),
  )
  const unwanted = (await deliveries('waiting')).find(({ capture }) => capture === 16)
  await ask('forward.drop', { deliveryId: unwanted.deliveryId })
  const replay = (path, more) =>
    ask('replay.start', {
      subject: { kind: 'captures', ids: [1, 3, 4, 5, 6] },
      target: `${target.origin}/${path}`,
      ...more,
    })
  await ended('replay.get', await replay('replay-done'))
  target.respond = ({ path }) => ({ '/orders': 503, '/replay-failed': 500 })[path] ?? 200
  await ended('replay.get', await replay('replay-failed', { stopAtFailure: true }))
  const cancelled = await replay('replay-cancelled', { pace: { kind: 'rate', perSecond: 0.01 } })
  await ask('replay.cancel', { id: cancelled.id })
  await replay('replay-slow', { pace: { kind: 'rate', perSecond: 0.01 } })
  const slow = () => target.received.filter(({ path }) => path === '/replay-slow').length
  await until('the first of the slow replay', () => slow() === 1)
  let held = 0
  target.respond = ({ path }) => {
    if (path !== '/replay-half') return path === '/orders' ? 503 : 200
    held += 1
    return held < 3 ? 200 : null
  }
  const half = await replay('replay-half', { order: 'shuffled', timeoutSeconds: 120 })
  await until('half a replay', async () => held === 3 && (await ask('replay.get', half)).sent === 2)

  step('lookups')
  const most = 'the maximum number of accounts to request at once: 10'
  const isBulk = ({ path }) => path.startsWith('/v2/accounts/_bulk')
  const bulkOf = ({ body }) => JSON.parse(body).account_ids
  proxy.on((call) => isBulk(call) && bulkOf(call).length > 10, { status: 400, error: most }, 1000)
  const draft = async (list) => {
    const { id } = await ask('lookup.begin', { network })
    await ask('lookup.append', { draft: id, piece: { text: list.join('\n') }, isLast: true })
    return id
  }
  const lookup = async (name, list) => ask('lookup.start', { draft: await draft(list), name })
  const bad = address(7)
  proxy.on(
    (call) => isBulk(call) && bulkOf(call).includes(bad),
    { status: 400, error: `the account ${bad} is not taken` },
    1,
  )
  await ended(
    'lookup.get',
    await lookup('Ended, one failed', [...addresses(1, 24), 'nonsense', address(1)]),
  )
  const halfAsked = (from) => {
    const seen = (call) => isBulk(call) && bulkOf(call).some((each) => each >= address(from))
    return proxy.on(seen, { hold: 'before' }, 1000)
  }
  const pausing = halfAsked(120)
  const paused = await lookup('Paused', addresses(100, 140))
  await pausing.first
  await until('half a lookup', async () => (await ask('lookup.get', paused)).answered === 20)
  await ask('lookup.pause', { id: paused.id })
  pausing.end()
  const stopping = halfAsked(220)
  const stopped = await lookup('Cancelled', addresses(200, 240))
  await stopping.first
  await ask('lookup.cancel', { id: stopped.id })
  stopping.end()

  step('webhooks, changes')
  const webhook = async (name) =>
    (await ask('webhook.create', { network, endpoint: `https://${name}.example/hook` })).id
  const subscribing = (id) => (call) =>
    call.method === 'POST' && call.path.includes(`/webhooks/${id}/account-tx/subscribe`)
  const count = ({ body }) => (JSON.parse(body).accounts ?? []).length
  proxy.on(
    (call) => call.path.includes('/account-tx/subscribe') && count(call) > 10,
    { status: 400, error: most },
    1000,
  )
  const subscribe = async (id, list) =>
    ask('subscription.add', { network, webhook: id, draft: await draft(list) })
  const one = await webhook('changed')
  const refused = address(1005)
  proxy.on(
    (call) => subscribing(one)(call) && call.body.includes(refused),
    { status: 400, error: `the account ${refused} is not taken` },
    1,
  )
  await ended('change.get', await subscribe(one, addresses(1001, 1025)))
  await ask('subscription.watch', {
    network,
    webhook: one,
    accounts: [address(1001)],
    watched: true,
  })
  const two = await webhook('paused')
  const secondHeld = (id) => {
    let number = 0
    const isSecond = (call) => subscribing(id)(call) && count(call) <= 10 && (number += 1) === 2
    return proxy.on(isSecond, { hold: 'after' })
  }
  const atPause = secondHeld(two)
  const pausedChange = await subscribe(two, addresses(1101, 1125))
  await atPause.passed
  await ask('change.pause', { id: pausedChange.id })

  step('moves')
  const moved = {}
  for (const name of ['draining', 'copying', 'rolled', 'refused']) {
    moved[name] = await webhook(name)
    await ended('change.get', await subscribe(moved[name], addresses(1201, 1212)))
  }
  const move = (name) =>
    ask('move.start', {
      network,
      id: moved[name],
      endpoint: `https://${name}-anew.example/hook`,
    })
  const moveOf = async ({ id }) =>
    (await ask('move.list', { network })).find((each) => each.id === id)
  const isCreation = ({ method, path, body }) => method === 'POST' && path === '/webhooks' && body
  proxy.on((call) => isCreation(call) && call.body.includes('refused-anew'), {
    status: 403,
    error: 'too many webhooks',
  })
  const refusedMove = await move('refused')
  await until('a paused move', async () => (await moveOf(refusedMove)).state === 'paused')
  step('missed-event checks')
  const control = (path, body) =>
    fetch(`${sandbox.ready.controlUrl}${path}`, {
      method: 'POST',
      headers: { ...json, Authorization: `Bearer ${keys.controlKey}` },
      body: JSON.stringify(body),
    }).then((response) => response.text())
  for (const number of [1001, 1002, 1003]) {
    step(`  ${await control('/faucet', { address: address(number), amount: '1000000000' })}`)
  }
  const check = (list) =>
    ask('missedEvents.start', {
      network,
      webhook: one,
      from: 0,
      to: Date.now() + 3_600_000,
      accounts: { list },
    })
  await ended('missedEvents.get', await check(addresses(1001, 1003)))
  await ask('missedEvents.setSchedule', { network, webhook: one, everyHours: 168 })
  step('invoices')
  const isInvoice = ({ method, path }) => method === 'POST' && path.endsWith('/invoice')
  const invoiceDraft = (lines, of = network) =>
    ask('invoiceIssue.draft', {
      network: of,
      lines: lines.map(([amount, description, currency = 'TON']) => ({
        amount,
        currency,
        description,
        lifeTimeSeconds: 90 * 24 * 3600,
      })),
    })
  const issue = async (lines, of = network) =>
    ask('invoiceIssue.start', { draft: (await invoiceDraft(lines, of)).id })
  const named = (name, last) =>
    Array.from({ length: last }, (_, index) => [`${index + 1}.5`, `${name} ${index + 1}`])
  const ofName = (name) => (call) => isInvoice(call) && call.body.includes(`"${name}"`)
  await invoiceDraft(named('left as a draft', 3))
  proxy.on(ofName('partly 2'), { status: 400, error: 'no such luck' })
  await ended('invoiceJob.get', await issue(named('partly', 3)))
  await ended('invoiceJob.get', await issue([...named('to cancel', 6), ['2', 'in USDT', 'USDT']]))
  // The request is sent but never reaches the gateway, because the run is killed before a response.
  const lost = proxy.on(ofName('lost 2'), { hold: 'before' })
  const lostJob = await issue(named('lost', 4))
  await lost.first
  await ask('invoiceJob.pause', { id: lostJob.id })
  const invoices = (await ask('invoiceJob.items', { id: 2, offset: 0, limit: 100 })).items
  const ids = invoices.map(({ invoice }) => invoice)
  await ask('invoice.setNote', { network, id: ids[0], text: 'Ask for the address.' })
  await ask('invoiceView.save', {
    name: 'Large ones',
    filter: { currencies: ['TON'], amountFrom: '3.5', text: 'cancel' },
  })
  const cancel = (some, of = network) =>
    ask('invoiceCancel.start', { network: of, invoices: { ids: some } })
  await ended('invoiceJob.get', await cancel(ids.slice(0, 2)))
  const atSecond = await issue(named('cancelled half-way', 4), second)
  await ended('invoiceJob.get', atSecond)
  const { items: toCancel } = await ask('invoiceJob.items', {
    id: atSecond.id,
    offset: 0,
    limit: 100,
  })

  const newer = hasWatches ? await addNewer() : {}

  /**
   * Adds data that version 4f8ee14 did not have: dictionaries, watches, incidents, alerts, exported
   * histories, jettons of lookups, rates.
   * @returns the unfinished work at the end, and a snapshot of the data
   */
  async function addNewer() {
    await ask('settings.change', { reports: { fiatCurrency: 'EUR' } })
    const wallets = sandbox.ready.wallets.map((wallet) => wallet.address)

    step('a currency, a dictionary, alerts, watches')
    await ask('dictionary.import', {
      codeHash: 'ab'.repeat(32),
      name: 'Till',
      text: 'refill#595f07bc query_id:uint64 amount:Coins = Refill;',
    })
    await ask('label.import', {
      network,
      csv: `address,name,note\n${wallets[0]},Wallet one,"From a file, with a comma"\n`,
    })
    const respondBefore = target.respond
    target.respond = (one, count) =>
      one.path === '/alerts-failed' ? 500 : respondBefore(one, count)
    const events = ['opened', 'grown', 'closed']
    const alert = { id: null, kind: 'webhook', enabled: true, events, networks: null }
    const secretOfAlerts = `whsec_${'made+up/secret+of+a+test'.repeat(2)}`
    for (const path of ['alerts', 'alerts-failed']) {
      await ask('alert.save', { ...alert, url: `${target.origin}/${path}`, secret: secretOfAlerts })
    }
    await ask('alert.save', {
      ...alert,
      kind: 'telegram',
      enabled: false,
      networks: [network],
      chatId: '@alerts_of_a_test',
      secret: `1234567:${'made-up-token'.repeat(3)}`,
    })
    const watch = (of, report, rules, makesCaptures = false) =>
      ask('watch.save', {
        network,
        address: of,
        report,
        rules,
        makesCaptures,
        isForwarded: false,
      })
    await watch(wallets[0], 'incident', [{ kind: 'incoming', amount: '0.25' }], true)
    const asleep = await watch(wallets[1], 'notice', [
      { kind: 'failure' },
      { kind: 'opcode', opcode: '0x595f07bc' },
    ])
    await ask('watch.setPaused', { id: asleep.id, isPaused: true })
    await watch(address(1001), 'none', [])
    await ask('watch.check', { network })
    const pay = (from, to, more) => control('/send', { from, to, ...more })
    await pay('wallet-2', 'wallet-1', { amount: '300000000', comment: 'Rent; "May"' })
    await pay('wallet-1', 'wallet-2', { amount: '2000000', currency: 'USDT', comment: 'Tea' })
    const incidents = async (open) =>
      (await ask('incident.list', { network: null, open, offset: 0, limit: 100 })).incidents
    await until('an incident', async () => {
      await ask('watch.check', { network })
      return (await incidents(true)).some(({ kind }) => kind === 'matched')
    })
    const matched = (await incidents(true)).find(({ kind }) => kind === 'matched')
    await ask('incident.snooze', { id: matched.id, until: 'fixed' })
    const alerts = async () => (await ask('alert.list')).sort((a, b) => a.id.localeCompare(b.id))
    await until('alerts', async () =>
      (await alerts()).some(({ problem, waiting }) => problem !== null && waiting > 0),
    )

    step('a lookup with jettons, exported histories')
    const { usdtMaster } = await load('src-main/sandbox/chain/contracts.ts')
    const jetton = await ask('lookup.start', {
      draft: await draft(wallets.slice(0, 3)),
      name: 'With USDT',
      jettons: [usdtMaster.toRawString()],
    })
    await ended('lookup.get', jetton)
    const history = (of, more = {}) =>
      ask('historyExport.start', { network, address: of, from: null, to: null, ...more })
    const finished = await history(wallets[0])
    await ended('historyExport.get', finished)
    await ended('historyExport.get', await history(wallets[1], { view: 'events' }))
    const isPageOf = (of) => (call) => call.path.includes(`/accounts/${of}/`)
    const pageHeld = async (of) => {
      const rule = proxy.on(
        (call) => isPageOf(encodeURIComponent(of))(call) || isPageOf(of)(call),
        { hold: 'before' },
        1000,
      )
      const job = await history(of)
      await rule.first
      return { rule, job }
    }
    for (const [end, of] of [
      ['pause', address(1001)],
      ['cancel', address(1002)],
    ]) {
      const { rule, job } = await pageHeld(of)
      await ask(`historyExport.${end}`, { id: job.id })
      rule.end()
    }
    const rowsOf = async ({ id }) => {
      const file = await ask('historyExport.write', { id, format: 'jsonl' })
      const { base64 } = await ask('export.read', { id: file.id, offset: 0 })
      return Buffer.from(base64, 'base64').toString()
    }
    return {
      begin: () => pageHeld(wallets[2]),
      look: async () => ({
        dictionaries: await ask('dictionary.list'),
        alerts: await alerts(),
        watches: await ask('watch.list'),
        incidents: [...(await incidents(true)), ...(await incidents(false))],
        histories: await ask('historyExport.list'),
        rows: { id: finished.id, text: await rowsOf(finished) },
      }),
    }
  }
  step('what is under way at the end, each within the 15 s after which a request is given up')
  const draining = await move('draining')
  await until('a move that drains', async () => (await moveOf(draining)).step === 'drain')
  const rolled = await move('rolled')
  await until('a move to roll back', async () => (await moveOf(rolled)).step === 'drain')
  const { to } = await moveOf(rolled)
  const isRemoval = ({ method, path }) => method === 'DELETE' && path.includes(`/webhooks/${to.id}`)
  const removing = proxy.on(isRemoval, { hold: 'after' })
  await ask('move.rollBack', { id: rolled.id })
  await removing.passed
  const copied = Promise.withResolvers()
  let copies = 0
  proxy
    .on(
      (call) => {
        const { path } = call
        const isOfOthers = Object.values(moved).some((id) => path.includes(`/webhooks/${id}/`))
        if (isOfOthers || !path.includes('/account-tx/subscribe') || count(call) > 10) return false
        copies += 1
        return copies === 2
      },
      { hold: 'after' },
    )
    .passed.then(copied.resolve)
  await move('copying')
  await copied.promise

  step('a plan that is applied, a change behind it')
  const yaml = [
    'version: 1',
    'webhooks:',
    '  - endpoint: https://planned.example/hook',
    '    accounts:',
    ...addresses(1301, 1325).map((each) => `      - ${each}`),
    '',
  ].join('\n')
  const plan = await ask('plan.begin', { network, file: 'wanted.yaml', format: 'yaml' })
  await ask('plan.append', { id: plan.id, base64: Buffer.from(yaml).toString('base64') })
  await ask('plan.compare', { id: plan.id })
  const isPlanned = (call) => call.body.includes(address(1311))
  const applying = proxy.on((call) => isPlanned(call) && count(call) <= 10, { hold: 'after' })
  await ask('plan.apply', { id: plan.id })
  await applying.passed
  await subscribe(one, addresses(1401, 1404))

  await newer.begin?.()

  const lastHistory = ({ path }) =>
    path.includes(encodeURIComponent(address(1003))) || path.includes(address(1003))
  const reading = proxy.on(lastHistory, { hold: 'before' }, 1000)
  const checking = await check(addresses(1001, 1003))
  await reading.first
  await until('half a check', async () => (await ask('missedEvents.get', checking)).checked === 2)

  halfAsked(320)
  const running = await lookup('Running', addresses(300, 340))
  await until('half a lookup', async () => (await ask('lookup.get', running)).answered === 20)
  // The gateway gets the request and issues the invoice, but sends no response.
  const unanswered = proxy.on(ofName('running 3'), { hold: 'after' })
  await issue(named('running', 5))
  await unanswered.passed
  const ofThird = toCancel[2].invoice
  const isThird = ({ method, path }) => method === 'PATCH' && path.includes(ofThird)
  const cancelling = proxy.on(isThird, { hold: 'after' })
  await cancel(
    toCancel.map(({ invoice }) => invoice),
    second,
  )
  await cancelling.passed

  step('what it looks like')
  const count100 = { offset: 0, limit: 100 }
  const listOf = async (route, items, input, extra = {}) => {
    const jobs = await ask(route, input)
    return Promise.all(
      jobs.map(async (job) => ({
        job,
        items: await ask(items, { id: job.id, ...count100, ...extra }),
      })),
    )
  }
  const captures = []
  for (const { id } of (await ask('capture.list', { limit: 500 })).rows) {
    captures.push({
      detail: await ask('capture.get', { id, reveal: true }),
      body: await ask('capture.body', { id }),
    })
  }
  const expected = {
    origins: { gateway: proxy.origin, target: target.origin },
    networkIds: { network, second, staging: staging.id },
    webhooks: { one, two, ...moved },
    captures,
    counts: await ask('capture.counts'),
    settings: await ask('settings.get'),
    networks: await ask('network.list'),
    labels: await Promise.all(
      [network, 'mainnet', staging.id].map((of) => ask('label.list', { network: of })),
    ),
    responseRules: await ask('responseRule.list'),
    views: await ask('captureView.list'),
    viewCounts: await ask('captureView.counts'),
    confirmed: await ask('target.confirmed'),
    forwardRules: await ask('forwardRule.list'),
    deliveries: (await ask('forward.list', { limit: 500 })).deliveries,
    lookups: await listOf('lookup.list', 'lookup.rows'),
    replays: await ask('replay.list'),
    webhookList: await ask('webhook.list', { network }),
    changes: await listOf('change.list', 'change.items', { network }),
    moves: await ask('move.list', { network }),
    checks: await listOf('missedEvents.list', 'missedEvents.events', { network }),
    schedules: await ask('missedEvents.schedules', { network }),
    invoiceJobs: [
      ...(await listOf('invoiceJob.list', 'invoiceJob.items', { network })),
      ...(await listOf('invoiceJob.list', 'invoiceJob.items', { network: second })),
    ],
    drafts: await ask('invoiceIssue.drafts', { network }),
    invoiceViews: await ask('invoiceView.list'),
    newer: await newer.look?.(),
  }
  writeFileSync(join(dirname(directory), 'expected.json'), JSON.stringify(expected, null, 1))
  await ask('backup.create')

  step('an import that is broken off')
  const subject = { kind: 'captures', ids: [1] }
  const { id: exported } = await ask('captureExport.start', { format: 'jsonl', subject })
  let file = null
  await until('the export', async () => {
    file = (await ask('job.list', { kind: 'captureExport' })).find(({ id }) => id === exported).file
    return file !== null
  })
  const line = Buffer.from((await ask('export.read', { id: file.id, offset: 0 })).base64, 'base64')
  const bytes = Buffer.concat(Array(600).fill(line))
  const { id } = await ask('captureImport.start', { name: 'a.jsonl', bytes: bytes.length })
  await ask('captureImport.append', { id, offset: 0, base64: bytes.toString('base64') })
  const log = new DatabaseSync(join(directory, 'tondesk.db'), { readOnly: true })
  const imported = log.prepare(
    `SELECT count(*) AS n FROM capture_origins WHERE origin = 'imported'`,
  )
  void ask('captureImport.end', { id })
  while (imported.get().n === 0) await new Promise((done) => setImmediate(done))
  step(`  ${imported.get().n} of 600 are written`)
  process.kill(process.pid, 'SIGKILL')
}
