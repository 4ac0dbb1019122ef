import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { EventHub } from '../bridge/events.ts'
import type { StoredChain } from '../explorer/stored-chain.ts'
import type { StartWork } from '../jobs/work-process.ts'
import type { ExportFiles } from '../exports/export-files.ts'
import type { ProxyFor } from '../gateway/proxy.ts'
import { createAnswers } from '../delivery/response-rules/answers.ts'
import type { CaptureIndex } from './capture-index.ts'
import { createExchange } from './exchange/exchange.ts'
import { createForwardHandlers, forwardMoments } from '../delivery/forwarding/forward-handlers.ts'
import { isOrphanedSessionRule } from '../delivery/forwarding/session-rules.ts'
import { createThrough } from '../delivery/forwarding/through.ts'
import { createMeaning } from './explanation/meaning.ts'
import { replayMoments } from './explanation/replay-moments.ts'
import { createCaptureQueries } from './query/capture-queries.ts'
import { readDeliveryFilter } from './query/delivery-filter.ts'
import { createNames } from './query/names.ts'
import { createReplayHandlers } from '../delivery/replay/handlers.ts'
import { type OwnPlaces, createGuard } from '../delivery/sender/guard.ts'
import { resolveBySystem } from '../delivery/sender/resolve.ts'
import { createSending } from '../delivery/sender/sending.ts'
import { createTargetHandlers } from '../delivery/sender/target-handlers.ts'
import type { AgentPorts } from '../delivery/tunnels/ask-agents.ts'
import { type TunnelsDeps, createTunnels } from '../delivery/tunnels/tunnels.ts'
import { createMeaningParts } from './explanation/explanation-sources.ts'
import type { Networks } from '../networks/networks.ts'
import { classify } from '../receiver/classify.ts'
import { subpathOf } from '../receiver/hook-path.ts'
import type { Receiver } from '../receiver/receiver.ts'
import { readVia } from '../receiver/via.ts'
import { createAccountNames } from '../explorer/store/account-names.ts'
import { createAnswerRules } from '../delivery/store/response-rules.ts'
import { createCaptureImports } from './store/capture-imports.ts'
import { createTermsReader } from './store/index/terms.ts'
import { createCaptureViews } from './store/capture-views.ts'
import type { CaptureWriter } from './store/capture-writer.ts'
import type { Captures } from './store/captures.ts'
import type { Database } from '../database/database.ts'
import { createForwardRows } from '../delivery/store/forward-rows.ts'
import { createForwardRules } from '../delivery/store/forward-rules.ts'
import type { Labels } from '../explorer/store/labels.ts'
import { createReplayJobs } from '../delivery/store/replay-jobs.ts'
import { createReplaySendings } from '../delivery/store/replay-sendings.ts'
import type { Values } from '../app/store/settings.ts'
import { type Webhooks, createWebhooks } from '../webhooks/store/webhooks.ts'
import { createWebhookHooks } from '../webhooks/store/webhook-hooks.ts'
import type { WebhookTokens } from '../webhooks/store/webhook-tokens.ts'
import { isHere, isPublicHost } from '../webhooks/endpoint.ts'
import { sendThread } from '../threads/threads.ts'

type WorkbenchDeps = {
  readonly paths: { readonly database: string; readonly index: string }
  readonly database: Database
  readonly indexDatabase: Database
  readonly captures: Captures
  readonly writer: CaptureWriter
  readonly index: CaptureIndex
  readonly receiver: Receiver
  readonly networks: Networks
  readonly stored: StoredChain
  readonly labels: Labels
  readonly settings: () => Settings
  readonly setPublicUrl: TunnelsDeps['setPublicUrl']
  readonly values: Values
  readonly tokenRecords: Pick<WebhookTokens, 'list'>
  readonly files: ExportFiles
  /** Of `exchange-process.ts`. */
  readonly startExchange: StartWork
  readonly appVersion: string
  readonly proxyFor: ProxyFor
  /** Where agents of tunnels are asked, instead of at their usual ports. */
  readonly tunnelAgentPorts: AgentPorts | undefined
  /** More captures arrive than the cores have time for: what can wait is to wait. */
  readonly isRush: () => boolean
  readonly getInvoice: Handlers['invoice.get']
  /** Where this app itself listens: nothing is sent there. */
  readonly own: () => OwnPlaces
  readonly events: EventHub
  /** Captures came that nobody delivered. */
  readonly onPut: () => void
  /** What is known of these captures changed. */
  readonly onChanged: (ids: number[]) => void
  readonly onDeleted: (ids: number[] | null) => void
  readonly onBug: (where: string, error: unknown) => void
  /** Something in a thread of the workbench went wrong. */
  readonly onTrouble: (what: string, message: string, damage: boolean) => void
}

