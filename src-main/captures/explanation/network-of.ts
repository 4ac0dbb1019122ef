/** Determines the network of a capture from the data that is available when it arrives. */
import type { CaptureKind, TokenVerdict } from '../../../src-preload/domain/capture-values.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { NetworkHint } from '../store/capture-explanations.ts'

export type RegisteredEndpoint = {
  readonly network: NetworkId
  readonly endpoint: string
  readonly tokenId: string | null
}

export type Arrived = {
  readonly token: TokenVerdict
  readonly tokenId: string | null
  readonly target: string
  readonly kind: CaptureKind | null
}

export type FoundNetwork = { readonly network: NetworkId; readonly by: NetworkHint }

export type NetworkOf = (arrived: Arrived) => FoundNetwork | null

/**
 * The network of the matching token, else the only one whose webhooks point to the receiving URL. Null for
 * an invoice's delivery, which comes from none of these webhooks: see the ledger's reports.
 */
export function createNetworkOf(hooks: readonly RegisteredEndpoint[]): NetworkOf {
  const byToken = Map.groupBy(hooks, (hook) => hook.tokenId)
  const byHookPath = Map.groupBy(hooks, (hook) => hookPathOf(URL.parse(hook.endpoint)))
  byHookPath.delete(null)

  return ({ token, tokenId, target, kind }) => {
    if (tokenId !== null) {
      const network = networkOfToken(tokenId) ?? onlyNetwork(byToken.get(tokenId) ?? [])
      if (network !== null) return { network, by: 'token' }
    }
    if (kind === 'invoice' || byHookPath.size === 0) return null
    const here = byHookPath.get(hookPathOf(URL.parse(target, 'http://localhost'))) ?? []
    // A delivery of a webhook whose token is stored would have carried that token.
    const candidates = token === 'unchecked' ? here : here.filter((hook) => hook.tokenId === null)
    const network = onlyNetwork(candidates)
    return network === null ? null : { network, by: 'endpoint' }
  }
}

const refreshMs = 5_000

/** For threads that are not notified when webhooks change: the webhooks are loaded again from time to time. */
export function createSelfRefreshingNetworkOf(hooks: {
  list(): readonly RegisteredEndpoint[]
}): NetworkOf {
  let networkOf: NetworkOf = () => null
  let readAt = -Infinity
  return (arrived) => {
    const now = performance.now()
    if (now - readAt > refreshMs) {
      networkOf = createNetworkOf(hooks.list())
      readAt = now
    }
    return networkOf(arrived)
  }
}

/** Ids of `webhookTokenId` begin with the network; ids of tokens added by hand do not contain one. */
function networkOfToken(tokenId: string): NetworkId | null {
  return /^(sandbox|testnet|mainnet|custom-[0-9a-f]{8})\//.exec(tokenId)?.[1] ?? null
}

/** The sandbox's test network delivers too, but its transactions cannot be requested. */
export const isOfSandboxTestnet = (tokenId: string | null): boolean =>
  tokenId?.startsWith('sandbox/testnet/') === true

/** The receiver's token has 128 random bits, so its path identifies the receiver by any host or tunnel. */
function hookPathOf(url: URL | null): string | null {
  if (url === null) return null
  const path = /\/hook\/[0-9a-f]{32}(?:\/.*)?$/.exec(url.pathname)?.[0]
  return path === undefined ? null : path.replace(/\/+$/, '') + url.search
}

function onlyNetwork(hooks: readonly RegisteredEndpoint[]): NetworkId | null {
  const [first, second] = new Set(hooks.map(({ network }) => network))
  return first === undefined || second !== undefined ? null : first
}
