import type { Context } from 'hono'
import type { z } from 'zod'
import { Address, Cell, loadStateInit } from '@ton/core'
import * as input from '../../../src-preload/contract/sandbox-control.ts'
import type { Actions } from '../actions.ts'
import type { Calls } from '../calls.ts'
import type { NetworkName, ExecutedBlock } from '../chain/chain.ts'
import { type DevelopmentWallet, developmentWallets } from '../chain/wallets.ts'
import type { SandboxClock, Scheduler } from '../clock.ts'
import type { Policy } from '../deliver/delivery-queue.ts'
import { HttpProblem, createRoutes, plainDialect } from '../http.ts'
import type { Invoices } from '../invoices/create-invoices.ts'
import {
  type InvoiceApp,
  type Invoice,
  appliedOf,
  commentOf,
  expiresAt,
} from '../invoices/invoice.ts'
import type { Faults } from '../roots.ts'
import type { Gate, Snapshot, State } from '../snapshots.ts'
import {
  type Networks,
  serializeDelivery,
  serializeHead,
  serializeOutcome,
  serializeWallet,
  serializeWebhook,
} from './control-api.ts'
import { createEvents } from './events.ts'
import { targetOf } from '../webhooks/deliveries.ts'
import {
  noWebhook,
  postBody,
  putBody,
  readReceiver,
  walletOf,
  webhookIdOf,
  withBody,
  withQuery,
} from './request.ts'
import { createOpenApi } from './openapi.ts'
import { createTimeRoute } from './time.ts'
import { createWaitRoute } from './wait.ts'
import { messageOf } from '../../../src-preload/domain/app-error.ts'
import type { PayHow } from '../../../src-preload/domain/sandbox-values.ts'

