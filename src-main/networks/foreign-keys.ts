/** A sandbox's key opens nothing on a real network, and a real one has no business on this computer. */
import {
  type Network,
  type NetworkId,
  type SecretSlot,
  secretSlot,
} from '../../src-preload/contract/network.ts'
import { networkCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { NetworkSecrets } from '../secrets/network-secrets.ts'
import { reachOf } from './origins.ts'

type ForeignKeys = {
  /** Those of every sandbox seen since the start. */
  learnSandbox(keys: readonly string[]): void
  /** @throws AppError NETWORK_KEY_OF_ANOTHER for the sandbox, which takes none */
  refuseSandbox(network: Network): void
  /** @throws AppError NETWORK_KEY_OF_ANOTHER when a secret is not for this network */
  refuse(network: Network, slot: SecretSlot, secret: string): void
}

export function createForeignKeys(deps: {
  readonly list: () => readonly Network[]
  readonly secrets: Pick<NetworkSecrets, 'get'>
}): ForeignKeys {
  const ofSandbox = new Set<string>()

  /** The network off this computer, other than this, for which this very secret is kept. */
  function ownerAway(id: NetworkId, secret: string): Network | undefined {
    return deps
      .list()
      .find(({ id: other, urls }) =>
        secretSlot.options.some(
          (slot) =>
            other !== id &&
            urls !== null &&
            reachOf(slot, urls).away &&
            deps.secrets.get(other, slot) === secret,
        ),
      )
  }

  return {
    learnSandbox(keys) {
      for (const key of keys) ofSandbox.add(key)
    },
    refuseSandbox,
    refuse(network, slot, secret) {
      refuseSandbox(network)
      const { id, name, urls } = network
      if (urls === null) return
      const { here, away } = reachOf(slot, urls)
      if (away && ofSandbox.has(secret)) {
        throw wrongKind(`This is a key of the sandbox, and ${name} is another network.`)
      }
      const owner = here ? ownerAway(id, secret) : undefined
      if (owner === undefined) return
      throw wrongKind(
        `This is the key kept for ${owner.name}, and ${name} is on this computer. ` +
          'Use a key of the gateway that runs here.',
      )
    },
  }
}

function refuseSandbox({ kind }: Network): void {
  if (kind !== 'sandbox') return
  throw wrongKind(
    'The sandbox has keys of its own and takes no other. Choose the network the key is for.',
  )
}

function wrongKind(message: string): AppError {
  return new AppError(networkCodes.wrongKind, message)
}
