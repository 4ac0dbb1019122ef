/**
 * Everything that may cross between the window, the main process, the command line and the tests.
 * A route is `domain.verb`; input is always parsed by the main process, output is typed and, in
 * tests, parsed as well. Events go one way, from the main process, and are types only.
 *
 * Unless a field says otherwise: moments are Unix milliseconds; amounts are decimal strings of minimal units; ids of
 * int64 and logical times are decimal strings; addresses in outputs are raw, in inputs of any form; lists of
 * jobs, events and attempts are newest first; an empty filter list lets everything through; a `text` filter finds an address by any of its forms;
 * `problem` and `reason` are sentences for the user, null when all is well; saving with an `id` replaces that
 * record; events of changes are sent at most four times a second.
 */
import type { z } from 'zod'
import { type AppEvents, appRoutes } from './app.ts'
import type { Envelope } from '../domain/app-error.ts'
import { type CaptureEvents, captureRoutes } from './capture.ts'
import { chainRoutes } from './chain.ts'
import { type FailureEvents, failureRoutes } from './failure.ts'
import { type InvoiceEvents, invoiceRoutes } from './invoice.ts'
import { type InvoiceAccessEvents, invoiceAccessRoutes } from './invoice-access.ts'
import { type InvoiceExportEvents, invoiceExportRoutes } from './invoice-export.ts'
import { type InvoiceJobEvents, invoiceJobRoutes } from './invoice-job.ts'
import { invoiceStatsRoutes } from './invoice-stats.ts'
import { type LabelEvents, labelRoutes } from './label.ts'
import { type LedgerEvents, ledgerRoutes } from './ledger.ts'
import { type LookupEvents, lookupRoutes } from './lookup.ts'
import { type MatterEvents, matterRoutes } from './matter.ts'
import { messageRoutes } from './message.ts'
import { type NetworkEvents, networkRoutes } from './network.ts'
import { type PaymentEvents, paymentRoutes } from './payment.ts'
import { type ReceiverEvents, receiverRoutes } from './receiver.ts'
import { type SandboxEvents, sandboxRoutes } from './sandbox.ts'
import { type SecretEvents, secretRoutes } from './secret.ts'
import { type SettingsEvents, settingsRoutes } from './settings.ts'
import { type SubscriptionEvents, subscriptionRoutes } from './subscription.ts'
import { type TrafficEvents, trafficRoutes } from './traffic.ts'
import { type AnswerRuleEvents, answerRuleRoutes } from './answer-rule.ts'
import { type CaptureQueryEvents, captureQueryRoutes } from './capture-query.ts'
import { type ExchangeEvents, exchangeRoutes } from './exchange.ts'
import { type ForwardEvents, forwardRoutes } from './forward.ts'
import { type MeaningEvents, meaningRoutes } from './meaning.ts'
import { type ReplayEvents, replayRoutes } from './replay.ts'
import { targetRoutes } from './target.ts'
import { type TunnelEvents, tunnelRoutes } from './tunnel.ts'
import { type WebhookEvents, webhookRoutes } from './webhook.ts'

export const routes = {
  ...answerRuleRoutes,
  ...appRoutes,
  ...captureQueryRoutes,
  ...captureRoutes,
  ...chainRoutes,
  ...exchangeRoutes,
  ...failureRoutes,
  ...forwardRoutes,
  ...invoiceAccessRoutes,
  ...invoiceExportRoutes,
  ...invoiceJobRoutes,
  ...invoiceRoutes,
  ...invoiceStatsRoutes,
  ...labelRoutes,
  ...ledgerRoutes,
  ...lookupRoutes,
  ...matterRoutes,
  ...meaningRoutes,
  ...messageRoutes,
  ...networkRoutes,
  ...paymentRoutes,
  ...receiverRoutes,
  ...replayRoutes,
  ...sandboxRoutes,
  ...secretRoutes,
  ...settingsRoutes,
  ...subscriptionRoutes,
  ...targetRoutes,
  ...trafficRoutes,
  ...tunnelRoutes,
  ...webhookRoutes,
} as const

type Routes = typeof routes
export type RouteName = keyof Routes

export type Input<N extends RouteName> = z.input<Routes[N]['input']>
export type Parsed<N extends RouteName> = z.output<Routes[N]['input']>
export type Output<N extends RouteName> = z.output<Routes[N]['output']>

export type Handlers = {
  readonly [N in RouteName]: (input: Parsed<N>) => Output<N> | Promise<Output<N>>
}

export type Events = AppEvents &
  CaptureEvents &
  FailureEvents &
  InvoiceEvents &
  InvoiceAccessEvents &
  InvoiceExportEvents &
  InvoiceJobEvents &
  LabelEvents &
  LedgerEvents &
  LookupEvents &
  MatterEvents &
  NetworkEvents &
  PaymentEvents &
  ReceiverEvents &
  SandboxEvents &
  SecretEvents &
  SettingsEvents &
  SubscriptionEvents &
  TrafficEvents &
  AnswerRuleEvents &
  CaptureQueryEvents &
  ExchangeEvents &
  ForwardEvents &
  MeaningEvents &
  ReplayEvents &
  TunnelEvents &
  WebhookEvents
export type EventName = keyof Events
export type EventMessage = { [N in EventName]: { name: N; payload: Events[N] } }[EventName]

/** The whole interface between window and main process, from the preload or the web transport. */
export interface Bridge {
  request(name: string, input: unknown): Promise<Envelope<unknown>>
  /** @returns a function that unsubscribes */
  on(listener: (messages: readonly EventMessage[]) => void): () => void
}
