import type { Context } from 'hono'
import type { z } from 'zod'
import { toAddress } from '../../ton/address.ts'
import type { Actions } from '../actions.ts'
import type { NetworkName } from '../chain/chain.ts'
import { type DevelopmentWallet, developmentWallets } from '../chain/wallets.ts'
import type { Faults } from '../roots.ts'
import type { Gate, Snapshot, State } from '../snapshots.ts'
import {
  type Handler,
  HttpProblem,
  createRoutes,
  parseInput,
  plainDialect,
  readJson,
} from '../http.ts'
import type { InvoiceApp } from '../invoices/invoice.ts'
import type { Invoices } from '../invoices/create-invoices.ts'
import {
  type Networks,
  serializeDelivery,
  serializeHead,
  serializeOutcome,
  serializeWallet,
  serializeWebhook,
} from './control-api.ts'
import { type Policy, policyChange } from '../deliver/delivery-queue.ts'
import { type Scheduler, type SandboxClock, lastMoment } from '../clock.ts'
import { createEvents } from './events.ts'
import * as input from './control-api.ts'
import { payInvoice } from './pay-invoice.ts'

type ControlDeps = {
  readonly networks: Networks
  readonly invoices: Invoices
  readonly clock: SandboxClock
  readonly scheduler: Scheduler
  readonly policy: Policy
  readonly faults: Faults
  readonly setFaults: (faults: ReturnType<Faults['list']>) => void
  readonly gate: Gate
  readonly state: State
  readonly whyUndeliverable: (url: string) => string | null
  readonly about: { readonly seed: string; readonly ephemeral: boolean; readonly keysHint: string }
}

