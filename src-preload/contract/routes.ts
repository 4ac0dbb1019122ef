/**
 * The contract between the window, the main process, the command line and the tests. A route is
 * named `domain.verb`. The main process always validates the input; the output is typed and, in
 * tests, validated too. Events go one way, from the main process, and are types only.
 *
 * Unless a field says otherwise: moments are Unix milliseconds; amounts are decimal strings of
 * minimal units; ids of int64 and logical times are decimal strings; addresses are raw in outputs
 * and may have any form in inputs; lists of jobs, events and attempts are newest first; an empty
 * filter list matches everything; a `text` filter finds an address by any of its forms; `problem`
 * and `reason` are sentences for the user, or null; saving with an `id` replaces that record;
 * events of changes are sent at most four times a second.
 */
import type { z } from 'zod'
import { alertRoutes } from './alert.ts'
import { assetRoutes } from './asset.ts'
import { type Notice, appRoutes } from './app.ts'
import type { Envelope } from '../domain/app-error.ts'
import { type CaptureCounts, captureRoutes } from './capture.ts'
import { accountRoutes } from './chain/account.ts'
import { blockRoutes } from './chain/block.ts'
import { searchRoutes } from './chain/search.ts'
import { transactionRoutes } from './chain/transaction.ts'
import { contractRoutes } from './contract.ts'
import { desktopRoutes } from './desktop.ts'
import { dictionaryRoutes } from './dictionary.ts'
import { type SamplerState, failureRoutes } from './failure.ts'
import { fileRoutes } from './file.ts'
import { type Notification, incidentRoutes } from './incident.ts'
import { type InvoiceSync, invoiceRoutes } from './invoice.ts'
import { invoiceAccessRoutes } from './invoice-access.ts'
import { invoiceExportRoutes } from './invoice-export.ts'
import { invoiceJobRoutes } from './invoice-job.ts'
import { invoiceStatsRoutes } from './invoice-stats.ts'
import { type ChangedJobs, type JobName, jobRoutes } from './job.ts'
import { labelRoutes } from './label.ts'
import { missedEventRoutes } from './missed-events.ts'
import { logRoutes } from './log.ts'
import { historyExportRoutes } from './history-export.ts'
import { lookupRoutes } from './lookup.ts'
import { discrepancyRoutes } from './discrepancy.ts'
import { messageRoutes } from './message.ts'
import { type NetworksState, networkRoutes } from './network.ts'
import { paymentRoutes } from './payment.ts'
import { type ReceiverState, receiverRoutes } from './receiver.ts'
import { type SandboxState, sandboxRoutes } from './sandbox.ts'
import { type SecretsState, secretRoutes } from './secret.ts'
import { type Settings, settingsRoutes } from './settings.ts'
import { subscriptionRoutes } from './subscription.ts'
import { trafficRoutes } from './traffic.ts'
import { type ResponseRule, responseRuleRoutes } from './response-rule.ts'
import { captureQueryRoutes } from './capture-query.ts'
import { type CaptureImport, exchangeRoutes } from './capture-files.ts'
import { type ForwardRule, forwardRoutes } from './forward.ts'
import { type ExplanationProgress, explanationRoutes } from './explanation.ts'
import { reportRoutes } from './report.ts'
import { replayRoutes } from './replay.ts'
import { targetRoutes } from './target.ts'
import { type TunnelState, tunnelRoutes } from './tunnel.ts'
import { type UpdateState, updateRoutes } from './update.ts'
import { watchRoutes } from './watch.ts'
import { webhookRoutes } from './webhook.ts'
import { windowRoutes } from './window.ts'

