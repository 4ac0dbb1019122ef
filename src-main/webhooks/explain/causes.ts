import type { Explanation } from '../../../src-preload/contract/failure.ts'
import type { WebhookStatus } from '../../../src-preload/contract/webhook.ts'

export type LoggedFailure =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'no-host' }
  | { readonly kind: 'unreachable' }
  /** The sandbox delivers to this computer and to allowed hosts only. */
  | { readonly kind: 'not-allowed' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'broken-off' }
  | { readonly kind: 'tls' }
  /** In words that are not known here. */
  | { readonly kind: 'unknown' }

/** Phrases of Go, Node.js and the sandbox. The service does not document its messages. */
const words: readonly (readonly [RegExp, Exclude<LoggedFailure['kind'], 'status'>])[] = [
  [/is not this computer/i, 'not-allowed'],
  [/certificate|x509|\btls\b|\bssl\b|handshake/i, 'tls'],
  [/refused/i, 'refused'],
  [/no such host|host not found|ENOTFOUND|EAI_AGAIN|name resolution|\bdns\b/i, 'no-host'],
  [/unreachable|no route|EHOSTUNREACH|ENETUNREACH/i, 'unreachable'],
  [/timed? ?out|deadline exceeded|ETIMEDOUT/i, 'timed-out'],
  [/reset|closed before|broken pipe|\bEOF\b|hang up|ECONNRESET|not HTTP/i, 'broken-off'],
]

export function readLoggedFailure(message: string): LoggedFailure {
  // Addresses contain digits and words that would match.
  const told = message.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, ' ')
  const status = statusIn(told)
  if (status !== null) return { kind: 'status', status }
  const known = words.find(([pattern]) => pattern.test(told))
  return { kind: known?.[1] ?? 'unknown' }
}

function statusIn(text: string): number | null {
  const named = /\b(?:status|code|http|answered|responded)\D{0,20}?\b([1-5]\d\d)\b/i.exec(text)?.[1]
  const bare = /(?<![.:\d])\b([1-5]\d\d)\b(?!\s*(?:ms|s|sec|seconds|m)\b|[.:]\d)/.exec(text)?.[1]
  const status = named ?? bare
  return status === undefined ? null : Number(status)
}

export type Facts = {
  readonly status: WebhookStatus | null
  readonly isHere: boolean
  readonly isTunnel: boolean
  readonly isThisComputer: boolean
  readonly isFailing: boolean
  readonly hasFailed: boolean
  readonly failure: LoggedFailure | null
  readonly seen: Explanation['seen']['what']
  readonly isListening: boolean
  readonly isWritable: boolean
  readonly disabledOpcodes: number
  readonly hasTransaction: boolean
  readonly hasCapture: boolean
}

type Step = Explanation['steps'][number]
type Told = Pick<Explanation, 'cause' | 'steps'>

type Case = {
  readonly fits: (facts: Facts) => boolean
  readonly cause: (facts: Facts) => string
  readonly steps: (facts: Facts) => Step[]
}

const step = (text: string, act: Step['act'] = null): Step => ({ text, act })

const backOnline = step(
  'Then choose Back online, so that the gateway delivers again.',
  'back-online',
)
const startReceiver = step('Start the receiver.', 'start-receiver')
const move = (text: string) => step(text, 'move')
const status =
  (...wanted: readonly number[]) =>
  ({ failure }: Facts) =>
    failure?.kind === 'status' && wanted.includes(failure.status)
const logged =
  (...kinds: readonly LoggedFailure['kind'][]) =>
  ({ failure }: Facts) =>
    failure !== null && kinds.includes(failure.kind)

function reachSteps(facts: Facts): Step[] {
  if (!facts.isHere) {
    return [
      step('Check that the program behind the endpoint runs and can be reached from outside.'),
      move('If it is reached under another URL now, move the webhook there.'),
    ]
  }
  const start = facts.isListening ? [] : [startReceiver]
  if (!facts.isTunnel) return start.length > 0 ? start : [stillThere]
  return [
    ...start,
    step('Check that the tunnel runs, and leads to this receiver.'),
    move('If the tunnel has another URL now, move the webhook there.'),
  ]
}

const stillThere = step(
  'The receiver listens now: the next attempt should get through. Whether something was missed can be checked.',
  'check-missed',
)

