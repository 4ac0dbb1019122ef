import process from 'node:process'
import type { CaptureRow } from '../../src-preload/contract/capture.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { receiverSettings } from '../../src-preload/contract/settings.ts'
import { targetUrl } from '../../src-preload/contract/target.ts'
import { AppError, bridgeCodes, messageOf } from '../../src-preload/domain/app-error.ts'
import { isOrphanedSessionRule, nameOfRun } from '../delivery/forwarding/session-rules.ts'
import { attemptLine, captureLine } from './capture-line.ts'
import { type CommandBody, type Invocation, assertUsage, exitCodes } from './command.ts'
import {
  type CaptureWatcher,
  type ForwardWatcher,
  watchCaptures,
  watchForwards,
  forwardLine,
} from './watch-captures.ts'
import { watchReplay } from './watch-job.ts'
import { watchListening } from './listen-watch.ts'
import * as read from './options.ts'
import { readField } from './schema-options.ts'
import {
  type Run,
  type Session,
  checkQuery,
  confirmTargets,
  openSession,
  readingQuery,
  receiverLost,
  requireListening,
} from './session.ts'
import { waitForAbort, hasKeys, isClosed, writeEvent, takeKeys } from './terminal.ts'

type AskedListen = ReturnType<typeof readListen>

function readListen(invocation: Invocation) {
  const { options, lists } = invocation
  const forward = (lists['forward'] ?? []).map((url) => readField(targetUrl, url, 'forward'))
  const targets = [...new Set(forward)]
  assertUsage(targets.length <= 10, '--forward takes at most ten URLs.')
  const isThrough = options['pass-through'] === true
  const message = '--pass-through needs one --forward URL: its status is the response.'
  assertUsage(!isThrough || targets.length === 1, message)
  const publicUrl = read.readText(invocation, 'public-url') ?? null
  return {
    port: read.readPort(invocation, 'port'),
    targets,
    filter: read.readText(invocation, 'filter')?.trim() ?? '',
    mode: isThrough ? ('through' as const) : ('after' as const),
    publicUrl: readField(receiverSettings.shape.publicUrl, publicUrl, 'public-url'),
  }
}

export const listenCommand: CommandBody = {
  options: {
    port: read.receiverPortOption,
    forward: {
      ...read.text('URL', 'forward each delivery to this URL; can be repeated'),
      multiple: true,
    },
    filter: read.text('QUERY', 'print and forward only deliveries that match this query'),
    'pass-through': read.flag('respond to the sender with the status of the --forward URL'),
    'public-url': read.text('URL', 'public URL of the receiver’s tunnel; saved in the settings'),
    yes: read.yesOption('do not ask before forwarding to other hosts'),
    json: read.jsonOption,
  },
  detail: [
    'Prints the receiver URL, then a line for each delivery: time, ->, id, kind, account, response\nstatus, size. Each delivery is stored before it is printed, and stays in the Inspector. Ctrl-C stops\nthe receiver after the open requests.',
    '--forward sends each delivery to the URL byte for byte, in order per account, until it responds with\n2xx; a line with <- shows each attempt. --pass-through responds to the sender with the status of the URL.\nThe forwarding rule and its queue are deleted when the command ends. In a terminal, press r to send\nthe last delivery to the --forward URLs again.',
    'A QUERY has the syntax of the search bar: event:invoice, account:EQ…, header.user-agent:*tonapi*.\nHere a query can use only fields that are known when a delivery arrives.',
    'Standard error reports when the computer sleeps, the network changes or the receiver stops, and, with\n--public-url, a tunnel that no longer leads to this receiver.',
    'With --json the first line is {"event":"ready","receiverUrl":...}, and each delivery is a line\n{"event":"capture","id":...,"receivedAt":...} with all fields of the Inspector’s list, each attempt\na line {"event":"forwarded","capture":...,"target":...,"status":...}.',
  ],
  async run(invocation) {
    const requested = readListen(invocation)
    const { dataDirectory, terminal } = invocation
    const session = await openSession({
      dataDirectory,
      receive: true,
      worksOn: true,
      ...(requested.port === undefined ? {} : { receiverPort: requested.port }),
    })
    const run = { ...invocation, session }
    let rule: number | null = null
    let drained = false
    try {
      const receiver = await startReceiver(run, requested.port)
      await checkQuery(session, requested.filter, '--filter')
      await confirmTargets(run, requested.targets)
      const { publicUrl } = requested
      if (publicUrl !== null) await session.call('settings.change', { receiver: { publicUrl } })
      rule = await addRule(session, requested)
      drained = await follow(run, receiver, rule, requested)
      if (!drained) terminal.note('Stopped before all output was printed.')
    } catch (error) {
      const isLost = error instanceof AppError && error.code === bridgeCodes.disconnected
      throw isLost ? ended() : error
    } finally {
      if (rule !== null) await endRule(run, rule)
      await isClosed(session.dispose(), terminal)
    }
    return drained ? exitCodes.ok : exitCodes.failed
  },
}

