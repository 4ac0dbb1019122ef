import type { Context, Hono } from 'hono'
import { toAddress } from '../../ton/address.ts'
import type { Actions } from '../actions.ts'
import type { Activity } from '../activity.ts'
import type { NetworkName } from '../chain/chain.ts'
import { type DevelopmentWallet, developmentWallets } from '../chain/wallets.ts'
import type { Faults } from '../faults.ts'
import type { Gate } from '../gate.ts'
import { HttpProblem } from '../http.ts'
import type { Invoices } from '../invoices/create-invoices.ts'
import {
  type Networks,
  serializeDelivery,
  serializeHead,
  serializeOutcome,
  serializeWallet,
  serializeWebhook,
} from './state-json.ts'
import { type Policy, policyChange } from '../deliver/delivery-queue.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Snapshot } from '../snapshots.ts'
import { type SandboxClock, lastMoment } from '../clock.ts'
import { type Events, createEvents } from './events.ts'
import * as input from './input.ts'
import { payInvoice } from './pay-invoice.ts'
import { createRoutes, readBody, readQuery } from './routes.ts'

type ControlDeps = {
  readonly networks: Networks
  readonly actions: Readonly<Record<NetworkName, Actions>>
  readonly activity: Readonly<Record<NetworkName, Activity>>
  readonly invoices: Invoices
  readonly clock: SandboxClock
  readonly scheduler: Scheduler
  readonly policy: Policy
  readonly faults: Faults
  readonly setFaults: (faults: ReturnType<Faults['list']>) => void
  readonly gate: Gate
  /** Each waits until nothing else is running. */
  readonly state: {
    readonly list: () => readonly Snapshot[]
    readonly find: (name: string) => Snapshot | null
    readonly snapshot: (name: string) => Promise<Snapshot>
    readonly revert: (name: string) => Promise<void>
    readonly reset: () => Promise<void>
    readonly delete: (name: string) => void
  }
  /** Null when deliveries to the URL are allowed. */
  readonly whyUndeliverable: (url: string) => string | null
  readonly about: { readonly seed: string; readonly ephemeral: boolean; readonly keysHint: string }
  readonly onError: (error: unknown) => void
}

type Control = {
  /** Paths below `/sandbox`. Keys are checked before; the handlers pass the gate. */
  readonly routes: Hono
  readonly events: Events
}

