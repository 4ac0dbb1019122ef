import type { CapturePage, CaptureRow } from '../../src-preload/contract/capture.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { receiverCodes } from '../../src-preload/domain/error-codes.ts'
import { captureLine } from './capture-line.ts'
import { checkQuery } from './capture-query.ts'
import { readNumber } from './captures-options.ts'
import { type Command, type Invocation, exitCodes, readPort } from './command.ts'
import { type Session, openSession } from './session.ts'
import { aborted } from './stop.ts'
import { readSeconds } from './zone-moment.ts'

/** The time was over first. */
const timedOut = 4
/** What a delivery is about may be learnt after it came, and is then told by an event; this is for the rest. */
const lookEveryMs = 1000

export const waitFor: Command = {
  name: 'wait',
  summary: 'end when a delivery that a query finds has arrived; for scripts and CI',
  options: {
    filter: { type: 'string', value: 'QUERY', description: 'what is waited for (default: any)' },
    timeout: { type: 'string', value: 'TIME', description: 'such as 30s or 5m (default 30s)' },
    count: { type: 'string', value: 'N', description: 'wait for so many (default 1)' },
    port: {
      type: 'string',
      value: 'N',
      description: 'port to receive on, for this run (default: as in the settings; 0 for any)',
    },
    json: { type: 'boolean', description: 'print a JSON object a line' },
  },
  detail: [
    'Waits for deliveries from now on, prints each that counts, and ends. Where no app runs it receives\nthem itself, on the URL that it says first on standard error (with --json on standard output).',
    'A QUERY is one of the search bar, for all that is known of a delivery, also what is learnt a moment\nlater: event:invoice amount:>1.5TON comment:"order-42".',
  ],
  exits: { [timedOut]: 'the time was over before enough had arrived' },
  async run(invocation) {
    const { dataDirectory, options, terminal, stop } = invocation
    const filter = typeof options['filter'] === 'string' ? options['filter'].trim() : ''
    const count = readNumber(invocation, 'count', 1, 1, 1_000_000)
    const typed = options['timeout']
    const seconds = readSeconds(typeof typed === 'string' ? typed : '30s', 'timeout')
    const receiverPort = readPort(options['port'], 'port')
    const session = await openSession({
      dataDirectory,
      receive: true,
      worksOn: true,
      ...(receiverPort === undefined ? {} : { receiverPort }),
    })
    const deadline = AbortSignal.timeout(seconds * 1000)
    try {
      await checkQuery(session, filter, '--filter')
      const arrived = await waitForArrivals(session, { filter, count, deadline }, invocation)
      if (arrived >= count) return exitCodes.ok
      if (stop.aborted) return exitCodes.failed
      terminal.note(`${arrived} of ${count} arrived within ${seconds} s.`)
      return timedOut
    } catch (error) {
      const isLost = error instanceof AppError && error.code === bridgeCodes.disconnected
      throw isLost
        ? new AppError('APP_ENDED', 'Tondesk has ended, and its receiver with it.')
        : error
    } finally {
      await session.dispose()
    }
  },
}

type Awaited = { readonly filter: string; readonly count: number; readonly deadline: AbortSignal }

/** @returns how many there were until enough had come, or until it was to end */
async function waitForArrivals(
  session: Session,
  { filter, count, deadline }: Awaited,
  { options, dataDirectory, terminal, stop }: Invocation,
): Promise<number> {
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
    // After listening began, so that nothing falls between.
    const after = (await session.call('capture.counts')).newestId ?? 0
    await announce(session, { options, dataDirectory, terminal })
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      for (const row of await arrivals(session, filter, after, count)) {
        if (seen.has(row.id) || seen.size === count) continue
        seen.add(row.id)
        await terminal.print(
          options['json'] ? JSON.stringify({ event: 'capture', ...row }) : captureLine(row),
        )
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

/** Received after this one and classified, oldest first; as many as are waited for will do. */
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

async function announce(
  session: Session,
  { options, dataDirectory, terminal }: Pick<Invocation, 'options' | 'dataDirectory' | 'terminal'>,
): Promise<void> {
  let receiver = await session.call('receiver.state')
  if (receiver.status !== 'listening') receiver = await session.call('receiver.start')
  if (receiver.status !== 'listening') {
    throw new AppError(
      receiverCodes.listenFailed,
      receiver.problem ?? 'The receiver cannot listen.',
    )
  }
  if (options['json']) {
    const ready = { event: 'ready', receiverUrl: receiver.url, dataDirectory }
    await terminal.print(JSON.stringify(ready))
  } else terminal.note(`Receiver   ${receiver.url ?? ''}`)
}
