import type { CaptureRow } from '../../src-preload/contract/capture.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { captureLine } from './capture-line.ts'
import { type CommandBody, exitCodes } from './command.ts'
import * as read from './options.ts'
import {
  type Run,
  type Session,
  capturePages,
  checkQuery,
  receiverLost,
  requireListening,
  withSession,
} from './session.ts'
import { waitForAbort, writeEvent } from './terminal.ts'

const timedOut = 4
/** An event normally reports a late classification; this poll covers lost events. */
const lookEveryMs = 1000

export const waitFor: CommandBody = {
  options: {
    filter: read.text('QUERY', 'the delivery to wait for (default: any)'),
    timeout: read.text('TIME', 'time limit such as 30s or 5m (default 30s)'),
    count: read.text('N', 'number of deliveries to wait for (default 1)'),
    port: read.receiverPortOption,
    json: read.jsonOption,
  },
  detail: [
    'Waits for new deliveries, prints each that matches, and exits. If no app is running, receives them\nitself and first prints the receiver URL on standard error (with --json on standard output).',
    'A QUERY has the syntax of the search bar and can also use the explanation, which is loaded a moment\nlater: event:invoice amount:>1.5TON comment:"order-42".',
  ],
  exits: { [timedOut]: 'the time limit was reached first' },
  async run(invocation) {
    const { terminal, stop } = invocation
    const filter = read.readText(invocation, 'filter')?.trim() ?? ''
    const count = read.readNumber(invocation, 'count', 1, 1, 1_000_000)
    const typed = read.readText(invocation, 'timeout') ?? '30s'
    const seconds = read.readSeconds(typed, 'timeout')
    const receiverPort = read.readPort(invocation, 'port')
    const use = { receive: true, worksOn: true, whenLost: receiverLost }
    const port = receiverPort === undefined ? {} : { receiverPort }
    const work = async (run: Run) => {
      const deadline = AbortSignal.timeout(seconds * 1000)
      await checkQuery(run.session, filter, '--filter')
      const arrived = await collectArrivals(
        run.session,
        { filter, count },
        AbortSignal.any([deadline, stop]),
        (row) => writeEvent(run, { event: 'capture', ...row }, captureLine(row)),
        () => announce(run),
      )
      if (arrived >= count) return exitCodes.ok
      if (stop.aborted) return exitCodes.failed
      terminal.note(`${arrived} of ${count} arrived within ${seconds} s.`)
      return timedOut
    }
    return withSession(invocation, work, { ...use, ...port })
  },
}

type ArrivalOrder = { readonly filter: string; readonly count: number; readonly after?: number }

/**
 * Passes each matching delivery to `onRow` until there are `count` of them, or `over` is aborted.
 * @param order.after an id; by default only deliveries after the call count
 * @param onStart called when no later delivery can be missed
 * @returns the number of deliveries
 */
export async function collectArrivals(
  session: Session,
  { filter, count, after: wanted }: ArrivalOrder,
  over: AbortSignal,
  onRow: (row: CaptureRow) => Promise<void> | void,
  onStart?: () => Promise<void>,
): Promise<number> {
  const seen = new Set<number>()
  const gone = new AbortController()
  async function arrivals(after: number): Promise<CaptureRow[]> {
    const found: CaptureRow[] = []
    for await (const { rows } of capturePages(session, { text: filter, after })) {
      found.push(
        ...rows.filter(
          ({ id, origin, kind }) => id > after && origin === 'received' && kind !== null,
        ),
      )
      if (found.length >= count) break
    }
    return found.reverse()
  }

  let wake: () => void = () => undefined
  const unfollow = await session.on(
    () => wake(),
    () => {
      gone.abort()
      wake()
    },
  )
  const timer = setInterval(() => wake(), lookEveryMs)
  void waitForAbort(over).then(() => wake())
  try {
    // The newest id is read after subscribing, so that no capture is missed.
    const after = wanted ?? (await session.call('capture.counts')).newestId ?? 0
    await onStart?.()
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      for (const row of await arrivals(after)) {
        if (seen.has(row.id) || seen.size === count) continue
        seen.add(row.id)
        await onRow(row)
      }
      if (gone.signal.aborted) throw new AppError(bridgeCodes.disconnected, 'Tondesk has ended.')
      if (seen.size >= count || over.aborted) return seen.size
      await woken
    }
  } finally {
    clearInterval(timer)
    unfollow()
  }
}

async function announce(run: Run): Promise<void> {
  const { options, session, dataDirectory, terminal } = run
  const { url: receiverUrl } = await requireListening(session)
  await writeEvent(run, { event: 'ready', receiverUrl, dataDirectory })
  if (options['json'] !== true) terminal.note(`Receiver   ${receiverUrl ?? ''}`)
}
