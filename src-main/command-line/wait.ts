import type { CapturePage, CaptureRow } from '../../src-preload/contract/capture.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { captureLine } from './capture-line.ts'
import { type CommandBody, type Invocation, exitCodes } from './command.ts'
import * as read from './options.ts'
import { type Session, checkQuery, receiverLost, requireListening, withSession } from './session.ts'
import { aborted, printEvent } from './terminal.ts'

const timedOut = 4
/** An event normally reports a late classification; this poll covers the rest. */
const lookEveryMs = 1000

export const waitFor: CommandBody = {
  options: {
    filter: read.text('QUERY', 'what is waited for (default: any)'),
    timeout: read.text('TIME', 'such as 30s or 5m (default 30s)'),
    count: read.text('N', 'wait for so many (default 1)'),
    port: read.receiverPortOption,
    json: read.jsonOption,
  },
  detail: [
    'Waits for deliveries from now on, prints each that counts, and ends. Where no app runs it receives\nthem itself, on the URL that it says first on standard error (with --json on standard output).',
    'A QUERY is one of the search bar, for all that is known of a delivery, also what is learnt a moment\nlater: event:invoice amount:>1.5TON comment:"order-42".',
  ],
  exits: { [timedOut]: 'the time was over before enough had arrived' },
  async run(invocation) {
    const { terminal, stop } = invocation
    const filter = read.readText(invocation, 'filter')?.trim() ?? ''
    const count = read.readNumber(invocation, 'count', 1, 1, 1_000_000)
    const typed = read.readText(invocation, 'timeout') ?? '30s'
    const seconds = read.readSeconds(typed, 'timeout')
    const receiverPort = read.readPort(invocation, 'port')
    const use = { receive: true, worksOn: true, whenLost: receiverLost }
    const port = receiverPort === undefined ? {} : { receiverPort }
    return withSession(invocation, { ...use, ...port }, async (session) => {
      const deadline = AbortSignal.timeout(seconds * 1000)
      await checkQuery(session, filter, '--filter')
      const arrived = await waitForArrivals(session, { filter, count, deadline }, invocation)
      if (arrived >= count) return exitCodes.ok
      if (stop.aborted) return exitCodes.failed
      terminal.note(`${arrived} of ${count} arrived within ${seconds} s.`)
      return timedOut
    })
  },
}

type Awaited = { readonly filter: string; readonly count: number; readonly deadline: AbortSignal }

async function waitForArrivals(
  session: Session,
  { filter, count, deadline }: Awaited,
  invocation: Invocation,
): Promise<number> {
  const { stop } = invocation
  const over = AbortSignal.any([deadline, stop])
  const seen = new Set<number>()
  const gone = new AbortController()
  let wake: () => void = () => undefined
  const unfollow = await session.on(
    () => wake(),
    () => {
      gone.abort()
      wake()
    },
  )
  const timer = setInterval(() => wake(), lookEveryMs)
  void aborted(over).then(() => wake())
  try {
    // Read after subscribing, so that no capture is missed.
    const after = (await session.call('capture.counts')).newestId ?? 0
    await announce(session, invocation)
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      for (const row of await arrivals(session, filter, after, count)) {
        if (seen.has(row.id) || seen.size === count) continue
        seen.add(row.id)
        await printEvent(invocation, { event: 'capture', ...row }, captureLine(row))
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

const pageRows = 500

async function arrivals(
  session: Session,
  text: string,
  after: number,
  count: number,
): Promise<CaptureRow[]> {
  const found: CaptureRow[] = []
  let before: number | null = null
  do {
    const from: number | null = before
    const page: CapturePage = await session.call('capture.list', {
      query: { text },
      ...(after > 0 ? { after } : {}),
      ...(from === null ? {} : { before: from }),
      limit: pageRows,
    })
    found.push(
      ...page.rows.filter(
        ({ id, origin, kind }) => id > after && origin === 'received' && kind !== null,
      ),
    )
    before = page.nextBefore !== null && page.nextBefore > after ? page.nextBefore : null
  } while (before !== null && found.length < count)
  return found.reverse()
}

async function announce(session: Session, invocation: Invocation): Promise<void> {
  const { options, dataDirectory, terminal } = invocation
  const { url: receiverUrl } = await requireListening(session)
  await printEvent(invocation, { event: 'ready', receiverUrl, dataDirectory })
  if (options['json'] !== true) terminal.note(`Receiver   ${receiverUrl ?? ''}`)
}