export const routes = {
  ...accountRoutes,
  ...alertRoutes,
  ...responseRuleRoutes,
  ...appRoutes,
  ...assetRoutes,
  ...blockRoutes,
  ...captureQueryRoutes,
  ...captureRoutes,
  ...contractRoutes,
  ...desktopRoutes,
  ...dictionaryRoutes,
  ...exchangeRoutes,
  ...failureRoutes,
  ...fileRoutes,
  ...forwardRoutes,
  ...historyExportRoutes,
  ...incidentRoutes,
  ...invoiceAccessRoutes,
  ...invoiceExportRoutes,
  ...invoiceJobRoutes,
  ...invoiceRoutes,
  ...invoiceStatsRoutes,
  ...jobRoutes,
  ...labelRoutes,
  ...missedEventRoutes,
  ...logRoutes,
  ...lookupRoutes,
  ...discrepancyRoutes,
  ...explanationRoutes,
  ...messageRoutes,
  ...networkRoutes,
  ...paymentRoutes,
  ...receiverRoutes,
  ...replayRoutes,
  ...reportRoutes,
  ...sandboxRoutes,
  ...searchRoutes,
  ...secretRoutes,
  ...settingsRoutes,
  ...subscriptionRoutes,
  ...targetRoutes,
  ...trafficRoutes,
  ...transactionRoutes,
  ...tunnelRoutes,
  ...updateRoutes,
  ...watchRoutes,
  ...webhookRoutes,
  ...windowRoutes,
} as const

type Routes = typeof routes
export type RouteName = keyof Routes

export type Input<N extends RouteName> = z.input<Routes[N]['input']>
export type Parsed<N extends RouteName> = z.output<Routes[N]['input']>
export type Output<N extends RouteName> = z.output<Routes[N]['output']>

export type Handlers = {
  readonly [N in RouteName]: (input: Parsed<N>) => Output<N> | Promise<Output<N>>
}

/**
 * An event with the type `Record<string, never>` reports that data has changed, so subscribers must
 * reload it.
 */
export type Events = {
  'responseRule.changed': { readonly rules: readonly ResponseRule[] }
  'notice.changed': { notices: Notice[] }
  'captureView.changed': Record<string, never>
  /** Captures were stored. This event is sent at most ten times a second. */
  'capture.added': { counts: CaptureCounts }
  /** Captures up to this id are classified, so their rows can be loaded again. */
  'capture.classified': { upTo: number }
  'capture.changed': { ids: number[] | null; counts: CaptureCounts }
  'dictionary.changed': Record<string, never>
  'captureImport.changed': CaptureImport
  /** `file.takeOpened` will return a file or an error. */
  'file.opened': Record<string, never>
  'sampler.changed': SamplerState
  'failure.changed': { readonly network: string; readonly webhooks: readonly string[] }
  'notification.raised': Notification
  'alert.changed': Readonly<Record<string, never>>
  'incident.changed': { readonly network: string | null }
  'forwardRule.changed': { readonly rules: readonly ForwardRule[] }
  /** Deliveries of these captures changed; null for many captures. */
  'forward.changed': { readonly captures: readonly number[] | null }
  'invoiceAccess.changed': { readonly network: string }
  'invoice.changed': { readonly network: string; readonly ids: readonly string[] | null }
  'exportView.changed': Record<string, never>
  'invoiceView.changed': Record<string, never>
  'invoiceSync.changed': InvoiceSync
  'job.changed': ChangedJobs
  'job.removed': { readonly kind: JobName; readonly id: number }
  'label.changed': { readonly network: string }
  'discrepancy.changed': { readonly network: string; readonly open: number }
  'explanation.progress': ExplanationProgress
  'network.changed': NetworksState
  'payment.changed': { readonly network: string }
  'receiver.changed': ReceiverState
  'receiver.refused': Record<string, never>
  'sandbox.changed': SandboxState
  'secrets.changed': SecretsState
  'webhookToken.changed': Record<string, never>
  'settings.changed': Settings
  'subscription.changed': { readonly network: string; readonly webhooks: readonly string[] }
  /** This event is sent at most once a second. */
  'traffic.changed': Record<string, never>
  'tunnel.changed': TunnelState
  'update.changed': UpdateState
  'watch.changed': Record<string, never>
  'webhook.changed': { readonly network: string }
  /** Sent only to the window whose zoom the user has changed. */
  'window.zoomed': { readonly percent: number }
}

export type EventName = keyof Events
export type EventMessage = { [N in EventName]: { name: N; payload: Events[N] } }[EventName]

/**
 * The interface between the window and the main process, which the preload script or the web
 * transport provides.
 */
export interface Bridge {
  request(name: string, input: unknown): Promise<Envelope<unknown>>
  /** @returns a function that unsubscribes */
  on(listener: (messages: readonly EventMessage[]) => void): () => void
}
