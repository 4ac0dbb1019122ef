/** Performs the steps of a scenario. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatJson, parseJson } from '../../ton/lossless-json.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'
import type { SandboxOutcome } from '../../../src-preload/contract/sandbox.ts'
import { ControlError } from '../start-sandbox.ts'
import { runCommand } from './child.ts'
import { formatValue, mentions } from './expectations.ts'
import { type Reply, describeReply, exchange } from './http.ts'
import { type Run, NotTestedError } from './lab-context.ts'
import * as messages from './messages.ts'
import { valueAt } from './probe.ts'
import type { RelayedDelivery } from './relay.ts'
import { check, mark } from './observe.ts'
import type { Variables } from './plan.ts'
import type { Evidence } from './report.ts'
import type { Steps } from './scenario.ts'

type Performers = {
  readonly [Kind in keyof Steps]: (input: Steps[Kind]) => Promise<void>
}

const unitsMs = lookupTable({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 })
const pollMs = 10
export const invoicePath = '/api/v1/services/invoices/invoice'
const defaultHeaders = lookupTable({
  'content-type': 'application/json',
  'user-agent': 'tondesk-sandbox',
})
const commandLimits = { timeoutMs: 60_000, maxBytes: 10_000_000 }

/** Each method performs one kind of step. */
export class StepRunner implements Performers {
  private readonly run: Run

  constructor(run: Run) {
    this.run = run
  }

  async send(input: Steps['send']): Promise<void> {
    const outcome = await this.sendMessage(input)
    this.saveOutcome(input.as, outcome, this.run.lab.chain.address(input.to))
  }

  async deploy({ from, contract, jetton, mint, as }: Steps['deploy']): Promise<void> {
    const { sandbox, chain } = this.run.lab
    if (jetton === undefined) {
      if (contract === 'deposit') {
        await sandbox.control('message', { from, ...messages.depositAccountMessage })
      } else this.save(as, { address: (await sandbox.deploy({ from, name: contract })).address })
      return
    }
    const { master, init } = messages.counterfeitOf(chain.address(from), jetton)
    const order = { from, to: master, bounce: false }
    await sandbox.control('message', { ...order, amount: '1000000000', init })
    this.save(as, { master })
    if (mint === undefined) return
    const body = messages.mintBody(chain.address(mint.to), mint.amount)
    const minted = await sandbox.control('message', { ...order, amount: '200000000', body })
    this.saveOutcome(undefined, minted, master)
  }

  async invoice({ amount, currency, seconds, description, as }: Steps['invoice']): Promise<void> {
    const body = formatJson({ amount, currency, life_time: seconds, description })
    const reply = await this.run.lab.callApi('invoices', invoicePath, { method: 'POST', body })
    const created = parsed(reply.body) as { id?: string; pay_to_address?: string } | null
    if (created?.id === undefined) throw new Error(`no invoice: ${describeReply(reply)}`)
    this.save(as, { id: created.id, address: created.pay_to_address ?? '' })
    this.note('step', `invoice ${created.id}`, `${amount} ${currency}`)
  }

  async pay({ invoice, as, ...order }: Steps['pay']): Promise<void> {
    const id = this.run.variables[`${invoice}.id`]
    if (id === undefined) throw new Error(`no invoice has the label "${invoice}"`)
    const address = this.run.variables[`${invoice}.address`] ?? ''
    this.saveOutcome(as, await this.run.lab.sandbox.pay(id, order), address)
  }

  async advance(by: Steps['advance']): Promise<void> {
    const [, number = String(by), unit = 'ms'] = /^(\d+)(ms|s|m|h|d)$/.exec(String(by)) ?? []
    const ms = Number(number) * (unitsMs[unit] ?? 1)
    await this.run.lab.sandbox.advance(by === 'next' ? 'next' : ms)
  }

  async idle(limit: Steps['idle']): Promise<void> {
    await this.run.lab.sandbox.idle({ timeoutMs: 60_000, ...limit })
  }

