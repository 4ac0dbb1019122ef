import type { OwnPlaces } from './send-messages.ts'

export type Places = {
  /** The receiver's URL, also while it does not listen. */
  readonly receiver: string
  /** URLs of the sandbox; none while it does not run. */
  readonly sandbox: readonly string[]
  /** Where the sandbox would be. */
  readonly sandboxPort: number
  /** Of browser mode; null in the others. */
  readonly windowPort: number | null
  readonly publicUrl: string | null
}

/** Ports as they are, or as they would be: nothing is forwarded or replayed to them. */
export function ownPlaces(places: Places): OwnPlaces {
  const portOf = (url: string) => Number(URL.parse(url)?.port ?? 0)
  const { receiver, sandbox, sandboxPort, windowPort, publicUrl } = places
  return {
    ports: [
      { port: portOf(receiver), whose: 'the receiver' },
      ...[...sandbox.map(portOf), sandboxPort].map((port) => ({ port, whose: 'the sandbox' })),
      { port: windowPort ?? 0, whose: 'the window' },
    ].filter(({ port }) => port > 0),
    publicUrls: publicUrl === null ? [] : [publicUrl],
  }
}
