/**
 * Everything that may cross between the window, the main process, the command line and the tests.
 * A route is `domain.verb`; input is always parsed by the main process, output is typed and, in
 * tests, parsed as well. Events go one way, from the main process, and are types only.
 */
import type { z } from 'zod'
import type { AppEvents } from './app.ts'
import { appRoutes } from './app.ts'
import type { Envelope } from './app-error.ts'
import type { CaptureEvents } from './capture.ts'
import { captureRoutes } from './capture.ts'
import { chainRoutes } from './chain.ts'
import type { FailureEvents } from './failure.ts'
import { failureRoutes } from './failure.ts'
import type { InvoiceEvents } from './invoice.ts'
import { invoiceRoutes } from './invoice.ts'
import type { InvoiceAccessEvents } from './invoice-access.ts'
import { invoiceAccessRoutes } from './invoice-access.ts'
import type { InvoiceExportEvents } from './invoice-export.ts'
import { invoiceExportRoutes } from './invoice-export.ts'
import type { InvoiceJobEvents } from './invoice-job.ts'
import { invoiceJobRoutes } from './invoice-job.ts'
import { invoiceStatsRoutes } from './invoice-stats.ts'
import type { LabelEvents } from './label.ts'
import { labelRoutes } from './label.ts'
import type { LedgerEvents } from './ledger.ts'
import { ledgerRoutes } from './ledger.ts'
import type { LookupEvents } from './lookup.ts'
import { lookupRoutes } from './lookup.ts'
import type { MatterEvents } from './matter.ts'
import { matterRoutes } from './matter.ts'
import { messageRoutes } from './message.ts'
import type { NetworkEvents } from './network.ts'
import { networkRoutes } from './network.ts'
import type { PaymentEvents } from './payment.ts'
import { paymentRoutes } from './payment.ts'
import type { ReceiverEvents } from './receiver.ts'
import { receiverRoutes } from './receiver.ts'
import type { SandboxEvents } from './sandbox.ts'
import { sandboxRoutes } from './sandbox.ts'
import type { SecretEvents } from './secret.ts'
import { secretRoutes } from './secret.ts'
import type { SettingsEvents } from './settings.ts'
import { settingsRoutes } from './settings.ts'
import type { SubscriptionEvents } from './subscription.ts'
import { subscriptionRoutes } from './subscription.ts'
import type { TrafficEvents } from './traffic.ts'
import { trafficRoutes } from './traffic.ts'
import type { AnswerRuleEvents } from './answer-rule.ts'
import { answerRuleRoutes } from './answer-rule.ts'
import type { CaptureQueryEvents } from './capture-query.ts'
import { captureQueryRoutes } from './capture-query.ts'
import type { ExchangeEvents } from './exchange.ts'
import { exchangeRoutes } from './exchange.ts'
import type { ForwardEvents } from './forward.ts'
import { forwardRoutes } from './forward.ts'
import type { MeaningEvents } from './meaning.ts'
import { meaningRoutes } from './meaning.ts'
import type { ReplayEvents } from './replay.ts'
import { replayRoutes } from './replay.ts'
import { targetRoutes } from './target.ts'
import type { TunnelEvents } from './tunnel.ts'
import { tunnelRoutes } from './tunnel.ts'
import type { WebhookEvents } from './webhook.ts'
import { webhookRoutes } from './webhook.ts'

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

export type Routes = typeof routes
export type RouteName = keyof Routes

/** What a caller gives: defaults may be left out. */
export type Input<N extends RouteName> = z.input<Routes[N]['input']>
/** What a handler gets: parsed, defaults filled in. */
export type Parsed<N extends RouteName> = z.output<Routes[N]['input']>
export type Output<N extends RouteName> = z.output<Routes[N]['output']>

/** One handler for each route: a missing or an extra one does not compile. */
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
/** An event with its payload, as it travels. */
export type EventMessage = { [N in EventName]: { name: N; payload: Events[N] } }[EventName]

/** What the preload (or the web transport) gives the window: two functions, nothing else. */
export interface Bridge {
  request(name: string, input: unknown): Promise<Envelope<unknown>>
  /** Listens to every event; returns the way to stop. */
  on(listener: (messages: readonly EventMessage[]) => void): () => void
}

export * from './app.ts'
export * from './app-error.ts'
export * from './capture.ts'
export * from './chain.ts'
export * from './failure.ts'
export * from './gateway.ts'
export * from './invoice.ts'
export * from './invoice-access.ts'
export * from './invoice-export.ts'
export * from './invoice-job.ts'
export * from './invoice-money.ts'
export * from './invoice-stats.ts'
export * from './label.ts'
export * from './ledger.ts'
export * from './lookup.ts'
export * from './matter.ts'
export * from './message.ts'
export * from './network.ts'
export * from './payment.ts'
export * from './receiver.ts'
export * from './sandbox.ts'
export * from './secret.ts'
export * from './settings.ts'
export * from './subscription.ts'
export * from './traffic.ts'
export * from './answer-rule.ts'
export * from './capture-query.ts'
export * from './exchange.ts'
export * from './forward.ts'
export * from './meaning.ts'
export * from './replay.ts'
export * from './target.ts'
export * from './tunnel.ts'
export * from './webhook.ts'
