import type { Explanation } from '../../../src-preload/contract/failure.ts'
import type { WebhookStatus } from '../../../src-preload/contract/webhook.ts'

/** Phrases of Go, Node.js and the sandbox. The service does not document its messages. */
const phrases = [
  [/is not this computer/i, 'not-allowed'],
  [/certificate|x509|\btls\b|\bssl\b|handshake/i, 'tls'],
  [/refused/i, 'refused'],
  [/no such host|host not found|ENOTFOUND|EAI_AGAIN|name resolution|\bdns\b/i, 'no-host'],
  [/unreachable|no route|EHOSTUNREACH|ENETUNREACH/i, 'unreachable'],
  [/timed? ?out|deadline exceeded|ETIMEDOUT/i, 'timed-out'],
  [/reset|closed before|broken pipe|\bEOF\b|hang up|ECONNRESET|not HTTP/i, 'broken-off'],
] as const

/** The endpoint's HTTP status, or why there was none. */
export type LoggedFailure = number | (typeof phrases)[number][1] | 'unknown'

export function readLoggedFailure(message: string): LoggedFailure {
  // Addresses contain digits and words that would match.
  const text = message.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, ' ')
  const named = /\b(?:status|code|http|answered|responded)\D{0,20}?\b([1-5]\d\d)\b/i.exec(text)
  const bare = /(?<![.:\d])\b([1-5]\d\d)\b(?!\s*(?:ms|s|sec|seconds|m)\b|[.:]\d)/.exec(text)
  const status = named ?? bare
  if (status !== null) return Number(status[1])
  return phrases.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown'
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
type Cause = Pick<Explanation, 'cause' | 'steps'>

const step = (text: string, act: Step['act'] = null): Step => ({ text, act })
const because = (cause: string, steps: Step[] = []): Cause => ({ cause, steps })

const backOnline = step(
  'Bring the webhook back online, so that the gateway delivers again.',
  'back-online',
)
const startReceiver = step('Start the receiver.', 'start-receiver')

function reachSteps({ isHere, isTunnel, isListening }: Facts): Step[] {
  if (!isHere) {
    return [
      step('Check that the program behind the endpoint runs and can be reached from outside.'),
      step('If it is reached under another URL now, move the webhook there.', 'move'),
    ]
  }
  const start = isListening ? [] : [startReceiver]
  if (isTunnel) {
    return [
      ...start,
      step('Check that the tunnel runs, and leads to this receiver.'),
      step('If the tunnel has another URL now, move the webhook there.', 'move'),
    ]
  }
  if (!isListening) return start
  const text =
    'The receiver listens now: the next attempt should get through. Whether something was missed can be checked.'
  return [step(text, 'check-missed')]
}