  async wait({ ms, forwarded, invoice, status, webhook, timeoutMs }: Steps['wait']) {
    const { sandbox, relay, webhookId } = this.run.lab
    if (ms !== undefined) await sleep(ms)
    const until = performance.now() + timeoutMs
    while (forwarded !== undefined && relay.forwarded() < forwarded) {
      if (performance.now() > until) throw new Error(`${relay.forwarded()} deliveries arrived`)
      await sleep(pollMs)
    }
    if (invoice !== undefined) {
      const id = this.run.variables[`${invoice}.id`] ?? invoice
      await sandbox.waitFor({ invoice: id, status: (status ?? 'paid') as 'paid', timeoutMs })
    }
    if (webhook !== undefined)
      await sandbox.waitFor({ webhook: webhookId, status: webhook, timeoutMs })
  }

  async deliver(input: Steps['deliver']): Promise<void> {
    const { target, signal } = this.run.lab
    const requests = this.requestsOf(input)
    const post = async (request: (typeof requests)[number]): Promise<Reply> => {
      const reply = await exchange(target, { method: 'POST', signal, ...request })
      const shown = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
      const detail = [...shown, '', request.body].join('\n')
      this.note('request', `POST ${target}: ${describeReply(reply)}`, detail)
      return reply
    }
    let replies: Reply[] = []
    if (input.parallel) replies = await Promise.all(requests.map(post))
    else for (const request of requests) replies.push(await post(request))
    if (input.as !== undefined) this.run.replies[input.as] = replies
  }

  async fault({ gateway, deliveries, policy, webhook }: Steps['fault']): Promise<void> {
    const { lab } = this.run
    const { sandbox, relay, webhookId } = lab
    if (gateway !== undefined) await sandbox.fault(...gateway)
    if (policy !== undefined) await sandbox.control('setPolicy', policy)
    if (deliveries !== undefined) relay.setMode(deliveries)
    if (webhook === 'back-online') await sandbox.control('backOnline', { webhookId })
    if (webhook === 'rotate-token') await lab.rotateToken()
  }

  async restart({ signal, only }: Steps['restart']): Promise<void> {
    const { handler } = this.run.lab
    if (handler === null) throw new NotTestedError('the lab restarts the handler: use --start')
    if (only !== 'start') await handler.stop(signal)
    if (only !== 'stop') await handler.start()
    this.note('step', only === 'start' ? 'the handler was started' : `the handler got ${signal}`)
  }

  async call({ api, method, path, command, as, ...input }: Steps['call']): Promise<void> {
    const { lab } = this.run
    if (command !== undefined) {
      if (!lab.allowCommands) {
        throw new NotTestedError('a step runs a command: use --allow-commands')
      }
      await runCommand(command, { env: lab.environment, ...commandLimits })
      this.note('step', `command ${command}`)
      return
    }
    const body = input.body === undefined ? undefined : formatJson(input.body)
    const headers = { 'Content-Type': 'application/json', ...input.headers }
    const request = { method, body, headers }
    const reply = api
      ? await lab.callApi(api, path, request)
      : await exchange(new URL(path, lab.target).href, request)
    this.note('request', `${method} ${path}: ${describeReply(reply)}`, body)
    if (as !== undefined) this.run.replies[as] = [reply]
    const value = { problem: null, value: { body: parsed(reply.body) } }
    for (const [name, field] of Object.entries(input.save)) {
      this.save(as, { [name]: formatValue(valueAt(value, `body.${field}`) ?? '') })
    }
    this.save(as, { status: String(reply.status) })
  }

  async mark(): Promise<void> {
    await mark(this.run)
  }

  async check(expectations: Steps['check']): Promise<void> {
    await check(this.run, expectations)
  }

  private note(kind: Evidence['kind'], text: string, detail = ''): void {
    const { evidence, lab } = this.run
    evidence.push({ kind, text: lab.mask(text), detail: lab.mask(detail).slice(0, 4_000) })
  }

  private save(label: string | undefined, fields: Variables): void {
    if (label === undefined) return
    for (const [name, value] of Object.entries(fields)) {
      this.run.variables[`${label}.${name}`] = value
    }
  }

  /** Saves the transaction on the receiver's account and the sender's. */
  private saveOutcome(label: string | undefined, { transactions }: SandboxOutcome, to: string) {
    const [sent] = transactions
    const received = transactions.findLast(({ account }) => account === to) ?? sent
    if (received === undefined || sent === undefined) return
    const { hash, lt, account } = received
    this.save(label, { hash, hashUpper: hash.toUpperCase(), lt, account })
    this.save(label, { sentHash: sent.hash, sentLt: sent.lt, sentAccount: sent.account })
    const detail = `lt ${lt}, ${transactions.length} transactions in the trace`
    this.note('transaction', `${hash} on ${account}`, detail)
  }

