import { AppError } from '../../../src-preload/domain/app-error.ts'
import { targetCodes } from '../../../src-preload/domain/error-codes.ts'
import type { SendCalls } from '../../threads/send-messages.ts'
import type { ConfirmedHosts } from '../store/confirmed-hosts.ts'
import { addressKind } from './address.ts'
import type { Guard } from './guard.ts'
import { readTarget } from './target.ts'

type TargetCallsDeps = {
  readonly guard: Guard
  readonly hosts: ConfirmedHosts
  readonly onChanged: () => void
  /** Microseconds. */
  readonly now: () => number
}

type TargetCalls = {
  [N in Extract<keyof SendCalls, `target.${string}`>]: (
    question: SendCalls[N]['question'],
  ) => SendCalls[N]['answer'] | Promise<SendCalls[N]['answer']>
}

/** What is asked about targets, whoever is going to send there. */
export function createTargetCalls({ guard, hosts, onChanged, now }: TargetCallsDeps): TargetCalls {
  return {
    'target.check': ({ url }) => guard.verdict(url),
    'target.confirm'({ host }) {
      hosts.add(hostToConfirm(host), now())
      onChanged()
      return null
    },
    'target.confirmed': () => hosts.list(),
    'target.forget'({ host }) {
      hosts.remove(host)
      onChanged()
      return null
    },
  }
}

/** `host:port` as targets have it. @throws AppError TARGET_REFUSED for what cannot be agreed to */
function hostToConfirm(host: string): string {
  // Whatever else stands in it would be taken for another part of the URL.
  const target = /^[^/\\@?#\s]+:\d+$/.test(host) ? readTarget(`https://${host}/`) : null
  if (target === null) {
    throw new AppError(
      targetCodes.refused,
      `${host} is no host with its port, such as example.com:443.`,
    )
  }
  if (target.isAddress) {
    const judged = addressKind(target.hostname)
    if (judged.kind === 'refused') {
      throw new AppError(targetCodes.refused, `${target.hostname} is ${judged.reason}.`)
    }
  }
  return target.host
}
