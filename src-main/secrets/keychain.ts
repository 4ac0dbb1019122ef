import type { SecretBackend } from './secret-store.ts'

/** The service name of Tondesk's entries in the user's keychain. */
const service = 'Tondesk'

/** A locked keychain may show its own dialog; a missing keychain may never respond. */
const answerWithinMs = 60_000

/**
 * Stores secrets in the system's keychain (Keychain, Credential Manager, Secret Service) with keytar. The
 * native module is loaded at its first use, so that the app also starts on a computer that cannot load it.
 */
export function createKeychain(): SecretBackend {
  const load = async () => (await import('keytar')).default
  return {
    get: async (name) => bounded((await load()).getPassword(service, name)),
    set: async (name, secret) => bounded((await load()).setPassword(service, name, secret)),
    async delete(name) {
      await bounded((await load()).deletePassword(service, name))
    },
  }
}

async function bounded<T>(work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    timeout.reject(new Error('it did not respond within a minute'))
  }, answerWithinMs)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Keeps secrets in this process's memory only. */
export function createSessionOnly(): SecretBackend {
  const secrets = new Map<string, string>()
  return {
    get: (name) => Promise.resolve(secrets.get(name) ?? null),
    set(name, secret) {
      secrets.set(name, secret)
      return Promise.resolve()
    },
    delete(name) {
      secrets.delete(name)
      return Promise.resolve()
    },
  }
}
