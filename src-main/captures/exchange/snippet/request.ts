export type SnippetRequest = {
  readonly method: string
  /** Scheme, host and port. */
  readonly origin: string
  /** Exactly as it is to be sent. */
  readonly target: string
  readonly httpVersion: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}
