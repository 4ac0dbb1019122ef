import type { ReceiverState } from '../../src-preload/contract/index.ts'
import { AppError, bridgeCodes, receiverCodes } from '../../src-preload/contract/index.ts'
import { captureLine } from './capture-line.ts'
import type { Command, Invocation } from './command.ts'
import { exitCodes, readPort } from './command.ts'
import { followCaptures } from './follow-captures.ts'
import type { Session } from './session.ts'
import { openSession } from './session.ts'
import { aborted, inTime } from './stop.ts'

export const listen: Command = {
  name: 'listen',
  summary: 'receive webhooks and print each',
  options: {
    port: {
      type: 'string',
      value: 'N',
      description: 'port to receive on, for this run (default: as in the settings; 0 for any)',
    },
    json: { type: 'boolean', description: 'print a JSON object a line' },
  },
  detail: [
    'Prints the full URL to send webhooks to, then a line for each that arrives: time, kind,\naccount, status answered, size. Each is on disk before it is printed and stays in the inspector.\nCtrl-C finishes what has been accepted and ends.',
    'With --json the first line is {"event":"ready","receiverUrl":...}, and each delivery is a line\n{"event":"capture","id":...,"receivedAt":...} with all that the list of the inspector has.',
  ],
  async run(invocation) {
    const { dataDirectory, options, stop, terminal } = invocation
    const receiverPort = readPort(options['port'], 'port')
    const session = await openSession({
      dataDirectory,
      receive: true,
      ...(receiverPort === undefined ? {} : { receiverPort }),
    })
    let drained = false
    try {
      const receiver = await startReceiver(session, receiverPort, invocation)
      const gone = new AbortController()
      const captures = await followCaptures({
        session,
        print: (row) =>
          terminal.print(
            options['json'] ? JSON.stringify({ event: 'capture', ...row }) : captureLine(row),
          ),
        onGone: () => gone.abort(),
      })
      await announce(receiver, invocation)
      captures.start()
      await Promise.race([aborted(AbortSignal.any([stop, gone.signal])), captures.failed])
      if (gone.signal.aborted && !stop.aborted) throw ended()
      drained = await inTime(drain(session, () => captures.finish()))
      if (!drained) terminal.note('Ended before all was printed: it took longer than 3 seconds.')
    } catch (error) {
      const isLost = error instanceof AppError && error.code === bridgeCodes.disconnected
      throw isLost ? ended() : error
    } finally {
      await inTime(session.dispose())
    }
    return drained ? exitCodes.ok : exitCodes.failed
  },
}

function ended(): AppError {
  return new AppError('APP_ENDED', 'Tondesk has ended, and its receiver with it.')
}

async function drain(session: Session, finish: () => Promise<void>): Promise<void> {
  // What has been accepted until now is answered, then printed; nothing new comes in between.
  if (session.holder === null) await session.call('receiver.stop')
  await finish()
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

async function announce(receiver: ReceiverState, invocation: Invocation): Promise<void> {
  const { dataDirectory, options, terminal } = invocation
  if (options['json']) {
    const ready = { event: 'ready', receiverUrl: receiver.url, dataDirectory }
    await terminal.print(JSON.stringify(ready))
  } else {
    await terminal.print(`Receiver   ${receiver.url ?? ''}`)
    terminal.note('Waiting for webhooks. Ctrl-C ends.')
  }
}
