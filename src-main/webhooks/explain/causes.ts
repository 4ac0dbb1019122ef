import { STATUS_CODES } from 'node:http'
import type { Explanation } from '../../../src-preload/contract/failure.ts'
import type { WebhookStatus } from '../../../src-preload/contract/webhook.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

/** Phrases of Go, Node.js and the sandbox, because the service does not document its messages. */
const phrases = [
  [/is not this computer/i, 'not-allowed'],
  [/certificate|x509|\btls\b|\bssl\b|handshake/i, 'tls'],
  [/refused/i, 'refused'],
  [/no such host|host not found|ENOTFOUND|EAI_AGAIN|name resolution|\bdns\b/i, 'no-host'],
  [/unreachable|no route|EHOSTUNREACH|ENETUNREACH/i, 'unreachable'],
  [/timed? ?out|deadline exceeded|ETIMEDOUT/i, 'timed-out'],
  [/reset|closed before|broken pipe|\bEOF\b|hang up|ECONNRESET|not HTTP/i, 'broken-off'],
] as const

/** The HTTP status of the endpoint, or the reason why there was none. */
export type LoggedFailure = number | (typeof phrases)[number][1] | 'unknown'

export function readLoggedFailure(message: string): LoggedFailure {
  // Addresses are removed first, because they contain digits and words that would match.
  const text = message.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, ' ')
  const named = /\b(?:status|code|http|answered|responded)\D{0,20}?\b([1-5]\d\d)\b/i.exec(text)
  const bare = /(?<![.:\d])\b([1-5]\d\d)\b(?!\s*(?:ms|s|sec|seconds|m)\b|[.:]\d)/.exec(text)
  const status = named ?? bare
  if (status !== null) return Number(status[1])
  return phrases.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown'
}

const names: Readonly<Record<string, string>> = lookupTable({
  'no-response': 'No response',
  'not-allowed': 'Host not allowed',
  tls: 'TLS error',
  refused: 'Connection refused',
  'no-host': 'Host not found',
  unreachable: 'Host unreachable',
  'timed-out': 'Timed out',
  'broken-off': 'Connection broken off',
  unknown: 'Other error',
})

/** `500 Internal Server Error`, `Timed out` */
export function nameFailure(cause: string): string {
  const phrase = STATUS_CODES[cause]
  return names[cause] ?? (phrase === undefined ? cause : `${cause} ${phrase}`)
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
export type Cause = Pick<Explanation, 'cause' | 'steps'>

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
      step('Check that your server is running and can be reached from outside.'),
      step('If its URL has changed, move the webhook to the new one.', 'move'),
    ]
  }
  const start = isListening ? [] : [startReceiver]
  if (isTunnel) {
    return [
      ...start,
      step('Check that the tunnel is running and leads to this receiver.'),
      step('If the URL of the tunnel has changed, move the webhook to the new one.', 'move'),
    ]
  }
  if (!isListening) return start
  const text =
    'The receiver is running again, so the next attempt should succeed. Check whether events were missed.'
  return [step(text, 'check-missed')]
}

function causeOf(facts: Facts): Cause {
  if (!facts.hasFailed) return because('No failed delivery of this account is known.')
  if (!facts.isFailing) {
    return because('A later delivery succeeded: the account has recovered.', [
      step('Check whether all events from that time arrived.', 'check-missed'),
    ])
  }
  if (facts.status === 'suspended') {
    return because(
      'The gateway has suspended the webhook. The usual reason is that the balance of the project is used up.',
      [step('Top up the balance in the gateway’s console.'), backOnline],
    )
  }
  return causeInResponse(facts) ?? causeOfStatus(facts) ?? causeWithoutResponse(facts)
}

/** Finds the cause of responses that the receiver itself sent, or whose capture shows the cause. */
function causeInResponse({ failure, isHere, isTunnel, isWritable, seen }: Facts): Cause | null {
  if (failure === 503 && isHere && !isWritable) {
    return because(
      'The receiver cannot write captures, so it responds with 503 and the gateway retries each delivery.',
      [
        step('Free some disk space or fix the disk. The receiver then continues automatically.'),
        step(
          'Check how many captures are stored and how much space they take.',
          'receiver-settings',
        ),
      ],
    )
  }
  if (failure === 503 && isHere) {
    const other = isTunnel ? ', or the tunnel could not reach it' : ', or it was too busy'
    return because(
      `The response was 503: the receiver could not write captures at that time${other}.`,
      [
        step('The receiver can write again, and the gateway retries these deliveries.'),
        step('Check whether events were missed.', 'check-missed'),
      ],
    )
  }
  if (failure === 401 || failure === 403 || seen === 'unauthorized') {
    if (isHere) {
      return because(
        'The receiver rejects the delivery’s token: it is wrong, missing, or different from the token stored here.',
        [
          step('Rotate the token. This receiver accepts the new one at once.', 'rotate-token'),
          step('Or accept wrong tokens: change this in Settings.', 'receiver-settings'),
        ],
      )
    }
    return because(
      'The endpoint rejects the delivery’s token, or requires another authentication.',
      [
        step('Copy the webhook’s token to your server, or rotate it.', 'rotate-token'),
        step('Check that no proxy or firewall in front of the endpoint requires authentication.'),
      ],
    )
  }
  if (failure !== 413 && seen !== 'too-large') return null
  return because('The delivery is larger than the endpoint allows.', [
    isHere
      ? step('Raise the body size limit in Settings.', 'receiver-settings')
      : step('Raise the body size limit of the endpoint or its proxy.'),
  ])
}

