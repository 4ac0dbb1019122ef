import { AppError } from '../../../src-preload/domain/app-error.ts'
import { targetCodes } from '../../../src-preload/domain/error-codes.ts'
import type { ConfirmedHosts } from '../store/confirmed-hosts.ts'
import { addressKind } from './address.ts'
import type { Guard } from './guard.ts'
import { readTarget } from './target.ts'

/**
 * Routes of targets, whoever is going to send there.
 * @param now microseconds
 */
export function createTargetCalls(
  guard: Guard,
  hosts: ConfirmedHosts,
  onChanged: () => void,
  now: () => number,
) {
  return {
    'target.check': ({ url }: { readonly url: string }) => guard.verdict(url),
    'target.confirm'({ host }: { readonly host: string }) {
      hosts.add(hostToConfirm(host), now())
      onChanged()
      return {}
    },
    'target.confirmed': () => hosts.list(),
    'target.forget'({ host }: { readonly host: string }) {
      hosts.remove(host)
      onChanged()
      return {}
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
