/**
 * Decides where requests may be sent. Threat model: the user enters a target’s URL, but others
 * decide at each lookup which address its name resolves to. Names are therefore resolved here for
 * each connection, and the connection goes to a checked address.
 */
import { lookup } from 'node:dns/promises'
import type { TargetVerdict } from '../../../src-preload/contract/target.ts'
import { targetCodes } from '../../../src-preload/domain/error-codes.ts'
import { AppError, messageOf } from '../../../src-preload/domain/app-error.ts'
import type { ConfirmedHosts } from '../store/confirmed-hosts.ts'
import type { OwnAddresses } from '../../app/self-addresses.ts'
import { addressKind } from '../../net/address.ts'
import { type Target, readTarget, refusal } from './target.ts'

/** Returns the addresses of a name. @throws if the name has no address */
export type Resolve = (name: string) => Promise<readonly string[]>

/** Resolves a name with the hosts file and then the name servers. */
export const resolveBySystem: Resolve = async (name) => {
  const found = await lookup(name, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}

export type Guard = ReturnType<typeof createGuard>

/** RFC 6761: these names mean this computer, whatever a name server responds. */
const isLocalName = (name: string) => name === 'localhost' || name.endsWith('.localhost')
const localAddresses = ['127.0.0.1', '::1']

type GuardDeps = {
  readonly resolve: Resolve
  readonly own: () => OwnAddresses
  readonly isConfirmed: (host: string) => boolean
  /** True refuses this computer, because a stranger chose the URL. */
  readonly isPublicOnly?: boolean
}

export function createGuard(deps: GuardDeps) {
  const { resolve, isConfirmed } = deps
  const { refuseOwn, refusePublicUrl, judge, demandYes } = createTargetChecks(deps)

  /** @throws AppError TARGET_REFUSED, TARGET_UNCONFIRMED, TARGET_UNRESOLVED */
  async function addresses(target: Target) {
    refusePublicUrl(target)
    const found = await resolveTarget(target, resolve)
    const kind = judge(target, found)
    demandYes(target, kind)
    return { kind, addresses: found }
  }

  /** A confirmed host stays allowed while its name cannot be resolved. */
  const isAway = ({ code }: AppError, { host }: Target) =>
    code === targetCodes.unresolved && isConfirmed(host)

  return {
    /** Checks before each request everything that needs no lookup. @throws AppError */
    admit(target: Target): void {
      refusePublicUrl(target)
      if (target.isAddress) demandYes(target, judge(target, [target.hostname]))
      else if (isLocalName(target.hostname)) refuseOwn(target)
    },
    addresses,
    /** Checks a target as `addresses` does before the target is stored. */
    async demand(url: string): Promise<Target> {
      const target = readTarget(url)
      try {
        await addresses(target)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const { code, message } = error
        const data = { url, host: target.host }
        if (!isAway(error, target)) throw new AppError(code, message, { data })
      }
      return target
    },
    /**
     * Checks a target as `addresses` does, but accepts unconfirmed hosts.
     * @throws AppError TARGET_REFUSED, TARGET_UNRESOLVED
     */
    async reachable(target: Target): Promise<readonly string[]> {
      const addresses = await resolveTarget(target, resolve)
      judge(target, addresses)
      return addresses
    },
    /** Checks the remote address of an open connection. @throws AppError */
    verify(target: Target, kind: 'loopback' | 'public', address: string | undefined): void {
      const judged = addressKind(address ?? '')
      if (judged.kind !== kind) {
        throw refusal(`${target.hostname} led to ${address ?? 'no address'}, which is not allowed.`)
      }
      if (kind === 'loopback') refuseOwn(target)
    },
    /** @throws AppError only for an invalid URL */
    async verdict(url: string): Promise<TargetVerdict> {
      const target = readTarget(url)
      const { host } = target
      const about = { url: target.url, host, isConfirmed: isConfirmed(host) }
      let found: readonly string[] = []
      try {
        refusePublicUrl(target)
        found = await resolveTarget(target, resolve)
        const kind = judge(target, found)
        if (kind === 'loopback') demandYes(target, kind)
        return { ...about, kind, addresses: [...found], problem: null }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const kind = isAway(error, target) ? 'public' : 'refused'
        return { ...about, kind, addresses: [...found], problem: error.message }
      }
    },
  }
}

/** Each function throws an AppError for a target to which nothing may be sent. */
function createTargetChecks({ own, isConfirmed, isPublicOnly = false }: GuardDeps) {
  function refuseOwn(target: Target): void {
    const port = own().ports.find((each) => each.port === target.port)
    if (port === undefined) return
    throw refusal(`${target.host} is ${port.whose} of Tondesk itself. Choose another target.`)
  }

  function refusePublicUrl(target: Target): void {
    for (const text of own().publicUrls) {
      const mine = URL.parse(text) === null ? null : readTarget(text)
      // The scheme is ignored, because a tunnel listens on both ports.
      if (mine !== null && mine.hostname === target.hostname) {
        throw refusal(`${target.host} is the receiver’s own public address. Choose another target.`)
      }
    }
  }

  function judge(target: Target, addresses: readonly string[]): 'loopback' | 'public' {
    const kinds = new Set<'loopback' | 'public'>()
    for (const address of addresses) {
      const judged = addressKind(address)
      if (judged.kind === 'refused') {
        const where =
          address === target.hostname ? address : `${target.hostname} leads to ${address}, which`
        throw refusal(`${where} is ${judged.reason}. Tondesk sends nothing there.`)
      }
      kinds.add(judged.kind)
    }
    const [kind, other] = kinds
    if (kind === undefined) throw unresolved(target, 'no address')
    if (other !== undefined) {
      throw refusal(
        `${target.hostname} resolves to this computer and to other computers. Tondesk sends nothing there.`,
      )
    }
    if (kind === 'loopback') refuseOwn(target)
    return kind
  }

  function demandYes(target: Target, kind: 'loopback' | 'public'): void {
    const confirmed = isConfirmed(target.host)
    if (kind === 'loopback' && isPublicOnly) {
      throw refusal(`${target.hostname} leads to this computer. Tondesk loads nothing from there.`)
    }
    if (kind === 'public' && !confirmed) {
      throw new AppError(
        targetCodes.unconfirmed,
        `${target.host} is not on this computer. Confirm the host first.`,
        { data: { host: target.host } },
      )
    }
    // The user confirmed a host on the internet, but its name now resolves to this computer.
    if (kind === 'loopback' && confirmed) {
      throw refusal(
        `You confirmed ${target.hostname} as a host on the internet, but it now resolves to this computer.`,
      )
    }
  }

  return { refuseOwn, refusePublicUrl, judge, demandYes }
}

/** @throws AppError TARGET_UNRESOLVED */
async function resolveTarget(target: Target, resolve: Resolve): Promise<readonly string[]> {
  if (target.isAddress) return [target.hostname]
  if (isLocalName(target.hostname)) return localAddresses
  try {
    return await resolve(target.hostname)
  } catch (error) {
    throw unresolved(target, messageOf(error))
  }
}

function unresolved(target: Target, reason: string): AppError {
  return new AppError(
    targetCodes.unresolved,
    `${target.hostname} cannot be resolved (${reason}). Check the spelling and your network connection.`,
  )
}

/** @param now a clock in microseconds */
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

/** @throws AppError TARGET_REFUSED for a host that cannot be confirmed */
function hostToConfirm(host: string): string {
  // Other characters would belong to another part of the URL.
  const target = /^[^/\\@?#\s]+:\d+$/.test(host) ? readTarget(`https://${host}/`) : null
  if (target === null) {
    throw refusal(`${host} is not a host with a port, such as example.com:443.`)
  }
  if (target.isAddress) {
    const judged = addressKind(target.hostname)
    if (judged.kind === 'refused') throw refusal(`${target.hostname} is ${judged.reason}.`)
  }
  return target.host
}
