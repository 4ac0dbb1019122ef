import type { SecretPlace } from './secret-store.ts'

/** Secrets in this process's memory, gone with it. */
export function createSessionOnly(): SecretPlace {
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
