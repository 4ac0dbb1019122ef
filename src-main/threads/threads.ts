/**
 * The entry file of a thread or of the sandbox: beside this module when Node runs the TypeScript
 * (tests), beside the bundle when built (electron.vite.config.ts keeps entries flat).
 */
function threadEntry(source: string, built: string): URL {
  const running = import.meta.url
  return new URL(running.endsWith('.ts') ? source : built, running)
}

export const writerThread = threadEntry('./writer-thread.ts', './writer-thread.js')
export const receiverThread = threadEntry('./receiver-thread.ts', './receiver-thread.js')
export const indexThread = threadEntry('./index-thread.ts', './index-thread.js')
export const sendThread = threadEntry('./send-thread.ts', './send-thread.js')
export const invoiceReaderThread = threadEntry(
  './invoice-reader-thread.ts',
  './invoice-reader-thread.js',
)
export const taskEntry = threadEntry('./task-process.ts', './task-process.js')
export const sandboxEntry = threadEntry('./sandbox-process.ts', './sandbox-process.js')
