import type { CaptureRow } from '../../src-preload/contract/capture.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { receiverCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { captureLine } from './capture-line.ts'
import { checkQuery } from './capture-query.ts'
import { type Command, type Invocation, exitCodes } from './command.ts'
import { confirmTargets } from './confirm-targets.ts'
import { type CaptureFollower, followCaptures } from './follow-captures.ts'
import { type ForwardFollower, followForwards, forwardLine } from './follow-forwards.ts'
import { hasKeys, takeKeys } from './keys.ts'
import { type AskedListen, listenOptions, readListen } from './listen-options.ts'
import { replayTo } from './listen-replay.ts'
import { addRule, removeRule } from './listen-rules.ts'
import { watchListening } from './listen-watch.ts'
import { type Session, openSession } from './session.ts'
import { aborted, inTime } from './stop.ts'

export const listen: Command = {
  name: 'listen',
  summary: 'receive webhooks, print each, send them on',
  options: listenOptions,
  detail: [
    'Prints the full URL to send webhooks to, then a line for each that arrives: time, ->, id, kind,\naccount, status answered, size. Each is on disk before it is printed and stays in the inspector.\nCtrl-C finishes what has been accepted and ends.',
    'With --forward each goes on byte for byte, in the order of its account, until the URL answers 2xx;\na line with <- tells each try. --pass-through answers the sender with the status of the URL instead.\nThe rule made for it ends with the command, and with it what still waits. In a terminal, r sends the\nlast delivery to the --forward URLs once more.',
    'A QUERY is one of the search bar: event:invoice, account:EQ…, header.user-agent:*tonapi*. For\nprinting and forwarding it goes by what is known when a delivery arrives.',
    'Sleep, another network, a receiver that was stopped and, with --public-url, a tunnel that does not\nlead here any more are noticed and said on standard error.',
    'With --json the first line is {"event":"ready","receiverUrl":...}, and each delivery is a line\n{"event":"capture","id":...,"receivedAt":...} with all that the list of the inspector has, each try\none {"event":"forwarded","capture":...,"target":...,"status":...}.',
  ],
  async run(invocation) {
    const asked = readListen(invocation)
    const { dataDirectory, terminal } = invocation
    const session = await openSession({
      dataDirectory,
      receive: true,
      worksOn: true,
      ...(asked.port === undefined ? {} : { receiverPort: asked.port }),
    })
    let rule: number | null = null
    let drained = false
    try {
      const receiver = await startReceiver(session, asked.port, invocation)
      await checkQuery(session, asked.filter, '--filter')
      await confirmTargets(session, asked.targets, asked.yes, invocation)
      if (asked.publicUrl !== null) await setPublicUrl(session, asked.publicUrl)
      rule = await addRule(session, asked)
      drained = await follow(session, receiver, rule, asked, invocation)
      if (!drained) terminal.note('Ended before all was printed: it took longer than 3 seconds.')
    } catch (error) {
      const isLost = error instanceof AppError && error.code === bridgeCodes.disconnected
      throw isLost ? ended() : error
    } finally {
      if (rule !== null) await endRule(session, rule, invocation)
      await inTime(session.dispose())
    }
    return drained ? exitCodes.ok : exitCodes.failed
  },
}

/** @returns false when not all was printed in time */
async function follow(
  session: Session,
  receiver: ReceiverState,
  rule: number | null,
  asked: AskedListen,
  invocation: Invocation,
): Promise<boolean> {
  const { terminal, stop } = invocation
  const gone = new AbortController()
  let last: CaptureRow | null = null
  const forwards = rule === null ? null : await followResults(session, rule, asked, invocation)
  const captures = await followCaptures({
    session,
    filter: asked.filter,
    async print(row) {
      last = row
      const line = asked.json ? JSON.stringify({ event: 'capture', ...row }) : captureLine(row)
      await terminal.print(line)
      forwards?.watch(row.id)
    },
    onGone: () => gone.abort(),
  })
  const unkey = takeKeys((key) => {
    if (key !== 'r') return
    if (last === null) terminal.note('Nothing has arrived yet that could be replayed.')
    else if (asked.targets.length === 0)
      terminal.note('r replays to --forward URLs: there are none.')
    else {
      replayTo(session, last.id, asked.targets, (line) => terminal.print(line)).catch(
        (error: unknown) => terminal.note(error instanceof Error ? error.message : String(error)),
      )
    }
  })
  const watch = watchListening({
    session,
    note: (text) => terminal.note(text),
    hasTunnel: asked.publicUrl !== null,
  })
  try {
    await announce(receiver, asked, invocation)
    captures.start()
    const failed =
      forwards === null ? captures.failed : Promise.race([captures.failed, forwards.failed])
    await Promise.race([aborted(AbortSignal.any([stop, gone.signal])), failed])
    if (gone.signal.aborted && !stop.aborted) throw ended()
    watch.stop()
    return await inTime(drain(session, captures, forwards))
  } finally {
    watch.stop()
    unkey()
  }
}