const unfinishedImport = z.object({ madeFrom: z.string(), after: z.int() }).nullable()

/**
 * What is done with captures once they are on disk: their meaning, queries, forwarding, replay,
 * answers, tunnels and exchange, wired to each other as `compose.ts` wires the rooms.
 */
export function createWorkbench(deps: WorkbenchDeps) {
  const { paths, database, indexDatabase, captures, writer, index, receiver, networks } = deps
  const { labels, values, events, settings } = deps
  const emit: EventHub['emit'] = (name, payload) => events.emit(name, payload)
  const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal })
  const now = Date.now
  const onBug = (error: unknown) => deps.onBug('workbench', error)
  const networkList = () => networks.state().networks
  const reach = (id: number) => index.ask('reach', { id })
  async function reindex(ids: number[]): Promise<void> {
    await index.ask('reindex', { ids })
  }

  const hooks = createWebhookHooks(database)
  const naming = {
    labels,
    accountNames: createAccountNames(database),
    networks: networkList,
    webhookTokens: () => [
      ...deps.tokenRecords.list(),
      ...hooks
        .list()
        .flatMap(({ id, tokenId }) => (tokenId === null ? [] : [{ id: tokenId, label: id }])),
    ],
  }
  const queries = createCaptureQueries({
    ...naming,
    index,
    terms: createTermsReader(indexDatabase),
    views: createCaptureViews(database),
    onViewsChanged: () => emit('captureView.changed', {}),
    now,
  })
  const { names } = createNames(naming)
  const arrivalFilter = (text: string, at: number) => readDeliveryFilter(text, 'arrival', at, names)

  const forwardRules = createForwardRules(database)
  const forwardRows = createForwardRows(database)
  const replayJobs = createReplayJobs(database)
  const sending = createSending(paths, sendThread, {
    onEvent: ({ name, payload }) => emit(name, payload),
    onTrouble: (message, damage) => deps.onTrouble('sending stopped', message, damage),
    answers: {
      queryIds: ({ text, after, limit }) => queries.finder.ids(text, after, limit),
      queryCount: ({ text }) => queries.finder.count(text),
      reach: ({ id }) => reach(id),
    },
  })
  sending.setOwn(deps.own())

  const exchange = createExchange({
    captures,
    subpathOf,
    receiverUrl: () => receiver.url(),
    files: deps.files,
    appVersion: deps.appVersion,
    writer,
    madeFrom: createCaptureImports(database).madeFrom,
    memory: {
      get: () => values.get('exchange.unfinished', unfinishedImport, null),
      set: (unfinished) => values.set('exchange.unfinished', unfinished),
    },
    finder: queries.finder,
    paths,
    startWork: deps.startExchange,
    onPut: deps.onPut,
    onTakenBack: deps.onDeleted,
    onExports: (exports) => emit('exchange.exportChanged', { exports }),
    onImport: (state) => emit('exchange.importChanged', state),
    now,
    wait,
    onBug: (error) => deps.onBug('exchange', error),
  })

  const meaningParts = createMeaningParts({
    path: paths.database,
    database,
    indexDatabase,
    captures,
    networks,
    stored: deps.stored,
    labels,
    getInvoice: deps.getInvoice,
  })
  const meaning = createMeaning({
    ...meaningParts.parts,
    isOn: () => settings().inspector.meaning,
    isRush: deps.isRush,
    reindex: (ids) => reindex([...ids]),
    onChanged: (ids) => deps.onChanged([...ids]),
    otherMoments: async (id) => [
      ...forwardMoments(forwardRows, id),
      ...replayMoments(await handlers['replay.ofCapture']({ id })),
    ],
    onProgress: (progress) => emit('meaning.progress', progress),
    now,
    wait,
    onBug,
  })
  let deaf: (() => void) | null = null
  const through = createThrough({
    rules: () => forwardRules.list(),
    readFilter: (text) => arrivalFilter(text, now()),
    sending,
    now,
  })
  const answers = createAnswers({
    rules: createAnswerRules(database),
    classify,
    subpathOf,
    readFilter: arrivalFilter,
    networkOf: (arrived) => meaning.networkOf(arrived)?.network ?? null,
    passThrough: through,
    write: (answered) => writer.answered(answered),
    async onStatuses(ids) {
      await reindex(ids)
      deps.onChanged(ids)
    },
    onChanged: (rules) => emit('answerRule.changed', { rules }),
    now,
    onBug,
  })
  const webhooks = createWebhooks(database)
  const tunnelGuard = createGuard({
    resolve: resolveBySystem,
    own: deps.own,
    isConfirmed: () => false,
  })
  const tunnels = createTunnels({
    values,
    publicUrl: () => settings().receiver.publicUrl,
    setPublicUrl: deps.setPublicUrl,
    rejectWrongToken: () => settings().receiver.rejectWrongToken,
    receiver: () => receiver.state(),
    receiverUrl: () => receiver.url(),
    expectProbe: (kind) => receiver.expectProbe(kind),
    readVia,
    reachable: (target) => tunnelGuard.reachable(target),
    isPublicHost,
    webhooksAt: (hook) => webhooksAt(webhooks, networkList(), hook),
    proxyFor: deps.proxyFor,
    ports: deps.tunnelAgentPorts,
    onChanged: (state) => emit('tunnel.changed', state),
    now,
    onBug,
  })

  const handlers = {
    ...meaning.handlers,
    ...queries.handlers,
    ...answers.handlers,
    ...tunnels.handlers,
    ...exchange.handlers,
    ...createTargetHandlers(sending),
    ...createForwardHandlers({ sending, onRules: () => through.reload() }),
    ...createReplayHandlers({
      sending,
      jobs: replayJobs,
      sendings: createReplaySendings(database),
    }),
  }
  return {
    handlers,
    /** @throws AppError QUERY_INVALID */
    readQuery: queries.read,
    /** What the receiver answers by: null while no rule is on. */
    decide: () => answers.decide(),
    /** What was answered became known after the capture was written. */
    answered: (capture: number, status: number | null) => answers.answered(capture, status),
    publicUrlChanged: (before: string | null) => tunnels.publicUrlChanged(before),
    /** Captures up to this id have been classified. */
    classified(upTo: number): void {
      meaning.classified(upTo)
      sending.indexed()
    },
    /** Whose a page of captures is, and what they are about. */
    meaningOf: meaning.of,
    networksChanged: () => meaning.networksChanged(),
    settingsChanged: () => meaning.settingsChanged(),
    /** Its chain is another from now on. @param rest what else is to be forgotten of it meanwhile */
    forget: (network: NetworkId, rest: () => Promise<void>) => meaning.forget(network, rest),
    /** Captures were deleted, and the index has followed. */
    deleted: () => sending.deleted(),
    /** What `own` says may have changed. */
    ownChanged: () => sending.setOwn(deps.own()),
    start(): void {
      meaning.start()
      deaf = events.subscribe((messages) => {
        for (const { name, payload } of messages) {
          if (name === 'invoice.changed') meaning.invoicesChanged(payload.network, payload.ids)
          if (name === 'webhook.changed') meaning.hooksChanged()
        }
      })
      tunnels.start()
      exchange.start()
      for (const { id, name } of forwardRules.list()) {
        if (isOrphanedSessionRule(name)) forwardRules.remove(id, Date.now() * 1000)
      }
      through.reload()
      const hasRules = forwardRules.list().length > 0
      sending.start(hasRules || replayJobs.isAnyRunning())
    },
    async stop(): Promise<void> {
      deaf?.()
      await meaning.stop()
      tunnels.stop()
      await answers.stop()
      await exchange.stop()
      await sending.close()
      meaningParts.close()
    },
  }
}

/** Webhooks, as their networks' lists were last read, that deliver to a URL or below it. */
function webhooksAt(
  records: Pick<Webhooks, 'list'>,
  networks: readonly { readonly id: string }[],
  hook: string,
): { network: string; webhook: string }[] {
  return networks.flatMap(({ id: network }) =>
    records
      .list(network)
      .filter(({ endpoint }) => isHere(endpoint, { url: hook, publicUrl: null }))
      .map(({ id }) => ({ network, webhook: id })),
  )
}
