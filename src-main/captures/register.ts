import type { CaptureTimeline } from '../../src-preload/contract/explanation.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { ForwardSummary } from '../../src-preload/domain/capture-values.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { invoiceCodes } from '../../src-preload/domain/error-codes.ts'
import type { AppContext, BaseContext } from '../app/context.ts'
import { openDatabase } from '../database/database.ts'
import { createAccountNames, forgetChain } from '../chain/store/chain.ts'
import { taskEntry } from '../threads/threads.ts'
import type { CaptureLog } from './capture-log.ts'
import { createExports } from './files/exports.ts'
import { createImports } from './files/imports.ts'
import { createExplanation } from './explanation/explanation.ts'
import type { RegisteredEndpoint } from './explanation/network-of.ts'
import type { ExplanationDeps } from './explanation/requests.ts'
import { replayMoments } from './explanation/routes.ts'
import { createCaptureRoutes } from './routes.ts'
import { createCaptureQueries } from './query/capture-queries.ts'
import type { NamesDeps } from './query/completion.ts'
import { createCaptureExplanations } from './store/capture-explanations.ts'
import { createFactsReader } from './store/index/facts.ts'
import { createBackgroundLoop } from '../jobs/background-loop.ts'

export type RegisteredCaptures = ReturnType<typeof registerCaptures>

/** The functions that captures provide for other rooms. */
type CaptureSources = Pick<ExplanationDeps, 'reader'> &
  Pick<NamesDeps, 'operations'> & {
    readonly forwards: {
      readonly summaries: (captures: readonly number[]) => ReadonlyMap<number, ForwardSummary>
      readonly moments: (capture: number) => CaptureTimeline
    }
    readonly hooks: () => readonly (RegisteredEndpoint & { readonly id: string })[]
    readonly invoices: {
      readonly traces: ExplanationDeps['invoices']
      readonly classifiedTo: ExplanationDeps['classifiedTo']
    }
    readonly tokens: NamesDeps['webhookTokens']
  }

export function registerCaptures(
  context: AppContext,
  captureLog: CaptureLog,
  { forwards, hooks, invoices, operations, reader, tokens }: CaptureSources,
) {
  const { database, events, labels, log, networks } = context
  const { paths, receiver, resources, settings } = context
  const { captures, index, indexDatabase, pipeline } = captureLog
  const facts = createFactsReader(indexDatabase)
  const networkList = () => networks.state().networks

  const queries = createCaptureQueries(context, captureLog, {
    labels,
    accountNames: createAccountNames(database),
    networks: networkList,
    operations,
    webhookTokens: () => [...tokens(), ...hooks().flatMap(tokensOfHook)],
  })

  // NORMAL suffices, because explanations can be loaded again.
  const meaningDatabase = openDatabase(paths.database, { synchronous: 'NORMAL' })
  resources.defer(() => meaningDatabase.close())
  // In MiB: bodies of up to 64 MiB are serialized as base64 and JSON one at a time.
  const startWork = context.startWork(taskEntry, 1024)
  const imports = createImports(context, captureLog, startWork)

  const meanings = createCaptureExplanations(meaningDatabase)
  const explanation = createExplanation({
    ...context,
    meanings,
    invoices: invoices.traces,
    captures,
    facts,
    classifiedTo: invoices.classifiedTo,
    hooks,
    reader,
    networks: networkList,
    checkNetwork: (id) => context.access.info(id),
    invoice: (network, id) => findInvoice(context, network, id),
    isOn: () => settings.get().inspector.meaning,
    isRush: () => captureLog.isBurst(),
    async reindex(ids) {
      await index.ask('reindex', { ids: [...ids] })
    },
    onChanged: (ids) => captureLog.changed([...ids]),
    otherMoments: async (id) => [
      ...forwards.moments(id),
      ...replayMoments(await context.request('replay.ofCapture', { id })),
    ],
    onProgress: (progress) => events.emit('explanation.progress', progress),
    onBug: (error) => log.failure('captures', error),
  })
  resources.defer(() => explanation.stop())
  pipeline.on('explain', explanation.classified)
  context.onForget('chain', (id) => explanation.forget(id, () => forgetChain(database, id)))
  events.on('network.changed', () => explanation.networksChanged())
  settings.on(
    ({ inspector }) => inspector,
    () => explanation.settingsChanged(),
  )

  return {
    handlers: {
      ...explanation.handlers,
      ...queries.handlers,
      ...createExports(context, queries.finder, startWork),
      ...imports.handlers,
      ...createCaptureRoutes({
        ...captureLog,
        facts,
        explanationOf: (captures, known) => explanation.of(captures, known),
        tracesOf: (ids) => meanings.tracesOf(ids),
        forwardOf: forwards.summaries,
        readQuery: queries.read,
        receiverUrl: () => receiver.url(),
      }),
    },
    finder: queries.finder,
    prune: createRetention(context, captureLog),
    /** Starts explanations and resumes an import. Commands do not call this. */
    start(): void {
      explanation.start()
      // This runs after the transaction, when the window learns of the change too.
      resources.defer(
        events.subscribe((messages) => {
          for (const { name, payload } of messages) {
            if (name === 'invoice.changed')
              explanation.invoicesChanged(payload.network, payload.ids)
            if (name === 'webhook.changed') explanation.hooksChanged()
          }
        }),
      )
      imports.start()
    },
  }
}

const tokensOfHook = ({ id, tokenId }: { readonly id: string; readonly tokenId: string | null }) =>
  tokenId === null ? [] : [{ id: tokenId, label: id }]

async function findInvoice(context: BaseContext, network: NetworkId, id: string) {
  try {
    return await context.request('invoice.get', { network, id })
  } catch (error) {
    if (error instanceof AppError && error.code === invoiceCodes.unknown) return null
    throw error
  }
}

const pruneEveryMs = 60_000
/** During a burst, pruning starts after this many captures or a share of the limit by bytes. */
const pruneEveryCaptures = 20_000
const pruneEveryShareOfBytes = 0.125
const microsecondsPerDay = 86_400_000_000

/**
 * Prunes captures every minute, and sooner when many arrive.
 * @returns a function that prunes now
 */
function createRetention(context: BaseContext, captureLog: CaptureLog): () => void {
  const { log, now, resources, settings } = context
  const since = { captures: 0, bytes: 0 }
  const pruning = createBackgroundLoop(
    async () => {
      Object.assign(since, { captures: 0, bytes: 0 })
      const { maxAgeDays, maxCount, maxBytes } = settings.get().retention
      const oldest = maxAgeDays === null ? null : now() * 1000 - maxAgeDays * microsecondsPerDay
      const deleted = await captureLog.writer.prune({ oldest, maxCount, maxBytes })
      if (deleted > 0) captureLog.deleted(null)
    },
    (error) => log.failure('retention', error),
  )

  captureLog.pipeline.on('committed', ({ count, bytes }) => {
    since.captures += count
    since.bytes += bytes
    const { maxBytes } = settings.get().retention
    if (since.captures >= pruneEveryCaptures || since.bytes >= maxBytes * pruneEveryShareOfBytes) {
      pruning.run()
    }
  })
  const timer = setInterval(pruning.run, pruneEveryMs)
  timer.unref()
  resources.defer(() => clearInterval(timer))
  return pruning.run
}
