/** What each kind of step does. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatJson, parseJson } from '../../ton/lossless-json.ts'
import type { SandboxOutcome } from '../../../src-preload/contract/sandbox.ts'
import { ControlError } from '../start-sandbox.ts'
import { runCommand } from './child.ts'
import { formatValue, mentions } from './expectations.ts'
import { type Reply, describeReply, exchange } from './http.ts'
import { type Run, NotTestedError } from './lab-context.ts'
import * as messages from './messages.ts'
import { valueAt } from './probe.ts'
import type { RelayedDelivery } from './relay.ts'
import type { Effect } from './plan.ts'
import type { Expectation, Steps } from './scenario.ts'

type Performers = {
  readonly [Kind in keyof Steps]: (input: Steps[Kind], effect: Effect) => Promise<void>
}

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const pollMs = 10
const commandLimits = { timeoutMs: 60_000, maxBytes: 10_000_000 }

export function createEffects(
  run: Run,
  observe: {
    readonly mark: (run: Run) => Promise<void>
    readonly check: (run: Run, expectations: readonly Expectation[]) => Promise<void>
  },
): Performers {
  const { lab } = run
  const { sandbox, relay } = lab

  function note(kind: 'request' | 'transaction' | 'step', text: string, detail = ''): void {
    run.evidence.push({ kind, text: lab.mask(text), detail: lab.mask(detail).slice(0, 4_000) })
  }

  function save(label: string | undefined, fields: Readonly<Record<string, string>>): void {
    if (label === undefined) return
    for (const [name, value] of Object.entries(fields)) run.variables[`${label}.${name}`] = value
  }

  /** Saves the transaction on the receiver's account and the sender's. */
  function saveOutcome(
    label: string | undefined,
    { transactions }: Pick<SandboxOutcome, 'transactions'>,
    to: string,
  ): void {
    const [sent] = transactions
    const received = transactions.findLast(({ account }) => account === to) ?? sent
    if (received === undefined || sent === undefined) return
    const { hash, lt, account } = received
    save(label, {
      hash,
      hashUpper: hash.toUpperCase(),
      lt,
      account,
      sentHash: sent.hash,
      sentLt: sent.lt,
      sentAccount: sent.account,
    })
    note(
      'transaction',
      `${hash} on ${account}`,
      `lt ${lt}, ${transactions.length} transactions in the trace`,
    )
  }

  /** The faucet gives a wallet of the sandbox what it lacks. */
  async function withFunds<T>(input: Steps['send'], send: () => Promise<T>): Promise<T> {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof ControlError) || error.status !== 409) throw error
      const { network, amount, currency } = input
      const gift = { network, address: lab.chain.address(input.from), amount }
      await sandbox.control('faucet', { ...gift, currency: currency === 'USDT' ? 'USDT' : 'TON' })
      return await send()
    }
  }

  async function send(input: Steps['send']): Promise<SandboxOutcome> {
    const { from, amount, currency, comment, network, notification, bounce, mode } = input
    const to = lab.chain.address(input.to)
    const isJetton = !['TON', 'USDT'].includes(currency)
    if (isJetton) {
      const master = run.variables[`${currency}.master`]
      if (master === undefined) throw new Error(`no deployed jetton has the label "${currency}"`)
      const owner = lab.chain.address(from)
      const order = messages.jettonTransfer({ master, owner, to, amount, comment })
      return await sandbox.control('message', { network, from, bounce: true, ...order })
    }
    const isPlain = notification === undefined && input.body === undefined && !bounce && mode === 3
    if (isPlain || currency === 'USDT') {
      const order = { network, from, to, amount, comment, currency: currency as 'TON' | 'USDT' }
      return await withFunds(input, () => sandbox.send(order))
    }
    const text = comment === undefined ? undefined : messages.commentBody(comment)
    const body = notification ? messages.notificationBody(notification) : (input.body ?? text)
    const order = { network, from, to, amount, bounce, mode, body }
    return await sandbox.control('message', order)
  }

  async function deliver(input: Steps['deliver']): Promise<void> {
    const requests = requestsOf(input)
    const post = async (request: ReturnType<typeof requestsOf>[number]): Promise<Reply> => {
      const reply = await exchange(lab.target, { method: 'POST', signal: lab.signal, ...request })
      const shown = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
      note(
        'request',
        `POST ${lab.target}: ${describeReply(reply)}`,
        [...shown, '', request.body].join('\n'),
      )
      return reply
    }
    let replies: Reply[] = []
    if (input.parallel) replies = await Promise.all(requests.map(post))
    else for (const request of requests) replies.push(await post(request))
    if (input.as !== undefined) run.replies[input.as] = replies
  }

  function requestsOf(input: Steps['deliver']) {
    const { held, of, count, headers } = input
    if (held !== undefined) {
      const kept = relay.takeHeld()
      const ordered = held === 'shuffle' ? run.random.shuffle(kept) : kept
      if (held === 'reverse') ordered.reverse()
      return ordered.map((delivery) => ({ headers: delivery.headers, body: delivery.body }))
    }
    const sent = of === undefined ? undefined : deliveryOf(of)
    const body = change(sent?.body ?? input.text ?? formatJson(input.body ?? {}), input)
    const authorization = authorizationOf(input.token, sent, body)
    const all = {
      'content-type': 'application/json',
      'user-agent': 'tondesk-sandbox',
      ...sent?.headers,
      ...headers,
    }
    const { authorization: _, ...others } = all as Record<string, string>
    const request = { body, headers: { ...others, ...authorization } }
    return Array.from({ length: count }, () => request)
  }

  /** The gateway's newest delivery for a label, or the one that it would have sent for a transaction. */
  function deliveryOf(label: string): Pick<RelayedDelivery, 'body' | 'headers'> {
    const found = relay.deliveries().findLast(({ body }) => mentions(body, label, run.variables))
    if (found !== undefined) return found
    const [account_id, lt, tx_hash] = ['account', 'lt', 'hash'].map(
      (field) => run.variables[`${label}.${field}`],
    )
    if (lt === undefined) throw new Error(`the gateway sent no delivery for "${label}"`)
    const body = formatJson({ event_type: 'account_tx', account_id, lt: BigInt(lt), tx_hash })
    return { body, headers: { authorization: `Bearer ${lab.tokens.right}` } }
  }

  /** Invoice events carry no token, so a forged one has none either, unless the step names one. */
  function authorizationOf(
    token: Steps['deliver']['token'],
    sent: Pick<RelayedDelivery, 'headers'> | undefined,
    body: string,
  ): Readonly<Record<string, string>> {
    const { right } = lab.tokens
    const hasToken = sent
      ? sent.headers['authorization'] !== undefined
      : body.includes('event_type')
    if (token === 'none' || (token === 'right' && !hasToken)) return {}
    const swapped = Array.from(right, (letter) => {
      const lower = letter.toLowerCase()
      return letter === lower ? letter.toUpperCase() : lower
    })
    const tokens = { ...lab.tokens, wrong: 'wrong-token', 'other-case': swapped.join('') }
    return { authorization: `Bearer ${tokens[token]}` }
  }

  async function fault({ gateway, deliveries, policy, webhook }: Steps['fault']): Promise<void> {
    if (gateway !== undefined) await sandbox.fault(...gateway)
    if (policy !== undefined) await sandbox.control('setPolicy', policy)
    if (deliveries !== undefined) relay.setMode(deliveries)
    if (webhook === 'back-online') await sandbox.control('backOnline', { webhookId: lab.webhookId })
    if (webhook === 'rotate-token') await lab.rotateToken()
  }

  async function wait({ ms, forwarded, invoice, status, webhook, timeoutMs }: Steps['wait']) {
    if (ms !== undefined) await sleep(ms)
    if (forwarded !== undefined) {
      const until = performance.now() + timeoutMs
      while (relay.forwarded() < forwarded) {
        if (performance.now() > until) throw new Error(`${relay.forwarded()} deliveries arrived`)
        await sleep(pollMs)
      }
    }
    if (invoice !== undefined) {
      const id = run.variables[`${invoice}.id`] ?? invoice
      await sandbox.waitFor({ invoice: id, status: (status ?? 'paid') as 'paid', timeoutMs })
    }
    if (webhook !== undefined) {
      await sandbox.waitFor({ webhook: lab.webhookId, status: webhook, timeoutMs })
    }
  }

  async function call(input: Steps['call']): Promise<void> {
    const { api, method, path, command } = input
    if (command !== undefined) {
      if (!lab.allowCommands)
        throw new NotTestedError('a step runs a command: use --allow-commands')
      await runCommand(command, { env: lab.environment, ...commandLimits })
      note('step', `command ${command}`)
      return
    }
    const body = input.body === undefined ? undefined : formatJson(input.body)
    const request = {
      method,
      body,
      headers: { 'Content-Type': 'application/json', ...input.headers },
    }
    const reply = api
      ? await lab.callApi(api, path, request)
      : await exchange(new URL(path, lab.target).href, request)
    note('request', `${method} ${path}: ${describeReply(reply)}`, body)
    if (input.as !== undefined) run.replies[input.as] = [reply]
    const value = { problem: null, value: { body: parsed(reply.body) } }
    const fields = Object.entries(input.save).map(([name, field]) => {
      const found = valueAt(value, `body.${field}`)
      return [name, formatValue(found ?? '')] as const
    })
    save(input.as, { ...Object.fromEntries(fields), status: String(reply.status) })
  }

  return {
    send: async (input) => saveOutcome(input.as, await send(input), lab.chain.address(input.to)),
    async deploy({ from, contract, jetton, mint, as }) {
      const owner = lab.chain.address(from)
      if (contract === 'deposit') {
        await sandbox.control('message', { from, ...messages.depositAccountMessage })
        return
      }
      if (jetton === undefined) {
        const deployed = await sandbox.deploy({ from, name: contract })
        save(as, { address: deployed.address })
        return
      }
      const { master, init } = messages.counterfeitOf(owner, jetton)
      const order = { from, to: master, bounce: false }
      await sandbox.control('message', { ...order, amount: '1000000000', init })
      save(as, { master })
      if (mint === undefined) return
      const body = messages.mintBody(lab.chain.address(mint.to), mint.amount)
      const minted = await sandbox.control('message', { ...order, amount: '200000000', body })
      saveOutcome(undefined, minted, master)
    },
    async invoice({ amount, currency, seconds, description, as }) {
      const body = formatJson({ amount, currency, life_time: seconds, description })
      const path = '/api/v1/services/invoices/invoice'
      const reply = await lab.callApi('invoices', path, { method: 'POST', body })
      const created = parsed(reply.body) as { id?: string; pay_to_address?: string } | null
      if (created?.id === undefined) throw new Error(`no invoice: ${describeReply(reply)}`)
      save(as, { id: created.id, address: created.pay_to_address ?? '' })
      note('step', `invoice ${created.id}`, `${amount} ${currency}`)
    },
    async pay({ invoice, how, amount, from, as }) {
      const id = run.variables[`${invoice}.id`]
      if (id === undefined) throw new Error(`no invoice has the label "${invoice}"`)
      const order = { how, from, ...(amount === undefined ? {} : { amount }) }
      saveOutcome(as, await sandbox.pay(id, order), run.variables[`${invoice}.address`] ?? '')
    },
    async advance(by) {
      const [, number = '', unit = 'ms'] = /^(\d+)(ms|s|m|h|d)$/.exec(String(by)) ?? []
      const ms = typeof by === 'number' ? by : Number(number) * unitsMs[unit as 'ms']
      await sandbox.advance(by === 'next' ? 'next' : ms)
    },
    idle: async (limit) => void (await sandbox.idle({ timeoutMs: 60_000, ...limit })),
    wait,
    deliver,
    fault,
    async restart({ signal, only }) {
      const { handler } = lab
      if (handler === null) throw new NotTestedError('the lab restarts the handler: use --start')
      if (only !== 'start') await handler.stop(signal)
      if (only !== 'stop') await handler.start()
      note('step', only === 'start' ? 'the handler was started' : `the handler got ${signal}`)
    },
    call,
    mark: () => observe.mark(run),
    check: (expectations) => observe.check(run, expectations),
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

/** Fields of the body that `set` and `remove` name; a body that is no JSON object stays as it is. */
function change(body: string, { set, remove }: Steps['deliver']): string {
  if (Object.keys(set).length === 0 && remove.length === 0) return body
  const fields = parsed(body)
  if (typeof fields !== 'object' || fields === null) return body
  const changed = Object.entries({ ...fields, ...set }).filter(([name]) => !remove.includes(name))
  return formatJson(Object.fromEntries(changed))
}
