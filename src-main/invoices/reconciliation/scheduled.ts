/**
 * Writes reconciliations into a folder automatically, one for each day, week or month. The next
 * start writes those of periods that ended while the app was off.
 */
import { stat } from 'node:fs/promises'
import { z } from 'zod'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError, reportCodes } from '../../../src-preload/domain/app-error.ts'
import type { BaseContext } from '../../app/context.ts'
import { whyUnwritable } from '../../exports/write-file.ts'
import { createZoneTimes } from '../../exports/zone-times.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import { dateAt, dayMs, firstDate, startOf } from '../calendar.ts'
import type { Span } from './compare.ts'

type Every = 'day' | 'week' | 'month'

const checkEveryMs = 60_000
const retryEveryMs = 10 * 60_000
/**
 * After this time a reconciliation is written although the chain is not synced past the end of its
 * period; the report mentions this.
 */
const patienceMs = dayMs
/** After a longer absence, the oldest periods are skipped. */
const maxMissed = 31

/**
 * Returns the periods that have ended and are not written yet, oldest first. Without an earlier
 * period, only the last one.
 * @param doneTo the end of the last written period
 */
export function duePeriods(every: Every, zone: string, now: number, doneTo: number | null): Span[] {
  const times = createZoneTimes(zone)
  const periods: Span[] = []
  let end = firstDate(dateAt(now, times), every)
  while (periods.length < maxMissed) {
    const begin = firstDate(end - dayMs, every)
    const span = { from: startOf(begin, times), to: startOf(end, times) }
    if (doneTo !== null && span.to <= doneTo) break
    periods.unshift(span)
    if (doneTo === null) break
    end = begin
  }
  return periods
}

type Parts = {
  /** Returns false for a network that was removed. */
  readonly isKnown: (network: NetworkId) => boolean
  /** How far the chain was read, and the time of the gateway's clock. */
  readonly chain: (network: NetworkId) => { readonly readTo: number | null; readonly now: number }
  /** Writes the report of a period into a folder. @throws AppError */
  readonly save: (network: NetworkId, span: Span, folder: string) => Promise<string>
}

const doneAt = z.object({ every: z.string(), to: z.number() }).nullable()

export function createScheduledReports(
  context: Pick<
    BaseContext,
    'config' | 'incidents' | 'log' | 'now' | 'onBug' | 'settings' | 'values'
  >,
  { isKnown, chain, save }: Parts,
) {
  const { config, incidents, log, now, settings, values } = context
  const keyOf = (network: NetworkId) => `reconciledTo:${network}`
  let failedAt: number | null = null

  async function check(): Promise<void> {
    const { reconcileEvery: every, reconcileFolder: folder, ...chosen } = settings.get().reports
    const { reconcileNetwork: network, reconcileZone: zone } = chosen
    if (every === 'off' || folder === null || !isKnown(network)) {
      incidents.keepOnly(network, 'reports')
      return
    }
    if (failedAt !== null && now() - failedAt < retryEveryMs && now() >= failedAt) return
    const { readTo, now: time } = chain(network)
    const done = values.get(keyOf(network), doneAt, null)
    for (const span of duePeriods(every, zone, time, done?.every === every ? done.to : null)) {
      const isSynced = readTo !== null && readTo >= span.to
      if (!isSynced && time < span.to + patienceMs) return
      try {
        await assertFolder(folder)
        await save(network, span, folder)
      } catch (error) {
        failedAt = now()
        if (!(error instanceof AppError)) throw error
        log.write('warn', 'a scheduled reconciliation was not written', { message: error.message })
        incidents.report(network, 'reports', {
          condition: {
            kind: 'unwritable',
            level: 'warning',
            title: 'The report of a scheduled reconciliation could not be saved',
            cause: error.message,
            nextStep:
              'Create the folder or free some space, or choose another folder under Settings › Reports. Tondesk tries again every 10 minutes.',
          },
        })
        return
      }
      failedAt = null
      values.set(keyOf(network), { every, to: span.to })
      incidents.report(network, 'reports', { condition: null })
    }
  }

  const loop = createBackgroundLoop(check, context.onBug)
  let timer: NodeJS.Timeout | undefined
  // A new folder is tried at once.
  settings.on(
    ({ reports }) => reports,
    ({ reconcileNetwork }, before) => {
      failedAt = null
      // Later checks do not include the previous network.
      if (reconcileNetwork !== before.reconcileNetwork) {
        incidents.keepOnly(before.reconcileNetwork, 'reports')
      }
      if (timer !== undefined) loop.run()
    },
  )

  return {
    check,
    handlers: {
      /** Writes the last period again, so that the user sees whether the folder works. */
      async 'report.saveNow'() {
        const { reconcileEvery: every, reconcileFolder: folder, ...chosen } = settings.get().reports
        if (every === 'off' || folder === null) {
          throw refused('The schedule is off. Choose how often to reconcile, and a folder.')
        }
        const { reconcileNetwork: network, reconcileZone: zone } = chosen
        const [span] = duePeriods(every, zone, chain(network).now, null)
        if (span === undefined) throw refused('No period has ended yet.')
        await assertFolder(folder)
        return { file: await save(network, span, folder) }
      },
      async 'report.chooseFolder'() {
        if (config.chooseFolder === undefined) {
          throw refused('Only the desktop app can show a dialog for a folder. Type its full path.')
        }
        return { folder: await config.chooseFolder(settings.get().reports.reconcileFolder) }
      },
    } satisfies Pick<Handlers, 'report.saveNow' | 'report.chooseFolder'>,
    start(): void {
      timer = setInterval(() => loop.run(), checkEveryMs)
      timer.unref()
      loop.run()
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      await loop.stop()
    },
  }
}

/** A missing folder is not created, because it may be on a disk that is not connected. */
async function assertFolder(folder: string): Promise<void> {
  try {
    if ((await stat(folder)).isDirectory()) return
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const why = isMissing ? 'the folder does not exist' : whyUnwritable(cause)
    throw refused(`The reconciliation cannot be written to ${folder}: ${why}.`, cause)
  }
  throw refused(`The reconciliation cannot be written to ${folder}: it is not a folder.`)
}

const refused = (message: string, cause?: unknown): AppError =>
  new AppError(reportCodes.folder, message, { cause })