/** Routes below `/sandbox`; keys are checked before, and the handlers pass the gate. */
export function createControl(deps: ControlDeps) {
  const { networks, clock, scheduler, policy, faults, gate, invoices, state } = deps

  const events = createEvents({
    heads: () =>
      Object.values(networks).map(({ chain, queue }) => ({
        network: chain.network,
        seqno: chain.head().seqno,
        ...queue.count(),
        now: clock.now(),
      })),
    hasRealClock: () => clock.mode === 'real',
  })

  const clockState = () => ({
    mode: clock.mode,
    now: clock.now(),
    advance: isAdvancing() ? scheduler.progress() : null,
  })
  const accessState = () => ({
    state: invoices.access.state(),
    canCreate: invoices.canCreate(),
  })

  function endpointOf(network: NetworkName, target: string): string {
    const [owner, id] = target.split(':')
    if (owner === 'webhook') {
      return networks[network].webhooks.targets.describe(target)?.url ?? ''
    }
    return invoices.app()?.webhooks.find((webhook) => String(webhook.id) === id)?.url ?? ''
  }

  /** Endpoints outside this computer are accepted, as on the service, and reported here. */
  function undeliverableOf(network: NetworkName) {
    const ofInvoices = network === 'mainnet' ? (invoices.app()?.webhooks ?? []) : []
    const endpoints = [
      ...networks[network].webhooks.list().map(({ endpoint }) => endpoint),
      ...ofInvoices.map(({ url }) => url),
    ]
    return [...new Set(endpoints)].flatMap((endpoint) => {
      const reason = deps.whyUndeliverable(endpoint)
      return reason === null ? [] : [{ endpoint, reason }]
    })
  }

  async function passTime(until: number): Promise<void> {
    if (clock.mode === 'real') {
      throw new HttpProblem(
        409,
        'the invoice has not expired yet: cancel it, wait, or make the clock virtual',
      )
    }
    await advance({ ms: until - clock.now() })
  }

  /** @throws HttpProblem 409 while another advance is under way, and when this one is cancelled */
  async function advance(by: { readonly ms: number } | 'next', signal?: AbortSignal) {
    if (isAdvancing()) {
      throw new HttpProblem(409, `${describeAdvance()}: wait until it has ended, or cancel it`)
    }
    const { stops, isCancelled } = await scheduler.advance(by, signal)
    if (isCancelled) {
      throw new HttpProblem(
        409,
        `the advance was cancelled after ${stops} stops, at ${new Date(clock.now()).toISOString()}`,
      )
    }
    return { now: clock.now(), stops }
  }

  /** An advance by 0 ms only runs due work, so it is not reported. */
  function isAdvancing(): boolean {
    const progress = scheduler.progress()
    return progress !== null && progress.until !== progress.from
  }

  function describeAdvance(): string {
    const { until = null, stops = 0 } = scheduler.progress() ?? {}
    const end = until === null ? 'the next due moment' : new Date(until).toISOString()
    return `the clock is being advanced already, to ${end} (${stops} stops so far)`
  }

  async function becomeIdle(signal: AbortSignal): Promise<void> {
    const all = Object.values(networks)
    const fingerprint = () =>
      JSON.stringify(all.map(({ chain, queue }) => [chain.head().seqno, queue.count()]))
    let before: string
    do {
      before = fingerprint()
      await scheduler.runDue(signal)
      for (const { chain, queue, activity } of all) {
        await chain.caughtUp()
        await activity.settled()
        await queue.settled()
      }
    } while (!signal.aborted && fingerprint() !== before)
  }

  const withWallet = <Order extends { readonly network: NetworkName; readonly from: string }>(
    schema: z.ZodType<Order>,
    perform: (actions: Actions, from: DevelopmentWallet, order: Order) => Promise<unknown>,
  ) =>
    withBody(schema, (order) => {
      const from = walletOf(order.from)
      return gate.shared(() => perform(networks[order.network].actions, from, order))
    })

  const routes = createRoutes(
    {
      '/state': {
        GET: withQuery(input.stateQuery, ({ network }) => ({
          clock: clockState(),
          network,
          head: serializeHead(networks[network]),
          wallets: developmentWallets.map((wallet) =>
            serializeWallet(wallet, networks[network].chain),
          ),
          queue: networks[network].queue.count(),
          webhooks: networks[network].webhooks.list().map(serializeWebhook),
          undeliverable: undeliverableOf(network),
          activity: networks[network].activity.rate(),
          policy: policy.get(),
          faults: faults.list(),
          access: accessState(),
          matching: invoices.access.rule(),
          snapshots: state.list(),
          ...deps.about,
        })),
      },
      '/wallets/mnemonics': {
        GET: () => ({
          wallets: developmentWallets.map(({ name, address, mnemonic }) => ({
            name,
            address: address.toRawString(),
            mnemonic,
          })),
        }),
      },
      '/queue': {
        GET: withQuery(input.queueQuery, ({ network, ...page }) => ({
          deliveries: networks[network].queue
            .list(page)
            .map((delivery) => serializeDelivery(delivery, endpointOf(network, delivery.target))),
          ...networks[network].queue.count(),
        })),
      },
      '/faucet': {
        POST: withBody(input.faucetInput, ({ network, address, ...order }) => {
          const to = readAddress(address)
          return gate.shared(async () =>
            serializeOutcome(await networks[network].actions.faucet({ to, ...order })),
          )
        }),
      },
      '/send': {
        POST: withWallet(input.sendInput, async (actions, from, { to, ...order }) => {
          const wallet = developmentWallets.find(({ name }) => name === to)
          const receiver = wallet?.address ?? readAddress(to)
          return serializeOutcome(await actions.send({ ...order, from, to: receiver }))
        }),
      },
      '/deploy': {
        POST: withWallet(input.deployInput, async (actions, from, { name }) => {
          const { address, executed } = await actions.deploy({ from, name })
          return { address: address.toRawString(), ...serializeOutcome(executed) }
        }),
      },
      '/opcode': {
        POST: withWallet(input.opcodeInput, async (actions, from, { to, opcode, amount }) => {
          const receiver = to === undefined ? undefined : readAddress(to)
          return serializeOutcome(
            await actions.opcode({ from, to: receiver, opcode: Number(opcode), amount }),
          )
        }),
      },
      '/invoices/:id/pay': {
        POST: withBody(input.payInput, async ({ how, from, amount }, context) => {
          const invoice = invoices.find(context.req.param('id') ?? '')
          if (invoice === null) throw new HttpProblem(404, 'there is no such invoice')
          const blocks = await payInvoice(
            {
              send: (order) =>
                gate.shared(async () => {
                  await networks.mainnet.actions.fund({ ...order, wallet: order.from })
                  return await networks.mainnet.actions.send(order)
                }),
              passTime,
            },
            invoice,
            { how, from: walletOf(from), amount },
          )
          const outcomes = blocks.map(serializeOutcome)
          return {
            transactions: outcomes.flatMap(({ transactions }) => transactions),
            block: outcomes.at(-1)?.block ?? 0,
            invoice: invoices.serialize(invoices.find(invoice.id) ?? invoice),
          }
        }),
      },
      '/activity': {
        PUT: withBody(input.activityInput, ({ network, perMinute }) => {
          networks[network].activity.setRate(perMinute)
          scheduler.poke()
          return networks[network].activity.rate()
        }),
      },
      '/clock': {
        GET: clockState,
        PUT: withBody(input.clockInput, ({ mode }) => {
          clock.setMode(mode)
          scheduler.poke()
          return clockState()
        }),
      },
      '/clock/advance': {
        POST: withBody(input.advanceInput, (by, context) => {
          if (clock.mode === 'real') {
            throw new HttpProblem(409, 'the clock is real: make it virtual to move it')
          }
          if ('byMs' in by && clock.now() + by.byMs > lastMoment) {
            throw new HttpProblem(409, 'the sandbox’s time ends with the year 2099')
          }
          return advance('byMs' in by ? { ms: by.byMs } : 'next', context.req.raw.signal)
        }),
        DELETE: () => {
          scheduler.cancelAdvance()
          return clockState()
        },
      },
      '/idle': {
        POST: withBody(input.idleInput, async ({ timeoutMs }, context) => {
          const expiry = AbortSignal.timeout(timeoutMs)
          const signal = AbortSignal.any([expiry, context.req.raw.signal])
          const ended = Promise.withResolvers<undefined>()
          signal.addEventListener('abort', () => ended.resolve(undefined), { once: true })
          await Promise.race([becomeIdle(signal), ended.promise])
          const queues = Object.values(networks).map(({ queue }) => queue.count())
          const waiting = queues.reduce((sum, count) => sum + count.waiting, 0)
          const failing = queues.reduce((sum, count) => sum + count.failing, 0)
          if (signal.aborted) {
            const reason = isAdvancing() ? describeAdvance() : 'GET /queue shows them'
            throw new HttpProblem(
              409,
              `the sandbox is not idle after ${timeoutMs} ms: ${waiting} deliveries are not done. ${reason}; a longer wait is timeoutMs`,
            )
          }
          return { now: clock.now(), waiting, failing }
        }),
      },
      '/snapshots': {
        GET: () => ({ snapshots: state.list() }),
        POST: withBody(input.snapshotInput, ({ name }) =>
          state.snapshot(name ?? unusedName(state.list())),
        ),
      },
      '/snapshots/:name': {
        DELETE: (context) => {
          state.delete(snapshotOf(context).name)
          return {}
        },
      },
      '/snapshots/:name/revert': {
        POST: async (context) => {
          await state.revert(snapshotOf(context).name)
          return {}
        },
      },
      '/reset': {
        POST: async () => {
          await state.reset()
          return {}
        },
      },
      '/policy': {
        GET: () => policy.get(),
        PUT: withBody(policyChange, (change) => policy.change(change)),
      },
      '/faults': {
        GET: () => ({ faults: faults.list() }),
        PUT: withBody(input.faultsInput, (next) => {
          deps.setFaults(next.faults)
          return { faults: faults.list() }
        }),
      },
      '/access': {
        GET: accessState,
        PUT: withBody(input.accessInput, (next) => {
          invoices.access.change(next.state)
          return accessState()
        }),
      },
      '/invoices-token': {
        GET: () => ({ token: invoices.access.token() }),
      },
      '/matching': {
        GET: () => ({ rule: invoices.access.rule() }),
        PUT: withBody(input.matchingInput, ({ rule }) => {
          invoices.access.changeRule(rule)
          return { rule: invoices.access.rule() }
        }),
      },
      '/invoices-app': {
        GET: () => serializeApp(invoices.app()),
        PUT: withBody(input.invoicesAppInput, (change) => serializeApp(invoices.putApp(change))),
      },
      '/webhooks/:id/back-online': {
        POST: withBody(input.networkInput, ({ network }, context) => {
          if (!networks[network].webhooks.bringBack(idOf(context))) throw noWebhook()
          return {}
        }),
      },
      '/webhooks/:id/suspend': {
        POST: withBody(input.networkInput, ({ network }, context) => {
          if (!networks[network].webhooks.suspend(idOf(context))) throw noWebhook()
          return {}
        }),
      },
      '/webhooks/:id/disable-opcode': {
        POST: withBody(input.disableOpcodeInput, ({ network, opcode, reason }, context) => {
          const { webhooks } = networks[network]
          if (!webhooks.disableOpcode(idOf(context), Number(opcode), reason)) {
            throw new HttpProblem(404, 'there is no such subscription')
          }
          return {}
        }),
      },
      '/events': { GET: () => events.open() },
    },
    plainDialect,
  )

  function snapshotOf(context: Context): Snapshot {
    const found = state.find(context.req.param('name') ?? '')
    if (found === null) throw new HttpProblem(404, 'there is no snapshot of that name')
    return found
  }

  return { routes, events }
}

