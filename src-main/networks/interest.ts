import type { NetworkId } from '../../src-preload/contract/network.ts'
import { networkCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'

/** Who still cares for a network's answers: nobody, once another was chosen. */
type Interest = {
  /** Aborted with NETWORK_SWITCHED as soon as another network than this is chosen, or this is gone or moved. */
  of(network: NetworkId): AbortSignal
  chosen(network: NetworkId): void
  gone(network: NetworkId): void
  moved(network: NetworkId): void
}

export function createInterest(): Interest {
  const controllers = new Map<NetworkId, AbortController>()

  function end(network: NetworkId, message: string): void {
    controllers.get(network)?.abort(new AppError(networkCodes.switched, message))
    controllers.delete(network)
  }

  return {
    of(network) {
      const controller = controllers.get(network) ?? new AbortController()
      controllers.set(network, controller)
      return controller.signal
    },
    chosen(network) {
      for (const other of [...controllers.keys()]) {
        if (other !== network) end(other, 'Another network was chosen meanwhile.')
      }
    },
    gone: (network) => end(network, 'The network was removed meanwhile.'),
    moved: (network) => end(network, 'The network has another address now.'),
  }
}