const cases: readonly Case[] = [
  {
    fits: ({ hasFailed }) => !hasFailed,
    cause: () => 'No delivery of this account is known to have failed.',
    steps: () => [],
  },
  {
    fits: ({ isFailing }) => !isFailing,
    cause: () => 'A later delivery has got through: it has recovered.',
    steps: () => [step('Check whether the events of that time have all arrived.', 'check-missed')],
  },
  {
    fits: ({ status: of }) => of === 'suspended',
    cause: () =>
      'The gateway has suspended the webhook, as a rule because the balance of the project is used up.',
    steps: () => [step('Top up the balance in the gateway’s console.'), backOnline],
  },
  {
    fits: (facts) => status(503)(facts) && facts.isHere && !facts.isWritable,
    cause: () =>
      'The receiver cannot write captures, and answers 503 so that the gateway sends them again.',
    steps: () => [
      step('Free some space on the disk, or mend it; the receiver goes on by itself.'),
      step('Check what is kept and how much space it takes.', 'receiver-settings'),
    ],
  },
  {
    fits: (facts) => status(503)(facts) && facts.isHere,
    cause: ({ isTunnel }) =>
      `It was answered 503: the receiver could not write captures at that time${isTunnel ? ', or the tunnel had nobody behind it' : ', or was too busy'}.`,
    steps: () => [
      step('It writes again; the gateway repeats what it was answered so.'),
      step('Check whether something was missed.', 'check-missed'),
    ],
  },
  {
    fits: (facts) => status(401, 403)(facts) || (facts.seen === 'unauthorized' && facts.isFailing),
    cause: ({ isHere }) =>
      isHere
        ? 'The receiver refuses the delivery’s token: it is wrong, missing, or not the one known here.'
        : 'The endpoint refuses the delivery’s token, or asks for another way to sign in.',
    steps: ({ isHere }) =>
      isHere
        ? [
            step('Rotate the token: the new one is known here at once.', 'rotate-token'),
            step(
              'Or take deliveries with a wrong token as well, in Settings.',
              'receiver-settings',
            ),
          ]
        : [
            step(
              'Copy the webhook’s token to the program behind the endpoint, or rotate it.',
              'rotate-token',
            ),
            step('Check that nothing in front of it (a proxy, a firewall) wants a sign-in.'),
          ],
  },
  {
    fits: (facts) => status(413)(facts) || facts.seen === 'too-large',
    cause: () => 'The delivery is longer than what the endpoint takes.',
    steps: ({ isHere }) =>
      isHere
        ? [step('Raise the limit of a body’s size in Settings.', 'receiver-settings')]
        : [step('Raise the limit of a body’s size at the endpoint, or in the proxy before it.')],
  },
  {
    fits: status(404, 405, 410),
    cause: ({ isHere, isThisComputer, failure }) => {
      const said = failure?.kind === 'status' ? failure.status : 404
      if (isHere)
        return `It was answered ${said}: something else than this receiver answered there, or its URL was another then.`
      return isThisComputer
        ? `The endpoint answers ${said}: its path is not the receiver’s, whose URL was changed.`
        : `The endpoint answers ${said}: nothing takes webhooks under its path.`
    },
    steps: ({ isHere, isTunnel }) => [
      ...(isHere && isTunnel ? [step('Check that the tunnel leads to this receiver.')] : []),
      ...(isHere ? [] : [move('Move the webhook to the URL that it is to be delivered to.')]),
      step('Check the path of the endpoint.'),
    ],
  },
  {
    fits: ({ failure }) =>
      failure?.kind === 'status' && failure.status >= 300 && failure.status < 400,
    cause: ({ failure }) =>
      `The endpoint redirects (${failure?.kind === 'status' ? failure.status : ''}), which the gateway does not follow.`,
    steps: () => [
      move(
        'Move the webhook to the URL that it redirects to: often https for http, or a / at the end.',
      ),
    ],
  },
  {
    fits: (facts) => status(502, 504)(facts),
    cause: ({ failure }) =>
      `What stands in front of the endpoint answered ${failure?.kind === 'status' ? failure.status : 502}: it did not reach the program behind it.`,
    steps: reachSteps,
  },
  {
    fits: (facts) => status(408)(facts) || facts.seen === 'slow',
    cause: () => 'The delivery did not arrive whole within the time there is for it.',
    steps: ({ isTunnel }) => [
      step(
        isTunnel
          ? 'Check the tunnel and the connection of this computer: something on the way is slow.'
          : 'Check what is on the way to the endpoint: something there is slow.',
      ),
    ],
  },
  {
    fits: status(429),
    cause: () => 'The endpoint, or the tunnel before it, was asked too often (429).',
    steps: () => [step('Raise its limit, or subscribe it to fewer accounts.')],
  },
  {
    fits: ({ failure }) => failure?.kind === 'status' && failure.status >= 500,
    cause: ({ failure }) =>
      `The endpoint fails: it answers ${failure?.kind === 'status' ? failure.status : 500}.`,
    steps: () => [step('Look into the log of the program behind the endpoint at that time.')],
  },
  {
    fits: ({ failure }) => failure?.kind === 'status' && failure.status !== 200,
    cause: ({ failure }) =>
      `The endpoint answers ${failure?.kind === 'status' ? failure.status : ''}, where only 200 counts as taken.`,
    steps: () => [step('Let it answer 200 as soon as it has kept the event.')],
  },
  {
    fits: logged('refused'),
    cause: ({ isHere, isTunnel, isListening }) =>
      isHere && !isTunnel
        ? `Nothing listened at the endpoint${isListening ? ' at that time' : ': the receiver is not running'}.`
        : 'Nothing listens at the endpoint: the connection is refused.',
    steps: reachSteps,
  },
  {
    fits: logged('no-host'),
    cause: () =>
      'The host of the endpoint is not known: a tunnel that has ended, or a name that has moved.',
    steps: reachSteps,
  },
  {
    fits: logged('unreachable'),
    cause: () => 'The gateway has no way to the endpoint’s host.',
    steps: reachSteps,
  },
  {
    fits: logged('not-allowed'),
    cause: () =>
      'The sandbox delivers to this computer and to hosts you allow. The endpoint’s host is not allowed.',
    steps: () => [
      step('Allow the endpoint’s host in the sandbox’s settings.', 'sandbox-settings'),
      move('Or move the webhook to an endpoint on this computer.'),
    ],
  },
  {
    fits: logged('tls'),
    cause: () =>
      'No secure connection came about: the endpoint’s certificate has expired, is of another name, or is not trusted.',
    steps: () => [
      step('Renew the certificate, with its whole chain.'),
      step('Check that https is served on that port.'),
    ],
  },
  {
    fits: logged('timed-out'),
    cause: ({ seen, isHere }) =>
      isHere && seen === 'nothing'
        ? 'The gateway got no answer, and nothing came here: the way to the receiver is closed.'
        : 'The endpoint answers too slowly, or not at all.',
    steps: (facts) =>
      facts.isHere && facts.seen !== 'taken'
        ? reachSteps(facts)
        : [
            step('Let the endpoint answer 200 first, and do its work with the event afterwards.'),
            step('Check that it can be reached, and is not overloaded.'),
          ],
  },
  {
    fits: logged('broken-off'),
    cause: () => 'The connection ended before the endpoint had answered.',
    steps: reachSteps,
  },
  {
    fits: ({ seen }) => seen === 'taken',
    cause: () =>
      'It came here and was answered 200, yet the gateway counts it as failed: the answer was lost on its way, or came too late.',
    steps: () => [step('Check the tunnel: it may drop or delay answers.')],
  },
  {
    fits: ({ status: of }) => of === 'offline',
    cause: () => 'The gateway has set the webhook offline after too many failures.',
    steps: reachSteps,
  },
  {
    fits: ({ isHere, isListening }) => isHere && !isListening,
    cause: () => 'The receiver is not listening.',
    steps: () => [startReceiver],
  },
  {
    fits: () => true,
    cause: ({ failure }) =>
      failure === null
        ? 'The gateway does not say why; its log holds no entry near the failure.'
        : 'The gateway says why in words that are not known here: read its log.',
    steps: reachSteps,
  },
]

export function describeCause(facts: Facts): Told {
  const found = cases.find(({ fits }) => fits(facts))
  const told = found === undefined ? [] : found.steps(facts)
  const isOffline = facts.status === 'offline' && facts.isFailing
  const steps = [
    ...told,
    ...(isOffline ? [backOnline] : []),
    ...(facts.hasCapture ? [step('See what came here.', 'open-capture')] : []),
    ...(facts.hasTransaction ? [step('See what was to be delivered.', 'open-transaction')] : []),
    ...(facts.disabledOpcodes > 0
      ? [
          step(
            `${facts.disabledOpcodes === 1 ? 'An opcode' : `${facts.disabledOpcodes} opcodes`} of this webhook ` +
              'the gateway has disabled: its tab Opcodes says why.',
          ),
        ]
      : []),
  ]
  const cause = found?.cause(facts) ?? ''
  const isUnsaid = isOffline && !cause.includes('offline')
  const offline = isUnsaid ? ' The gateway has set the webhook offline meanwhile.' : ''
  return { cause: cause + offline, steps }
}
