import type { SecretsState } from '../../src-preload/contract/secret.ts'
import { secretCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'

/** A place that stores secrets by name. `keychain.ts` and `session-only.ts` implement it. */
export type SecretBackend = {
  get(name: string): Promise<string | null>
  set(name: string, secret: string): Promise<void>
  delete(name: string): Promise<void>
}

/** The name of an entry that is read to test whether the keychain responds. */
const probeName = 'probe'

/**
 * Stores the app's secrets in the system's keychain or, if the user chose so, in memory until the
 * app ends. Secrets are never in a file of Tondesk.
 */
export function createSecretStore(deps: {
  readonly keychain: SecretBackend
  readonly session: SecretBackend
  readonly onChanged: (state: SecretsState) => void
}) {
  let state: SecretsState = { place: 'none', problem: 'The keychain has not been checked yet.' }

  function setState(next: SecretsState): SecretsState {
    state = next
    deps.onChanged(next)
    return next
  }

  function place(): SecretBackend {
    switch (state.place) {
      case 'keychain':
        return deps.keychain
      case 'session':
        return deps.session
      case 'none':
        throw unavailable(`${state.problem ?? 'No keychain is available.'} Nothing was stored.`)
    }
  }

  async function ask<T>(work: (place: SecretBackend) => Promise<T>): Promise<T> {
    const chosen = place()
    try {
      return await work(chosen)
    } catch (error) {
      // The keychain responded before, so it may respond again: it was locked, or its service restarted.
      throw unavailable(keychainSilent(error), error)
    }
  }

  return {
    state: () => state,
    get: async (name: string) =>
      state.place === 'none' ? null : ask((chosen) => chosen.get(name)),
    set: (name: string, secret: string) => ask((chosen) => chosen.set(name, secret)),
    async delete(name: string): Promise<void> {
      if (state.place !== 'none') await ask((chosen) => chosen.delete(name))
    },
    useSessionOnly: () => setState({ place: 'session', problem: state.problem }),
    async retryKeychain(): Promise<SecretsState> {
      const { place: before } = state
      try {
        await deps.keychain.get(probeName)
        // The user chose the session during the test, and the secrets stored since would be lost.
        const isChosenSince = before !== 'session' && state.place === 'session'
        return setState({ place: isChosenSince ? 'session' : 'keychain', problem: null })
      } catch (error) {
        // A choice that was already made for this session stays.
        const kept = state.place === 'session' ? 'session' : 'none'
        return setState({ place: kept, problem: keychainSilent(error) })
      }
    },
  }
}

const keychainSilent = (error: unknown): string =>
  `The system keychain does not respond: ${messageOf(error)}.`

function unavailable(problem: string, cause?: unknown): AppError {
  return new AppError(
    secretCodes.unavailable,
    `${problem} Unlock the keychain and try again, or keep secrets for this session only.`,
    { cause },
  )
}