function followResults(
  session: Session,
  rule: number,
  { json }: AskedListen,
  { terminal }: Invocation,
): Promise<ForwardFollower> {
  return followForwards(session, rule, async (result) => {
    const { delivery, attempt, number } = result
    const { status, durationUs, problem } = attempt.answer
    const { capture, target, state, deliveryId } = delivery
    const told = { event: 'forwarded', capture, target, status, durationUs, problem, try: number }
    const line = json ? JSON.stringify({ ...told, state, deliveryId }) : forwardLine(result)
    await terminal.print(line)
  })
}

async function setPublicUrl(session: Session, publicUrl: string): Promise<void> {
  await session.call('settings.change', { receiver: { publicUrl } })
}

/** The app may be gone: then the next run, or its start, finds what is left. */
async function endRule(
  session: Session,
  rule: number,
  { stop, terminal }: Invocation,
): Promise<void> {
  const waiting = await removeRule(session, rule).catch(() => 0)
  if (waiting > 0 && stop.aborted) {
    terminal.note(`${waiting} were not forwarded: they are in the inspector, to be replayed.`)
  }
}

function ended(): AppError {
  return new AppError('APP_ENDED', 'Tondesk has ended, and its receiver with it.')
}

async function drain(
  session: Session,
  captures: CaptureFollower,
  forwards: ForwardFollower | null,
): Promise<void> {
  // What has been accepted until now is answered, then printed; nothing new comes in between.
  if (session.holder === null) await session.call('receiver.stop')
  await captures.finish()
  await forwards?.finish()
}

async function startReceiver(
  session: Session,
  wantedPort: number | undefined,
  { terminal }: Invocation,
): Promise<ReceiverState> {
  let receiver = await session.call('receiver.state')
  if (receiver.status !== 'listening') {
    receiver = await session.call('receiver.start')
    if (session.holder !== null) {
      terminal.note('The receiver of the app that runs was stopped. It has been started.')
    }
  }
  if (receiver.status !== 'listening') {
    throw new AppError(
      receiverCodes.listenFailed,
      receiver.problem ?? 'The receiver cannot listen.',
    )
  }
  if (session.holder !== null && wantedPort !== undefined && wantedPort !== receiver.port) {
    terminal.note(
      `Tondesk already runs (process ${session.holder}) and receives on port ${receiver.port ?? '?'}; --port has no effect.`,
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
  { json, targets, publicUrl }: AskedListen,
  { dataDirectory, terminal }: Invocation,
): Promise<void> {
  const path = receiver.url === null ? '' : new URL(receiver.url).pathname
  const publicHook = publicUrl === null ? null : publicUrl.replace(/\/+$/, '') + path
  if (json) {
    const ready = { event: 'ready', receiverUrl: receiver.url, dataDirectory }
    await terminal.print(
      JSON.stringify(publicHook === null ? ready : { ...ready, publicUrl: publicHook }),
    )
    return
  }
  await terminal.print(`Receiver   ${receiver.url ?? ''}`)
  if (publicHook !== null) await terminal.print(`Public     ${publicHook}`)
  for (const target of targets) await terminal.print(`Forward    ${target}`)
  const keys = hasKeys && targets.length > 0 ? ' r replays the last.' : ''
  terminal.note(`Waiting for webhooks.${keys} Ctrl-C ends.`)
}