  private async sendMessage(input: Steps['send']): Promise<SandboxOutcome> {
    const { from, amount, currency, comment, network, notification, bounce, mode } = input
    const { sandbox, chain } = this.run.lab
    const to = chain.address(input.to)
    if (currency !== 'TON' && currency !== 'USDT') {
      const master = this.run.variables[`${currency}.master`]
      if (master === undefined) throw new Error(`no deployed jetton has the label "${currency}"`)
      const transfer = { master, owner: chain.address(from), to, amount, comment }
      const order = messages.jettonTransfer(transfer)
      return await sandbox.control('message', { network, from, bounce: true, ...order })
    }
    const isPlain = notification === undefined && input.body === undefined && !bounce && mode === 3
    if (isPlain || currency === 'USDT') {
      const order = { network, from, to, amount, comment, currency } as const
      try {
        return await sandbox.send(order)
      } catch (error) {
        if (!(error instanceof ControlError) || error.status !== 409) throw error
        // The faucet gives the wallet what it lacks.
        const gift = { network, address: chain.address(from), amount, currency } as const
        await sandbox.control('faucet', gift)
        return await sandbox.send(order)
      }
    }
    const text = comment === undefined ? undefined : messages.commentBody(comment)
    const body = notification ? messages.notificationBody(notification) : (input.body ?? text)
    return await sandbox.control('message', { network, from, to, amount, bounce, mode, body })
  }

  private requestsOf({ held, of, count, ...input }: Steps['deliver']) {
    if (held !== undefined) {
      const kept = this.run.lab.relay.takeHeld()
      const ordered = held === 'shuffle' ? this.run.random.shuffle(kept) : kept
      return held === 'reverse' ? ordered.toReversed() : ordered
    }
    const sent = of === undefined ? undefined : this.deliveryOf(of)
    const body = change(sent?.body ?? input.text ?? formatJson(input.body ?? {}), input)
    const { authorization, ...others } = sent?.headers ?? defaultHeaders
    // Invoice events carry no token, so a forged one has none either, unless the step names one.
    const hasToken = sent ? authorization !== undefined : body.includes('event_type')
    const headers = { ...others, ...input.headers, ...this.tokenOf(input.token, hasToken) }
    return Array.from({ length: count }, () => ({ body, headers }))
  }

  /** The gateway's newest delivery for a label, or the one that it would have sent for a transaction. */
  private deliveryOf(label: string): Pick<RelayedDelivery, 'body' | 'headers'> {
    const { lab, variables } = this.run
    const found = lab.relay.deliveries().findLast(({ body }) => mentions(body, label, variables))
    if (found !== undefined) return found
    const [account_id, lt, tx_hash] = ['account', 'lt', 'hash'].map(
      (field) => variables[`${label}.${field}`],
    )
    if (lt === undefined) throw new Error(`the gateway sent no delivery for "${label}"`)
    const body = formatJson({ event_type: 'account_tx', account_id, lt: BigInt(lt), tx_hash })
    return { body, headers: { ...defaultHeaders, authorization: `Bearer ${lab.tokens.right}` } }
  }

  private tokenOf(token: Steps['deliver']['token'], hasToken: boolean): Variables {
    if (token === 'none' || (token === 'right' && !hasToken)) return {}
    const { right } = this.run.lab.tokens
    const swapped = Array.from(right, (letter) => {
      const lower = letter.toLowerCase()
      return letter === lower ? letter.toUpperCase() : lower
    })
    const others = { wrong: 'wrong-token', 'other-case': swapped.join('') }
    return { authorization: `Bearer ${{ ...this.run.lab.tokens, ...others }[token]}` }
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
function change(body: string, { set, remove }: Pick<Steps['deliver'], 'set' | 'remove'>): string {
  if (Object.keys(set).length === 0 && remove.length === 0) return body
  const fields = parsed(body)
  if (typeof fields !== 'object' || fields === null) return body
  const changed = Object.entries({ ...fields, ...set }).filter(([name]) => !remove.includes(name))
  return formatJson(Object.fromEntries(changed))
}