const bodyLimitBytes = 1024 * 1024

/** An empty body is an empty object. */
function withBody<T>(
  schema: z.ZodType<T>,
  handle: (body: T, context: Context) => unknown,
): Handler {
  return async (context) => {
    const isEmpty = context.req.header('content-length') === '0' || context.req.raw.body === null
    const body = isEmpty ? {} : await readJson(context, bodyLimitBytes)
    return handle(parseInput(schema, body, describeProblem), context)
  }
}

function withQuery<T>(schema: z.ZodType<T>, handle: (query: T) => unknown): Handler {
  return (context) => handle(parseInput(schema, context.req.query(), describeProblem))
}

function describeProblem(path: readonly PropertyKey[], problem: string): string {
  return path.length === 0 ? problem : `${path.join('.')}: ${problem}`
}

function serializeApp(app: InvoiceApp | null) {
  if (app === null) throw new HttpProblem(404, 'no application is registered')
  return { recipient: app.recipient, webhooks: app.webhooks.map(({ url }) => url) }
}

function walletOf(name: string): DevelopmentWallet {
  const wallet = developmentWallets.find((candidate) => candidate.name === name)
  if (wallet === undefined) throw new HttpProblem(404, `there is no wallet "${name}"`)
  return wallet
}

function readAddress(text: string) {
  try {
    return toAddress(text)
  } catch (error) {
    throw new HttpProblem(400, error instanceof Error ? error.message : String(error), true)
  }
}

function idOf(context: Context): number {
  const text = context.req.param('id') ?? ''
  if (!/^\d{1,15}$/.test(text)) throw noWebhook()
  return Number(text)
}

function noWebhook(): HttpProblem {
  return new HttpProblem(404, 'there is no such webhook')
}

function unusedName(taken: readonly Snapshot[]): string {
  let number = 1
  while (taken.some(({ name }) => name === `snapshot ${number}`)) number += 1
  return `snapshot ${number}`
}