export function createControl(deps: ControlDeps): Control {
  const { networks, clock, scheduler, policy, faults, gate, invoices, state } = deps

  const events = createEvents({
    heads: () =>
      Object.values(networks).map(({ chain, queue }) => ({
        network: chain.network,
        seqno: chain.head().seqno,
        ...queue.count(),
        now: clock.now(),
      })),
    isMoving: () => clock.mode === 'real',
  })

  const clockState = () => ({
    mode: clock.mode,
    now: clock.now(),
    advance: isMoving() ? scheduler.progress() : null,
  })
  const accessState = () => ({
    state: invoices.access.state(),
    canCreate: invoices.access.canCreate(),
  })

  const walletsOf = (network: NetworkName) =>
    developmentWallets.map((wallet) => serializeWallet(wallet, networks[network].chain))

  function endpointOf(network: NetworkName, target: string): string {
    const [owner, id] = target.split(':')
    if (owner === 'webhook') {
      return networks[network].webhooks.targets.describe(target)?.url ?? ''
    }
    return invoices.app.get()?.webhooks.find((webhook) => String(webhook.id) === id)?.url ?? ''
  }

  /** Endpoints outside this computer are accepted, as on the service, and reported here. */
  function undeliverableOf(network: NetworkName) {
    const ofInvoices = network === 'mainnet' ? (invoices.app.get()?.webhooks ?? []) : []
    const endpoints = [
      ...networks[network].webhooks.list().map(({ endpoint }) => endpoint),
      ...ofInvoices.map(({ url }) => url),
    ]
    return [...new Set(endpoints)].flatMap((endpoint) => {
      const reason = deps.whyUndeliverable(endpoint)
      return reason === null ? [] : [{ endpoint, reason }]
    })
  }

  /** Chain changes wait while the state is being replaced. */
  function act<T>(work: () => Promise<T>): Promise<T> {
    return gate.shared(work)
  }

  async function passTime(until: number): Promise<void> {
    if (clock.mode === 'real') {
      throw new HttpProblem(
        409,
        'the invoice has not expired yet: cancel it, wait, or make the clock virtual',
      )
    }
    await move({ ms: until - clock.now() })
  }

  /** @throws HttpProblem 409 while another advance is under way, and when this one is cancelled */
  async function move(by: { readonly ms: number } | 'next', signal?: AbortSignal) {
    if (isMoving()) {
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
  function isMoving(): boolean {
    const progress = scheduler.progress()
    return progress !== null && progress.until !== progress.from
  }

  function describeAdvance(): string {
    const { until = null, stops = 0 } = scheduler.progress() ?? {}
    const end = until === null ? 'the next due moment' : new Date(until).toISOString()
    return `the clock is being advanced already, to ${end} (${stops} stops so far)`
  }

  /** Resolves when nothing is running or due; `signal` ends the wait. */
  async function becomeIdle(signal: AbortSignal): Promise<void> {
    const all = Object.values(networks)
    const fingerprint = () =>
      JSON.stringify(all.map(({ chain, queue }) => [chain.head().seqno, queue.count()]))
    let before: string
    do {
      before = fingerprint()
      await scheduler.runDue(signal)
      for (const { chain, queue } of all) {
        await chain.caughtUp()
        await deps.activity[chain.network].settled()
        await queue.settled()
      }
    } while (!signal.aborted && fingerprint() !== before)
  }

  const routes = createRoutes(
    {
      '/state': {
        GET: (context) => {
          const { network } = readQuery(context, input.stateQuery)
          return {
            clock: clockState(),
            network,
            head: serializeHead(networks[network]),
            wallets: walletsOf(network),
            queue: networks[network].queue.count(),
            webhooks: networks[network].webhooks.list().map(serializeWebhook),
            undeliverable: undeliverableOf(network),
            activity: deps.activity[network].rate(),
            policy: policy.get(),
            faults: faults.list(),
            access: accessState(),
            matching: invoices.matching.get(),
            snapshots: state.list(),
            ...deps.about,
          }
        },
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
        GET: (context) => {
          const { network, limit, offset } = readQuery(context, input.queueQuery)
          const { queue } = networks[network]
          return {
            deliveries: queue
              .list({ limit, offset })
              .map((delivery) => serializeDelivery(delivery, endpointOf(network, delivery.target))),
            ...queue.count(),
          }
        },
      },
      '/faucet': {
        POST: async (context) => {
          const { network, address, ...order } = await readBody(context, input.faucetInput)
          const to = readAddress(address)
          return act(async () =>
            serializeOutcome(await deps.actions[network].faucet({ to, ...order })),
          )
        },
      },
      '/send': {
        POST: async (context) => {
          const { network, from, to, ...order } = await readBody(context, input.sendInput)
          const wallet = walletOf(from)
          const receiver =
            developmentWallets.find(({ name }) => name === to)?.address ?? readAddress(to)
          return act(async () =>
            serializeOutcome(
              await deps.actions[network].send({ from: wallet, to: receiver, ...order }),
            ),
          )
        },
      },
      '/deploy': {
        POST: async (context) => {
          const { network, from, name } = await readBody(context, input.deployInput)
          const wallet = walletOf(from)
          return act(async () => {
            const { address, executed } = await deps.actions[network].deploy({ from: wallet, name })
            return { address: address.toRawString(), ...serializeOutcome(executed) }
          })
        },
      },
      '/opcode': {
        POST: async (context) => {
          const { network, from, to, opcode, amount } = await readBody(context, input.opcodeInput)
          const wallet = walletOf(from)
          const receiver = to === undefined ? undefined : readAddress(to)
          return act(async () =>
            serializeOutcome(
              await deps.actions[network].opcode({
                from: wallet,
                to: receiver,
                opcode: Number(opcode),
                amount,
              }),
            ),
          )
        },
      },
      '/invoices/:id/pay': {
        POST: async (context) => {
          const { how, from, amount } = await readBody(context, input.payInput)
          const invoice = invoices.find(context.req.param('id') ?? '')
          if (invoice === null) throw new HttpProblem(404, 'there is no such invoice')
          const wallet = walletOf(from)
          const blocks = await payInvoice(
            {
              send: (order) =>
                act(async () => {
                  await deps.actions.mainnet.fund({ ...order, wallet: order.from })
                  return await deps.actions.mainnet.send(order)
                }),
              passTime,
            },
            invoice,
            { how, from: wallet, amount },
          )
          const paid = invoices.find(invoice.id) ?? invoice
          const outcomes = blocks.map(serializeOutcome)
          return {
            transactions: outcomes.flatMap(({ transactions }) => transactions),
            block: outcomes.at(-1)?.block ?? 0,
            invoice: invoices.print(paid),
          }
        },
      },
      '/activity': {
        PUT: async (context) => {
          const { network, perMinute } = await readBody(context, input.activityInput)
          deps.activity[network].setRate(perMinute)
          scheduler.poke()
          return deps.activity[network].rate()
        },
      },
      '/clock': {
        GET: clockState,
        PUT: async (context) => {
          const { mode } = await readBody(context, input.clockInput)
          clock.setMode(mode)
          scheduler.poke()
          return clockState()
        },
      },
      '/clock/advance': {
        POST: async (context) => {
          const by = await readBody(context, input.advanceInput)
          if (clock.mode === 'real') {
            throw new HttpProblem(409, 'the clock is real: make it virtual to move it')
          }
          if ('byMs' in by && clock.now() + by.byMs > lastMoment) {
            throw new HttpProblem(409, 'the sandbox’s time ends with the year 2099')
          }
          return move('byMs' in by ? { ms: by.byMs } : 'next', context.req.raw.signal)
        },
        DELETE: () => {
          scheduler.cancelAdvance()
          return clockState()
        },
      },
      '/idle': {
        POST: async (context) => {
          const { timeoutMs } = await readBody(context, input.idleInput)
          const expiry = AbortSignal.timeout(timeoutMs)
          const signal = AbortSignal.any([expiry, context.req.raw.signal])
          const ended = Promise.withResolvers<undefined>()
          signal.addEventListener('abort', () => ended.resolve(undefined), { once: true })
          await Promise.race([becomeIdle(signal), ended.promise])
          const queues = Object.values(networks).map(({ queue }) => queue.count())
          const waiting = queues.reduce((sum, count) => sum + count.waiting, 0)
          const failing = queues.reduce((sum, count) => sum + count.failing, 0)
          if (signal.aborted) {
            throw new HttpProblem(
              409,
              `the sandbox is not idle after ${timeoutMs} ms: ${waiting} deliveries are not done. ${
                isMoving() ? describeAdvance() : 'GET /queue shows them'
              }; a longer wait is timeoutMs`,
            )
          }
          return { now: clock.now(), waiting, failing }
        },
      },
      '/snapshots': {
        GET: () => ({ snapshots: state.list() }),
        POST: async (context) => {
          const { name } = await readBody(context, input.snapshotInput)
          return state.snapshot(name ?? unusedName(state.list()))
        },
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
        PUT: async (context) => policy.change(await readBody(context, policyChange)),
      },
      '/faults': {
        GET: () => ({ faults: faults.list() }),
        PUT: async (context) => {
          deps.setFaults((await readBody(context, input.faultsInput)).faults)
          return { faults: faults.list() }
        },
      },
      '/access': {
        GET: accessState,
        PUT: async (context) => {
          invoices.access.change((await readBody(context, input.accessInput)).state)
          return accessState()
        },
      },
      '/invoices-token': {
        GET: () => ({ token: invoices.access.token() }),
      },
      '/matching': {
        GET: () => ({ rule: invoices.matching.get() }),
        PUT: async (context) => {
          invoices.matching.set((await readBody(context, input.matchingInput)).rule)
          return { rule: invoices.matching.get() }
        },
      },
      '/invoices-app': {
        GET: () => serializeApp(),
        PUT: async (context) => {
          invoices.app.put(await readBody(context, input.invoicesAppInput))
          return serializeApp()
        },
      },
      '/webhooks/:id/back-online': {
        POST: async (context) => {
          const { network } = await readBody(context, input.networkInput)
          if (!networks[network].webhooks.bringBack(idOf(context))) throw noWebhook()
          return {}
        },
      },
      '/webhooks/:id/suspend': {
        POST: async (context) => {
          const { network } = await readBody(context, input.networkInput)
          if (!networks[network].webhooks.suspend(idOf(context))) throw noWebhook()
          return {}
        },
      },
      '/webhooks/:id/disable-opcode': {
        POST: async (context) => {
          const { network, opcode, reason } = await readBody(context, input.disableOpcodeInput)
          const { webhooks } = networks[network]
          if (!webhooks.disableOpcode(idOf(context), Number(opcode), reason)) {
            throw new HttpProblem(404, 'there is no such subscription')
          }
          return {}
        },
      },
      '/events': { GET: () => events.open() },
    },
    deps.onError,
  )

  function serializeApp() {
    const app = invoices.app.get()
    if (app === null) throw new HttpProblem(404, 'no application is registered')
    return { recipient: app.recipient, webhooks: app.webhooks.map(({ url }) => url) }
  }

  function snapshotOf(context: Context): Snapshot {
    const found = state.find(context.req.param('name') ?? '')
    if (found === null) throw new HttpProblem(404, 'there is no snapshot of that name')
    return found
  }

  return { routes, events }
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