async function follow(
  run: Run,
  receiver: ReceiverState,
  rule: number | null,
  requested: AskedListen,
): Promise<boolean> {
  const { session, terminal, stop } = run
  const gone = new AbortController()
  let last: CaptureRow | null = null
  const forwards = rule === null ? null : await followResults(run, rule)
  const captures = await watchCaptures({
    session,
    filter: requested.filter,
    async print(row) {
      last = row
      await writeEvent(run, { event: 'capture', ...row }, captureLine(row))
      forwards?.watch(row.id)
    },
    onGone: () => gone.abort(),
  })
  const unkey = takeKeys((key) => {
    if (key !== 'r') return
    if (last === null) terminal.note('No delivery to replay has arrived yet.')
    else if (requested.targets.length === 0)
      terminal.note('Nothing to replay to: start the command with --forward.')
    else {
      replayTo(run, last.id, requested.targets).catch((error: unknown) =>
        terminal.note(messageOf(error)),
      )
    }
  })
  const watch = watchListening({
    session,
    note: (text) => terminal.note(text),
    hasTunnel: requested.publicUrl !== null,
  })
  try {
    await announce(receiver, requested, run)
    captures.start()
    const failed =
      forwards === null ? captures.failed : Promise.race([captures.failed, forwards.failed])
    await Promise.race([waitForAbort(AbortSignal.any([stop, gone.signal])), failed])
    if (gone.signal.aborted && !stop.aborted) throw ended()
    watch.stop()
    return await isClosed(drain(session, captures, forwards), terminal)
  } finally {
    watch.stop()
    unkey()
  }
}

function followResults(run: Run, rule: number): Promise<ForwardWatcher> {
  return watchForwards(run.session, rule, async (result) => {
    const { delivery, attempt, number } = result
    const { status, durationUs, problem } = attempt.answer
    const { capture, target, state, deliveryId } = delivery
    const event = { event: 'forwarded', capture, target, status, durationUs, problem, try: number }
    await writeEvent(run, { ...event, state, deliveryId }, forwardLine(result))
  })
}

/** If the app has ended, the next run or start removes the rule. */
async function endRule({ session, stop, terminal }: Run, rule: number): Promise<void> {
  const waiting = await removeRule(session, rule).catch(() => 0)
  if (waiting > 0 && stop.aborted) {
    terminal.note(`${waiting} were not forwarded. You can replay them in the Inspector.`)
  }
}

function ended(): AppError {
  return new AppError('APP_ENDED', receiverLost)
}

async function drain(
  session: Session,
  captures: CaptureWatcher,
  forwards: ForwardWatcher | null,
): Promise<void> {
  // The receiver stops first: accepted requests get their response and are printed, and no new ones arrive.
  if (session.holder === null) await session.call('receiver.stop')
  await captures.finish()
  await forwards?.finish()
}

async function startReceiver(
  { session, terminal }: Run,
  wantedPort: number | undefined,
): Promise<ReceiverState> {
  const receiver = await requireListening(session, () => {
    if (session.holder === null) return
    terminal.note('The receiver of the running app was stopped and has been started.')
  })
  if (session.holder !== null && wantedPort !== undefined && wantedPort !== receiver.port) {
    terminal.note(
      `Tondesk is already running (process ${session.holder}) and receiving on port ${receiver.port ?? '?'}; --port has no effect.`,
    )
  } else if (receiver.wantedPort !== null) {
    terminal.note(
      `Port ${receiver.wantedPort} is taken: the receiver is on port ${receiver.port ?? '?'}.`,
    )
  }
  return receiver
}

async function announce(
  receiver: ReceiverState,
  { targets, publicUrl: base }: AskedListen,
  invocation: Invocation,
): Promise<void> {
  const { dataDirectory, options, terminal } = invocation
  const path = receiver.url === null ? '' : new URL(receiver.url).pathname
  const publicUrl = base === null ? null : base.replace(/\/+$/, '') + path
  const ready = { event: 'ready', receiverUrl: receiver.url, dataDirectory }
  const lines = [
    `Receiver   ${receiver.url ?? ''}`,
    ...(publicUrl === null ? [] : [`Public     ${publicUrl}`]),
    ...targets.map((target) => `Forward    ${target}`),
  ]
  const event = publicUrl === null ? ready : { ...ready, publicUrl }
  await writeEvent(invocation, event, lines.join('\n'))
  if (options['json'] === true) return
  const keys = hasKeys && targets.length > 0 ? ' Press r to send the last delivery again.' : ''
  terminal.note(`Waiting for webhooks.${keys} Press Ctrl-C to stop.`)
}

/** The rule exists for one run; after a kill the next run or the app removes it. */
async function addRule(
  session: Session,
  { targets, filter, mode }: AskedListen,
): Promise<number | null> {
  if (targets.length === 0) return null
  for (const { id, name } of await session.call('forwardRule.list')) {
    if (isOrphanedSessionRule(name)) await removeRule(session, id)
  }
  const name = nameOfRun(process.pid)
  const rule = { name, filter, targets: [...targets], mode, appendPath: false }
  const { id } = await readingQuery('--filter', () => session.call('forwardRule.save', rule))
  return id
}

/** Also drops the rule's waiting deliveries and returns their number. */
async function removeRule(session: Session, id: number): Promise<number> {
  return (await session.call('forwardRule.remove', { id })).waiting
}

async function replayTo(run: Run, capture: number, targets: readonly string[]): Promise<void> {
  const { session, terminal } = run
  for (const target of targets) {
    const subject = { kind: 'captures' as const, ids: [capture] }
    const { id } = await session.call('replay.start', { subject, target })
    const job = await watchReplay(run, id)
    const [sending] = (await session.call('replay.sendings', { id, limit: 1 })).sendings
    if (sending === undefined) {
      throw new AppError('REPLAY_FAILED', job.problem ?? 'The replay was not sent.')
    }
    const { at, answer } = sending
    await terminal.print(attemptLine({ at, capture, target, answer }, ['replayed']))
  }
}