type ControlDeps = {
  readonly networks: Networks
  readonly invoices: Invoices
  readonly calls: Calls
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

/** Routes below `/sandbox`; the keys are checked before, and the handlers use the gate. */
export function createControl(deps: ControlDeps) {
  const { networks, clock, scheduler, policy, faults, gate, invoices, state, calls } = deps
  const events = createEvents(networks, clock)
  const time = createTimeRoute(deps)
  let document: ReturnType<typeof createOpenApi> | undefined

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

  const routes = createRoutes(
    {
      '/state': withQuery(input.stateQuery, ({ network }) => ({
        clock: time.state(),
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
        access: accessState(invoices),
        matching: invoices.access.rule(),
        snapshots: state.list(),
        ...deps.about,
      })),
      '/wallets/mnemonics': () => ({
        wallets: developmentWallets.map(({ name, address, mnemonic }) => ({
          name,
          address: address.toRawString(),
          mnemonic,
        })),
      }),
      '/queue': withQuery(input.queueQuery, ({ network, ...page }) => ({
        deliveries: networks[network].queue
          .list(page)
          .map((delivery) =>
            serializeDelivery(delivery, endpointOf(deps, network, delivery.target)),
          ),
        ...networks[network].queue.count(),
      })),
      ...actionRoutes(deps),
      '/invoices/:id/pay': postBody(input.payInput, async ({ how, from, amount }, context) => {
        const invoice = invoices.find(context.req.param('id') ?? '')
        if (invoice === null) throw new HttpProblem(404, 'invoice not found')
        const blocks = await payInvoice(
          invoice,
          { how, from: walletOf(from), amount },
          (order) =>
            gate.shared(async () => {
              await networks.mainnet.actions.fund({ ...order, wallet: order.from })
              return await networks.mainnet.actions.send(order)
            }),
          time.passTime,
        )
        const outcomes = blocks.map(serializeOutcome)
        return {
          transactions: outcomes.flatMap(({ transactions }) => transactions),
          block: outcomes.at(-1)?.block ?? 0,
          invoice: invoices.serialize(invoices.find(invoice.id) ?? invoice),
        }
      }),
      '/activity': putBody(input.activityInput, ({ network, perMinute }) => {
        networks[network].activity.setRate(perMinute)
        scheduler.poke()
        return networks[network].activity.rate()
      }),
      ...time.routes,
      '/wait': createWaitRoute(deps),
      ...stateRoutes(state, calls),
      '/calls': {
        GET: withQuery(input.callsQuery, (query) => calls.find(query)),
        PUT: withBody(input.callsInput, (change) => calls.set(change)),
      },
      ...serviceRoutes(deps),
      ...webhookRoutes(networks),
      '/events': () => events.open(),
      '/openapi.json': () => (document ??= createOpenApi()),
    },
    plainDialect,
  )

  return { routes, events }
}

/** Actions of the wallets and of the faucet. */
function actionRoutes({ networks, gate }: Pick<ControlDeps, 'networks' | 'gate'>) {
  const postWallet = <Order extends { readonly network: NetworkName; readonly from: string }>(
    schema: z.ZodType<Order>,
    perform: (actions: Actions, from: DevelopmentWallet, order: Order) => Promise<unknown>,
  ) =>
    postBody(schema, (order) => {
      const from = walletOf(order.from)
      return gate.shared(() => perform(networks[order.network].actions, from, order))
    })

  return {
    '/faucet': postBody(input.faucetInput, ({ network, address, ...order }) => {
      const to = readReceiver(address)
      return gate.shared(async () =>
        serializeOutcome(await networks[network].actions.faucet({ to, ...order })),
      )
    }),
    '/send': postWallet(input.sendInput, async (actions, from, { to, ...order }) =>
      serializeOutcome(await actions.send({ ...order, from, to: readReceiver(to) })),
    ),
    '/deploy': postWallet(input.deployInput, async (actions, from, { name }) => {
      const { address, executed } = await actions.deploy({ from, name })
      return { address: address.toRawString(), ...serializeOutcome(executed) }
    }),
    '/opcode': postWallet(input.opcodeInput, async (actions, from, { to, opcode, amount }) => {
      const receiver = to === undefined ? undefined : readReceiver(to)
      return serializeOutcome(
        await actions.opcode({ from, to: receiver, opcode: Number(opcode), amount }),
      )
    }),
    '/message': postWallet(input.messageInput, async (actions, from, { to, ...message }) => {
      const { amount, bounce, mode } = message
      const body = readBoc(message.body)
      const init = readBoc(message.init)?.beginParse()
      const order = {
        to: readReceiver(to),
        value: amount,
        bounce,
        ...(body === null ? {} : { body }),
        ...(init === undefined ? {} : { init: loadStateInit(init) }),
      }
      return serializeOutcome(await actions.message({ ...order, from, mode }))
    }),
  }
}

/** @throws HttpProblem 400 */
function readBoc(hex: string | undefined): Cell | null {
  try {
    return hex === undefined ? null : Cell.fromHex(hex)
  } catch (error) {
    throw new HttpProblem(400, `this is not a bag of cells: ${messageOf(error)}`)
  }
}

function endpointOf(
  { networks, invoices }: Pick<ControlDeps, 'networks' | 'invoices'>,
  network: NetworkName,
  target: string,
): string {
  const [owner, id] = target.split(':')
  if (owner === 'webhook') {
    return networks[network].webhooks.targets.describe(target)?.url ?? ''
  }
  return invoices.app()?.webhooks.find((webhook) => String(webhook.id) === id)?.url ?? ''
}

const accessState = (invoices: Invoices) => ({
  state: invoices.access.state(),
  canCreate: invoices.canCreate(),
})

/** Snapshots of the whole sandbox, and its reset. */
function stateRoutes(state: State, calls: Calls) {
  function snapshotOf(context: Context): Snapshot {
    const found = state.find(context.req.param('name') ?? '')
    if (found === null) throw new HttpProblem(404, 'snapshot not found')
    return found
  }

  return {
    '/snapshots': {
      GET: () => ({ snapshots: state.list() }),
      POST: withBody(input.snapshotInput, ({ name }) =>
        state.snapshot(name ?? unusedName(state.list())),
      ),
    },
    '/snapshots/:name': {
      DELETE(context: Context) {
        state.delete(snapshotOf(context).name)
        return {}
      },
    },
    '/snapshots/:name/revert': {
      async POST(context: Context) {
        await state.revert(snapshotOf(context).name)
        return {}
      },
    },
    '/reset': {
      async POST() {
        await state.reset()
        // The log is no state of the chain, so a revert does not change it.
        calls.clear()
        return {}
      },
    },
  }
}

/** Routes for the service's behavior: deliveries, faults, access to invoices and the matching of payments. */
function serviceRoutes({
  policy,
  faults,
  setFaults,
  invoices,
}: Pick<ControlDeps, 'policy' | 'faults' | 'setFaults' | 'invoices'>) {
  return {
    '/policy': {
      GET: () => policy.get(),
      PUT: withBody(input.policyChange, (change) => policy.change(change)),
    },
    '/faults': {
      GET: () => ({ faults: faults.list() }),
      PUT: withBody(input.faultsInput, (next) => {
        setFaults(next.faults)
        return { faults: faults.list() }
      }),
    },
    '/access': {
      GET: () => accessState(invoices),
      PUT: withBody(input.accessInput, (next) => {
        invoices.access.change(next.state)
        return accessState(invoices)
      }),
    },
    '/invoices-token': () => ({ token: invoices.access.token() }),
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
  }
}

function webhookRoutes(networks: Networks) {
  return {
    '/webhooks/:id/back-online': postBody(input.networkInput, ({ network }, context) => {
      if (!networks[network].webhooks.bringBack(webhookIdOf(context))) throw noWebhook()
      return {}
    }),
    '/webhooks/:id/test': postBody(input.testInput, async ({ network, body, headers }, context) => {
      const began = performance.now()
      const target = targetOf(webhookIdOf(context))
      const sent = await networks[network].queue.test(target, body, headers)
      if (sent === null) throw noWebhook()
      return {
        ...sent,
        isDelivered: sent.status !== null && sent.status >= 200 && sent.status < 300,
        durationUs: Math.round((performance.now() - began) * 1000),
        body: sent.body.toString('base64'),
        bodyBytes: sent.body.byteLength,
      }
    }),
    '/webhooks/:id/suspend': postBody(input.networkInput, ({ network }, context) => {
      if (!networks[network].webhooks.suspend(webhookIdOf(context))) throw noWebhook()
      return {}
    }),
    '/webhooks/:id/disable-opcode': postBody(
      input.disableOpcodeInput,
      ({ network, opcode, reason }, context) => {
        const { webhooks } = networks[network]
        if (!webhooks.disableOpcode(webhookIdOf(context), Number(opcode), reason)) {
          throw new HttpProblem(404, 'subscription not found')
        }
        return {}
      },
    ),
  }
}

function serializeApp(app: InvoiceApp | null) {
  if (app === null) throw new HttpProblem(404, 'no application is registered')
  return { recipient: app.recipient, webhooks: app.webhooks.map(({ url }) => url) }
}

function unusedName(taken: readonly Snapshot[]): string {
  let number = 1
  while (taken.some(({ name }) => name === `snapshot ${number}`)) number += 1
  return `snapshot ${number}`
}

/** Returns the amounts to pay if the caller chose none. @throws HttpProblem 409 */
function amountsOf(invoice: Invoice, how: PayHow): readonly bigint[] {
  const full = invoice.amount
  if (how === 'under' && full === 1n)
    throw new HttpProblem(409, 'an invoice of one unit cannot be partially paid')
  if (how === 'under') return [full / 2n]
  if (how === 'over') return [full + (full < 10n ? 1n : full / 10n)]
  if (how !== 'rest') return how === 'twice' ? [full, full] : [full]
  const rest = full - appliedOf(invoice)
  if (invoice.status === 'pending' && rest > 0n) return [rest]
  throw new HttpProblem(409, `no amount is left to pay: the invoice is ${invoice.status}`)
}

/**
 * @param order.amount replaces the default of `how`
 * @param send funds the payer before sending
 * @throws HttpProblem 409 if nothing is left to pay
 */
async function payInvoice(
  invoice: Invoice,
  order: {
    readonly how: PayHow
    readonly from: DevelopmentWallet
    readonly amount: bigint | undefined
  },
  send: Actions['send'],
  passTime: (until: number) => Promise<void>,
): Promise<readonly ExecutedBlock[]> {
  const { how, from } = order
  const amounts = amountsOf(invoice, how)
  if (how === 'late') {
    if (invoice.status === 'paid') throw new HttpProblem(409, 'the invoice is already paid')
    if (invoice.status === 'pending') await passTime(expiresAt(invoice) * 1000)
  }
  const other = invoice.currency === 'TON' ? 'USDT' : 'TON'
  const payment = {
    from,
    to: Address.parseRaw(invoice.payToAddress),
    currency: how === 'wrong-asset' ? other : invoice.currency,
    comment: how === 'no-comment' ? undefined : (commentOf(invoice) ?? undefined),
  } as const
  const blocks: ExecutedBlock[] = []
  for (const amount of amounts) {
    blocks.push(await send({ ...payment, amount: order.amount ?? amount }))
  }
  return blocks
}