function causeOf(facts: Facts): Cause {
  const { failure, isHere, isTunnel, isListening, seen } = facts
  if (!facts.hasFailed) return because('No delivery of this account is known to have failed.')
  if (!facts.isFailing) {
    return because('A later delivery has got through: it has recovered.', [
      step('Check whether the events of that time have all arrived.', 'check-missed'),
    ])
  }
  if (facts.status === 'suspended') {
    return because(
      'The gateway has suspended the webhook, as a rule because the balance of the project is used up.',
      [step('Top up the balance in the gateway’s console.'), backOnline],
    )
  }
  if (failure === 503 && isHere && !facts.isWritable) {
    return because(
      'The receiver cannot write captures, and answers 503 so that the gateway sends them again.',
      [
        step('Free some space on the disk, or mend it; the receiver goes on by itself.'),
        step('Check what is kept and how much space it takes.', 'receiver-settings'),
      ],
    )
  }
  if (failure === 503 && isHere) {
    const other = isTunnel ? ', or the tunnel had nobody behind it' : ', or was too busy'
    return because(
      `It was answered 503: the receiver could not write captures at that time${other}.`,
      [
        step('It writes again; the gateway repeats what it was answered so.'),
        step('Check whether something was missed.', 'check-missed'),
      ],
    )
  }
  if (failure === 401 || failure === 403 || seen === 'unauthorized') {
    if (isHere) {
      return because(
        'The receiver refuses the delivery’s token: it is wrong, missing, or not the one known here.',
        [
          step('Rotate the token: the new one is known here at once.', 'rotate-token'),
          step('Or take deliveries with a wrong token as well, in Settings.', 'receiver-settings'),
        ],
      )
    }
    const copy = 'Copy the webhook’s token to the program behind the endpoint, or rotate it.'
    return because(
      'The endpoint refuses the delivery’s token, or asks for another way to sign in.',
      [
        step(copy, 'rotate-token'),
        step('Check that nothing in front of it (a proxy, a firewall) wants a sign-in.'),
      ],
    )
  }
  if (failure === 413 || seen === 'too-large') {
    return because('The delivery is longer than what the endpoint takes.', [
      isHere
        ? step('Raise the limit of a body’s size in Settings.', 'receiver-settings')
        : step('Raise the limit of a body’s size at the endpoint, or in the proxy before it.'),
    ])
  }
  if (failure === 404 || failure === 405 || failure === 410) {
    const checkPath = step('Check the path of the endpoint.')
    if (isHere) {
      return because(
        `It was answered ${failure}: something else than this receiver answered there, or its URL was another then.`,
        [...(isTunnel ? [step('Check that the tunnel leads to this receiver.')] : []), checkPath],
      )
    }
    const reason = facts.isThisComputer
      ? 'its path is not the receiver’s, whose URL was changed'
      : 'nothing takes webhooks under its path'
    return because(`The endpoint answers ${failure}: ${reason}.`, [
      step('Move the webhook to the URL that it is to be delivered to.', 'move'),
      checkPath,
    ])
  }
  if (typeof failure === 'number' && failure >= 300 && failure < 400) {
    const text =
      'Move the webhook to the URL that it redirects to: often https for http, or a / at the end.'
    return because(`The endpoint redirects (${failure}), which the gateway does not follow.`, [
      step(text, 'move'),
    ])
  }
  if (failure === 502 || failure === 504) {
    return because(
      `What stands in front of the endpoint answered ${failure}: it did not reach the program behind it.`,
      reachSteps(facts),
    )
  }
  if (failure === 408 || seen === 'slow') {
    return because('The delivery did not arrive whole within the time there is for it.', [
      isTunnel
        ? step(
            'Check the tunnel and the connection of this computer: something on the way is slow.',
          )
        : step('Check what is on the way to the endpoint: something there is slow.'),
    ])
  }
  if (failure === 429) {
    return because('The endpoint, or the tunnel before it, was asked too often (429).', [
      step('Raise its limit, or subscribe it to fewer accounts.'),
    ])
  }
  if (typeof failure === 'number' && failure >= 500) {
    return because(`The endpoint fails: it answers ${failure}.`, [
      step('Look into the log of the program behind the endpoint at that time.'),
    ])
  }
  if (typeof failure === 'number' && failure !== 200) {
    return because(`The endpoint answers ${failure}, where only 200 counts as taken.`, [
      step('Let it answer 200 as soon as it has kept the event.'),
    ])
  }
  const unreached = describeUnreached(facts)
  if (unreached !== null) return because(unreached, reachSteps(facts))
  if (failure === 'not-allowed') {
    return because(
      'The sandbox delivers to this computer and to hosts you allow. The endpoint’s host is not allowed.',
      [
        step('Allow the endpoint’s host in the sandbox’s settings.', 'sandbox-settings'),
        step('Or move the webhook to an endpoint on this computer.', 'move'),
      ],
    )
  }
  if (failure === 'tls') {
    return because(
      'No secure connection came about: the endpoint’s certificate has expired, is of another name, or is not trusted.',
      [
        step('Renew the certificate, with its whole chain.'),
        step('Check that https is served on that port.'),
      ],
    )
  }
  if (failure === 'timed-out') {
    return because('The endpoint answers too slowly, or not at all.', [
      step('Let the endpoint answer 200 first, and do its work with the event afterwards.'),
      step('Check that it can be reached, and is not overloaded.'),
    ])
  }
  if (seen === 'taken') {
    return because(
      'It came here and was answered 200, yet the gateway counts it as failed: the answer was lost on its way, or came too late.',
      [step('Check the tunnel: it may drop or delay answers.')],
    )
  }
  if (facts.status === 'offline') {
    return because(
      'The gateway has set the webhook offline after too many failures.',
      reachSteps(facts),
    )
  }
  if (isHere && !isListening) return because('The receiver is not listening.', [startReceiver])
  return because(
    failure === null
      ? 'The gateway does not say why; its log holds no entry near the failure.'
      : 'The gateway says why in words that are not known here: read its log.',
    reachSteps(facts),
  )
}

function describeUnreached({ failure, isHere, isTunnel, isListening, seen }: Facts): string | null {
  if (failure === 'refused') {
    if (!isHere || isTunnel) return 'Nothing listens at the endpoint: the connection is refused.'
    return `Nothing listened at the endpoint${isListening ? ' at that time' : ': the receiver is not running'}.`
  }
  if (failure === 'no-host') {
    return 'The host of the endpoint is not known: a tunnel that has ended, or a name that has moved.'
  }
  if (failure === 'unreachable') return 'The gateway has no way to the endpoint’s host.'
  if (failure === 'broken-off') return 'The connection ended before the endpoint had answered.'
  if (failure !== 'timed-out' || !isHere || seen === 'taken') return null
  return seen === 'nothing'
    ? 'The gateway got no answer, and nothing came here: the way to the receiver is closed.'
    : 'The endpoint answers too slowly, or not at all.'
}

export function describeCause(facts: Facts): Cause {
  const { cause, steps } = causeOf(facts)
  const { disabledOpcodes, isFailing, status } = facts
  const isOffline = status === 'offline' && isFailing
  if (isOffline) steps.push(backOnline)
  if (facts.hasCapture) steps.push(step('See what came here.', 'open-capture'))
  if (facts.hasTransaction) steps.push(step('See what was to be delivered.', 'open-transaction'))
  if (disabledOpcodes > 0) {
    const opcodes = disabledOpcodes === 1 ? 'An opcode' : `${disabledOpcodes} opcodes`
    const why = 'of this webhook the gateway has disabled: its tab Opcodes says why.'
    steps.push(step(`${opcodes} ${why}`))
  }
  const isUnsaid = isOffline && !cause.includes('offline')
  const offline = isUnsaid ? ' The gateway has set the webhook offline meanwhile.' : ''
  return { cause: cause + offline, steps }
}