function causeOfStatus(facts: Facts): Cause | null {
  const { failure, isHere, isTunnel, seen } = facts
  if (failure === 404 || failure === 405 || failure === 410) {
    const checkPath = step('Check the path of the endpoint.')
    if (isHere) {
      return because(
        `The response was ${failure}: another program responded at this URL, or the receiver’s URL was different at that time.`,
        [...(isTunnel ? [step('Check that the tunnel leads to this receiver.')] : []), checkPath],
      )
    }
    const reason = facts.isThisComputer
      ? 'its path is not the receiver’s path, because the receiver’s URL was changed'
      : 'nothing accepts webhooks at its path'
    return because(`The endpoint responds with ${failure}: ${reason}.`, [
      step('Move the webhook to the right URL.', 'move'),
      checkPath,
    ])
  }
  if (typeof failure === 'number' && failure >= 300 && failure < 400) {
    const text =
      'Move the webhook to the URL that the endpoint redirects to: often https instead of http, or a / at the end.'
    return because(`The endpoint redirects (${failure}), which the gateway does not follow.`, [
      step(text, 'move'),
    ])
  }
  if (failure === 502 || failure === 504) {
    return because(
      `A proxy or tunnel in front of the endpoint responded with ${failure}, because it did not reach your server.`,
      reachSteps(facts),
    )
  }
  if (failure === 408 || seen === 'slow') {
    return because('The delivery did not arrive completely within the time limit.', [
      isTunnel
        ? step('Check the tunnel and the connection of this computer: one of them is slow.')
        : step('Check the connection to the endpoint: it is slow.'),
    ])
  }
  if (failure === 429) {
    return because('The endpoint or its tunnel received too many requests (429).', [
      step('Raise the rate limit, or subscribe the webhook to fewer accounts.'),
    ])
  }
  if (typeof failure === 'number' && failure >= 500) {
    return because(`The endpoint fails: it responds with ${failure}.`, [
      step('Check the log of your server at that time.'),
    ])
  }
  if (typeof failure !== 'number' || failure === 200) return null
  return because(`The endpoint responds with ${failure}, but only 200 counts as delivered.`, [
    step('Respond with 200 as soon as your server has stored the event.'),
  ])
}

const causesWithoutResponse = lookupTable<Cause>({
  'not-allowed': because(
    'The sandbox delivers to this computer and to hosts you allow. The endpoint’s host is not allowed.',
    [
      step('Allow the endpoint’s host in the sandbox’s settings.', 'sandbox-settings'),
      step('Or move the webhook to an endpoint on this computer.', 'move'),
    ],
  ),
  tls: because(
    'The TLS connection failed: the endpoint’s certificate has expired, is for another host, or is not trusted.',
    [
      step('Renew the certificate and install its complete chain.'),
      step('Check that the port serves https.'),
    ],
  ),
  'timed-out': because('The endpoint responds too slowly, or not at all.', [
    step('Respond with 200 first, and process the event afterwards.'),
    step('Check that the endpoint can be reached and is not overloaded.'),
  ]),
})

function causeWithoutResponse(facts: Facts): Cause {
  const { failure, isHere, isListening, seen } = facts
  const unreached = describeUnreached(facts)
  if (unreached !== null) return because(unreached, reachSteps(facts))
  const cause = causesWithoutResponse[failure ?? '']
  if (cause !== undefined) return cause
  if (seen === 'taken') {
    return because(
      'The delivery arrived and the response was 200, but the gateway counts it as failed: the response was lost or came too late.',
      [step('Check the tunnel: it may drop or delay responses.')],
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
      ? 'The cause is unknown: the gateway’s log has no entry near the failure.'
      : 'The gateway’s log shows the cause in a form that Tondesk does not recognize.',
    reachSteps(facts),
  )
}

function describeUnreached({ failure, isHere, isTunnel, isListening, seen }: Facts): string | null {
  if (failure === 'refused') {
    if (!isHere || isTunnel)
      return 'No server is listening at the endpoint: the connection was refused.'
    return `No server was listening at the endpoint${isListening ? ' at that time' : ': the receiver is not running'}.`
  }
  if (failure === 'no-host') {
    return 'The endpoint’s host was not found: the tunnel has ended, or the name is wrong.'
  }
  if (failure === 'unreachable') return 'The gateway cannot reach the endpoint’s host.'
  if (failure === 'broken-off') return 'The connection was closed before the endpoint responded.'
  if (failure !== 'timed-out' || !isHere || seen === 'taken') return null
  return seen === 'nothing'
    ? 'The gateway got no response, and no request arrived here: the receiver cannot be reached.'
    : 'The endpoint responds too slowly, or not at all.'
}

export function describeCause(facts: Facts): Cause {
  const { cause, steps } = causeOf(facts)
  const { disabledOpcodes, hasCapture, hasTransaction, isFailing, status } = facts
  const isOffline = status === 'offline' && isFailing
  const opcodes = disabledOpcodes === 1 ? 'an opcode' : `${disabledOpcodes} opcodes`
  const disabled = `The gateway has disabled ${opcodes} of this webhook: the Opcodes tab shows why.`
  const isUnsaid = isOffline && !cause.includes('offline')
  return {
    cause: isUnsaid ? `${cause} The gateway has set the webhook offline.` : cause,
    steps: [
      ...steps,
      ...(isOffline ? [backOnline] : []),
      ...(hasCapture ? [step('Check the request that arrived here.', 'open-capture')] : []),
      ...(hasTransaction ? [step('Check the transaction of the event.', 'open-transaction')] : []),
      ...(disabledOpcodes > 0 ? [step(disabled)] : []),
    ],
  }
}
