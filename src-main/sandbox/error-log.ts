import process from 'node:process'

/** Whatever looks like a credential: an error's text may quote a request. */
const credential = /(bearer\s+|(?:token|api_key)=)[^\s"'&]+/gi

/** Says on standard error what went wrong inside; of keys it says nothing. */
export function createErrorLog(secrets: readonly string[]): (error: unknown) => void {
  return (error) => {
    // Node raises this where a sender is gone before the body of its request has ended.
    const isAborted = error instanceof Error && error.message === 'aborted'
    if (isAborted && 'code' in error && error.code === 'ECONNRESET') return
    let text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    for (const secret of secrets) text = text.replaceAll(secret, '***')
    process.stderr.write(`sandbox: ${text.replace(credential, '$1***')}\n`)
  }
}
